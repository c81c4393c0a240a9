"""The members about a bill in every response about an invoice; null for a sent one, but for the
response of its receiver."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.services.delivery import receiver_responses
from einvoice.services.invoices.lists import BillRecord, ReceiverResponseRecord, ResponseRecord


def bill_members(
    bill: BillRecord | None, said: ReceiverResponseRecord | None = None
) -> dict[str, Any]:
    """The members, null for a sent invoice (None) but for what its receiver has said."""
    if bill is None:
        names = ("supplierId", "customerId", "glAccountCode", "processedAt", "processedBy")
        return dict.fromkeys(names) | {
            "response": None if said is None else receiver_responses.as_json(said)
        }
    processed_at = None if bill.processed_at is None else clock.timestamp(bill.processed_at)
    return {
        "supplierId": bill.supplier_id,
        "customerId": bill.customer_id,
        "glAccountCode": bill.gl_account_code,
        "processedAt": processed_at,
        "processedBy": bill.processed_by,
        "response": None if bill.response is None else response_members(bill.response),
    }


def response_members(response: ResponseRecord) -> dict[str, Any]:
    """A response to a bill and how far its delivery has got."""
    settled_at = response.settled_at
    return {
        "responseId": response.id,
        "responseCode": response.code,
        "status": response.status,
        "reason": response.reason,
        "createdAt": clock.timestamp(response.created_at),
        "settledAt": None if settled_at is None else clock.timestamp(settled_at),
    }
