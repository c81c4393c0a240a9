"""Seals of the audit log: reading entries to seal and to verify, storing seals and heads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import AuditEntry, AuditHead, AuditSeal


@dataclass(frozen=True, slots=True)
class SealedEntry:
    """All columns of an entry, as its digest is made of them."""

    sequence: int
    tenant_id: str
    at: datetime
    actor: str
    actor_kind: str
    email: str | None
    address: str | None
    action: str
    target: str
    detail: Any
    seal: int | None
    salts: Any
    erased: Any


@dataclass(frozen=True, slots=True)
class SealRecord:
    """A link of a chain; `entries`: sequence and digest of each."""

    tenant_id: str
    number: int
    sealed_at: datetime
    entries: Sequence[Sequence[Any]]
    digest: str


@dataclass(frozen=True, slots=True)
class HeadRecord:
    """The end of a chain."""

    tenant_id: str
    seals: int
    digest: str
    mac: str


_ENTRY = RecordColumns(SealedEntry, AuditEntry)
_SEAL = RecordColumns(SealRecord, AuditSeal)
_HEAD = RecordColumns(HeadRecord, AuditHead)


# -- sealing ---------------------------------------------------------------------------------------


def tenants_with_unsealed(limit: int) -> list[str]:
    """Tenants that have entries without a seal."""
    query = sa.select(AuditEntry.tenant_id).where(AuditEntry.seal.is_(None)).distinct()
    with db.reading() as connection:
        return list(connection.scalars(query.limit(limit)))


def lock_head(connection: Connection, empty: HeadRecord) -> HeadRecord:
    """The head of the tenant's chain, locked; `empty` is stored if it has none."""
    added = upsert(connection, AuditHead).values(**asdict(empty))
    connection.execute(added.on_conflict_do_nothing())
    query = _HEAD.select().where(AuditHead.tenant_id == empty.tenant_id).with_for_update()
    return _HEAD.one(connection.execute(query))


def unsealed(connection: Connection, tenant_id: str, limit: int) -> list[SealedEntry]:
    """Entries of the tenant without a seal, oldest first."""
    query = _ENTRY.select().where(AuditEntry.tenant_id == tenant_id, AuditEntry.seal.is_(None))
    return _ENTRY.all(connection.execute(query.order_by(AuditEntry.sequence).limit(limit)))


def add_seal(
    connection: Connection,
    seal: SealRecord,
    salts: Mapping[int, Mapping[str, str]],
    head: HeadRecord,
) -> None:
    """Store a seal, mark its entries, and make it the last one; `salts` by sequence."""
    connection.execute(sa.insert(AuditSeal).values(**asdict(seal)))
    mark = (
        sa.update(AuditEntry)
        .where(AuditEntry.sequence == sa.bindparam("of"), AuditEntry.tenant_id == seal.tenant_id)
        .values(seal=seal.number, salts=sa.bindparam("new_salts", type_=sa.JSON()))
    )
    connection.execute(mark, [{"of": n, "new_salts": one} for n, one in salts.items()])
    set_head(connection, head)


def set_head(connection: Connection, head: HeadRecord) -> None:
    """Replace the head of the tenant's chain."""
    changed = sa.update(AuditHead).where(AuditHead.tenant_id == head.tenant_id)
    connection.execute(changed.values(seals=head.seals, digest=head.digest, mac=head.mac))


def heads_of_other_keys(key_id: str, limit: int) -> list[HeadRecord]:
    """Heads whose code was made with another key than that."""
    query = _HEAD.select().where(~AuditHead.mac.startswith(f"{key_id}:", autoescape=True))
    with db.reading() as connection:
        return _HEAD.all(connection.execute(query.limit(limit)))


def key_ids_of_heads(connection: Connection, length: int) -> dict[str, int]:
    """The ids of the keys that made the codes of heads, in hexadecimal digits, and how many each.

    length  of an id in bytes
    """
    start = sa.func.substr(AuditHead.mac, 1, 2 * length)
    query = sa.select(start, sa.func.count()).group_by(start)
    return {row[0]: row[1] for row in connection.execute(query)}


# -- verifying -------------------------------------------------------------------------------------


def logs(after: str, limit: int) -> list[str]:
    """Tenants that have entries, seals or a head, after an id, in the order of their ids."""
    found = sa.union(
        *(sa.select(table.tenant_id) for table in (AuditEntry, AuditSeal, AuditHead))
    ).subquery()
    query = sa.select(found.c.tenant_id).where(found.c.tenant_id > after)
    with db.reading() as connection:
        return list(connection.scalars(query.order_by(found.c.tenant_id).limit(limit)))


def head(tenant_id: str) -> HeadRecord | None:
    """The head of the tenant's chain."""
    with db.reading() as connection:
        found = connection.execute(_HEAD.select().where(AuditHead.tenant_id == tenant_id))
        return _HEAD.one_or_none(found)


def seals(tenant_id: str, after: int, limit: int) -> list[SealRecord]:
    """Seals of the tenant after a number, in their order."""
    query = _SEAL.select().where(AuditSeal.tenant_id == tenant_id, AuditSeal.number > after)
    with db.reading() as connection:
        return _SEAL.all(connection.execute(query.order_by(AuditSeal.number).limit(limit)))


def entries(tenant_id: str, sequences: Sequence[int]) -> list[SealedEntry]:
    """The entries of the tenant with these sequences."""
    query = _ENTRY.select().where(
        AuditEntry.tenant_id == tenant_id, AuditEntry.sequence.in_(sequences)
    )
    with db.reading() as connection:
        return _ENTRY.all(connection.execute(query))


@dataclass(frozen=True, slots=True)
class EntryPlace:
    """An entry without its content."""

    sequence: int
    at: datetime
    seal: int | None


_PLACE = RecordColumns(EntryPlace, AuditEntry)


def places(tenant_id: str, after: int, limit: int) -> list[EntryPlace]:
    """Entries of the tenant after a sequence, in their order."""
    query = _PLACE.select().where(AuditEntry.tenant_id == tenant_id, AuditEntry.sequence > after)
    with db.reading() as connection:
        return _PLACE.all(connection.execute(query.order_by(AuditEntry.sequence).limit(limit)))


def seals_numbered(tenant_id: str, numbers: Sequence[int]) -> list[SealRecord]:
    """The seals of the tenant with these numbers."""
    query = _SEAL.select().where(AuditSeal.tenant_id == tenant_id, AuditSeal.number.in_(numbers))
    with db.reading() as connection:
        return _SEAL.all(connection.execute(query))
