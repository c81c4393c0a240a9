"""The number of documents whose rows were deleted at the end of their retention, by month."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from einvoice.domain.plans import month_of, next_month
from einvoice.store.core import rows
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import EndedCount


@dataclass(frozen=True, slots=True, order=True)
class EndedKind:
    """The documents that are counted together; `month` (UTC) is the month of their creation."""

    tenant_id: str
    environment: str
    month: str
    access_point: str
    status: str


def add(connection: Connection, counts: Mapping[EndedKind, int]) -> None:
    """Count documents that are deleted in this transaction."""
    new = upsert(connection, EndedCount)
    counted = new.on_conflict_do_update(
        index_elements=list(EndedKind.__slots__),
        set_={"documents": EndedCount.documents + new.excluded.documents},
    )
    values = [asdict(kind) | {"documents": count} for kind, count in sorted(counts.items())]
    connection.execute(counted, values)


def of_tenants(
    connection: Connection,
    tenant_ids: Collection[str],
    environment: str,
    since: datetime,
    until: datetime,
) -> list[tuple[str, str, str, int]]:
    """(tenant, access point, status, documents) of the whole months within [since, until)."""
    kind = EndedCount.tenant_id, EndedCount.access_point, EndedCount.status
    query = (
        select(*kind, func.sum(EndedCount.documents))
        .where(
            rows.in_values(EndedCount.tenant_id, sorted(tenant_ids)),
            EndedCount.environment == environment,
            EndedCount.month.in_(list(_months(since, until))),
        )
        .group_by(*kind)
    )
    return [(*row[:3], int(row[3])) for row in connection.execute(query)]


def _months(since: datetime, until: datetime) -> Iterator[str]:
    month = next_month(since - timedelta.resolution)
    while next_month(month) <= until:
        yield month_of(month)
        month = next_month(month)
