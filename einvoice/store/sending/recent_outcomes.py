"""What became of the newest documents, by access point."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import func, select

from einvoice.store.core import db
from einvoice.store.tables import Transmission

MAX_READ = 10_000  # transmissions, the newest ones: a page of operators reads no more


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
