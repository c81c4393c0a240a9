"""One invoice and its artefacts, for API keys and people at the dashboard."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.artefacts import ATTACHMENT, KINDS
from einvoice.domain.errors import Conflict
from einvoice.domain.roles import Role
from einvoice.services.invoices import content, detail
from einvoice.services.invoices.content import InvoiceContent
from einvoice.services.invoices.detail import InvoiceDetail
from einvoice.web import credentials, paging
from einvoice.web.api import Family
from einvoice.web.finding_language import language_of_findings
from einvoice.web.public.content_schemas import ContentResponse
from einvoice.web.public.list_schemas import ArtefactQuery
from einvoice.web.public.response_schemas import ArtefactList, InvoiceResponse, ListedArtefacts
from einvoice.web.runtime import runtime
from einvoice.web.shared import archive, computations, pdf
from einvoice.web.shared.attachments import artefact_response

family = Family(
    "invoices", __name__, url_prefix="/api", credential=credentials.key_or_session, tag="Invoices"
)


@family.route("/invoices/<invoice_id>", least=Role.VIEWER)
@family.reads_headers("Accept-Language")
@family.response(200, InvoiceResponse())
def get_invoice(invoice_id: str) -> InvoiceDetail:
    """An invoice with its status and history."""
    credentials.require("invoices:read")
    return detail.get(invoice_id, credentials.reader())


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
    wanted, principal = pdf.pdf_format(), credentials.reader()
    return pdf.pdf_response(detail.record_of(invoice_id, principal), principal.tenant_id, wanted)


@family.route("/invoices/<invoice_id>/content", least=Role.VIEWER)
@family.refuses(Conflict, *computations.REFUSALS, *archive.REFUSALS)
@family.response(200, ContentResponse())
def get_invoice_content(invoice_id: str) -> InvoiceContent:
    """A sent or received invoice as data: the JSON of a send.

    Of a document in UBL, CII, a PDF with one attached, or in another form of its network. What no
    member says is listed with its place. A document without an invoice is 409.
    """
    credentials.require("artefacts:read")
    return content.get(invoice_id, credentials.reader(), runtime())


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
def list_artefacts(invoice_id: str) -> ListedArtefacts:
    """List the artefacts of an invoice: its UBL, reports, receipts.

    The files inside its document are listed with `type=ATTACHMENT` only.
    """
    credentials.require("artefacts:read")
    kind = paging.read_query(_ARTEFACTS).get("type")
    reader, language = credentials.reader(), language_of_findings()
    if kind == ATTACHMENT.code:
        return ListedArtefacts(invoice_id, content.attachments_of(invoice_id, reader))
    return ListedArtefacts(invoice_id, detail.list_artefacts(invoice_id, reader, kind, language))


@family.route("/invoices/<invoice_id>/artefacts/<artefact_id>", least=Role.VIEWER)
@family.reads_headers("Accept-Language")
@family.refuses(*archive.REFUSALS)
@family.doc(responses={200: {"content": _ANY}})
@family.response(200, description="The content, with the artefact's contentType.")
def download_artefact(invoice_id: str, artefact_id: str) -> Response:
    """Download an artefact, with its own content type."""
    credentials.require("artefacts:read")
    found = content.download(invoice_id, artefact_id, credentials.reader(), language_of_findings())
    return artefact_response(found)
