"""Objects of the archive: registering them, pointing rows to them, removing unused ones.

An object is registered in a commit of its own before it is written, and an invoice points to it in
the transaction that clears the bytes of its row. So each object in the store has a row here, and
one that nothing points to is found without listing the store.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, func, select, update
from sqlalchemy.engine import Connection

from einvoice.archive.objects import ObjectName
from einvoice.store.archive.archived import ObjectState
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import Upsert, upsert
from einvoice.store.tables import ArchiveObject, ArchivePart, Artefact, Invoice

# -- objects ---------------------------------------------------------------------------------------

ObjectId = tuple[str, str]  # tenant and SHA-256


@dataclass(frozen=True, slots=True)
class NewObject:
    """An object to write."""

    tenant_id: str
    sha256: str
    store: str
    encoding: str
    size: int
    stored_size: int
    retain_until: date | None

    @property
    def id(self) -> ObjectId:
        return self.tenant_id, self.sha256


@dataclass(frozen=True, slots=True)
class RegisteredObject:
    """An object as it was registered first, possibly in another store."""

    tenant_id: str
    sha256: str
    store: str
    encoding: str
    size: int
    state: str
    retain_until: date | None

    @property
    def id(self) -> ObjectId:
        return self.tenant_id, self.sha256

    @property
    def name(self) -> ObjectName:
        return ObjectName(self.tenant_id, self.sha256, self.encoding)


REGISTERED = RecordColumns(RegisteredObject, ArchiveObject)


def register(objects: Sequence[NewObject], now: datetime) -> list[RegisteredObject]:
    """Commit the rows of objects that are about to be written; all as they are registered.

    Of two dates of retention the later one holds.
    """
    if not objects:
        return []
    ordered = sorted(objects, key=lambda one: one.id)
    new = [
        {name: getattr(each, name) for name in NewObject.__slots__}
        | {"state": ObjectState.WRITING.value, "changed_at": now}
        for each in ordered
    ]
    kept = ArchiveObject.state != ObjectState.REMOVING.value
    with db.writing_by_key() as connection:
        adding = upsert(connection, ArchiveObject)
        connection.execute(
            adding.on_conflict_do_update(
                index_elements=["tenant_id", "sha256"], set_=_longer(adding, now), where=kept
            ),
            new,
        )
        found = connection.execute(REGISTERED.select().where(_among([o.id for o in ordered])))
        return REGISTERED.all(found)


def _longer(adding: Upsert, now: datetime) -> dict[str, Any]:
    """The new state of a registered object: it is kept until the later of both dates."""
    return {
        "changed_at": now,
        "retain_until": sa.case(
            (ArchiveObject.retain_until.is_(None), adding.excluded.retain_until),
            (adding.excluded.retain_until > ArchiveObject.retain_until,
             adding.excluded.retain_until),
            else_=ArchiveObject.retain_until,
        ),
    }  # fmt: skip


def _among(ids: Sequence[ObjectId]) -> sa.ColumnElement[bool]:
    return sa.tuple_(ArchiveObject.tenant_id, ArchiveObject.sha256).in_(list(ids))


def confirm(connection: Connection, objects: Iterable[RegisteredObject], now: datetime) -> None:
    """Note that the objects were written and compared, in the order of their ids.

    Raises Removing if one is being deleted: nothing may point to it.
    """
    for each in sorted(objects, key=lambda one: one.id):
        confirmed = connection.execute(
            update(ArchiveObject)
            .where(
                ArchiveObject.tenant_id == each.tenant_id,
                ArchiveObject.sha256 == each.sha256,
                ArchiveObject.state != ObjectState.REMOVING.value,
            )
            .values(state=ObjectState.STORED.value, changed_at=now)
        )
        if not confirmed.rowcount:
            raise Removing(each.sha256)


class Removing(Exception):
    """An object that a row was about to point to is being deleted."""


def clear_invoices(connection: Connection, ids: Collection[str], now: datetime) -> set[str]:
    """Empty the bytes of invoices; the ids of those that were not empty already."""
    cleared = connection.execute(
        update(Invoice)
        .where(Invoice.id.in_(sorted(ids)), Invoice.archived_at.is_(None))
        .values(original=b"", document=b"", network_document=None, archived_at=now)
        .returning(Invoice.id)
    )
    return set(cleared.scalars())


def clear_artefacts(connection: Connection, ids: Collection[str], now: datetime) -> set[str]:
    """Empty the bytes of artefacts; the ids of those that were not empty already."""
    cleared = connection.execute(
        update(Artefact)
        .where(Artefact.id.in_(sorted(ids)), Artefact.archived_at.is_(None))
        .values(content=b"", archived_at=now)
        .returning(Artefact.id)
    )
    return set(cleared.scalars())


@dataclass(frozen=True, slots=True)
class NewPart:
    """A part that lies in an object from now on."""

    owner_id: str
    part: str
    tenant_id: str
    invoice_id: str
    kind: str
    sha256: str
    size: int


def add_parts(connection: Connection, parts: Sequence[NewPart], now: datetime) -> None:
    """Store where the parts lie."""
    if parts:
        values = [
            {name: getattr(each, name) for name in NewPart.__slots__} | {"moved_at": now}
            for each in parts
        ]
        connection.execute(sa.insert(ArchivePart), values)


# -- objects that nothing points to ----------------------------------------------------------------

POINTED_TO = (
    select(ArchivePart.owner_id)
    .where(
        ArchivePart.tenant_id == ArchiveObject.tenant_id,
        ArchivePart.sha256 == ArchiveObject.sha256,
        ArchivePart.dropped_at.is_(None),
    )
    .exists()
)


def unfinished(before: datetime, limit: int) -> list[RegisteredObject]:
    """Objects that are not stored since before this moment: their process was killed."""
    query = (
        REGISTERED.select()
        .where(ArchiveObject.state != ObjectState.STORED.value, ArchiveObject.changed_at < before)
        .order_by(ArchiveObject.changed_at)
        .limit(limit)
    )
    with db.reading_by_key() as connection:
        return REGISTERED.all(connection.execute(query))


def begin_removal(found: RegisteredObject, before: datetime, now: datetime) -> bool:
    """Keep anything from pointing to an object; False if it is written or pointed to by now."""
    with db.writing_by_key() as connection:
        begun = connection.execute(
            update(ArchiveObject)
            .where(
                _among([found.id]),
                ArchiveObject.state != ObjectState.STORED.value,
                ArchiveObject.changed_at < before,
                ~POINTED_TO,
            )
            .values(state=ObjectState.REMOVING.value, changed_at=now)
        )
        return bool(begun.rowcount)


def end_removal(found: RegisteredObject) -> None:
    """Forget an object that has been deleted from its store."""
    removing = ArchiveObject.state == ObjectState.REMOVING.value
    with db.writing_by_key() as connection:
        connection.execute(delete(ArchiveObject).where(_among([found.id]), removing))


def postpone_removal(found: RegisteredObject, now: datetime) -> None:
    """The store keeps the object: try again later; content of this digest may use it until then."""
    with db.writing_by_key() as connection:
        connection.execute(
            update(ArchiveObject)
            .where(_among([found.id]), ArchiveObject.state == ObjectState.REMOVING.value)
            .values(state=ObjectState.WRITING.value, changed_at=now)
        )


# -- figures, and reading all ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ArchiveFigures:
    """Objects in a state, in a store, with the bytes of their content and those stored."""

    store: str
    state: str
    objects: int
    size: int
    stored_size: int


def figures() -> list[ArchiveFigures]:
    """The objects by store and state. Reads all their rows."""
    by = (ArchiveObject.store, ArchiveObject.state)
    query = (
        select(
            *by,
            func.count(),
            func.sum(ArchiveObject.size),
            func.sum(ArchiveObject.stored_size),
        )
        .group_by(*by)
        .order_by(*by)
    )
    with db.reading() as connection:
        return [
            ArchiveFigures(store, state, count, int(size), int(stored))
            for store, state, count, size, stored in connection.execute(query)
        ]


def stored_after(position: ObjectId, limit: int) -> list[RegisteredObject]:
    """The next stored objects in the order of tenant and SHA-256."""
    query = (
        REGISTERED.select()
        .where(
            sa.tuple_(ArchiveObject.tenant_id, ArchiveObject.sha256) > position,
            ArchiveObject.state == ObjectState.STORED.value,
        )
        .order_by(ArchiveObject.tenant_id, ArchiveObject.sha256)
        .limit(limit)
    )
    with db.reading_by_key() as connection:
        return REGISTERED.all(connection.execute(query))
