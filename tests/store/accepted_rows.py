"""The rows that accepted sends have written."""

from __future__ import annotations

import sqlalchemy as sa

from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission

TABLES = (Invoice, Transmission, Outbox, IdempotencyKey)


def rows() -> list[int]:
    """How many rows each of the four tables has."""
    with db.reading() as connection:
        return [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in TABLES
        ]


def keys_in_order_of_insertion() -> list[str]:
    """The idempotency keys as they were taken. Two batches that take theirs in one order never
    wait for each other."""
    place = "ctid" if db.is_postgresql() else "rowid"
    with db.reading() as connection:
        found = connection.execute(sa.text(f"SELECT key FROM idempotency_keys ORDER BY {place}"))
        return list(found.scalars())
