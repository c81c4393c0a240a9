"""The rows that accepted sends have written."""

from __future__ import annotations

import sqlalchemy as sa

from einvoice.store import db
from einvoice.store.tables import IdempotencyKey, Invoice, Outbox, Transmission

TABLES = (Invoice, Transmission, Outbox, IdempotencyKey)


def rows() -> list[int]:
    """How many rows each of the four tables has."""
    with db.reading() as connection:
        return [
            connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()
            for table in TABLES
        ]
