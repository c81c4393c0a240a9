"""The outcomes of the newest documents, by access point."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select

from einvoice.domain.delivery import NetworkStatus
from einvoice.store.core import db
from einvoice.store.core.types import Moment
from einvoice.store.tables import Transmission

MAX_READ = 10_000  # transmissions, the newest ones: a page of operators reads no more


def last_deliveries() -> dict[str, datetime]:
    """When each access point delivered last, of the newest MAX_READ transmissions."""
    newest = (
        select(Transmission.access_point, Transmission.status, Transmission.settled_at)
        .where(Transmission.id.startswith("txn_"))
        .order_by(Transmission.id.desc())
        .limit(MAX_READ)
        .subquery()
    )
    query = (
        select(newest.c.access_point, func.max(newest.c.settled_at, type_=Moment()))
        .where(newest.c.status == NetworkStatus.DELIVERED.value, newest.c.settled_at.is_not(None))
        .group_by(newest.c.access_point)
    )
    found = db.read_replicated(lambda c: c.execute(query).all())
    return {row[0]: row[1] for row in found}


def by_access_point(since: datetime) -> dict[str, dict[str, int]]:
    """Counts of documents by access point and status: of the newest MAX_READ, as far as they were
    accepted after this moment. Ids are ordered by time."""
    newest = (
        select(Transmission.access_point, Transmission.status, Transmission.listed_at)
        .where(Transmission.id.startswith("txn_"))
        .order_by(Transmission.id.desc())
        .limit(MAX_READ)
        .subquery()
    )
    query = (
        select(newest.c.access_point, newest.c.status, func.count())
        .where(newest.c.listed_at >= since)
        .group_by(newest.c.access_point, newest.c.status)
    )
    found: dict[str, dict[str, int]] = {}
    for point, status, count in db.read_replicated(lambda c: c.execute(query).all()):
        found.setdefault(point, {})[status] = count
    return found
