"""Totals of documents: the sums of counted blocks, and the documents outside of them.

A sweep cuts the documents of each tenant, in the order of their creation, into blocks of BLOCK_ROWS
and counts those in which none is Processing: a final status stays, except that a failed document
may be resent, which opens its block again in the same transaction (`reopen`). So a send writes
nothing for its total, and the documents that a total reads are those of the last block and of
blocks with one that is Processing. Every total is one statement, and so exact at one moment.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.types import Moment
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Invoice, InvoiceBlock, Transmission

BLOCK_ROWS = 10_000
# A document is stored this long after its `created_at` at most: requests and transactions have
# deadlines of five minutes and less, and the clocks of the machines may differ.
MAX_DELAY = timedelta(minutes=15)
MAX_RECOUNTED = 20

BEGINNING, END = datetime(1, 1, 2, tzinfo=UTC), datetime(9999, 12, 30, tzinfo=UTC)
OPEN = NetworkStatus.PROCESSING.value
_COUNTS = {
    NetworkStatus.DELIVERED.value: InvoiceBlock.delivered,
    NetworkStatus.FAILED.value: InvoiceBlock.failed,
    NetworkStatus.RECEIVED.value: InvoiceBlock.received,
}
STATUSES = frozenset({OPEN, *_COUNTS})


@dataclass(frozen=True, slots=True)
class Counted:
    """The documents of a tenant to count, created from `first` to `last`, both inclusive."""

    tenant_id: str
    environment: str
    first: datetime = BEGINNING
    last: datetime = END


# -- totals ----------------------------------------------------------------------------------------


def total(connection: Connection, scope: Counted, statuses: Collection[str]) -> int:
    """The number of documents whose newest transmission has one of the statuses."""
    final = sorted(set(statuses) & set(_COUNTS))
    parts: list[sa.ColumnElement[Any]] = []
    if OPEN in statuses:
        parts.append(_documents(scope, [OPEN]).scalar_subquery())
    if final:
        blocks = _counted_blocks(scope, final).cte("counted")
        parts.append(select(func.coalesce(func.sum(blocks.c.documents), 0)).scalar_subquery())
        parts.append(_outside(scope, final, blocks))
    return sum(map(int, connection.execute(select(*parts)).one())) if parts else 0


def _documents(scope: Counted, statuses: Collection[str]) -> sa.Select[Any]:
    return select(func.count()).where(
        Transmission.tenant_id == scope.tenant_id,
        Transmission.environment == scope.environment,
        Transmission.status.in_(statuses),
        Transmission.listed_at >= scope.first,
        Transmission.listed_at <= scope.last,
    )


def _counted_blocks(scope: Counted, final: Collection[str]) -> sa.Select[*tuple[Any, ...]]:
    documents = sum((_COUNTS[status] for status in final), start=sa.literal(0))
    return select(InvoiceBlock.since, InvoiceBlock.until, documents.label("documents")).where(
        *_of(scope),
        InvoiceBlock.delivered.is_not(None),
        InvoiceBlock.since >= scope.first,
        InvoiceBlock.until <= scope.last,
    )


def _outside(scope: Counted, final: Collection[str], blocks: sa.CTE) -> sa.ColumnElement[int]:
    """The number of documents before, between and after the blocks."""
    moment = Moment()
    first = sa.literal(scope.first, moment)
    before = func.lag(blocks.c.until, 1, first, type_=moment).over(order_by=blocks.c.since)
    end = func.coalesce(func.max(blocks.c.until, type_=moment), first, type_=moment)
    gaps = sa.union_all(
        select(before.label("since"), blocks.c.since.label("until")),
        select(end, sa.literal(END, moment)),
    ).cte("gaps")
    within = _documents(scope, final).where(
        Transmission.listed_at >= gaps.c.since, Transmission.listed_at < gaps.c.until
    )
    documents = within.correlate(gaps).scalar_subquery()
    counted = select(documents.label("documents")).where(gaps.c.since < gaps.c.until).subquery()
    return select(func.coalesce(func.sum(counted.c.documents), 0)).scalar_subquery()


def _of(scope: Counted) -> tuple[sa.ColumnElement[bool], ...]:
    return InvoiceBlock.tenant_id == scope.tenant_id, InvoiceBlock.environment == scope.environment


# -- the sweep -------------------------------------------------------------------------------------


def add_next(scope: Counted, now: datetime) -> bool:
    """Add the next block, not counted yet; False if there are too few documents for it."""
    with db.writing_by_key() as connection:
        since = _next_start(connection, scope)
        if since is None:
            return False
        until = connection.execute(
            _creation(scope)
            .where(Invoice.created_at > since, Invoice.created_at < now - MAX_DELAY)
            .offset(BLOCK_ROWS - 1)
        ).scalar()
        if until is None:
            return False
        values = {
            "tenant_id": scope.tenant_id,
            "environment": scope.environment,
            "since": since,
            "until": until,
        }
        connection.execute(upsert(connection, InvoiceBlock).values(values).on_conflict_do_nothing())
        return True


def _next_start(connection: Connection, scope: Counted) -> datetime | None:
    """The end of the last block, or the first document; None without documents."""
    last: datetime | None = connection.execute(
        select(func.max(InvoiceBlock.until, type_=Moment())).where(*_of(scope))
    ).scalar()
    first: datetime | None = last or connection.execute(_creation(scope)).scalar()
    return first


def _creation(scope: Counted) -> sa.Select[Any]:
    """The first creation."""
    return (
        select(Invoice.created_at)
        .where(Invoice.tenant_id == scope.tenant_id, Invoice.environment == scope.environment)
        .order_by(Invoice.created_at, Invoice.id)
        .limit(1)
    )


def count_settled(scope: Counted) -> int:
    """Count the blocks in which no document is Processing any more, a few; how many."""
    still_open = select(Transmission.id).where(
        Transmission.tenant_id == InvoiceBlock.tenant_id,
        Transmission.environment == InvoiceBlock.environment,
        Transmission.status == OPEN,
        Transmission.listed_at >= InvoiceBlock.since,
        Transmission.listed_at < InvoiceBlock.until,
    )
    query = (
        _BLOCK.select()
        .where(
            *_of(scope),
            sa.or_(InvoiceBlock.delivered.is_(None), InvoiceBlock.kinds.is_(None)),
            ~still_open.exists(),
        )
        .order_by(InvoiceBlock.since)
        .limit(MAX_RECOUNTED)
    )
    with db.reading_by_key() as connection:
        found = _BLOCK.all(connection.execute(query))
    for one in found:
        _count(scope, one)
    return len(found)


@dataclass(frozen=True, slots=True)
class _Block:
    since: datetime
    until: datetime


_BLOCK = RecordColumns(_Block, InvoiceBlock)


def _count(scope: Counted, block: _Block) -> None:
    """Count the block, unless one of its documents is Processing.

    The lock of the failed ones keeps a resend, which changes its row before it opens the block,
    either before this count or after its commit.
    """
    documents = (
        Transmission.tenant_id == scope.tenant_id,
        Transmission.environment == scope.environment,
        Transmission.listed_at >= block.since,
        Transmission.listed_at < block.until,
    )
    failed = select(Transmission.id).where(
        *documents, Transmission.status == NetworkStatus.FAILED.value
    )
    by_kind = (
        select(Transmission.access_point, Transmission.status, func.count())
        .where(*documents, Transmission.status.in_(sorted(STATUSES)))
        .group_by(Transmission.access_point, Transmission.status)
    )
    with db.writing_by_key() as connection:
        connection.execute(failed.order_by(Transmission.listed_at).with_for_update()).all()
        kinds: dict[str, dict[str, int]] = {}
        for access_point, status, count in connection.execute(by_kind):
            kinds.setdefault(access_point, {})[status] = count
        found = _by_status(kinds)
        if not found:  # the retention of all of them has ended
            connection.execute(
                sa.delete(InvoiceBlock).where(*_of(scope), InvoiceBlock.since == block.since)
            )
        elif OPEN not in found:
            counts = {column.key: found.get(status, 0) for status, column in _COUNTS.items()}
            connection.execute(
                sa.update(InvoiceBlock)
                .where(*_of(scope), InvoiceBlock.since == block.since)
                .values(**counts, kinds=kinds)
            )


def _by_status(kinds: Mapping[str, Mapping[str, int]]) -> dict[str, int]:
    found: dict[str, int] = {}
    for counts in kinds.values():
        for status, documents in counts.items():
            found[status] = found.get(status, 0) + documents
    return found


# -- by access point -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class BlockKinds:
    """A counted block of a tenant: its documents by access point and status."""

    tenant_id: str
    since: datetime
    until: datetime
    kinds: Mapping[str, Mapping[str, int]]


def kinds_of(
    connection: Connection,
    tenant_ids: Collection[str],
    environment: str,
    first: datetime,
    end: datetime,
) -> list[BlockKinds]:
    """The counted blocks of tenants within [first, end), in their order.

    Without those whose kinds contradict their counts: the release before counts without kinds.
    """
    counts = [InvoiceBlock.delivered, InvoiceBlock.failed, InvoiceBlock.received]
    query = (
        select(
            InvoiceBlock.tenant_id, InvoiceBlock.since, InvoiceBlock.until, InvoiceBlock.kinds,
            *counts,
        )
        .where(
            rows.in_values(InvoiceBlock.tenant_id, sorted(tenant_ids)),
            InvoiceBlock.environment == environment,
            InvoiceBlock.since >= first,
            InvoiceBlock.until <= end,
            InvoiceBlock.delivered.is_not(None),
            InvoiceBlock.kinds.is_not(None),
        )
        .order_by(InvoiceBlock.tenant_id, InvoiceBlock.since)
    )  # fmt: skip
    found = []
    for tenant_id, start, until, kinds, *numbers in connection.execute(query):
        by_status = _by_status(kinds or {})
        if [by_status.get(status, 0) for status in _COUNTS] == numbers:
            found.append(BlockKinds(tenant_id, start, until, kinds or {}))
    return found


# -- changes ---------------------------------------------------------------------------------------


def reopen(connection: Connection, scope: Counted, created_at: datetime) -> None:
    """Forget the count of the block of a document that is changed, added or removed.

    In the transaction that does it, after the change.
    """
    reopen_all(connection, replace(scope, first=created_at, last=created_at))


def reopen_all(connection: Connection, scope: Counted) -> None:
    """The same of all blocks with documents of the scope."""
    connection.execute(
        sa.update(InvoiceBlock)
        .where(*_of(scope), InvoiceBlock.since <= scope.last, InvoiceBlock.until > scope.first)
        .values(delivered=None, failed=None, received=None)
    )


def forget(connection: Connection, scope: Counted) -> None:
    """Forget all counts of a tenant, before many of its documents are added or removed.

    In the transaction that does it, after the change.
    """
    connection.execute(sa.delete(InvoiceBlock).where(*_of(scope)))
