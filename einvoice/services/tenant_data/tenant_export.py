"""Exporting a tenant: everything that is its own, of one moment, into one file (docs/export.md).

All rows and the bytes in them are read in one transaction that sees one snapshot of the database;
bytes in the archive, which never change, are read beside it. The export is in the audit log before
its first row is read, so it contains that entry.
"""

from __future__ import annotations

import mimetypes
import shutil
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.documents.hybrid import is_pdf
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, DocumentDropped, RequestRefused, ServiceUnavailable
from einvoice.domain.events import EXPORT_FINISHED
from einvoice.domain.trace import Trace
from einvoice.observability import logging
from einvoice.services.account import audit, audit_sealing, tenants
from einvoice.services.principal import Session
from einvoice.services.tenant_data.export_writer import (
    ExportWriter,
    appear,
    export_writer,
    proof_of,
)
from einvoice.store.archive.archived import LazyContent
from einvoice.store.core import db
from einvoice.store.installation import schema
from einvoice.store.tenant_data import tenant_data, tenant_exports
from einvoice.store.tenant_data.tenant_data import Family
from einvoice.store.tenant_data.tenant_exports import ExportRecord
from einvoice.store.webhooks import events

log = logging.get(__name__)

# A process that writes an export reports with each row; one object of the archive is read between.
SILENT_AFTER = timedelta(minutes=5)
CHECK_DOCUMENTS = 100  # after as many, the size of the file is looked at
_BYTES_OF_A_MIB = 1024**2
MIN_FREE_BYTES = 200 * 1024**2  # of the disk, which an export leaves to others
REPORT_SECONDS = 1.0


class LostExport(Exception):
    """Another process writes the export, or has ended it."""


Progress = Callable[[int, int], None]  # documents that are written, and of how many
# More members of the manifest, read in the snapshot of the export.
Members = Callable[[Connection], Mapping[str, Any]]


def _no_members(connection: Connection) -> Mapping[str, Any]:
    return {}


@dataclass(frozen=True, slots=True)
class Exported:
    """A finished export. `manifest`: the SHA-256 of its manifest."""

    documents: int
    size: int
    manifest: str


def begin(
    tenant_id: str,
    status: str,
    by: Session | None = None,
    also: Callable[[DatabaseSession, ExportRecord], None] = lambda *_: None,
) -> ExportRecord:
    """Register an export, queued or running. Raises NotFound, and Conflict if there is one.

    `also`: what is stored in the same transaction.
    """
    now = clock.now()
    principal = audit.OPERATOR if by is None else by.subject
    new = ExportRecord(str(uuid.uuid4()), tenant_id, status, principal, now, now)
    with db.writing_session() as database:
        if tenants.find_locked(database, tenant_id) is None:
            raise tenants.unknown(tenant_id)
        silent = now - clock.lasting(SILENT_AFTER)
        tenant_exports.fail_silent(database, tenant_id, silent, now, "its process ended")
        if not tenant_exports.add(database, new):
            raise Conflict("An export of this account is running: wait until it has ended.")
        audit.record(database, tenant_id, by, "tenant.exported", tenant_id, {"exportId": new.id})
        also(database, new)
    return new


def to_file(tenant_id: str, path: Path, settings: Settings, progress: Progress) -> Exported:
    """Export a tenant into a file, which appears once it is complete, readable by its owner.

    Raises NotFound, Conflict (an export of the tenant is running), OSError.
    """
    export = begin(tenant_id, tenant_exports.RUNNING)
    return run(export, path, settings, progress)


def run(
    export: ExportRecord,
    path: Path,
    settings: Settings,
    progress: Progress,
    kept: timedelta | None = None,
    members: Members = _no_members,
) -> Exported:
    """Write a registered export and record its end. Raises what writing it raises.

    `kept`: for how long the service keeps the file.
    """
    draft = path.with_name(f".{path.name}.{export.id}")
    most = 0 if kept is None else settings.export_max_mb * _BYTES_OF_A_MIB
    if kept is not None:
        progress = _Bounded(draft, most, progress)
    try:
        written = _written(export, draft, settings, progress, members)
        _check_size(written.size, most)
        appear(draft, path)
    except LostExport:
        draft.unlink(missing_ok=True)
        raise
    except BaseException as fault:
        draft.unlink(missing_ok=True)
        fail(export, f"{type(fault).__name__}: {fault}"[:300])
        raise
    now = clock.now()
    done = replace(
        export,
        status=tenant_exports.DONE,
        finished_at=now,
        expires_at=None if kept is None else now + kept,
        documents=written.documents,
        size=written.size,
        sha256=written.manifest,
    )
    _end(done)
    log.info(
        "tenant exported",
        tenant=export.tenant_id,
        export=export.id,
        count=written.documents,
        size=written.size,
        manifest=written.manifest,
    )
    return written


def fail(export: ExportRecord, fault: str) -> None:
    """End an export without a file."""
    _end(replace(export, status=tenant_exports.FAILED, finished_at=clock.now(), fault=fault))


def _end(export: ExportRecord) -> None:
    """Store the end of an export with its event, once."""
    names = ("status", "finished_at", "expires_at", "documents", "size", "sha256", "fault")
    values = {name: getattr(export, name) for name in names}
    tenant = tenants.get(export.tenant_id)
    environment = Environment.TEST if tenant.sandbox_only else Environment.LIVE
    with db.writing() as connection:
        if tenant_exports.change_in(connection, export.id, **values):
            events.emit(
                connection,
                tenant_id=export.tenant_id,
                environment=environment.value,
                event_type=EXPORT_FINISHED,
                invoice_id=None,
                payload=_payload(export),
            )


def _payload(export: ExportRecord) -> dict[str, object]:
    expires = export.expires_at
    return {
        "exportId": export.id,
        "status": export.status,
        "documents": export.documents,
        "sizeBytes": export.size,
        "expiresAt": None if expires is None else clock.timestamp(expires),
        "reason": export.fault,
    }


def _written(
    export: ExportRecord, path: Path, settings: Settings, progress: Progress, members: Members
) -> Exported:
    path.unlink(missing_ok=True)
    path.touch(0o600, exist_ok=False)
    reported = _Reported(export.id, progress)
    audit_sealing.seal_all(export.tenant_id, settings)
    with path.open("wb") as file:
        digest = write(export.tenant_id, file, reported, members)
        size = file.tell()
    return Exported(reported.documents, size, digest)


class ExportTooLarge(Exception):
    """The file would fill the disk of the service, or is larger than the operator allows."""


def _check_size(size: int, most: int) -> None:
    if most and size > most:
        raise ExportTooLarge(
            f"it has {size // 1024**2} MiB or more, and EINVOICE_EXPORT_MAX_MB allows "
            f"{most // 1024**2}"
        )


class _Bounded:
    """Progress that ends an export before it takes the room of others.

    most  bytes of the file; 0: as many as the disk has, but for MIN_FREE_BYTES
    """

    def __init__(self, draft: Path, most: int, progress: Progress) -> None:
        self._draft, self._most, self._progress = draft, most, progress

    def __call__(self, documents: int, total: int) -> None:
        self._progress(documents, total)
        if documents % CHECK_DOCUMENTS == 0:
            self._check(documents, total)

    def _check(self, documents: int, total: int) -> None:
        size = self._draft.stat().st_size
        expected = size * total // documents if documents else size
        _check_size(max(size, expected), self._most)
        free = shutil.disk_usage(self._draft.parent).free - MIN_FREE_BYTES
        if expected - size > free:
            raise ExportTooLarge(
                f"it would have about {expected // 1024**2} MiB, and its disk has no room for it"
            )


class _Reported:
    """Progress that is passed on, and stored once a second."""

    def __init__(self, export_id: str, progress: Progress) -> None:
        self._export_id, self._progress = export_id, progress
        self._next = 0.0
        self.documents = 0

    def __call__(self, documents: int, total: int) -> None:
        self.documents = documents
        self._progress(documents, total)
        if clock.monotonic() < self._next:
            return
        self._next = clock.monotonic() + REPORT_SECONDS
        if not tenant_exports.change(
            self._export_id,
            status=tenant_exports.RUNNING,
            seen_at=clock.now(),
            documents=documents,
            documents_total=total,
        ):
            raise LostExport("the export was ended by another process")


def write(
    tenant_id: str, file: IO[bytes], progress: Progress, members: Members = _no_members
) -> str:
    """Write the tenant's data; the SHA-256 of the manifest. Raises NotFound."""
    with tenant_data.snapshot() as connection, export_writer(file) as writer:
        more = members(connection)
        about = write_tenant(connection, writer, tenant_id)
        total = tenant_data.count_invoices(connection, tenant_id)
        done = 0
        progress(done, total)
        for page in tenant_data.invoice_pages(connection, tenant_id):
            for family in _write_page(connection, writer, page):
                done += family is tenant_data.INVOICES
                progress(done, total)
        for family, row in tenant_data.other_rows(connection, tenant_id):
            for _ in write_rows(connection, writer, family, [row]):
                progress(done, total)
        return writer.finish({**about, "documents": done, **more})


def write_tenant(
    connection: Connection, writer: ExportWriter, tenant_id: str
) -> Mapping[str, object]:
    """Write the tenant's own row; the members of the manifest about it. Raises NotFound."""
    tenant = tenant_data.tenant_row(connection, tenant_id)
    if tenant is None:
        raise tenants.unknown(tenant_id)
    write_row(writer, tenant_data.TENANTS, tenant)
    return {
        "tenantId": tenant_id,
        "tenantName": tenant["name"],
        "exportedAt": clock.timestamp(clock.now()),
        "schema": schema.newest(),
    }


def _write_page(
    connection: Connection, writer: ExportWriter, page: Sequence[Mapping[str, Any]]
) -> Iterator[Family]:
    """Write a page of documents, with the rows and files that belong to them; yields the family of
    each row that is written."""
    yield from write_rows(connection, writer, tenant_data.INVOICES, page)
    found = tenant_data.with_invoices(connection, [row["id"] for row in page])
    for family, of_family in groupby(found, key=itemgetter(0)):
        yield from write_rows(connection, writer, family, [row for _, row in of_family])


def write_rows(
    connection: Connection,
    writer: ExportWriter,
    family: Family,
    found: Sequence[Mapping[str, Any]],
) -> Iterator[Family]:
    """Write rows of a family with their files; yields the family with each row."""
    if not family.files:
        for row in found:
            write_row(writer, family, row)
            yield family
        return
    for row, contents in tenant_data.with_contents(connection, family, found):
        files = {
            column: _file(writer, family, column, row, contents.get(column))
            for column in family.files
        }
        write_row(writer, family, row, files)
        yield family


def _file(
    writer: ExportWriter,
    family: Family,
    column: str,
    row: Mapping[str, Any],
    found: LazyContent | None,
) -> dict[str, Any] | None:
    """Write a file; where it is, None if there is none, or why it cannot be read any more."""
    if found is None and family.table.c[column].nullable:
        return None
    try:
        content = b"" if found is None else found.read()
    except ServiceUnavailable:
        raise
    except DocumentDropped as dropped:
        return {"missing": dropped.slug, **asdict(proof_of(dropped))}
    except RequestRefused as refusal:
        return {"missing": refusal.slug, **refusal.extras()}
    name, content_type = _NAMES[column](row)
    if column == "network_document" and is_pdf(content):
        name = f"{row['id']}/network-document.pdf"
    return asdict(writer.file(name, content, content_type))


# Name and content type of a file, by its column.
_NAMES: Mapping[str, Callable[[Mapping[str, Any]], tuple[str, str]]] = {
    "original": lambda row: (
        f"{row['id']}/original{_ending(row['original_type'])}",
        row["original_type"],
    ),
    "document": lambda row: (f"{row['id']}/document.xml", ""),
    "network_document": lambda row: (f"{row['id']}/network-document.xml", ""),
    "file": lambda row: (
        f"drafts/{row['draft_id']}/{row['id']}{_ending(row['media_type'])}",
        row["media_type"],
    ),
    "prepared": lambda row: (f"{row['invoice_id']}/submitted/{row['id']}", ""),
    "receipt": lambda row: (f"{row['invoice_id']}/receipt", ""),
    "content": lambda row: (
        f"{row['invoice_id']}/evidence/{row['id']}{_ending(row['content_type'])}",
        row["content_type"],
    ),
}


def _ending(content_type: str) -> str:
    return mimetypes.guess_extension(content_type.partition(";")[0]) or ""


def write_row(
    writer: ExportWriter,
    family: Family,
    row: Mapping[str, Any],
    files: Mapping[str, Any] | None = None,
) -> None:
    """Write a row, with the places of its files."""
    plain = {name: _plain(value) for name, value in row.items()}
    writer.row(family.name, plain if files is None else {**plain, "files": files})


def _plain(value: Any) -> Any:
    """The value as JSON: amounts and times as text."""
    match value:
        case Decimal():
            return format(value, "f")
        case datetime() | date():
            return value.isoformat()
        case Trace():
            return value.stored
        case _:
            return value
