"""The computations of a send: from a request to its findings and its document.

`prepare` computes from plain values alone, so that it can run in a computing process (`judging`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from einvoice import validation
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.invoice import DocumentKind
from einvoice.domain.invoice_head import InvoiceHead, head_of
from einvoice.domain.request import SendDefaults, SendRequest, SendWarning
from einvoice.services.invoices.printing import has_pdf
from einvoice.validation import Report


@dataclass(frozen=True, slots=True)
class PreparedSend:
    """What a send needs of its invoice: without the invoice, which is long.

    document  empty if the report has errors
    has_pdf   whether a PDF is attached already
    """

    kind: DocumentKind
    head: InvoiceHead
    warnings: tuple[SendWarning, ...]
    has_pdf: bool
    report: Report
    document: bytes


def prepare(
    request: SendRequest,
    defaults: SendDefaults,
    on: date,
    language: str = validation.DEFAULT_LANGUAGE,
) -> PreparedSend:
    """Derive the invoice, judge it by the rules of the day, and write it.

    `language`: of the findings.

    Raises DeclaredTotalsMismatch and what else `derive` refuses.
    """
    asked = request["invoice"]
    derived = derive(asked, request["routing"], defaults)
    invoice = derived.invoice
    report = validation.findings(invoice, request["routing"], on, language)
    tax_ids = (asked["supplier"].get("taxId") or None, asked["buyer"].get("taxId") or None)
    return PreparedSend(
        kind=invoice.kind,
        head=head_of(invoice, *tax_ids),
        warnings=derived.warnings,
        has_pdf=has_pdf(invoice),
        report=report,
        document=b"" if report.errors else document_xml(invoice),
    )
