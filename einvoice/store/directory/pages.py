"""Pages of a directory by keyset pagination; their cost does not grow with the directory.

A page starts after the position where the previous one ended and follows the index of its order.
Filters without an index (text, country, status) examine at most MAX_EXAMINED entries in that order;
then the page ends, even if it is not full (as in store/invoices/lists).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select, tuple_
from sqlalchemy.engine import Connection
from sqlalchemy.orm import aliased

from einvoice.domain.directory import DirectoryEntry, EntryKind, name_key
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.directory.entries import COLUMNS, MODELS, Entry

MAX_EXAMINED = 5_000

CREATED, NAME = "createdAt", "name"

Condition = sa.ColumnElement[bool]
Position = tuple[Any, str]  # the value of the order's column, and the id for equal values


@dataclass(frozen=True, slots=True)
class EntryFilter:
    """Filters of a page; None means any.

    texts             `search` contains one of them
    name              contained in `name_key`
    with_participant  only those with a participant id
    """

    tenant_id: str
    tax_key: str | None = None
    external_id: str | None = None
    peppol_key: str | None = None
    country_code: str | None = None
    network_status: str | None = None
    updated_since: datetime | None = None
    texts: Sequence[str] = ()
    name: str | None = None
    with_participant: bool = False


@dataclass(frozen=True, slots=True)
class EntryPage:
    """Entries in order, and the position after which the next page starts; None: last page."""

    items: list[DirectoryEntry]
    end: Position | None


def page(
    kind: EntryKind,
    wanted: EntryFilter,
    limit: int,
    *,
    order: str = CREATED,
    descending: bool = True,
    after: Position | None = None,
) -> EntryPage:
    """At most `limit` entries after `after`; fewer with an `end` if MAX_EXAMINED were examined."""
    table = MODELS[kind]
    scan = _OrderedScan(order, descending, after)
    indexed, searched = _indexed(table, wanted), _unindexed(table, wanted)
    columns = COLUMNS[kind]
    query = scan.along(columns.select(), table, wanted.tenant_id)
    last = None
    with db.reading_by_key() as connection:
        if searched and not indexed:
            last = _last_examined(connection, scan, table, wanted.tenant_id)
            if db.is_postgresql():
                # The first MAX_EXAMINED rows are selected before the search: with both at once, the
                # planner reads the whole directory to find that no entry has the word.
                first = scan.along(select(table), table, wanted.tenant_id).limit(
                    rows.literal(MAX_EXAMINED)
                )
                table = aliased(table, first.subquery())
                columns = RecordColumns(kind.entry, table)
                query = columns.select().order_by(*scan.ordered(table))
                searched = _unindexed(table, wanted)
            elif last is not None:
                query = query.where(scan.up_to(table, last))
        query = query.where(*indexed, *searched).limit(rows.literal(limit + 1))
        found = columns.all(connection.execute(query))
    if len(found) > limit:
        return EntryPage(found[:limit], _position(found[limit - 1], order))
    return EntryPage(found, last)


@dataclass(frozen=True, slots=True)
class _OrderedScan:
    """The order of a page and its start."""

    order: str
    descending: bool
    after: Position | None

    def keys(self, table: type[Entry]) -> tuple[Any, Any]:
        return (table.name_key if self.order == NAME else table.created_at, table.id)

    def ordered(self, table: type[Entry]) -> list[sa.UnaryExpression[Any]]:
        return [key.desc() if self.descending else key.asc() for key in self.keys(table)]

    def along(self, query: sa.Select[Any], table: type[Entry], tenant_id: str) -> sa.Select[Any]:
        """The query for the tenant's entries, in order from the start; it reads one index."""
        query = query.where(table.tenant_id == tenant_id).order_by(*self.ordered(table))
        if self.after is None:
            return query
        place = tuple_(*self.keys(table))
        return query.where(place < self.after if self.descending else place > self.after)

    def up_to(self, table: type[Entry], last: Position) -> Condition:
        place = tuple_(*self.keys(table))
        return place >= last if self.descending else place <= last


def count(kind: EntryKind, wanted: EntryFilter) -> int:
    """The number of entries on all pages. It reads each of them, so it is optional in the API."""
    table = MODELS[kind]
    conditions = (*_indexed(table, wanted), *_unindexed(table, wanted))
    query = select(func.count()).where(table.tenant_id == wanted.tenant_id, *conditions)
    with db.reading_by_key() as connection:
        return connection.execute(query.select_from(table)).scalar_one()


def _indexed(table: type[Entry], wanted: EntryFilter) -> list[Condition]:
    """Conditions on unique keys: an index finds the few entries."""
    conditions = []
    if wanted.tax_key is not None:
        conditions.append(table.tax_key == wanted.tax_key)
    if wanted.external_id is not None:
        conditions.append(table.external_id == wanted.external_id)
    if wanted.peppol_key is not None:
        conditions.append(table.peppol_key == wanted.peppol_key)
    return conditions


def _unindexed(table: type[Entry], wanted: EntryFilter) -> list[Condition]:
    conditions: list[Condition] = []
    if wanted.country_code is not None:
        conditions.append(table.country_code == wanted.country_code)
    if wanted.network_status is not None:
        conditions.append(table.network_status == wanted.network_status)
    if wanted.updated_since is not None:
        conditions.append(table.updated_at >= wanted.updated_since)
    if wanted.with_participant:
        conditions.append(table.peppol_key.is_not(None))
    if wanted.name is not None:
        conditions.append(table.name_key.contains(wanted.name, autoescape=True))
    if wanted.texts:
        matches = (table.search.contains(text, autoescape=True) for text in wanted.texts)
        conditions.append(sa.or_(*matches))
    return conditions


def _last_examined(
    connection: Connection, scan: _OrderedScan, table: type[Entry], tenant_id: str
) -> Position | None:
    """The position of the last entry to examine; None if fewer than MAX_EXAMINED are left."""
    query = scan.along(select(*scan.keys(table)), table, tenant_id)
    row = connection.execute(
        query.offset(rows.literal(MAX_EXAMINED - 1)).limit(rows.literal(1))
    ).one_or_none()
    return None if row is None else (row[0], row[1])


def _position(entry: DirectoryEntry, order: str) -> Position:
    return (name_key(entry.name) if order == NAME else entry.created_at, entry.id)
