"""One invoice and its artefacts, for API keys and people at the dashboard."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice import clock
from einvoice.domain.artefacts import KINDS
from einvoice.domain.bounds import listed
from einvoice.domain.roles import Role
from einvoice.services.invoices import detail
from einvoice.services.invoices.detail import InvoiceDetail
from einvoice.validation import warnings
from einvoice.web import credentials, paging
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.public.list_schemas import ArtefactQuery
from einvoice.web.public.response_schemas import ArtefactList, InvoiceResponse
from einvoice.web.responses import json_response, provider
from einvoice.web.runtime import runtime
from einvoice.web.shared import archive, pdf
from einvoice.web.shared.artefacts import artefact_body
from einvoice.web.shared.attachments import artefact_response
from einvoice.web.shared.bill_members import bill_members

family = Family(
    "invoices", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)


@family.route("/invoices/<invoice_id>", least=Role.VIEWER)
@family.reads_headers("Accept-Language")
@family.response(200, InvoiceResponse())
def get_invoice(invoice_id: str) -> Response:
    """An invoice with its status and history."""
    credentials.require("invoices:read")
    found = detail.get(invoice_id, credentials.reader())
    return json_response(invoice_body(found, language_of_findings()))


def invoice_body(found: InvoiceDetail, language: str) -> dict[str, Any]:
    """The JSON of one invoice, with warnings in this language."""
    record = found.record
    failed = record.status == "Failed"
    return {
        "invoiceId": record.id,
        "transactionId": record.transmission_id,
        "direction": record.direction,
        "type": record.kind,
        "number": record.number,
        "issueDate": record.issue_date,
        "dueDate": record.due_date,
        "currency": record.currency,
        "taxCurrency": record.tax_currency,
        "grandTotal": record.grand_total,
        "totals": {
            "subtotal": record.subtotal,
            "taxAmount": record.tax_amount,
            "grandTotal": record.grand_total,
            "amountDue": record.payable,
            "taxAmountInTaxCurrency": record.tax_amount_in_tax_currency,
        },
        "supplierName": record.supplier_name,
        "buyerName": record.buyer_name,
        "senderParticipantId": record.sender,
        "receiverParticipantId": record.receiver,
        "environment": record.environment,
        "networkStatus": record.status,
        "deliveredMeans": detail.delivered_means(record, runtime().access_points),
        "attention": record.needs_person,
        "waitingReason": found.waiting_reason,
        "shared": record.shared,
        "failureReason": record.reason if failed else None,
        "reasonCode": record.reason_code if failed else None,
        "retryable": record.retryable if failed else None,
        "networkFindings": detail.worded_findings(found.network_findings, language),
        **bill_members(found.bill, found.response),
        "documentTypeId": found.bill.document_type if found.bill else None,
        "trafficLight": found.light,
        "history": [
            {"event": h.event, "at": clock.timestamp(h.at), "detail": h.detail}
            for h in found.history
        ],
        **listed("warnings", warnings.in_words(record.warnings, language)),
        "metadata": record.metadata or {},
        "createdAt": clock.timestamp(record.created_at),
        "updatedAt": clock.timestamp(found.updated_at),
        "provider": provider(),
    }


@family.route("/invoices/<invoice_id>/pdf", least=Role.VIEWER)
@family.doc(**pdf.DOCUMENTED)
@family.refuses(*pdf.REFUSALS)
@family.response(200, description="The PDF (PDF/A-3), with the document inside.")
def get_invoice_pdf(invoice_id: str) -> Response:
    """Get a sent or received invoice as a PDF; a sent one with the branding of the account.

    The PDF embeds the document as sent, or with format=factur-x the invoice as CII. The pages of a
    sent invoice that is not Delivered are marked as not yet delivered.
    """
    credentials.require("artefacts:read")
    wanted, who = pdf.pdf_format(), credentials.reader()
    return pdf.pdf_response(detail.record_of(invoice_id, who), who.tenant_id, wanted)


_ARTEFACTS = ArtefactQuery()
_BYTES = {"schema": {"type": "string", "format": "binary"}}
# Bytes first: a generated client that supports one type only then returns JSON as bytes, too.
_MEDIA = ["application/octet-stream", *sorted({kind.content_type for kind in KINDS.values()})]
# What is said to be JSON is a JSON value: a validator would refuse one that is said to be text.
_ANY: dict[str, Any] = {
    media: {"schema": {}} if media == "application/json" else dict(_BYTES) for media in _MEDIA
}


@family.route("/invoices/<invoice_id>/artefacts", least=Role.VIEWER)
@family.reads_headers("Accept-Language")
@family.doc(parameters=[{"in": "query", "schema": ArtefactQuery}])
@family.response(200, ArtefactList())
def list_artefacts(invoice_id: str) -> Response:
    """List the artefacts of an invoice: its UBL, reports, receipts."""
    credentials.require("artefacts:read")
    kind = paging.read_query(_ARTEFACTS).get("type")
    found = detail.list_artefacts(invoice_id, credentials.reader(), kind, language_of_findings())
    items = [artefact_body(item) for item in found]
    return json_response({"invoiceId": invoice_id, "items": items, "provider": provider()})


@family.route("/invoices/<invoice_id>/artefacts/<artefact_id>", least=Role.VIEWER)
@family.reads_headers("Accept-Language")
@family.refuses(*archive.REFUSALS)
@family.doc(responses={200: {"content": _ANY}})
@family.response(200, description="The content, with the artefact's contentType.")
def download_artefact(invoice_id: str, artefact_id: str) -> Response:
    """Download an artefact, with its own content type."""
    credentials.require("artefacts:read")
    found = detail.download(invoice_id, artefact_id, credentials.reader(), language_of_findings())
    return artefact_response(found)
