"""The number of documents of many tenants, by access point and status."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.invoices import blocks, ended_counts
from einvoice.store.invoices.blocks import BlockKinds
from einvoice.store.tables import Transmission


@dataclass(frozen=True, slots=True)
class TenantCount:
    """The number of documents of a tenant with this access point and status."""

    tenant_id: str
    access_point: str
    status: str
    documents: int


def of_tenants(
    tenant_ids: Collection[str], environment: str, since: datetime, until: datetime
) -> list[TenantCount]:
    """Counts of documents of the tenants that were accepted in [since, until).

    Those of counted blocks (store/invoices/blocks) are added up, others are counted: of a tenant at
    most the documents of a few blocks, however many it has. Documents whose rows were deleted at
    the end of their retention are counted in whole months.
    """

    def read(connection: Connection) -> list[TenantCount]:
        counted = blocks.kinds_of(connection, tenant_ids, environment, since, until)
        found = [
            TenantCount(block.tenant_id, access_point, status, documents)
            for block in counted
            for access_point, by_status in block.kinds.items()
            for status, documents in by_status.items()
        ]
        if whole := set(tenant_ids) - {block.tenant_id for block in counted}:
            found += _counted(connection, whole, environment, since, until)
        for tenant_id, start, end in _outside(counted, since, until):
            found += _counted(connection, [tenant_id], environment, start, end)
        deleted = ended_counts.of_tenants(connection, tenant_ids, environment, since, until)
        return found + [TenantCount(*each) for each in deleted]

    return db.read_replicated(read)


def _outside(
    counted: Iterable[BlockKinds], since: datetime, until: datetime
) -> Iterator[tuple[str, datetime, datetime]]:
    """(tenant, beginning, end) of the times before, between and after the blocks of each."""
    for tenant_id, theirs in groupby(counted, key=lambda block: block.tenant_id):
        start = since
        for block in theirs:
            if start < block.since:
                yield tenant_id, start, block.since
            start = block.until
        if start < until:
            yield tenant_id, start, until


def _counted(
    connection: Connection,
    tenant_ids: Collection[str],
    environment: str,
    since: datetime,
    until: datetime,
) -> list[TenantCount]:
    query = (
        select(
            Transmission.tenant_id,
            Transmission.access_point,
            Transmission.status,
            func.count().label("documents"),
        )
        .where(
            Transmission.tenant_id.in_(tenant_ids),
            Transmission.environment == environment,
            Transmission.status.in_(("Processing", "Delivered", "Failed", "Received")),
            Transmission.listed_at >= since,
            Transmission.listed_at < until,
        )
        .group_by(Transmission.tenant_id, Transmission.access_point, Transmission.status)
    )
    return [TenantCount(row[0] or "", *row[1:]) for row in connection.execute(query)]
