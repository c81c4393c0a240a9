"""Schemas of the sandbox's routes."""

from __future__ import annotations

from einvoice.services.invoices.detail import InvoiceRecord
from einvoice.services.tenant_data.sandbox_clock import MAX_SECONDS, Advanced
from einvoice.web.contract import Contract
from einvoice.web.fields import Count
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a


class AdvanceResult(ResponseSchema[InvoiceRecord]):
    """The transmission whose wait was ended."""

    invoiceId = a.an_id("The invoice", source="id")
    transactionId = a.text("The transmission", "txn_5f0c…", source="transmission_id")
    networkStatus = a.text(
        "Its status now; a worker changes it a moment later", "Processing", source="status"
    )
    provider = a.provider()


class ClockStep(Contract):
    """How much time passes."""

    advanceSeconds = Count(
        "Seconds; at most 366 days.", minimum=1, maximum=MAX_SECONDS, required=True, example=86400
    )


class ClockResult(ResponseSchema[Advanced]):
    """Waiting work of the sandbox that is due earlier now."""

    advancedSeconds = a.number("How much time has passed", 86400, source="seconds")
    documents = a.number("Documents and messages on their way", 3)
    webhooks = a.number("Posts of webhooks that are still to be made", 2)
    others = a.number(
        "Further moments: of keys, secrets, connections, endpoints and checks by networks", 1
    )
    provider = a.provider()
