"""Moving a tenant from another installation: what the installation does that it comes to.

Each file is verified whole and stored in parts, as an import is; a file names the one that it
follows. Until the last one the tenant is closed here, has no credentials and no work. The last file
opens it, with its credentials and what is on its way, in one transaction.

A tenant may come back to an installation that has purged it: its audit log is still there, and goes
on.
"""

from __future__ import annotations

import base64
import binascii
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import Conflict, NotFound
from einvoice.observability import logging
from einvoice.security.sealing import Keyring, SealBroken, context_of, keyring
from einvoice.services.tenant_data import purge, tenant_import
from einvoice.services.tenant_data.arrived_rows import MOVED, Arrival, arrived
from einvoice.services.tenant_data.export_reader import ExportBroken, ExportReader
from einvoice.services.tenant_data.tenant_import import Form, Imported, Progress, Verified
from einvoice.store.core import db
from einvoice.store.installation import sealed, service_states
from einvoice.store.tenant_data import purging, tenant_data, tenant_imports
from einvoice.store.tenant_data.tenant_data import Family
from einvoice.store.tenant_data.tenant_imports import ImportRecord, LoggedEntry

log = logging.get(__name__)

# What only the last file says, and the first one has without secrets.
_LATER = frozenset({"api_keys", "oauth_clients", "webhook_endpoints"})
_INSERTED = frozenset({"events", "audit_entries", "outbox"})
# Names the note of a discarded copy, with the manifest of its newest file, which later ones follow.
_DISCARDED = "discarded:"


@dataclass(frozen=True, slots=True)
class Received:
    """A file of a move that is stored. `is_open`: it was the last one."""

    imported: Imported
    is_open: bool


@dataclass(frozen=True, slots=True)
class _Place:
    """The place of a file in its move."""

    number: int
    follows: str | None
    is_last: bool


def receive(
    path: Path,
    settings: Settings,
    progress: Progress,
    *,
    manifest: str | None = None,
    transport: Keyring | None = None,
) -> Received:
    """Store a file of a move, or go on with one that was interrupted.

    manifest   the SHA-256 that its manifest must have
    transport  the key of the move, which the last file needs

    Raises ExportBroken, which names the entry, and Conflict (another file comes first, the tenant
    is here, or a row is another tenant's).
    """
    with ExportReader(path) as reader:
        tenant_import.check_manifest(reader, manifest)
        place = _place(reader)
        form = _form(place, settings, transport)
        found = tenant_import.verified(reader, form)
        done = _begin(found.tenant_id, reader.manifest, place)
        if done is not None:
            tenant_import.store_parts(reader, form, found, settings, progress, done)
            _end(reader, form, found, settings, place)
        made = tenant_import.imported(reader, found)
    log.info("file of a move stored", tenant=found.tenant_id, file=place.number, last=place.is_last)
    return Received(made, place.is_last)


def _place(reader: ExportReader) -> _Place:
    move = reader.about.get("move")
    if not isinstance(move, dict):
        raise ExportBroken("manifest.json: this is no file of a move; `tenants import` reads it")
    number, follows, is_last = move.get("number"), move.get("follows"), move.get("last")
    if (
        not isinstance(number, int)
        or not isinstance(is_last, bool)
        or not isinstance(follows, str | None)
        or (follows is None) != (number == 0)
    ):
        raise ExportBroken("manifest.json: the place of the file in its move is malformed")
    return _Place(number, follows, is_last)


def _form(place: _Place, settings: Settings, transport: Keyring | None) -> Form:
    if place.number == 0:
        return Form(tenant_data.BY_NAME, tenant_import.NOT_STORED | _LATER, _insert)
    if not place.is_last:
        return Form(tenant_data.OF_CHANGES, frozenset(), _put)
    if transport is None:
        raise Conflict(
            "The last file opens the tenant with the key of the move: release it at the other "
            "installation."
        )
    return Form(
        tenant_data.OF_LAST,
        frozenset({tenant_data.AUDIT_SEALS.name}),
        _put,
        frozenset(family.name for family in tenant_data.MOVED_LAST),
        _Opened(keyring(settings), transport),
    )


class _Opened:
    """Secrets that are sealed with the key of a move, as they are stored here."""

    def __init__(self, own: Keyring, transport: Keyring) -> None:
        self._own, self._transport = own, transport

    def __call__(self, family: Family, row: Mapping[str, Any], column: str, value: Any) -> Any:
        if value is None:
            return None
        place = sealed.place_of(family.name, column)
        context = context_of(family.name, str(row.get("id")), place or column)
        try:
            plain = self._transport.open(base64.b64decode(value, validate=True), context)
        except (SealBroken, TypeError, binascii.Error):
            message = f"{column} cannot be opened: it is another key, or another row's"
            raise ValueError(message) from None
        return plain.decode() if place is None else self._own.seal(plain, context)


def _begin(tenant_id: str, manifest: str, place: _Place) -> int | None:
    """How many parts of the file are stored; None if all of them are. Raises Conflict."""
    known = tenant_imports.find(tenant_id)
    if known is not None and known.manifest == manifest:
        stored = known.received_at is not None or known.finished_at is not None
        return None if stored else known.entries
    if service_states.find(_DISCARDED + manifest):
        raise Conflict(
            "This file was discarded here, and its tenant may go on at the other installation: "
            "cancel the move there, and begin another."
        )
    if place.follows is not None:
        with db.writing() as connection:
            if tenant_imports.begin_next(connection, tenant_id, place.follows, manifest):
                return 0
        raise Conflict("The file before this one is not stored here, or not the whole of it.")
    is_gone = tenant_imports.remains(tenant_id) is not None
    if known is not None or (tenant_imports.has_tenant(tenant_id) and not is_gone):
        raise Conflict(
            f"There is a tenant {tenant_id}, or another copy of it: discard that first, or purge "
            "what it has left here."
        )
    with db.writing() as connection:
        tenant_imports.add(connection, ImportRecord(tenant_id, manifest, 0, clock.now()))
    return 0


def _end(
    reader: ExportReader, form: Form, found: Verified, settings: Settings, place: _Place
) -> None:
    """Note the end of a file; that of the last one opens the tenant."""
    with db.writing() as connection:
        if not place.is_last:
            tenant_imports.receive(connection, found.tenant_id, clock.now())
            return
        tenant_import.store_at_once(connection, reader, form, found, settings)
        head = tenant_import.audit_head(reader, form)
        tenant_import.open_here(connection, reader, found, head)


# -- storing ---------------------------------------------------------------------------------------


def _insert(
    connection: Connection, family: Family, batch: Sequence[dict[str, Any]], arrival: Arrival
) -> None:
    if arrival.remains is not None and batch:
        if family is tenant_data.TENANTS:
            _put(connection, family, batch, arrival)
            return
        if family is tenant_data.AUDIT_ENTRIES:
            batch = [row for row in batch if _logged(row) not in arrival.logged]
    rows = arrived(connection, family, batch, arrival, MOVED)
    tenant_import.insert_rows(connection, family, rows)


def _logged(row: Mapping[str, Any]) -> LoggedEntry:
    return LoggedEntry(row["at"], row["actor"], row["action"], row["target"])


def _put(
    connection: Connection, family: Family, batch: Sequence[dict[str, Any]], arrival: Arrival
) -> None:
    """Store rows that may be here, and delete those that were deleted. Raises Conflict."""
    if family is tenant_data.DELETED:
        _delete(connection, batch, arrival.tenant_id)
        return
    if family.name in _INSERTED:
        _insert(connection, family, batch, arrival)
        return
    if tenant_imports.of_others(connection, family, arrival.tenant_id, batch):
        raise Conflict(f"{family.name}: a row of it is another tenant's")
    if "archived_at" in family.table.c:
        tenant_imports.forget_parts(connection, arrival.tenant_id, [row["id"] for row in batch])
    rows = arrived(connection, family, batch, arrival, MOVED)
    given = [{n: v for n, v in row.items() if v is not None} for row in rows]
    given.sort(key=sorted)
    for _, alike in groupby(given, key=sorted):
        tenant_imports.put(connection, family, arrival.tenant_id, list(alike))


def _delete(connection: Connection, batch: Sequence[Mapping[str, Any]], tenant_id: str) -> None:
    for name, of_family in groupby(batch, key=lambda row: row["family"]):
        family = next((one for one in tenant_data.WATCHED if one.name == name), None)
        keys = [tuple(row["key"]) for row in of_family]
        width = 0 if family is None else len(family.table.primary_key.columns)
        if family is None or any(len(key) != width for key in keys):
            raise ExportBroken(f"tables/deleted: {str(name)[:60]!r} is no family of this version")
        for first in range(0, len(keys), tenant_data.PAGE):
            some = keys[first : first + tenant_data.PAGE]
            tenant_data.delete_by_keys(connection, family, tenant_id, some)


# -- giving up -------------------------------------------------------------------------------------


def discard(tenant_id: str) -> None:
    """Delete the copy of a tenant that is not open yet. It can be stopped, and repeated. Of one
    that was here before, its row and its audit log stay.

    Its files cannot be received again, not even with the key of the move: the other installation
    lets the tenant go on once this is done, and both would send.

    Raises NotFound, and Conflict for a tenant that is not being received.
    """
    known = tenant_imports.find(tenant_id)
    if known is None:
        raise NotFound(f"No tenant {tenant_id[:40]} is being received here.")
    if known.finished_at is not None:
        raise Conflict("The tenant is open here: it is not discarded. Close and purge it.")
    if tenant_imports.has_tenant(tenant_id):
        purge.delete_copy(tenant_id, math.inf)
    was_here = tenant_imports.remains(tenant_id) is not None
    with db.writing() as connection:
        if not was_here:
            purging.delete_log(connection, tenant_id)
        tenant_imports.forget(connection, tenant_id)
        service_states.write(connection, _DISCARDED + known.manifest, clock.now())
