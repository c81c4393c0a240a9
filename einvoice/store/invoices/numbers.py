"""Documents by a number, their own or that of the invoice that they credit.

All are of the tenant and environment that is asked for.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from sqlalchemy import select

from einvoice.domain.delivery import NetworkStatus
from einvoice.store.core import db, rows
from einvoice.store.tables import Invoice, Transmission

MAX_FOUND = 200


@dataclass(frozen=True, slots=True)
class NumberedDocument:
    """A sent document that has not failed, with its number and state."""

    id: str
    number: str | None
    kind: str
    sender: str
    issue_date: date | None
    buyer_name: str | None
    created_at: datetime
    status: str


@dataclass(frozen=True, slots=True)
class CreditNote:
    """A credit note that has not failed, with its amount (BT-112) and state."""

    id: str
    number: str | None
    grand_total: Decimal | None
    currency: str | None
    sender: str
    created_at: datetime
    status: str


def crediting(tenant_id: str, environment: str, direction: str, number: str) -> list[CreditNote]:
    """The credit notes that name an invoice by its number and have not failed, newest first."""
    query = (
        select(
            Invoice.id, Invoice.number, Invoice.grand_total, Invoice.currency, Invoice.sender,
            Invoice.created_at, Transmission.status,
        )
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            Invoice.credited_number == number,
            Invoice.direction == direction,
            Transmission.status != NetworkStatus.FAILED.value,
        )
        .order_by(Invoice.created_at.desc(), Invoice.id.desc())
        .limit(MAX_FOUND)
    )  # fmt: skip
    with db.reading_by_key() as connection:
        return [CreditNote(*row) for row in connection.execute(query)]


def not_failed(
    tenant_id: str, environment: str, numbers: Collection[str]
) -> list[NumberedDocument]:
    """The documents that were sent with these numbers and have not failed, newest first."""
    if not numbers:
        return []
    query = (
        select(
            Invoice.id, Invoice.number, Invoice.kind, Invoice.sender, Invoice.issue_date,
            Invoice.buyer_name, Invoice.created_at, Transmission.status,
        )
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            rows.in_values(Invoice.number, sorted(numbers)),
            Invoice.direction == "sent",
            Transmission.status != NetworkStatus.FAILED.value,
        )
        .order_by(Invoice.created_at.desc(), Invoice.id.desc())
        .limit(MAX_FOUND)
    )  # fmt: skip
    with db.reading_by_key() as connection:
        return [NumberedDocument(*row) for row in connection.execute(query)]
