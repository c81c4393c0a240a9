"""The number of documents per day, by the status of their newest transmissions."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.tables import Transmission


@dataclass(frozen=True, slots=True)
class DayCount:
    """The number of documents of a day with this status."""

    day: date
    status: str
    documents: int


def of_days(tenant_id: str, environment: str, since: datetime, until: datetime) -> list[DayCount]:
    """Counts of the days in [since, until); an index-only scan."""
    day = _day().label("day")
    query = (
        select(day, Transmission.status, func.count().label("documents"))
        .where(
            Transmission.tenant_id == tenant_id,
            Transmission.environment == environment,
            Transmission.status.in_(("Processing", "Delivered", "Failed", "Received")),
            Transmission.listed_at >= since,
            Transmission.listed_at < until,
        )
        .group_by(day, Transmission.status)
    )
    found = db.read_replicated(lambda connection: connection.execute(query).all())
    return [DayCount(date.fromisoformat(str(row.day)), row.status, row.documents) for row in found]


def sent_since(connection: Connection, tenant_id: str, environment: str, since: datetime) -> int:
    """The number of documents that the tenant sent since then."""
    query = select(func.count()).where(
        Transmission.tenant_id == tenant_id,
        Transmission.environment == environment,
        Transmission.status.in_(("Processing", "Delivered", "Failed")),
        Transmission.listed_at >= since,
    )
    return int(connection.execute(query).scalar_one())


def newest_deliveries(
    tenant_id: str, environment: str, since: datetime, limit: int
) -> list[tuple[datetime, datetime]]:
    """When each of the newest delivered documents was accepted and delivered, in one index.

    Documents that were sent again are left out: a person decided when.
    """
    query = (
        select(Transmission.listed_at, Transmission.settled_at)
        .where(
            Transmission.tenant_id == tenant_id,
            Transmission.environment == environment,
            Transmission.status == "Delivered",
            Transmission.listed_at >= since,
            Transmission.settled_at.is_not(None),
        )
        .order_by(Transmission.listed_at.desc())
        .limit(limit)
    )
    found = db.read_replicated(lambda connection: connection.execute(query).all())
    return [(at, then) for at, then in found if at is not None and then is not None]


def _day() -> sa.ColumnElement[Any]:
    """The day of UTC; as text on SQLite. Grouping by texts takes PostgreSQL twice as long."""
    if db.is_postgresql():
        return sa.cast(func.timezone("UTC", Transmission.listed_at), sa.Date)
    return func.substr(sa.type_coerce(Transmission.listed_at, sa.String), 1, 10)
