"""Single customers and suppliers: the models, and the match with a party of an invoice.

Reading, adding, changing and deleting an entry uses Flask-SQLAlchemy's session and the models of
store/tables, which count its versions. `find_by_party` and `has_any` run for every send,
`find_by_parties` for every bill: they are statements on a connection, without the cost of a
transaction and an identity map.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal

import sqlalchemy as sa
from sqlalchemy import select
from sqlalchemy.orm import Session

from einvoice.domain.directory import (
    CUSTOMER,
    SUPPLIER,
    DirectoryEntry,
    EntryKind,
    name_key,
    tax_key,
)
from einvoice.store import tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns

MAX_CANDIDATES: Final = 5

Entry = tables.Customer | tables.Supplier

MODELS: dict[EntryKind, type[Entry]] = {CUSTOMER: tables.Customer, SUPPLIER: tables.Supplier}


# The columns of an entry of the domain, which have the names of its fields.
COLUMNS = {kind: RecordColumns(kind.entry, model) for kind, model in MODELS.items()}


def record(kind: EntryKind, entry: Entry) -> DirectoryEntry:
    """The domain's entry of a model."""
    return COLUMNS[kind].of(entry)


def find(
    session: Session, kind: EntryKind, tenant_id: str, entry_id: str, *, locked: bool = False
) -> Entry | None:
    """The tenant's entry; `locked` until the end of the transaction."""
    model: Any = MODELS[kind]
    query = select(model).where(model.id == entry_id, model.tenant_id == tenant_id)
    found: Entry | None = session.scalar(query.with_for_update() if locked else query)
    return found


def find_duplicate(
    session: Session,
    kind: EntryKind,
    tenant_id: str,
    column: Literal["tax_key", "external_id", "peppol_key"],
    value: str | None,
    *,
    other_than: str,
) -> str | None:
    """The id of another entry with this value; of several the oldest."""
    if value is None:
        return None
    model = MODELS[kind]
    query = select(model.id).where(
        model.tenant_id == tenant_id, getattr(model, column) == value, model.id != other_than
    )
    found: str | None = session.scalar(query.order_by(model.created_at).limit(1))
    return found


@dataclass(frozen=True, slots=True)
class PartyKeys:
    """The keys by which a party of an invoice is matched."""

    participant: str | None
    tax: str | None
    name: str | None


def find_by_party(kind: EntryKind, tenant_id: str, party: PartyKeys) -> list[DirectoryEntry]:
    """The entries of a party: by participant id, else by tax id, else by name (decisions 19.16).

    Of several with one participant id or name, those whose tax id matches, else those whose name
    does, oldest first. More than one: nothing distinguishes them (at most MAX_CANDIDATES). One
    statement for each key: for all three at once PostgreSQL reads the whole directory.
    """
    keys = {"peppol_key": party.participant, "tax_key": party.tax, "name_key": party.name}
    given = {"tenant_id": tenant_id, **keys}
    with db.reading() as connection:
        for column, key in keys.items():
            if key is not None:
                found = COLUMNS[kind].all(connection.execute(_by_key(kind, column), given))
                if found:
                    return _best(found, party)
    return []


@cache
def _by_key(kind: EntryKind, column: str) -> sa.Select[Any]:
    """The statement of `find_by_party` for one key. Building it takes 200 us."""
    model = MODELS[kind]
    matches = (
        model.tax_key.is_not_distinct_from(sa.bindparam("tax_key", type_=sa.String)),
        model.name_key.is_not_distinct_from(sa.bindparam("name_key", type_=sa.String)),
    )
    best_first = [sa.case((match, 0), else_=1) for match in matches]
    its_key = getattr(model, column) == sa.bindparam(column, type_=sa.String)
    query = COLUMNS[kind].select().where(model.tenant_id == sa.bindparam("tenant_id"), its_key)
    return query.order_by(*best_first, model.created_at).limit(MAX_CANDIDATES)


def find_by_parties(
    kind: EntryKind, parties: Sequence[tuple[str, PartyKeys]]
) -> list[list[DirectoryEntry]]:
    """The results of `find_by_party` for parties of several tenants, in one statement.

    Sends have one party, which its first key mostly finds: for them this would cost more.
    """
    found: list[dict[int, list[DirectoryEntry]]] = [{} for _ in parties]
    asked = [_asked(n, tenant_id, party) for n, (tenant_id, party) in enumerate(parties)]
    if not asked:
        return []
    selecting = (*_PLACE, *COLUMNS[kind].returning())
    with db.reading_by_key() as connection:
        given = rows.execute(connection, _matching(kind), _PARTY_COLUMNS, asked, selecting)
        for n, key, *values in map(tuple, given):
            found[n].setdefault(key, []).append(COLUMNS[kind].of_values(values))
    return [
        _best(by_key[min(by_key)], party) if by_key else []
        for by_key, (_, party) in zip(found, parties, strict=True)
    ]


def _asked(n: int, tenant_id: str, party: PartyKeys) -> dict[str, Any]:
    return {
        "n": n,
        "tenant_id": tenant_id,
        "peppol_key": party.participant,
        "tax_key": party.tax,
        "name_key": party.name,
    }


_KEYS = ("peppol_key", "tax_key", "name_key")
_PARTY_COLUMNS = {"n": rows.INT} | dict.fromkeys(("tenant_id", *_KEYS), rows.TEXT)
_PLACE = (sa.column("n", sa.Integer), sa.column("by", sa.Integer))


_BY_KEY = """
SELECT asked.n, {place} AS by, entry.*, row_number() OVER (PARTITION BY asked.n ORDER BY
    CASE WHEN entry.tax_key IS NOT DISTINCT FROM asked.tax_key THEN 0 ELSE 1 END,
    CASE WHEN entry.name_key IS NOT DISTINCT FROM asked.name_key THEN 0 ELSE 1 END,
    entry.created_at) AS place
FROM asked JOIN {table} AS entry
ON entry.tenant_id = asked.tenant_id AND entry.{key} = asked.{key}
"""
_MATCHING = """
WITH asked AS (SELECT x.* FROM {{rows}})
SELECT n, by, {names} FROM ({by_key}) AS found WHERE place <= {most} ORDER BY n, by, place
"""


@cache
def _matching(kind: EntryKind) -> str:
    """The statement of `find_by_parties`: number of the party, place of the key, columns."""
    table = MODELS[kind].__tablename__
    names = ", ".join(column.key for column in COLUMNS[kind].returning())
    parts = [_BY_KEY.format(place=n, key=key, table=table) for n, key in enumerate(_KEYS)]
    return _MATCHING.format(names=names, by_key=" UNION ALL ".join(parts), most=MAX_CANDIDATES)


def _best(found: Sequence[DirectoryEntry], party: PartyKeys) -> list[DirectoryEntry]:
    """Those that match as well as the first one."""

    def rank(entry: DirectoryEntry) -> tuple[bool, bool]:
        return tax_key(entry.tax_id) == party.tax, name_key(entry.name) == party.name

    return [entry for entry in found if rank(entry) == rank(found[0])]


def find_by_tax_key(kind: EntryKind, tenant_id: str, key: str) -> DirectoryEntry | None:
    """The entry with this tax id."""
    model = MODELS[kind]
    query = COLUMNS[kind].select().where(model.tenant_id == tenant_id, model.tax_key == key)
    with db.reading() as connection:
        return COLUMNS[kind].one_or_none(connection.execute(query))


def has_any(kind: EntryKind, tenant_id: str) -> bool:
    """Whether the tenant has an entry of the kind."""
    model = MODELS[kind]
    query = select(model.id).where(model.tenant_id == tenant_id).limit(1)
    with db.reading() as connection:
        return connection.execute(query).first() is not None
