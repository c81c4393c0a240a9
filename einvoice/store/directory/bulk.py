"""Many entries at once: matching parties, parties of invoices, adding the missing entries.

Rows are passed as JSON to statements of constant text (store/core/rows).
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
from einvoice.domain.invoice import SELF_BILLED
from einvoice.store import tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.directory.entries import MODELS

BATCH = 5_000  # rows of one statement


@dataclass(frozen=True, slots=True)
class NewEntry:
    """An entry to add with others."""

    id: str
    values: Mapping[str, Any]  # by column; the other columns are set by the statement
    name_key: str
    tax_key: str | None
    peppol_key: str | None
    search: str


def lock(connection: Connection, tenant_id: str) -> None:
    """Lock a tenant's directories against other bulk additions, not against readers.

    Names are not unique, so two concurrent calls could add the same name. SQLite serialises
    writing transactions anyway.
    """
    tenant = tables.Tenant
    connection.execute(
        select(tenant.id).where(tenant.id == tenant_id).with_for_update(key_share=True)
    )


# One index lookup for each row and key. Not EXISTS: the planner turns that into a join, and reads
# the whole directory while its statistics do not know the tenant.
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
    """The indexes of the (tax key, name key) pairs with an entry of this tax id or name.

    An entry of the name matches with any tax id (decisions 19.12).
    """
    asked = [{"n": n, "tax_key": tax, "name_key": name} for n, (tax, name) in enumerate(keys)]
    columns = {"n": rows.INT, "tax_key": rows.TEXT, "name_key": rows.TEXT}
    sql = _MATCHED.format(table=MODELS[kind].__tablename__)
    found: set[int] = set()
    for start in range(0, len(asked), BATCH):
        batch = asked[start : start + BATCH]
        found.update(rows.execute(connection, sql, columns, batch, tenant_id=tenant_id).scalars())
    return found


_TAKEN = """
SELECT x.key FROM {{rows}}
WHERE (SELECT 1 FROM {table} AS e
       WHERE e.tenant_id = :tenant_id AND e.peppol_key = x.key LIMIT 1) = 1
"""


def taken_participants(
    connection: Connection, kind: EntryKind, tenant_id: str, keys: Sequence[str]
) -> set[str]:
    """The participant ids among these that an entry has."""
    sql = _TAKEN.format(table=MODELS[kind].__tablename__)
    found: set[str] = set()
    for start in range(0, len(keys), BATCH):
        batch = [{"key": key} for key in keys[start : start + BATCH]]
        answer = rows.execute(connection, sql, {"key": rows.TEXT}, batch, tenant_id=tenant_id)
        found.update(answer.scalars())
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
    """Add the entries whose tax id is not in the directory; returns their ids."""
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
    """The columns whose values differ from row to row, with their types in the JSON."""
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
class InvoiceParty:
    """A party of the tenant's invoices, as they name it."""

    tax_id: str | None
    name: str
    country_code: str | None
    participant: str
    currency: str | None
    last_seen: datetime


def parties(kind: EntryKind, tenant_id: str, environments: Sequence[str]) -> list[InvoiceParty]:
    """The buyers of sent invoices, or the sellers of received ones, most recent first.

    Self-billed invoices go the other way: the buyer sends them to the seller.
    """
    usual = _parties(kind, tenant_id, environments, kind.invoice_direction, self_billed=False)
    other = _OTHER[kind.invoice_direction]
    found = usual + _parties(kind, tenant_id, environments, other, self_billed=True)
    return sorted(found, key=lambda party: party.last_seen, reverse=True)


_OTHER = {"sent": "received", "received": "sent", "sender": "receiver", "receiver": "sender"}


def _parties(
    kind: EntryKind,
    tenant_id: str,
    environments: Sequence[str],
    direction: str,
    *,
    self_billed: bool,
) -> list[InvoiceParty]:
    invoice = tables.Invoice
    side = _OTHER[kind.invoice_participant] if self_billed else kind.invoice_participant
    of_kind = invoice.kind.in_(SELF_BILLED)
    name = getattr(invoice, f"{kind.invoice_role}_name")
    last_seen = func.max(invoice.created_at)
    party = {
        "tax_id": getattr(invoice, f"{kind.invoice_role}_tax_id"),
        "name": name,
        "country_code": getattr(invoice, f"{kind.invoice_role}_country"),
        "participant": getattr(invoice, side),
        "currency": invoice.currency,
    }
    columns = RecordColumns(InvoiceParty, **party, last_seen=last_seen)
    query = (
        columns.select()
        .where(
            invoice.tenant_id == tenant_id,
            invoice.environment.in_(environments),
            # A literal, as in the partial index, which is not used with a parameter.
            invoice.direction == sa.literal_column(f"'{direction}'"),
            of_kind if self_billed else sa.not_(of_kind),
            name.is_not(None),  # NULL for a document that could not be read
        )
        .group_by(*party.values())
        .order_by(last_seen.desc())
    )
    with db.reading_by_key() as connection:
        return columns.all(connection.execute(query))
