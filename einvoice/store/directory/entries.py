"""Customers and suppliers, one by one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from einvoice.domain.directory import Customer, DirectoryEntry, DirectoryKind, Supplier
from einvoice.store import db, tables

Table = type[tables.Customer] | type[tables.Supplier]

TABLES: dict[DirectoryKind, Table] = {
    DirectoryKind.CUSTOMER: tables.Customer,
    DirectoryKind.SUPPLIER: tables.Supplier,
}
_RECORDS: dict[DirectoryKind, type[Customer | Supplier]] = {
    DirectoryKind.CUSTOMER: Customer,
    DirectoryKind.SUPPLIER: Supplier,
}


def selected(kind: DirectoryKind, table: Table | None = None) -> sa.Select[Any]:
    """What an entry is made of, from the kind's table or from rows of it."""
    source = table or TABLES[kind]
    return select(*(getattr(source, field.name) for field in fields(_RECORDS[kind])))


def record(kind: DirectoryKind, row: sa.Row[Any]) -> DirectoryEntry:
    return _RECORDS[kind](**row._mapping)  # noqa: SLF001 - its public name, says SQLAlchemy


def add(connection: Connection, kind: DirectoryKind, values: Mapping[str, Any]) -> bool:
    """Write an entry; False where its tax id or externalId is in the directory already."""
    insert = postgresql.insert if db.is_postgresql() else sqlite.insert
    table = TABLES[kind]
    statement = insert(table).values(**values).on_conflict_do_nothing().returning(table.id)
    return connection.execute(statement).first() is not None


def find(
    connection: Connection,
    kind: DirectoryKind,
    tenant_id: str,
    entry_id: str,
    *,
    locked: bool = False,
) -> DirectoryEntry | None:
    """The tenant's entry; `locked` for who is going to change it."""
    table = TABLES[kind]
    query = selected(kind).where(table.id == entry_id, table.tenant_id == tenant_id)
    if locked:
        query = query.with_for_update()
    row = connection.execute(query).one_or_none()
    return None if row is None else record(kind, row)


def duplicate(
    connection: Connection,
    kind: DirectoryKind,
    tenant_id: str,
    tax_key: str | None,
    external_id: str | None,
    *,
    but: str = "",
) -> str | None:
    """The id of another entry with this tax id, else with this externalId."""
    table = TABLES[kind]
    for column, value in ((table.tax_key, tax_key), (table.external_id, external_id)):
        if value is None:
            continue
        query = select(table.id).where(
            table.tenant_id == tenant_id, column == value, table.id != but
        )
        found: str | None = connection.execute(query).scalar()
        if found is not None:
            return found
    return None


def change(
    connection: Connection,
    kind: DirectoryKind,
    entry: DirectoryEntry,
    tenant_id: str,
    values: Mapping[str, Any],
) -> None:
    """Set columns of the entry, which makes another version of it."""
    table = TABLES[kind]
    connection.execute(
        update(table)
        .where(table.id == entry.id, table.tenant_id == tenant_id)
        .values(**values, version=table.version + 1)
    )


def remove(connection: Connection, kind: DirectoryKind, tenant_id: str, entry_id: str) -> bool:
    table = TABLES[kind]
    gone = connection.execute(
        delete(table).where(table.id == entry_id, table.tenant_id == tenant_id)
    )
    return bool(gone.rowcount)


def of_party(
    kind: DirectoryKind, tenant_id: str, *, peppol_key: str, tax_key: str | None, name: str | None
) -> DirectoryEntry | None:
    """The entry of a party: by participant id, else by tax id, else by name (decisions 19.16).

    Of several with one participant id it is the one whose tax id or name fits, else the oldest.
    One statement for each way: of all three at once a planner reads the whole directory.
    """
    table = TABLES[kind]
    fits = [
        sa.case((way, 0), else_=1) for way in (table.tax_key == tax_key, table.name_key == name)
    ]
    with db.reading() as connection:
        for column, key in (
            (table.peppol_key, peppol_key),
            (table.tax_key, tax_key),
            (table.name_key, name),
        ):
            if key is None:
                continue
            query = selected(kind).where(table.tenant_id == tenant_id, column == key)
            row = connection.execute(query.order_by(*fits, table.created_at).limit(1)).first()
            if row is not None:
                return record(kind, row)
    return None


def has_any(kind: DirectoryKind, tenant_id: str) -> bool:
    table = TABLES[kind]
    query = select(table.id).where(table.tenant_id == tenant_id).limit(1)
    with db.reading() as connection:
        return connection.execute(query).first() is not None
