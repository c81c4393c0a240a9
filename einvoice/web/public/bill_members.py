"""The members about a bill in every response about an invoice; null for a sent one."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.services.invoices.lists import BillRecord, ResponseRecord


def bill_members(bill: BillRecord | None) -> dict[str, Any]:
    """The members, all null for a sent invoice (None)."""
    if bill is None:
        return dict.fromkeys(
            ("supplierId", "customerId", "glAccountCode", "processedAt", "processedBy", "response")
        )
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
