"""Importing a tenant from an export of another installation (docs/export.md).

The whole file is verified before the first row is stored. Then each part is stored in a transaction
of its own, with how far the import has come: one that was killed goes on where it was. Until the
end the tenant is closed, so a part of it is never shown.

Nothing is ever sent by an import: no row becomes work. What had no final status when it was
exported may have been delivered since, so it needs an operator, who decides by evidence.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy.engine import Connection
from sqlalchemy.exc import IntegrityError

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.observability import logging
from einvoice.services.account import audit
from einvoice.services.archive import walks
from einvoice.services.tenant_data.arrived_rows import Arrival, arrived
from einvoice.services.tenant_data.export_reader import (
    ExportBroken,
    ExportReader,
    LostFile,
    family_of,
    missing_file,
    place_of,
)
from einvoice.services.tenant_data.export_writer import DroppedFile, Entry, FilePlace
from einvoice.store.core import db
from einvoice.store.invoices import blocks
from einvoice.store.invoices.blocks import Counted
from einvoice.store.tenant_data import tenant_data, tenant_imports
from einvoice.store.tenant_data.tenant_data import Family
from einvoice.store.tenant_data.tenant_imports import DroppedPart, ImportRecord

log = logging.get(__name__)

MAX_BATCH_ROWS, MAX_BATCH_BYTES = 200, 8 * 1024 * 1024  # of one statement

Progress = Callable[[int, int], None]  # parts that are stored, and of how many

# Families that are read as information only: who moves makes new credentials, and a new chain.
NOT_STORED = frozenset({"api_keys", "oauth_clients", "audit_seals"})
# Families whose bytes are dropped at the end of their retention.
_DROPPED = frozenset({"invoices", "artefacts"})
# The column that names a row of another family, which must be the tenant's.
_PARENTS: Mapping[str, tuple[str, Family]] = {
    "submissions": ("invoice_id", tenant_data.INVOICES),
    "transmissions": ("invoice_id", tenant_data.INVOICES),
    "attempts": ("transmission_id", tenant_data.TRANSMISSIONS),
    "artefacts": ("invoice_id", tenant_data.INVOICES),
    "network_findings": ("invoice_id", tenant_data.INVOICES),
    "received": ("invoice_id", tenant_data.INVOICES),
    "bill_responses": ("invoice_id", tenant_data.INVOICES),
    "receiver_responses": ("invoice_id", tenant_data.INVOICES),
    "payments": ("invoice_id", tenant_data.INVOICES),
    "share_links": ("invoice_id", tenant_data.INVOICES),
    "batch_items": ("batch_id", tenant_data.BATCHES),
    "draft_files": ("draft_id", tenant_data.DRAFTS),
    "mailboxes": ("connection_id", tenant_data.CONNECTIONS),
    "sequences": ("holder", tenant_data.TRANSMISSIONS),
    "outbox": ("subject_id", tenant_data.TRANSMISSIONS),
}


# Opens a secret of a row: family, row, column and what the file has.
OpenSecret = Callable[[Family, Mapping[str, Any], str, Any], Any]


def _no_secrets(family: Family, row: Mapping[str, Any], column: str, value: Any) -> Any:
    raise ValueError(f"{column} is a secret")


@dataclass(frozen=True, slots=True)
class Form:
    """How the rows of a file are read and stored.

    families    by name
    not_stored  names of families that are read as information only
    at_once     names of families that the caller stores together (`store_at_once`)
    store       stores rows of a family, whose parents are known to be the tenant's
    """

    families: Mapping[str, Family]
    not_stored: frozenset[str]
    store: Callable[[Connection, Family, Sequence[dict[str, Any]], Arrival], None]
    at_once: frozenset[str] = frozenset()
    open_secret: OpenSecret = _no_secrets

    def family(self, entry: Entry) -> Family:
        """The family of a part. Raises ExportBroken."""
        found = self.families.get(family_of(entry))
        if found is None:
            raise ExportBroken(f"{entry.name}: no family of this version")
        return found


@dataclass(frozen=True, slots=True)
class Verified:
    """The tenant of a file that was verified. `lost`: how many files in it could not be read."""

    tenant_id: str
    closed_at: datetime | None
    lost: int


@dataclass(frozen=True, slots=True)
class Imported:
    """A finished import.

    lost  how many files could not be read when they were exported; they are empty here
    """

    tenant_id: str
    documents: int
    lost: int


def from_file(
    path: Path, settings: Settings, progress: Progress, manifest: str | None = None
) -> Imported:
    """Import the tenant of an export, or go on with an import that was interrupted.

    `manifest`: the SHA-256 that the manifest must have. Raises ExportBroken, which names the entry,
    and Conflict if the tenant or one of its rows is here.
    """
    with ExportReader(path) as reader:
        check_manifest(reader, manifest)
        if _is_of_changes(reader):
            raise ExportBroken("manifest.json: changes of a tenant that moves: use `move receive`")
        found = verified(reader, PLAIN)
        done = _begin(found.tenant_id, reader.manifest)
        store_parts(reader, PLAIN, found, settings, progress, done)
        _finish(reader, found)
    made = imported(reader, found)
    log.info(
        "tenant imported",
        tenant=made.tenant_id,
        count=made.documents,
        lost=made.lost,
        manifest=reader.manifest,
    )
    return made


def _is_of_changes(reader: ExportReader) -> bool:
    """Whether it is a further file of a move."""
    move = reader.about.get("move")
    return isinstance(move, dict) and bool(move.get("follows"))


def check_manifest(reader: ExportReader, manifest: str | None) -> None:
    """Raise ExportBroken for another manifest than the one with this SHA-256."""
    if manifest is not None and reader.manifest != manifest.lower():
        raise ExportBroken(f"manifest.json: its SHA-256 is {reader.manifest}, not {manifest}")


def imported(reader: ExportReader, found: Verified) -> Imported:
    """The result of a file whose parts are stored."""
    documents = sum(one.rows for one in reader.parts if family_of(one) == "invoices")
    return Imported(found.tenant_id, documents, found.lost)


# -- before the first row --------------------------------------------------------------------------


def verified(reader: ExportReader, form: Form) -> Verified:
    """Verify every entry and every row. Raises ExportBroken."""
    tenant_id = reader.about.get("tenantId")
    if not isinstance(tenant_id, str):
        raise ExportBroken("manifest.json: tenantId is missing")
    for entry in reader.entries:
        reader.verify(entry)
    own: list[dict[str, Any]] = []
    lost = 0
    for entry in reader.parts:
        family = form.family(entry)
        for row in _rows(reader, entry, family, tenant_id, form.open_secret):
            lost += sum(isinstance(file, LostFile) for file in row.get("files", {}).values())
            if family is tenant_data.TENANTS:
                own.append(row)
    if [row["id"] for row in own] != [tenant_id]:
        raise ExportBroken("tables/tenants: it must have one row, the tenant of the manifest")
    return Verified(tenant_id, own[0]["closed_at"], lost)


def _rows(
    reader: ExportReader,
    entry: Entry,
    family: Family,
    tenant_id: str,
    open_secret: OpenSecret,
) -> Iterator[dict[str, Any]]:
    """The rows of a part with values of their columns; `files` as it is in the file."""
    columns = {column.name: column for column in family.columns}
    names = {*columns, "files"} if family.files else set(columns)
    for number, row in enumerate(reader.rows(entry), 1):
        where = f"{entry.name}: row {number}"
        if row.keys() != names:
            wrong = min(row.keys() ^ names)
            raise ExportBroken(f"{where}: {str(wrong)[:60]!r} is missing, or of another version")
        if row.get("tenant_id", tenant_id) != tenant_id:
            raise ExportBroken(f"{where}: it is another tenant's")
        try:
            secrets = {name: open_secret(family, row, name, row[name]) for name in family.secrets}
            given = {**row, **secrets}
            values = {n: tenant_imports.value_of(c, given[n]) for n, c in columns.items()}
        except ValueError as fault:
            raise ExportBroken(f"{where}: {fault}") from None
        if family.files:
            values["files"] = _files(row["files"], family, where)
        yield values


def _files(value: Any, family: Family, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict) or value.keys() != set(family.files):
        raise ExportBroken(f"{where}: its files are malformed")
    found = {name: _file(place, where) for name, place in value.items()}
    kinds = {type(each) for each in found.values() if each is not None}
    if DroppedFile in kinds and (len(kinds) > 1 or family.name not in _DROPPED):
        raise ExportBroken(f"{where}: some of its files were dropped and others were not")
    return found


def _file(place: Any, where: str) -> FilePlace | DroppedFile | LostFile | None:
    """Where a file is, the proof of what it was, that it is lost, or None if there is none."""
    if isinstance(place, dict) and "missing" in place:
        return missing_file(place, where)
    return None if place is None else place_of(place, where)


def _in_order(parts: Iterable[Entry], form: Form) -> list[Entry]:
    """Parts in the order of families, so that what rows refer to is there before them."""
    order = {name: number for number, name in enumerate(form.families)}
    return sorted(parts, key=lambda entry: (order[family_of(entry)], entry.name))


# -- storing ---------------------------------------------------------------------------------------


def _begin(tenant_id: str, manifest: str) -> int:
    """Register the import; how many parts an earlier run of it has stored. Raises Conflict."""
    known = tenant_imports.find(tenant_id)
    if known is not None and known.finished_at is None and known.manifest == manifest:
        return known.entries
    if known is not None and known.finished_at is None:
        raise Conflict(f"An import of {tenant_id} from another file has begun: go on with that.")
    if tenant_imports.has_tenant(tenant_id):
        raise Conflict(f"There is a tenant {tenant_id}: it is not changed.")
    with db.writing() as connection:
        tenant_imports.add(connection, ImportRecord(tenant_id, manifest, 0, clock.now()))
    return 0


def store_parts(
    reader: ExportReader,
    form: Form,
    found: Verified,
    settings: Settings,
    progress: Progress,
    done: int,
) -> None:
    """Store the parts of a verified file but for the first `done`, each in a transaction.

    Raises Conflict, ExportBroken.
    """
    parts = [one for one in _in_order(reader.parts, form) if family_of(one) not in form.at_once]
    arrival = _arrival(found.tenant_id, settings)
    for position, entry in enumerate(parts):
        if position >= done:
            _store(reader, entry, position, arrival, form)
        progress(position + 1, len(parts))


def _arrival(tenant_id: str, settings: Settings) -> Arrival:
    remains = tenant_imports.remains(tenant_id)
    logged = frozenset() if remains is None else tenant_imports.logged(tenant_id)
    return Arrival(tenant_id, settings, remains=remains, logged=logged)


def store_at_once(
    connection: Connection, reader: ExportReader, form: Form, found: Verified, settings: Settings
) -> None:
    """Store the parts that `store_parts` has left, in one transaction. Raises Conflict."""
    arrival = Arrival(found.tenant_id, settings)
    for entry in _in_order(reader.parts, form):
        if family_of(entry) in form.at_once:
            _store_part(connection, reader, entry, arrival, form)


def _store(reader: ExportReader, entry: Entry, position: int, arrival: Arrival, form: Form) -> None:
    """Store a part, and that it is stored, in one transaction."""
    with db.writing() as connection:
        if not tenant_imports.advance(connection, arrival.tenant_id, position):
            raise Conflict("Another process imports this tenant at the same time.")
        _store_part(connection, reader, entry, arrival, form)


def _store_part(
    connection: Connection, reader: ExportReader, entry: Entry, arrival: Arrival, form: Form
) -> None:
    family = form.family(entry)
    if family.name in form.not_stored:
        return
    rows = _rows(reader, entry, family, arrival.tenant_id, form.open_secret)
    try:
        for batch in _batches(reader, family, rows):
            dropped = _take_dropped(batch, arrival.tenant_id)
            _check_parents(connection, family, batch, arrival.tenant_id, entry)
            form.store(connection, family, batch, arrival)
            tenant_imports.add_dropped(connection, dropped)
    except IntegrityError as fault:
        message = str(fault.orig).partition("\n")[0][:200]
        raise Conflict(f"{entry.name}: a row of it is here already ({message})") from fault
    if family is tenant_data.EVENTS:
        tenant_imports.note_events(connection, arrival.tenant_id)


def _batches(
    reader: ExportReader, family: Family, rows: Iterable[dict[str, Any]]
) -> Iterator[list[dict[str, Any]]]:
    """Rows with the bytes of their files, a bounded number at once."""
    batch: list[dict[str, Any]] = []
    size = 0
    for row in rows:
        for column, place in row.get("files", {}).items():
            nullable = family.table.c[column].nullable
            is_here = isinstance(place, FilePlace)
            row[column] = reader.file(place) if is_here else (None if nullable else b"")
            size += len(row[column] or b"")
        batch.append(row)
        if len(batch) >= MAX_BATCH_ROWS or size >= MAX_BATCH_BYTES:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _take_dropped(batch: Iterable[dict[str, Any]], tenant_id: str) -> list[DroppedPart]:
    """Take `files` from the rows; the parts of them whose bytes were dropped before the export."""
    found: list[DroppedPart] = []
    for row in batch:
        for column, file in row.pop("files", {}).items():
            if isinstance(file, DroppedFile):
                invoice_id = row.get("invoice_id", row["id"])
                at = datetime.fromisoformat(file.droppedAt)
                found.append(
                    DroppedPart(
                        row["id"], column, tenant_id, invoice_id, file.kind, file.sha256,
                        file.size, at, file.rule,
                    )
                )  # fmt: skip
                row["archived_at"] = at
    return found


def _check_parents(
    connection: Connection,
    family: Family,
    batch: Sequence[Mapping[str, Any]],
    tenant_id: str,
    entry: Entry,
) -> None:
    """Refuse rows that belong to a row which is not the tenant's."""
    if family.name not in _PARENTS:
        return
    column, parent = _PARENTS[family.name]
    named = {row[column] for row in batch}
    known = tenant_data.known_ids(connection, parent, tenant_id, named)
    if strange := sorted(named - known):
        message = f"{column} {strange[0][:60]!r} is not in the export"
        raise ExportBroken(f"{entry.name}: {message}")


def insert(
    connection: Connection, family: Family, batch: Sequence[dict[str, Any]], arrival: Arrival
) -> None:
    """Insert rows that are not here yet. Raises IntegrityError for one that is."""
    insert_rows(connection, family, arrived(connection, family, batch, arrival))


def insert_rows(connection: Connection, family: Family, rows: Iterable[dict[str, Any]]) -> None:
    """Insert rows in the form that they have here. Columns that are NULL are left out: None would
    be the JSON value null."""
    given = [{n: v for n, v in row.items() if v is not None} for row in rows]
    if "sequence" not in family.table.columns:  # where the order of insertion says nothing
        given.sort(key=_names)
    for _, alike in groupby(given, key=_names):
        tenant_imports.insert(connection, family.table, list(alike))


def _names(row: Mapping[str, Any]) -> list[str]:
    return sorted(row)


# The form of an ordinary export.
PLAIN = Form(tenant_data.BY_NAME, NOT_STORED, insert)


def _finish(reader: ExportReader, found: Verified) -> None:
    """Open the tenant, unless it was closed, and record the import in its audit log."""
    with db.writing() as connection:
        open_here(connection, reader, found, audit_head(reader, PLAIN))


def open_here(
    connection: Connection, reader: ExportReader, found: Verified, head: str | None
) -> None:
    """Open the tenant, unless it was closed, and record the import in its audit log.

    head  of the chain of the audit log at the other installation
    """
    detail = {
        "manifest": reader.manifest,
        "exportedAt": str(reader.about.get("exportedAt"))[:40],
        "auditHead": head,
    }
    for environment in Environment:
        blocks.forget(connection, Counted(found.tenant_id, environment.value))
    walks.visit_again(connection, found.tenant_id)
    tenant_imports.open_tenant(connection, found.tenant_id, found.closed_at)
    tenant_imports.finish(connection, found.tenant_id, clock.now())
    audit.record(connection, found.tenant_id, None, "tenant.imported", found.tenant_id, detail)


def audit_head(reader: ExportReader, form: Form) -> str | None:
    """The head of the chain in the file: the audit log begins a new one here."""
    parts = [one for one in _in_order(reader.parts, form) if family_of(one) == "audit_seals"]
    if not parts:
        return None
    *_, last = reader.rows(parts[-1])
    return f"{last['number']}:{last['digest']}"
