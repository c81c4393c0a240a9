"""POST /api/sandbox/…: end a wait of the simulated network, move the clock of the sandbox."""

from __future__ import annotations

from einvoice.domain.errors import Conflict, NotFound
from einvoice.services.delivery import sandbox
from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.tenant_data import sandbox_clock
from einvoice.services.tenant_data.sandbox_clock import Advanced
from einvoice.web import bodies, credentials
from einvoice.web.admission import slots
from einvoice.web.api import Family
from einvoice.web.public.sandbox_schemas import AdvanceResult, ClockResult, ClockStep
from einvoice.web.responses import documented_body
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


_STEP = ClockStep()


@family.route("/clock", methods=["POST"])
@family.doc(requestBody=documented_body(ClockStep))
@family.refuses(Conflict, NotFound)
@family.response(200, ClockResult())
def move_clock() -> Advanced:
    """Let time pass in your sandbox.

    What is due there becomes due so much earlier: retries and their end, polls and deadlines, the
    simulated network, retries of webhooks, the expiry of keys, secrets, consents and certificates,
    with the events about them. No date changes, and nothing of live or of another account.
    409 conflict if more than 10,000 documents and webhooks wait; live keys get 404.
    """
    credentials.require("invoices:send")
    step = bodies.read_body(_STEP, bodies.received())
    with slots.released():
        return sandbox_clock.advance(step["advanceSeconds"], credentials.principal(), runtime())
