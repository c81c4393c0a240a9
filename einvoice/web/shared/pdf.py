"""The PDF of an invoice, under /api and /v1."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.artefacts import FACTUR_X, PDF, PDF_RECEIPT
from einvoice.domain.errors import AccessPointUnavailable, NotAsFacturX, NotCleared
from einvoice.services.invoices import pdf
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.invoices.handout_terms import Networks
from einvoice.web import paging
from einvoice.web.contract import Contract
from einvoice.web.fields import Code
from einvoice.web.runtime import runtime
from einvoice.web.shared import archive, computations


class PdfQuery(Contract):
    """The format of the PDF."""

    format = Code(
        "pdf (default): with the document embedded. factur-x: with the invoice embedded as CII of "
        "the profile EN 16931. receipt: as the receipt of a till, on paper of 80 mm.",
        ("pdf", "factur-x", "receipt"),
        name="pdf, factur-x or receipt",
        example="factur-x",
    )


REFUSALS = (
    NotAsFacturX,
    NotCleared,
    AccessPointUnavailable,
    *computations.REFUSALS,
    *archive.REFUSALS,
)
_BYTES = {"type": "string", "format": "binary"}
DOCUMENTED: dict[str, Any] = {
    "parameters": [{"in": "query", "schema": PdfQuery}],
    "responses": {200: {"content": {"application/pdf": {"schema": _BYTES}}}},
}
_QUERY = PdfQuery()
_FORMS = {
    "pdf": (PDF, pdf.pdf_of),
    "factur-x": (FACTUR_X, pdf.factur_x_of),
    "receipt": (PDF_RECEIPT, pdf.receipt_of),
}


def pdf_format() -> str:
    """The requested format. Raises InvalidField."""
    return str(paging.read_query(_QUERY).get("format", "pdf"))


def pdf_response(record: InvoiceRecord, tenant_id: str, wanted: str) -> Response:
    """The PDF of the tenant's invoice in the wanted format. Raises REFUSALS and NotFound."""
    kind, render = _FORMS[wanted]
    parts = runtime()
    networks = Networks.of(parts)
    made = render(tenant_id, record.environment, record.id, parts.computing, networks)
    return inline_pdf(made, kind.file_name_of(record.number))


def inline_pdf(content: bytes, name: str) -> Response:
    """A PDF that the browser shows; the name has no quotation marks."""
    response = Response(content, content_type="application/pdf")
    response.headers["Content-Disposition"] = f'inline; filename="{name}"'
    return response
