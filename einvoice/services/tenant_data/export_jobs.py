"""Exports that people ask for: written by a worker, kept for a day, downloaded through the API.

The outbox row of an export is leased while it is written, with extensions as rows are written. A
worker that is killed leaves a row that is due again when the lease ends, and the export begins
again: a snapshot ends with its process (decisions 23.2). One that is not finished within a day
fails, so an export that ends its worker is not tried for ever.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import uniform

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import NotFound
from einvoice.observability import logging
from einvoice.services.account import audit
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.services.tenant_data import export_places, tenant_export
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.outbox import Held
from einvoice.store.tenant_data import tenant_exports
from einvoice.store.tenant_data.tenant_exports import ExportRecord as ExportRecord

log = logging.get(__name__)

KEPT = timedelta(days=1)
MAX_LISTED = 20
MAX_AT_ONCE = 1  # exports that a worker writes at the same time
PUT_BACK_SECONDS = (3.0, 8.0)
GIVEN_UP_AFTER = timedelta(days=1)
_LEASE_SECONDS = tenant_export.SILENT_AFTER.total_seconds()
_EXTEND_SECONDS = 5.0

_places = threading.BoundedSemaphore(MAX_AT_ONCE)


def request(tenant_id: str, settings: Settings, by: Session | None = None) -> ExportRecord:
    """Register an export of the tenant, as work; `by`: the person, None is an operator.

    Raises NotFound, Conflict if there is one, ExportsNotShared if it could not be downloaded.
    """
    export_places.check(settings)
    export = tenant_export.begin(tenant_id, tenant_exports.QUEUED, by, _enqueue)
    log.info("export requested", tenant=tenant_id, export=export.id)
    return export


def _enqueue(database: DatabaseSession, export: ExportRecord) -> None:
    outbox.enqueue(
        database.connection(),
        kind=outbox.EXPORT,
        lane=outbox.PLUGINS,
        subject_id=export.id,
        tenant_id=export.tenant_id,
        due_at=export.created_at,
    )


def get(tenant_id: str, export_id: str) -> ExportRecord:
    """An export of the tenant. Raises NotFound."""
    found = tenant_exports.find(tenant_id, export_id)
    if found is None:
        raise NotFound(f"There is no export {export_id[:40]}.")
    return found


def newest(tenant_id: str) -> list[ExportRecord]:
    """The newest exports of the tenant, newest first, a few."""
    return tenant_exports.newest(tenant_id, MAX_LISTED)


def open_file(
    tenant_id: str,
    export_id: str,
    settings: Settings,
    by: Session | None = None,
    reason: str | None = None,
) -> Path:
    """The file of an export that is done, recorded in the audit log. Raises NotFound.

    reason  why an operator reads it
    """
    export = get(tenant_id, export_id)
    if export.status != tenant_exports.DONE or export.expires_at is None:
        raise NotFound("The export has no file; its status says why.")
    path = _path(settings, export.id)
    if export.expires_at <= clock.now() or not path.is_file():
        raise NotFound("The file of this export has been deleted: request another one.")
    with db.writing() as connection:
        detail = {"exportId": export.id, **({"reason": reason} if reason else {})}
        audit.record(connection, tenant_id, by, "tenant.export-downloaded", tenant_id, detail)
    return path


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Start the exports of these rows, each in a thread; those without a place are put back."""
    for row in outbox.held(outbox_ids, token, clock.now()):
        if _places.acquire(blocking=False):
            work = partial(_work, row, token, runtime)
            threading.Thread(target=work, name="export", daemon=True).start()
        else:
            due = clock.now() + timedelta(seconds=uniform(*PUT_BACK_SECONDS))
            with db.writing() as connection:
                outbox.reschedule(connection, [(row.id, outbox.PLUGINS, due)], token)


def _work(row: Held, token: str, runtime: Runtime) -> None:
    try:
        with runtime.context():
            write(row, token, runtime.settings)
    except Exception:
        log.exception("export failed", export=row.subject_id)
    finally:
        _places.release()


def write(row: Held, token: str, settings: Settings) -> None:
    """Write the export of a row, and delete the row unless its lease has ended."""
    sweep(settings)
    export = tenant_exports.of_job(row.subject_id)
    try:
        if export is None or not export.is_open:
            return
        if export.created_at + GIVEN_UP_AFTER < clock.now():
            message = "not finished within a day"
            tenant_export.fail(export, message)
            log.error("export failed", export=export.id, reason=message)
            return
        lease = _Lease(row.id, token)
        lease(0, 0)
        tenant_export.run(export, _path(settings, export.id), settings, lease, kept=KEPT)
    finally:
        with db.writing() as connection:
            outbox.complete(connection, [row.id], token)


class _Lease:
    """Progress that extends the lease of the row; ends the export if it is lost."""

    def __init__(self, row_id: int, token: str) -> None:
        self._row_id, self._token = row_id, token
        self._next = 0.0

    def __call__(self, documents: int, total: int) -> None:
        if clock.monotonic() < self._next:
            return
        self._next = clock.monotonic() + _EXTEND_SECONDS
        if not outbox.extend_from_now(self._row_id, self._token, _LEASE_SECONDS):
            raise tenant_export.LostExport


def sweep(settings: Settings) -> None:
    """Delete files of exports that are older than they are kept, also of killed processes."""
    oldest = clock.now() - KEPT
    for path in settings.export_path.glob("*.zip*"):
        _delete_older(path, oldest)
    for path in settings.export_path.glob(".*.zip.*"):
        _delete_older(path, oldest)
    for path in settings.export_path.glob(".worker-*"):  # of workers that were killed
        _delete_older(path, oldest)


def _delete_older(path: Path, oldest: datetime) -> None:
    try:
        if clock.written_at(path.stat().st_mtime) < oldest:
            path.unlink()
    except FileNotFoundError:
        return


def _path(settings: Settings, export_id: str) -> Path:
    settings.export_path.mkdir(mode=0o700, parents=True, exist_ok=True)
    return settings.export_path / f"{export_id}.zip"
