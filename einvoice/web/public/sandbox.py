"""POST /api/sandbox/invoices/{invoiceId}/advance: end a wait of the simulated network."""

from __future__ import annotations

from einvoice.domain.errors import Conflict
from einvoice.services.delivery import sandbox
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.web import credentials
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.public.sandbox_schemas import AdvanceResult
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "sandbox", __name__, url_prefix="/api/sandbox", credential=credentials.api_key, tag="Sandbox"
)


@family.route("/invoices/<invoice_id>/advance", methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, AdvanceResult())
def advance_invoice(invoice_id: str) -> InvoiceRecord:
    """End the wait of a sandbox invoice for the simulated network.

    The event that it waits for happens now: the delivery or failure of one that is Processing, or
    the response to one that is Delivered. 409 conflict if it waits for nothing; live keys get 404.
    """
    credentials.require("invoices:send")
    read_empty_body()
    with slots.released():
        return sandbox.advance(invoice_id, credentials.principal(), runtime().access_points)
