"""The amounts of the newest documents, which are summed by their readers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from sqlalchemy import select

from einvoice.store.core import db
from einvoice.store.tables import Invoice, Transmission


@dataclass(frozen=True, slots=True)
class DocumentAmount:
    """The total of a sent or received document."""

    created_at: datetime
    direction: str
    kind: str
    currency: str
    total: Decimal


def newest(tenant_id: str, environment: str, since: datetime, limit: int) -> list[DocumentAmount]:
    """Those that were accepted since then, newest first, without failed ones."""
    columns = (
        Invoice.created_at, Invoice.direction, Invoice.kind, Invoice.currency, Invoice.grand_total,
    )  # fmt: skip
    query = (
        select(*columns)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            Invoice.created_at >= since,
            Invoice.grand_total.is_not(None),
            Invoice.currency.is_not(None),
            Transmission.status != "Failed",
        )
        .order_by(Invoice.created_at.desc(), Invoice.id.desc())
        .limit(limit)
    )
    found = db.read_replicated(lambda connection: connection.execute(query).all())
    return [
        DocumentAmount(at, direction, kind, currency, total)
        for at, direction, kind, currency, total in found
        if currency is not None and total is not None
    ]
