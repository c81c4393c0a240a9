"""GET /api/tenant/branding/preview.pdf: a sample invoice with the account's branding."""

from __future__ import annotations

from flask import Response

from einvoice.domain.codes import COUNTRIES
from einvoice.domain.roles import Role
from einvoice.services.invoices import pdf
from einvoice.web import credentials, paging
from einvoice.web.api import Family
from einvoice.web.contract import Contract
from einvoice.web.fields import Code
from einvoice.web.runtime import runtime
from einvoice.web.shared import computations
from einvoice.web.shared.pdf import inline_pdf

family = Family(
    "branding",
    __name__,
    url_prefix="/api/tenant/branding",
    credential=credentials.session_or_platform,
    tag="Account",
)

_DEFAULT_COUNTRY = "GB"


class PreviewQuery(Contract):
    """The buyer of the sample."""

    country = Code(
        "Country of the buyer (ISO 3166-1 alpha-2); determines language and figures. Default GB.",
        COUNTRIES,
        name="an ISO 3166-1 country code",
        codes_of="iso3166_cen",
        example="DE",
    )


_QUERY = PreviewQuery()
_PDF = {"content": {"application/pdf": {"schema": {"type": "string", "format": "binary"}}}}


@family.route("/preview.pdf", least=Role.VIEWER)
@family.doc(parameters=[{"in": "query", "schema": PreviewQuery}], responses={200: _PDF})
@family.refuses(*computations.REFUSALS)
@family.response(200, description="The sample as PDF.")
def preview_branding() -> Response:
    """Get a sample invoice with the branding of the account.

    Logo, colour, address and bank details are from the profile. Nothing is sent or stored.
    """
    country = paging.read_query(_QUERY).get("country", _DEFAULT_COUNTRY)
    principal = credentials.session_of_request()
    made = pdf.preview(principal.tenant_id, country, runtime().computing)
    response = inline_pdf(made, "preview.pdf")
    response.headers["Cache-Control"] = "private, no-store"
    return response
