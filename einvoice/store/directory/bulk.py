"""Many entries at once: which parties are there, who exchanged invoices, and adding those who miss.

The rows travel as JSON in statements of a constant text (store/rows).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select
from sqlalchemy.engine import Connection

from einvoice.domain.directory import EntryKind
from einvoice.store import db, rows, tables
from einvoice.store.directory.entries import MODELS
from einvoice.store.records import RecordColumns

BATCH = 5_000  # rows that travel in one statement


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to be written with many others."""

    id: str
    values: Mapping[str, Any]  # columns of people's making
    name_key: str
    tax_key: str | None
    peppol_key: str | None
    search: str


def lock(connection: Connection, tenant_id: str) -> None:
    """Let one at a time add many entries to a tenant's directories; others go on reading.

    Names are no unique keys, so two that seed at once would both find a name missing. On SQLite a
    writing transaction is alone anyway.
    """
    tenant = tables.Tenant
    connection.execute(
        select(tenant.id).where(tenant.id == tenant_id).with_for_update(key_share=True)
    )


# One probe of an index for each row and way, and no EXISTS: that a planner turns into a join or a
# table of its own, and before its statistics know the tenant it then reads the whole directory.
_MATCHED = """
SELECT x.n FROM {{rows}}
WHERE (SELECT 1 FROM {table} AS e
       WHERE e.tenant_id = :tenant_id AND e.tax_key = x.tax_key LIMIT 1) = 1
   OR (SELECT 1 FROM {table} AS e
       WHERE e.tenant_id = :tenant_id AND e.name_key = x.name_key LIMIT 1) = 1
"""


def matched(
    connection: Connection,
    kind: EntryKind,
    tenant_id: str,
    keys: Iterable[tuple[str | None, str]],
) -> set[int]:
    """The places of those (tax key, name key) that are in the directory: by tax id, then by name.

    An entry of the name counts whatever its tax id (decisions 19.12).
    """
    asked = [{"n": n, "tax_key": tax, "name_key": name} for n, (tax, name) in enumerate(keys)]
    columns = {"n": rows.INT, "tax_key": rows.TEXT, "name_key": rows.TEXT}
    sql = _MATCHED.format(table=MODELS[kind].__tablename__)
    found: set[int] = set()
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        found.update(rows.execute(connection, sql, columns, batch, tenant_id=tenant_id).scalars())
    return found


_KEYS = ("id", "name_key", "tax_key", "peppol_key", "search")
_ADD = """
INSERT INTO {table} ({names}, tenant_id, source, version, network_status, network_asked_at,
    created_at, updated_at)
SELECT {picked}, :tenant_id, :source, 1,
    CASE WHEN x.peppol_key IS NULL THEN 'Unknown' ELSE 'Checking' END,
    CASE WHEN x.peppol_key IS NULL THEN NULL ELSE :now END, :now, :now
FROM {{rows}} WHERE true
ON CONFLICT DO NOTHING RETURNING id
"""


def add_many(
    connection: Connection,
    kind: EntryKind,
    tenant_id: str,
    entries: Sequence[NewEntry],
    *,
    source: str,
    now: datetime,
) -> set[str]:
    """Write the entries; the ids of those whose tax id was not in the directory."""
    columns = _columns(kind)
    sql = _ADD.format(
        table=MODELS[kind].__tablename__,
        names=", ".join(columns),
        picked=", ".join(f"x.{name}" for name in columns),
    )
    added: set[str] = set()
    for start in range(0, len(entries), BATCH):
        batch = [_flat(entry, columns) for entry in entries[start : start + BATCH]]
        answer = rows.execute(
            connection, sql, columns, batch, tenant_id=tenant_id, source=source, now=now
        )
        added.update(answer.scalars())
    return added


def _columns(kind: EntryKind) -> dict[str, str]:
    """The columns that are written row by row, and the types they travel in."""
    table: Any = MODELS[kind].__table__
    names = (*_KEYS, *kind.bulk_attributes)
    return {
        name: rows.INT if isinstance(table.c[name].type, sa.Integer) else rows.TEXT
        for name in names
    }


def _flat(entry: NewEntry, columns: Iterable[str]) -> dict[str, Any]:
    keys = {name: getattr(entry, name) for name in _KEYS}
    return {name: keys.get(name, entry.values.get(name)) for name in columns}


@dataclass(frozen=True, slots=True)
class Party:
    """Somebody invoices were exchanged with, as these invoices name them."""

    tax_id: str | None
    name: str
    country_code: str | None
    participant: str
    currency: str | None
    last_seen: datetime


def parties(kind: EntryKind, tenant_id: str, environments: Sequence[str]) -> list[Party]:
    """The buyers of sent invoices, or the senders of received ones; the last seen first."""
    invoice = tables.Invoice
    name = getattr(invoice, f"{kind.invoice_role}_name")
    last_seen = func.max(invoice.created_at)
    party = {
        "tax_id": getattr(invoice, f"{kind.invoice_role}_tax_id"),
        "name": name,
        "country_code": getattr(invoice, f"{kind.invoice_role}_country"),
        "participant": getattr(invoice, kind.invoice_participant),
        "currency": invoice.currency,
    }
    columns = RecordColumns(Party, **party, last_seen=last_seen)
    query = (
        columns.select()
        .where(
            invoice.tenant_id == tenant_id,
            invoice.environment.in_(environments),
            # Written as in the partial index: a parameter would not be matched with it.
            invoice.direction == sa.literal_column(f"'{kind.invoice_direction}'"),
            name.is_not(None),  # null for a document that could not be read
        )
        .group_by(*party.values())
        .order_by(last_seen.desc())
    )
    with db.reading() as connection:
        return columns.all(connection.execute(query))
