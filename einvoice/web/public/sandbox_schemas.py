"""Schemas of the sandbox's routes."""

from __future__ import annotations

from einvoice.services.invoices.detail import InvoiceRecord
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
