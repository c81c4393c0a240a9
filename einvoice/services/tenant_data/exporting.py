"""Exporting a tenant: everything that is its own, of one moment, into one file (docs/export.md).

All rows are read in one transaction that sees one snapshot of the database. The bytes of documents
are read beside it, by the functions that everything else reads them by; they never change once a
document was sent. The export is in the audit log before its first row is read, so it contains that
entry.
"""

from __future__ import annotations

import mimetypes
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import Conflict, DocumentDropped, RequestRefused, ServiceUnavailable
from einvoice.domain.trace import Trace
from einvoice.observability import logging
from einvoice.services.account import audit, audit_sealing, tenants
from einvoice.services.principal import Session
from einvoice.services.tenant_data.writing import ExportWriter, export_writer, proof_of
from einvoice.store import artefacts, db, invoices, schema, tenant_data, tenant_exports
from einvoice.store.tenant_data import Family
from einvoice.store.tenant_exports import ExportRecord

log = logging.get(__name__)

# A process that writes an export reports at least once for each page of documents.
SILENT_AFTER = timedelta(minutes=15)
REPORT_SECONDS = 1.0


class LostExport(Exception):
    """Another process writes the export, or has ended it."""


Progress = Callable[[int, int], None]  # documents that are written, and of how many


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
    who = audit.OPERATOR if by is None else by.subject
    new = ExportRecord(str(uuid.uuid4()), tenant_id, status, who, now, now)
    with db.writing_session() as database:
        if tenants.find_locked(database, tenant_id) is None:
            raise tenants.unknown(tenant_id)
        silent = now - SILENT_AFTER
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
) -> Exported:
    """Write a registered export and record its end. Raises what writing it raises.

    `kept`: for how long the service keeps the file.
    """
    draft = path.with_name(f".{path.name}.{export.id}")
    try:
        written = _written(export, draft, settings, progress)
        draft.replace(path)
    except LostExport:
        draft.unlink(missing_ok=True)
        raise
    except BaseException as fault:
        draft.unlink(missing_ok=True)
        words = f"{type(fault).__name__}: {fault}"[:300]
        tenant_exports.change(
            export.id, status=tenant_exports.FAILED, finished_at=clock.now(), fault=words
        )
        raise
    tenant_exports.change(
        export.id,
        status=tenant_exports.DONE,
        finished_at=clock.now(),
        expires_at=None if kept is None else clock.now() + kept,
        documents=written.documents,
        size=written.size,
        sha256=written.manifest,
    )
    log.info("tenant exported", tenant=export.tenant_id, export=export.id, **asdict(written))
    return written


def _written(export: ExportRecord, path: Path, settings: Settings, progress: Progress) -> Exported:
    path.unlink(missing_ok=True)
    path.touch(0o600, exist_ok=False)
    reported = _Reported(export.id, progress)
    audit_sealing.seal_all(export.tenant_id, settings)
    with path.open("wb") as file:
        digest = write(export.tenant_id, file, reported)
        size = file.tell()
    return Exported(reported.documents, size, digest)


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


def write(tenant_id: str, file: IO[bytes], progress: Progress) -> str:
    """Write the tenant's data; the SHA-256 of the manifest. Raises NotFound."""
    with tenant_data.snapshot() as connection, export_writer(file) as writer:
        tenant = tenant_data.tenant_row(connection, tenant_id)
        if tenant is None:
            raise tenants.unknown(tenant_id)
        now = clock.now()
        _write_row(writer, tenant_data.TENANTS, tenant)
        total = tenant_data.count_invoices(connection, tenant_id)
        done = 0
        progress(done, total)
        for page in tenant_data.invoice_pages(connection, tenant_id):
            _write_page(connection, writer, tenant_id, page)
            done += len(page)
            progress(done, total)
        for family, row in tenant_data.other_rows(connection, tenant_id):
            _write_row(writer, family, row)
        about = {
            "tenantId": tenant_id,
            "tenantName": tenant["name"],
            "exportedAt": clock.timestamp(now),
            "schema": schema.newest(),
            "documents": done,
        }
        return writer.finish(about)


def _write_page(
    connection: Connection,
    writer: ExportWriter,
    tenant_id: str,
    page: Sequence[Mapping[str, Any]],
) -> None:
    """Write a page of documents, with the rows and files that belong to them."""
    for row in page:
        files = _files_of_invoice(writer, tenant_id, row)
        _write_row(writer, tenant_data.INVOICES, row, files)
    ids = [row["id"] for row in page]
    for family, row in tenant_data.with_invoices(connection, ids):
        place = row.get("invoice_id", "")
        if family is tenant_data.TRANSMISSIONS:
            name = f"{place}/submitted/{row['id']}"
            _write_row(writer, family, row, _bytes(connection, writer, family, row["id"], name))
        elif family is tenant_data.RECEIVED:
            name = f"{place}/receipt"
            _write_row(writer, family, row, _bytes(connection, writer, family, place, name))
        elif family is tenant_data.ARTEFACTS:
            _write_row(writer, family, row, _evidence(writer, row))
        else:
            _write_row(writer, family, row)


def _files_of_invoice(
    writer: ExportWriter, tenant_id: str, row: Mapping[str, Any]
) -> dict[str, Any]:
    """Write the bytes of a document, as submitted and as sent."""
    found = invoices.documents(row["id"], tenant_id, row["environment"])
    if found is None:
        return {}
    kind = row["original_type"]
    names = {
        "original": (f"original{_ending(kind)}", kind, lambda: found.original),
        "document": ("document.xml", "", lambda: found.document),
        "network_document": ("network-document.xml", "", lambda: found.network_document),
    }
    return {
        column: _file(writer, f"{row['id']}/{name}", read, content_type)
        for column, (name, content_type, read) in names.items()
    }


def _bytes(
    connection: Connection, writer: ExportWriter, family: Family, row_id: str, name: str
) -> dict[str, Any]:
    """Write the one column of bytes of a row, if it has any."""
    (column,) = family.files

    def _read() -> bytes | None:
        return tenant_data.bytes_of(connection, family, column, row_id)

    return {column: _file(writer, name, _read)}


def _evidence(writer: ExportWriter, row: Mapping[str, Any]) -> dict[str, Any]:
    """Write the content of an artefact."""

    def _read() -> bytes | None:
        found = artefacts.content(row["invoice_id"], row["id"])
        return None if found is None else found.content

    kind = row["content_type"]
    name = f"{row['invoice_id']}/evidence/{row['id']}{_ending(kind)}"
    return {"content": _file(writer, name, _read, kind)}


def _file(
    writer: ExportWriter, name: str, read: Callable[[], bytes | None], content_type: str = ""
) -> dict[str, Any] | None:
    """Write a file; where it is, None if there is none, or why it cannot be read any more."""
    try:
        content = read()
    except ServiceUnavailable:
        raise
    except DocumentDropped as dropped:
        return {"missing": dropped.slug, **asdict(proof_of(dropped))}
    except RequestRefused as refusal:
        return {"missing": refusal.slug, **refusal.extras()}
    if content is None:
        return None
    return asdict(writer.file(name, content, content_type))


def _ending(content_type: str) -> str:
    return mimetypes.guess_extension(content_type.partition(";")[0]) or ""


def _write_row(
    writer: ExportWriter,
    family: Family,
    row: Mapping[str, Any],
    files: Mapping[str, Any] | None = None,
) -> None:
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
