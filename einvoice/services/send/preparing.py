"""The computations of a send: from a request to its findings, and to the document.

Functions of plain values alone. The steps of a send (`check`) call them one by one; those of a
large one are done by `prepare_document` in a computing process (`judging.is_large_body`).
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from einvoice import validation
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.bounds import to_store
from einvoice.domain.derive import derive
from einvoice.domain.invoice import DocumentKind, Routing
from einvoice.domain.invoice_head import InvoiceHead, head_of
from einvoice.domain.legacy_totals import check_legacy
from einvoice.domain.request import DerivedInvoice, SendDefaults, SendRequest, SendWarning
from einvoice.services.invoices.printing import has_pdf
from einvoice.services.send.document import Warnings
from einvoice.services.send.legacy_body import LegacySend
from einvoice.validation import Report


@dataclass(frozen=True, slots=True)
class PreparedSend:
    """What is computed of a request.

    warnings  of the derivation, then of the rules
    document  UBL; empty if the report has errors
    has_pdf   whether a PDF is attached
    """

    head: InvoiceHead
    report: Report
    warnings: Warnings
    document: bytes
    has_pdf: bool


@dataclass(frozen=True, slots=True)
class JudgedSend:
    """The findings on the invoice of a send, and the warnings of its derivation."""

    report: Report
    warnings: tuple[SendWarning, ...]


def prepare(request: SendRequest, defaults: SendDefaults, on: date, language: str) -> JudgedSend:
    """Derive the invoice, and judge it by the rules of the day, for a send that is judged only.

    `language`: of the findings.

    Raises DeclaredTotalsMismatch and what else `derive` refuses.
    """
    found = derived(request, defaults)
    report = validation.findings(found.invoice, request["routing"], on, language)
    return JudgedSend(report, found.warnings)


def prepare_document(
    request: SendRequest, legacy: LegacySend | None, defaults: SendDefaults, on: date
) -> PreparedSend:
    """Derive the invoice, judge it by the rules of the day, and write it if there are no errors.

    Raises what `derived` and `judged` raise.
    """
    found = derived(request, defaults, legacy)
    return prepared(request, found, judged(found, request["routing"], on, legacy))


def derived(
    request: SendRequest, defaults: SendDefaults, legacy: LegacySend | None = None
) -> DerivedInvoice:
    """The invoice, completed by totals, defaults and assumptions.

    Raises what `derive` raises; TotalsMismatch for a v1 body.
    """
    computed = check_legacy(legacy.lines, legacy.total_amount) if legacy else None
    return derive(request["invoice"], request["routing"], defaults, computed)


def judged(
    found: DerivedInvoice, routing: Routing, on: date, legacy: LegacySend | None = None
) -> Report:
    """The findings on the invoice. Errors in a v1 body have its names of fields.

    What is stored of an accepted invoice has those of a send. Raises ValidationUnavailable, and
    InvalidField for characters that XML cannot carry.
    """
    report = validation.findings(found.invoice, routing, on)
    if legacy and report.errors:
        return validation.findings(found.invoice, routing, on, names=legacy.names)
    return report


def prepared(request: SendRequest, found: DerivedInvoice, report: Report) -> PreparedSend:
    """The written document with what was found out about it. Raises InvalidField, as `judged`."""
    return PreparedSend(
        head=head_of(found.invoice, *_tax_ids(request)),
        report=report,
        warnings=to_store((*_assumptions(found.warnings), *warnings_of(report))),
        document=b"" if report.errors else document_xml(found.invoice),
        has_pdf=has_pdf(found.invoice),
    )


def kind_of(request: SendRequest) -> DocumentKind:
    """The kind of document that the request becomes."""
    return DocumentKind(request["invoice"].get("type") or "invoice")


def warnings_of(report: Report) -> Warnings:
    """The warnings among the findings, as `warnings` of an answer."""
    return tuple(
        {"code": f.rule_id, "message": f.message, "field": f.field}
        for f in validation.folded(report.findings)
        if f.severity == "warning"
    )


def _assumptions(derived: tuple[SendWarning, ...]) -> Warnings:
    return tuple(warning.as_json() for warning in derived)


def _tax_ids(request: SendRequest) -> tuple[str | None, str | None]:
    """Tax ids of supplier and buyer as the tenant writes them, for seeding the directory."""
    invoice = request["invoice"]
    return invoice["supplier"].get("taxId") or None, invoice["buyer"].get("taxId") or None
