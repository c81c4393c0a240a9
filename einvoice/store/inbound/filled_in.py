"""The values that a person enters of a bill that cannot be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy import update
from sqlalchemy.engine import Connection

from einvoice.store.tables import Invoice, Received


def write(
    connection: Connection,
    invoice_id: str,
    tenant_id: str,
    head: Mapping[str, Any],
    warnings: Sequence[Mapping[str, object]],
    supplier_id: str | None,
    gl_account_code: str | None,
) -> None:
    """Store the head and the supplier; the account to which the bill is booked stays."""
    connection.execute(
        update(Invoice)
        .where(
            Invoice.id == invoice_id,
            Invoice.tenant_id == tenant_id,
            Invoice.direction == "received",
        )
        .values(**head, warnings=list(warnings))
    )
    connection.execute(
        update(Received)
        .where(Received.invoice_id == invoice_id, Received.tenant_id == tenant_id)
        .values(
            supplier_id=supplier_id,
            gl_account_code=sa.func.coalesce(Received.gl_account_code, gl_account_code),
        )
    )
