"""Documents that tenants with a plan sent in a month, counted with their acceptance.

A row of a tenant is locked until the commit of the documents that it counts: so a count is exact,
and costs the same for any number of documents.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import PlanCount


@dataclass(frozen=True, slots=True, order=True)
class CountedMonth:
    """A tenant's month in one environment."""

    tenant_id: str
    environment: str
    month: str


def add(connection: Connection, month: CountedMonth, documents: int) -> int:
    """Count documents; returns how many there are then. The row is locked until the commit."""
    values = {**_key(month), "documents": documents}
    new = upsert(connection, PlanCount).values(values)
    counted = new.on_conflict_do_update(
        index_elements=[PlanCount.tenant_id, PlanCount.environment, PlanCount.month],
        set_={"documents": PlanCount.documents + new.excluded.documents},
    ).returning(PlanCount.documents)
    return int(connection.execute(counted).scalar_one())


def at_least(connection: Connection, month: CountedMonth, documents: int) -> None:
    """Let the count be no smaller than this."""
    missing = documents - add(connection, month, 0)
    if missing > 0:
        add(connection, month, missing)


def of_months(months: Sequence[CountedMonth]) -> dict[CountedMonth, int]:
    """The counts of months of one tenant; those without a document are left out."""
    tenant_id = months[0].tenant_id
    query = select(PlanCount.environment, PlanCount.month, PlanCount.documents).where(
        PlanCount.tenant_id == tenant_id, PlanCount.month.in_({one.month for one in months})
    )
    with db.reading() as connection:
        found = {CountedMonth(tenant_id, *row[:2]): row[2] for row in connection.execute(query)}
    return {month: found[month] for month in months if month in found}


def _key(month: CountedMonth) -> dict[str, str]:
    return {
        "tenant_id": month.tenant_id,
        "environment": month.environment,
        "month": month.month,
    }
