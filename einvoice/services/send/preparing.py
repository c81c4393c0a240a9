"""The computation of a send that is judged only: from a request to its findings.

`prepare` computes from plain values alone, so that it can run in a computing process (`judging`).
"""

from __future__ import annotations

from datetime import date

from einvoice import validation
from einvoice.domain.derive import derive
from einvoice.domain.request import SendDefaults, SendRequest
from einvoice.validation import Report


def prepare(request: SendRequest, defaults: SendDefaults, on: date, language: str) -> Report:
    """Derive the invoice, and judge it by the rules of the day.

    `language`: of the findings.

    Raises DeclaredTotalsMismatch and what else `derive` refuses.
    """
    invoice = derive(request["invoice"], request["routing"], defaults).invoice
    return validation.findings(invoice, request["routing"], on, language)
