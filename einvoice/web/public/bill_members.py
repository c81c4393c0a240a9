"""What every answer about an invoice says of it as a bill; of a sent one nothing."""

from __future__ import annotations

from typing import Any

from einvoice import clock
from einvoice.services.invoices.lists import BillRecord


def bill_members(bill: BillRecord | None) -> dict[str, Any]:
    """The members, null where they mean nothing."""
    if bill is None:
        return dict.fromkeys(("supplierId", "glAccountCode", "processedAt", "processedBy"))
    processed_at = None if bill.processed_at is None else clock.timestamp(bill.processed_at)
    return {
        "supplierId": bill.supplier_id,
        "glAccountCode": bill.gl_account_code,
        "processedAt": processed_at,
        "processedBy": bill.processed_by,
    }
