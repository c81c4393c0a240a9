"""Moving a tenant to another installation: what the installation does that it leaves.

A first file has everything, and is written while the tenant goes on; further files have what was
changed since the one before. Before the last one the tenant is held: it reads, and what would
change something is 503 for as long as that file takes. It has the credentials too, sealed with a
key of the move, and the documents that are on their way, which the other installation goes on with
from where they are. From its beginning on the database refuses each change of the tenant's
documents here.

The other installation cannot open the tenant without that key, and this one does not go on once it
was given out. So nothing is sent by both. Each step can be repeated after it was killed.
"""

from __future__ import annotations

import base64
import json
import time
import uuid
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError, OperationalError

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import Conflict
from einvoice.observability import logging
from einvoice.security import sealing
from einvoice.security.sealing import context_of, keyring
from einvoice.services.account import audit, audit_sealing, closure, tenants
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import tenant_export
from einvoice.services.tenant_data.export_writer import ExportWriter, appear, export_writer
from einvoice.services.tenant_data.tenant_export import Exported, Progress
from einvoice.store.core import db
from einvoice.store.installation import sealed
from einvoice.store.tenant_data import tenant_data, tenant_exports, tenant_moves, watching
from einvoice.store.tenant_data.tenant_data import Family
from einvoice.store.tenant_data.tenant_moves import MoveRecord, NotedChange

log = logging.get(__name__)

# What other processes know of a tenant is at most so old.
NOTICED_SECONDS = 1.5
LOOK_SECONDS = 0.2


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a tenant's move stands.

    changes  how many rows have changed since the last file
    held_at  since when the tenant changes nothing
    """

    move: MoveRecord
    changes: int
    held_at: datetime | None


def standing(tenant_id: str) -> Standing:
    """Where the move of a tenant stands. Raises NotFound, and Conflict if it does not move."""
    tenant = tenants.get(tenant_id)
    with db.reading() as connection:
        changes = len(tenant_moves.changes(connection, tenant_id))
    return Standing(_begun(tenant_id), changes, tenant.held_at)


# -- while the tenant goes on ----------------------------------------------------------------------


def begin(tenant_id: str, path: Path, settings: Settings, progress: Progress) -> Exported:
    """Note what changes from now on, and write everything into a file.

    Raises NotFound, AccountClosed, OSError, and Conflict (the first file is written, an export is
    running, or a table stays in use).
    """
    known = tenant_moves.find(tenant_id)
    if known is not None and known.files:
        raise Conflict("The first file of this move is written: go on with the changes, or cancel.")
    move = known or _registered(tenant_id)
    watching.watch(tenant_id)
    covered: list[int] = []

    def members(connection: Connection) -> Mapping[str, Any]:
        covered.extend(one.id for one in tenant_moves.changes(connection, tenant_id))
        return {"move": _member(move, is_last=False)}

    export = tenant_export.begin(tenant_id, tenant_exports.RUNNING)
    made = tenant_export.run(export, path, settings, progress, members=members)
    _note_file(move, made.manifest, covered)
    return made


def _registered(tenant_id: str) -> MoveRecord:
    new = MoveRecord(tenant_id, str(uuid.uuid4()), clock.now())
    try:
        with db.writing_session() as database:
            tenants.locked(database, tenant_id)
            tenant_moves.add(database.connection(), new)
            audit.record(
                database, tenant_id, None, "tenant.move-begun", tenant_id, {"move": new.id}
            )
    except IntegrityError:
        raise Conflict("Another process has begun to move this tenant.") from None
    return new


def changes(tenant_id: str, path: Path, settings: Settings, progress: Progress) -> Exported:
    """Write what was changed since the file before. Raises NotFound, Conflict, OSError."""
    move = _begun(tenant_id)
    if move.sealed_at is not None:
        raise Conflict("The last file of this move has begun: repeat that, or cancel the move.")
    return _write_changes(move, path, settings, progress, None)


def _begun(tenant_id: str) -> MoveRecord:
    move = tenant_moves.find(tenant_id)
    if move is None or not move.files:
        raise Conflict("This tenant does not move, or its first file is not written: begin.")
    if not watching.is_watched(tenant_id):
        raise Conflict(
            "Changes are not noted any more, as after an upgrade on SQLite: cancel, and begin "
            "again."
        )
    return move


def _member(move: MoveRecord, *, is_last: bool) -> Mapping[str, Any]:
    """The place of a file in the move, for its manifest. `follows`: the manifest before it."""
    return {"id": move.id, "number": move.files, "follows": move.manifest, "last": is_last}


# -- the last file ---------------------------------------------------------------------------------


def finish(
    tenant_id: str,
    path: Path,
    settings: Settings,
    caches: Caches,
    *,
    seconds: float,
    progress: Progress,
) -> Exported:
    """Hold the tenant, wait for its open work, and write the last file.

    seconds  for how long what is due is waited for; what is not done then goes on at the other
             installation

    Raises NotFound, OSError, and Conflict (a worker still has a document, or a message to a network
    is open: the tenant is held then, until this is repeated, or the move is cancelled; or the key
    was given out).
    """
    move = _begun(tenant_id)
    if move.released_at is not None:
        raise Conflict("The key of this move was given out: the last file stays as it is.")
    _hold(tenant_id, caches)
    if move.sealed_at is None:
        _wait_for_work(tenant_id, seconds)
        audit_sealing.seal_all(tenant_id, settings)
        _seal(tenant_id)
    return _write_changes(move, path, settings, progress, _Resealed(move.id, settings))


def release(tenant_id: str, settings: Settings) -> str:
    """Give the tenant up for the other installation: the key with which that opens it.

    Repeating it returns the same one. Raises NotFound, and Conflict if the last file is not
    written.
    """
    tenants.get(tenant_id)
    with db.writing() as connection:
        if not tenant_moves.release(connection, tenant_id, clock.now()):
            raise Conflict("The last file of this move is not written: the tenant is still here.")
        audit.record(connection, tenant_id, None, "tenant.move-released", tenant_id)
    move = _begun(tenant_id)
    assert move.transport_key is not None  # noqa: S101 - released
    return keyring(settings).open(move.transport_key, _place_of_key(move.id)).decode()


def _place_of_key(move_id: str) -> str:
    return context_of("tenant_moves", move_id, "transport_key")


def _seal(tenant_id: str) -> None:
    """Let nothing of the tenant's documents change here. Raises Conflict if a transaction that
    changes something stays open."""
    try:
        with db.writing() as connection:
            tenant_moves.seal(connection, tenant_id, clock.now())
    except OperationalError:
        raise Conflict("A change of the tenant is not committed yet: repeat this.") from None


def _hold(tenant_id: str, caches: Caches) -> None:
    """Refuse what changes something for the tenant, in all processes."""
    with db.writing_session() as database:
        tenant = tenants.locked(database, tenant_id)
        if tenant.held_at is not None:
            return
        tenant.held_at = clock.now()
        audit.record(database, tenant_id, None, "tenant.held", tenant_id)
    caches.tenants.drop(tenant_id)
    time.sleep(NOTICED_SECONDS)


def _wait_for_work(tenant_id: str, seconds: float) -> None:
    """Let workers end what is due, then take work out of their lanes, and wait for what they have.

    Raises Conflict.
    """
    if count := tenant_moves.open_messages(tenant_id):
        raise Conflict(
            f"{count:,} messages to networks (responses, reports) have no outcome: they cannot "
            "move. Wait for them, or cancel the move."
        )
    _until(lambda: not any(_open(tenant_id)), seconds)
    deadline = clock.monotonic() + max(seconds, LOOK_SECONDS)
    while True:
        with db.writing() as connection:
            tenant_moves.hold_work(connection, tenant_id)
        leased, _ = _open(tenant_id)
        if not leased:
            return
        if clock.monotonic() >= deadline:
            raise Conflict(f"Workers still have {leased:,} rows of the tenant's work: repeat this.")
        time.sleep(LOOK_SECONDS)


def _open(tenant_id: str) -> tuple[int, int]:
    work = tenant_moves.open_work(tenant_id, clock.now())
    return work.leased, work.due


def _until(condition: Callable[[], bool], seconds: float) -> None:
    deadline = clock.monotonic() + seconds
    while not condition() and clock.monotonic() < deadline:
        time.sleep(LOOK_SECONDS)


# -- writing changes -------------------------------------------------------------------------------


def _write_changes(
    move: MoveRecord,
    path: Path,
    settings: Settings,
    progress: Progress,
    resealed: _Resealed | None,
) -> Exported:
    draft = path.with_name(f".{path.name}.{move.id}")
    draft.unlink(missing_ok=True)
    draft.touch(0o600, exist_ok=False)
    try:
        with draft.open("wb") as file:
            with tenant_data.snapshot() as connection, export_writer(file) as writer:
                noted = tenant_moves.changes(connection, move.tenant_id)
                about = dict(tenant_export.write_tenant(connection, writer, move.tenant_id))
                documents = _write_noted(connection, writer, move, noted, progress)
                about["documents"] = documents
                about["move"] = _member(move, is_last=resealed is not None)
                if resealed is not None:
                    _write_last(connection, writer, move, resealed)
                manifest = writer.finish(about)
            size = file.tell()
        appear(draft, path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    key = None if resealed is None else resealed.key
    _note_file(move, manifest, [one.id for one in noted], key)
    return Exported(documents, size, manifest)


def _note_file(
    move: MoveRecord, manifest: str, covered: Sequence[int], transport_key: bytes | None = None
) -> None:
    detail = {"move": move.id, "file": move.files, "manifest": manifest}
    with db.writing() as connection:
        if not tenant_moves.written(
            connection, move.tenant_id, move.files, manifest, covered, transport_key
        ):
            raise Conflict("Another process has written a file of this move, or has cancelled it.")
    log.info("file of a move written", tenant=move.tenant_id, changes=len(covered), **detail)


def _write_noted(
    connection: Connection,
    writer: ExportWriter,
    move: MoveRecord,
    noted: Sequence[NotedChange],
    progress: Progress,
) -> int:
    """Write the rows that have changed, and the keys of those that are gone; how many documents."""
    keys: defaultdict[str, dict[tuple[Any, ...], None]] = defaultdict(dict)
    for one in noted:
        keys[one.family][tuple(json.loads(one.key))] = None
    total, done, documents = sum(map(len, keys.values())), 0, 0
    gone: list[tuple[Family, tuple[Any, ...]]] = []
    for family in tenant_data.WATCHED:
        for some in _pages(keys.get(family.name, ())):
            page = tenant_data.by_keys(connection, family, move.tenant_id, some)
            _drain(tenant_export.write_rows(connection, writer, family, page))
            for other, row in tenant_data.dependents(connection, family, page):
                _drain(tenant_export.write_rows(connection, writer, other, [row]))
            there = {tenant_data.primary_key(family, row) for row in page}
            gone += [(family, key) for key in some if key not in there]
            documents += len(page) if family is tenant_data.INVOICES else 0
            done += len(some)
            progress(done, total)
    for family, key in reversed(gone):  # what refers to others before these
        writer.row(tenant_data.DELETED.name, {"family": family.name, "key": list(key)})
    return documents


def _pages(keys: Iterable[tuple[Any, ...]]) -> Iterator[list[tuple[Any, ...]]]:
    rest = iter(keys)
    while page := list(islice(rest, tenant_data.PAGE)):
        yield page


def _drain(rows: Iterable[object]) -> None:
    for _ in rows:
        pass


class _Resealed:
    """Secrets of this installation, sealed with a new key of a move. `key`: that one, sealed."""

    def __init__(self, move_id: str, settings: Settings) -> None:
        text = sealing.new_key()
        self._own, self._transport = keyring(settings), sealing.of_text(text)
        self.key = self._own.seal(text.encode(), _place_of_key(move_id))

    def __call__(self, family: Family, row: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._one(family, row, name) for name in family.secrets}

    def _one(self, family: Family, row: Mapping[str, Any], name: str) -> str | None:
        value = row[name]
        if value is None:
            return None
        place = sealed.place_of(family.name, name)
        context = context_of(family.name, row["id"], place or name)
        plain = value.encode() if place is None else self._own.open(bytes(value), context)
        return base64.b64encode(self._transport.seal(plain, context)).decode()


def _write_last(
    connection: Connection, writer: ExportWriter, move: MoveRecord, resealed: _Resealed
) -> None:
    """Write what only the last file has: credentials, and documents that are on their way."""
    for family in tenant_data.MOVED_LAST:
        for row in tenant_data.rows_of(connection, family, move.tenant_id):
            if family is not tenant_data.OUTBOX:
                tenant_export.write_row(writer, family, {**row, **resealed(family, row)})
            elif tenant_moves.moves(row["kind"]):
                lane = tenant_moves.lane_of(row["lane"])
                tenant_export.write_row(writer, family, {**row, "lane": lane})


# -- afterwards ------------------------------------------------------------------------------------


def leave(tenant_id: str, caches: Caches, *, moved_to: str | None) -> datetime:
    """Close the tenant here, since it is open at the other installation. Returns when.

    moved_to  the base URL of the other installation, which its credentials are told

    Events that are still to be posted from here are lost with the webhooks: raises Conflict while
    there are some, or if the key of the last file was not given out. Repeating it changes nothing.
    """
    tenant = tenants.get(tenant_id)
    move = tenant_moves.find(tenant_id)
    if move is None and tenant.closed_at is not None:
        return tenant.closed_at
    if move is None or move.released_at is None:
        raise Conflict("The key of this move was not given out: the tenant is still here.")
    if count := tenant_moves.open_webhooks(tenant_id, clock.now()):
        raise Conflict(
            f"{count:,} events are still to be posted from here: repeat this in a minute."
        )
    with db.writing() as connection:
        tenant_moves.drop_work(connection, tenant_id)
    watching.unwatch(tenant_id)
    closed_at = closure.close(tenant_id, caches)
    with db.writing_session() as database:
        row = tenants.find_locked(database, tenant_id)
        assert row is not None  # noqa: S101 - it was read above
        row.moved_to = moved_to
        tenant_moves.delete(database.connection(), tenant_id)
        detail = {"move": move.id, "manifest": move.manifest, "to": moved_to}
        audit.record(database, tenant_id, None, "tenant.moved", tenant_id, detail)
    caches.tenants.drop(tenant_id)
    return closed_at


def cancel(tenant_id: str, caches: Caches, *, discarded: bool) -> None:
    """Let the tenant go on here.

    discarded  its copy at the other installation is deleted: needed once the key was given out

    Raises NotFound, and Conflict if it does not move, may be open at the other installation, or a
    table stays in use.
    """
    tenants.get(tenant_id)
    move = tenant_moves.find(tenant_id)
    if move is None:
        raise Conflict("This tenant does not move, or has moved.")
    with db.writing_session() as database:
        tenant = tenants.find_locked(database, tenant_id)
        assert tenant is not None  # noqa: S101 - the row of the move refers to it
        tenant.held_at = None
        if not tenant_moves.unseal(database.connection(), tenant_id, discarded=discarded):
            raise Conflict(
                "The key of this move was given out, so the tenant may be open at the other "
                "installation. Discard it there, and say so here."
            )
        tenant_moves.resume_work(database.connection(), tenant_id)
    caches.tenants.drop(tenant_id)
    watching.unwatch(tenant_id)
    with db.writing() as connection:
        tenant_moves.delete(connection, tenant_id)
        detail = {"move": move.id}
        audit.record(connection, tenant_id, None, "tenant.move-cancelled", tenant_id, detail)
