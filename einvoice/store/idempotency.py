"""Idempotency keys that have been kept long enough."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, tuple_
from sqlalchemy.engine import Connection

from einvoice.store.tables import IdempotencyKey

_KEY = (
    IdempotencyKey.tenant_id,
    IdempotencyKey.environment,
    IdempotencyKey.space,
    IdempotencyKey.key,
)


def forget_before(connection: Connection, moment: datetime, limit: int) -> int:
    """Drop up to `limit` keys accepted before the moment; passes over those another is dropping."""
    old = (
        select(*_KEY)
        .where(IdempotencyKey.created_at < moment)
        .order_by(IdempotencyKey.created_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(delete(IdempotencyKey).where(tuple_(*_KEY).in_(old))).rowcount
