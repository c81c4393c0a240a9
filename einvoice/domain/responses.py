"""Responses to received invoices: the codes of the Peppol Invoice Response.

Source: Peppol BIS Invoice Response 3 (subset of UNCL4343, OPStatusReason, OPStatusAction). Networks
with other codes map them in their plugins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from einvoice.domain.errors import FieldError, Phrase

CODES: Final = {
    "AB": "message acknowledged",
    "IP": "in process",
    "UQ": "under query",
    "CA": "conditionally accepted",
    "RE": "rejected",
    "AP": "accepted",
    "PD": "paid",
}
NEED_REASON: Final = ("UQ", "CA", "RE")
REASONS: Final = {
    "NON": "no issue",
    "REF": "references incorrect",
    "LEG": "legal information incorrect",
    "REC": "receiver unknown",
    "QUA": "item quality insufficient",
    "DEL": "delivery issues",
    "PRI": "prices incorrect",
    "QTY": "quantity incorrect",
    "ITM": "items incorrect",
    "PAY": "payment terms incorrect",
    "PPD": "partially paid",
    "UNR": "not recognised",
    "FIN": "finance incorrect",
    "OTH": "other",
}
ACTIONS: Final = {
    "NOA": "no action required",
    "PIN": "provide information",
    "NIN": "issue new invoice",
    "CNF": "credit fully",
    "CNP": "credit partially",
    "CNA": "credit the amount",
    "OTH": "other",
}
PARTIALLY_PAID: Final = "PPD"
PAID: Final = "PD"


@dataclass(frozen=True, slots=True)
class Condition:
    """A value that the buyer expects: a business term of EN 16931 (BT-48) and its value."""

    term: str
    value: str | None = None


@dataclass(frozen=True, slots=True)
class Clarification:
    """Why, or what the buyer expects: a code of REASONS or ACTIONS, with words.

    is_action  whether OTH is of ACTIONS; the other codes are of one list only
    """

    code: str
    words: str | None = None
    conditions: tuple[Condition, ...] = ()
    is_action: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True)
class ResponseContent:
    """What a buyer says of an invoice. `effective_date`: since when."""

    code: str
    reasons: tuple[Clarification, ...] = ()
    actions: tuple[Clarification, ...] = ()
    note: str | None = None
    effective_date: date | None = None

    @property
    def clarifications(self) -> tuple[Clarification, ...]:
        return (*self.reasons, *self.actions)


def faults(content: ResponseContent) -> Iterator[FieldError]:
    """What of the content breaks a rule of the Invoice Response.

    >>> [fault.pointer for fault in faults(ResponseContent("RE"))]
    ['/reasons']
    """
    if content.code in NEED_REASON and not content.clarifications:
        words = f"is required for the response {content.code}, unless actions are given"
        phrase = Phrase("reason", {"code": content.code})
        yield FieldError("/reasons", "required", words, phrase)
    yield from _faults_of_reasons(content.reasons, content.code)


def _faults_of_reasons(reasons: Sequence[Clarification], code: str) -> Iterator[FieldError]:
    for index, each in enumerate(reasons):
        if each.code != PARTIALLY_PAID:
            continue
        if code != PAID:
            words = f"{PARTIALLY_PAID} is a reason of the response {PAID} only"
            yield FieldError(f"/reasons/{index}/code", "not-allowed", words)
        if not each.words:
            words = f"is required for the reason {PARTIALLY_PAID}"
            yield FieldError(f"/reasons/{index}/text", "required", words)
