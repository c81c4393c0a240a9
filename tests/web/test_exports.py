"""Exports that a person requests: progress, one at a time, a download for a day."""

from __future__ import annotations

import hashlib
import io
import json
import os
import time
import zipfile
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import sqlalchemy as sa
from flask import Flask
from werkzeug.test import EnvironBuilder

from einvoice import clock
from einvoice.cli import doctor_checks
from einvoice.cli.doctor_problem import Severity
from einvoice.clock import Pace
from einvoice.config import Settings
from einvoice.domain.events import EXPORT_FINISHED
from einvoice.domain.roles import Role
from einvoice.services.tenant_data import export_jobs, export_places, tenant_export
from einvoice.services.tenant_data.export_places import ExportPlace
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import service_states
from einvoice.store.tables import Event
from einvoice.web.runtime import runtime_of
from einvoice.web.sent_files import SentFile
from einvoice.web.serving.wsgi_call import response_of
from tests.builders import accepted
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.workers import claimed_export, write_export

EXPORTS = "/api/tenant/exports"


@pytest.fixture
def admin(service: Flask) -> Dashboard:
    return Dashboard(service, role=Role.ADMIN)


def test_an_export_is_requested_written_and_downloaded(service: Flask, admin: Dashboard) -> None:
    with service.app_context():
        accepted(admin.tenant, number="E-1")
    asked = admin.post(EXPORTS)
    path = asked.headers["Location"]
    queued = admin.get(path).json
    early = admin.get(f"{path}/file")
    write_export(service, admin.tenant)
    done = admin.get(path).json
    file = admin.get(f"{path}/file")
    content = file.data
    file.close()
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        manifest = archive.read("manifest.json")
        invoices = archive.read("tables/invoices/000001.jsonl")

    assert (asked.status_code, asked.json["status"], queued["status"]) == (202, "queued", "queued")
    assert path == f"{EXPORTS}/{asked.json['exportId']}"
    assert slug(early) == "not-found"
    assert (done["status"], done["documents"], done["documentsTotal"]) == ("done", 1, 1)
    assert done["sizeBytes"] == len(content)
    assert done["manifestSha256"] == hashlib.sha256(manifest).hexdigest()
    assert json.loads(invoices)["number"] == "E-1"
    assert file.headers["Content-Type"] == "application/zip"
    assert file.headers["Cache-Control"] == "private, no-store"
    assert claimed_export(service, admin.tenant)[0] == []


def test_a_file_is_kept_for_a_day_of_a_simulated_week(tmp_path: Path) -> None:
    """The machine stamps files, by a clock that does not run faster."""
    settings = Settings(data_dir=str(tmp_path))
    settings.export_path.mkdir(parents=True)
    clock.run(Pace(60.0, datetime.now(UTC) - timedelta(hours=1)))  # 59 hours ahead
    try:
        new = settings.export_path / "new.zip"
        old = settings.export_path / "old.zip"
        for file in (new, old):
            file.touch()
        os.utime(old, (time.time() - 25 * 60,) * 2)
        export_jobs.sweep(settings)
    finally:
        clock.run(clock.REALITY)

    assert (new.exists(), old.exists()) == (True, False)


def test_a_second_export_at_once_is_409(service: Flask, admin: Dashboard) -> None:
    first = admin.post(EXPORTS)
    second = admin.post(EXPORTS)
    write_export(service, admin.tenant)
    third = admin.post(EXPORTS)

    assert [one.status_code for one in (first, second, third)] == [202, 409, 202]
    assert slug(second) == "conflict"


def test_an_export_belongs_to_its_tenant_and_to_administrators(
    service: Flask, admin: Dashboard
) -> None:
    path = admin.post(EXPORTS).headers["Location"]
    write_export(service, admin.tenant)
    stranger = Dashboard(service, role=Role.OWNER)
    member = Dashboard(service, admin.tenant, role=Role.MEMBER)

    assert [slug(stranger.get(p)) for p in (path, f"{path}/file")] == ["not-found"] * 2
    assert [slug(member.get(p)) for p in (path, f"{path}/file")] == ["forbidden"] * 2
    assert slug(member.post(EXPORTS)) == "forbidden"


def test_request_and_download_are_in_the_audit_log(service: Flask, admin: Dashboard) -> None:
    path = admin.post(EXPORTS).headers["Location"]
    write_export(service, admin.tenant)
    admin.get(f"{path}/file").close()
    found = admin.get("/api/audit").json["items"]

    assert [(one["action"], one["actor"]) for one in reversed(found)] == [
        ("tenant.exported", "ann"),
        ("tenant.export-downloaded", "ann"),
    ]
    assert {one["detail"]["exportId"] for one in found} == {path.rpartition("/")[2]}


def test_the_file_is_deleted_after_a_day(
    service: Flask, admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = runtime_of(service).settings
    path = admin.post(EXPORTS).headers["Location"]
    write_export(service, admin.tenant)
    file = settings.export_path / f"{path.rpartition('/')[2]}.zip"
    draft = file.with_name(f".{file.name}.killed")
    draft.write_bytes(b"half")
    export_jobs.sweep(settings)
    kept = file.exists(), draft.exists()
    old = file.stat().st_mtime - export_jobs.KEPT.total_seconds() - 1
    for one in (file, draft):
        os.utime(one, (old, old))
    export_jobs.sweep(settings)
    gone = admin.get(f"{path}/file")

    assert kept == (True, True)
    assert (file.exists(), draft.exists()) == (False, False)
    assert slug(gone) == "not-found"
    assert admin.get(path).json["status"] == "done"


def test_the_download_ends_with_its_time_whether_the_file_is_there_or_not(
    service: Flask, admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = admin.post(EXPORTS).headers["Location"]
    write_export(service, admin.tenant)
    later = clock.now() + export_jobs.KEPT
    monkeypatch.setattr(clock, "now", lambda: later)

    assert slug(admin.get(f"{path}/file")) == "not-found"


def test_a_worker_that_was_killed_is_replaced(
    service: Flask, admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The export begins anew when the lease ends; what was begun is discarded."""
    path = admin.post(EXPORTS).headers["Location"]
    with monkeypatch.context() as patched:
        patched.setattr(export_jobs, "write", lambda *_: None)
        write_export(service, admin.tenant)
    later = clock.now() + timedelta(minutes=2)
    monkeypatch.setattr(clock, "now", lambda: later)
    with service.app_context():
        outbox.release_expired(later)
    write_export(service, admin.tenant)

    assert admin.get(path).json["status"] == "done"


def test_an_export_whose_lease_was_lost_changes_nothing(
    service: Flask, admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another worker writes it meanwhile."""
    path = admin.post(EXPORTS).headers["Location"]
    ids, token = claimed_export(service, admin.tenant)
    with service.app_context():
        (row,) = outbox.held(ids, token, clock.now())
        with pytest.raises(tenant_export.LostExport):
            export_jobs.write(row, "another token", runtime_of(service).settings)
    folder: Path = runtime_of(service).settings.export_path

    assert admin.get(path).json["status"] == "queued"
    assert list(folder.glob(f"*{path.rpartition('/')[2]}*")) == []


def test_a_failed_export_says_so_and_allows_another(
    service: Flask, admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = admin.post(EXPORTS).headers["Location"]
    with monkeypatch.context() as patched:
        patched.setattr(tenant_export, "write", _full)
        write_export(service, admin.tenant)
    failed = admin.get(path).json
    again = admin.post(EXPORTS)

    assert (failed["status"], failed["expiresAt"]) == ("failed", None)
    assert "disk" not in json.dumps(failed)
    assert again.status_code == 202


def _full(*_: object) -> str:
    raise OSError("disk full")


def test_a_worker_writes_one_export_at_a_time(service: Flask) -> None:
    """Another one is put back, and due a few seconds later."""
    waiting = Dashboard(service, role=Role.ADMIN)
    path = waiting.post(EXPORTS).headers["Location"]
    assert export_jobs._places.acquire(timeout=5)
    try:
        write_export(service, waiting.tenant)
    finally:
        export_jobs._places.release()

    assert waiting.get(path).json["status"] == "queued"
    assert claimed_export(service, waiting.tenant)[0] == []


def test_a_download_that_was_interrupted_goes_on(service: Flask, admin: Dashboard) -> None:
    """Parts that fit together are the file; a part of another file is not sent."""
    path = f"{exported(service, admin)}/file"
    whole, tag = got(admin, path)
    size = len(whole)
    part, _ = got(admin, path, Range="bytes=100-199")
    rest, _ = got(admin, path, Range="bytes=200-", If_Range=tag)
    other, _ = got(admin, path, Range="bytes=200-", If_Range='"another"')
    answer = admin.get(path, Range="bytes=200-")

    assert (part, rest, other) == (whole[100:200], whole[200:], whole)
    assert (answer.status_code, answer.headers["Content-Range"]) == (
        206,
        f"bytes 200-{size - 1}/{size}",
    )
    assert answer.headers["Content-Length"] == str(size - 200)
    for ignored in ("bytes=0-1,5-6", f"bytes={size}-", "lines=1-2", "bytes=x"):
        assert got(admin, path, Range=ignored)[0] == whole


def test_a_server_is_handed_the_file_and_not_its_bytes(service: Flask, admin: Dashboard) -> None:
    path = f"{exported(service, admin)}/file"
    environ = EnvironBuilder(path, headers={"Authorization": f"Bearer {admin.token}"}).get_environ()
    status, headers, body = response_of(service, environ)

    assert (status, dict(headers)["Content-Type"]) == (200, "application/zip")
    assert isinstance(body, SentFile)
    assert body.stop == body.path.stat().st_size == int(dict(headers)["Content-Length"])


def exported(service: Flask, admin: Dashboard) -> str:
    """The address of an export that is done."""
    path: str = admin.post(EXPORTS).headers["Location"]
    write_export(service, admin.tenant)
    return path


def got(admin: Dashboard, path: str, **headers: str) -> tuple[bytes, str]:
    """Body and entity tag."""
    answer = admin.get(path, **headers)
    content = answer.data
    answer.close()
    return content, answer.headers["ETag"]


def test_an_export_that_is_never_finished_fails_after_a_day(
    service: Flask, admin: Dashboard, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Such as one that ends its worker each time."""
    path = admin.post(EXPORTS).headers["Location"]
    later = clock.now() + export_jobs.GIVEN_UP_AFTER + timedelta(minutes=1)
    monkeypatch.setattr(clock, "now", lambda: later)
    write_export(service, admin.tenant)

    assert admin.get(path).json["status"] == "failed"
    assert claimed_export(service, admin.tenant)[0] == []
    assert admin.post(EXPORTS).status_code == 202


# -- a directory that web and workers share --------------------------------------------------------


def test_an_export_is_refused_where_a_worker_has_another_directory(
    service: Flask, admin: Dashboard, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in two pods without a volume; nothing is begun. A worker that ended refuses nothing."""
    settings = runtime_of(service).settings
    elsewhere = replace(settings, export_dir=str(tmp_path / "elsewhere"))
    with service.app_context():
        here, there = ExportPlace(settings), ExportPlace(elsewhere)
        here.announce()
        shared = export_places.unseen(settings)
        there.announce()
        refused = admin.post(EXPORTS)
        found = [one.severity for one in doctor_checks.check_exports(settings)]
        there.leave()
        accepted_again = admin.post(EXPORTS)
        write_export(service, admin.tenant)
        here.leave()

    assert shared == []
    assert (refused.status_code, slug(refused)) == (409, "exports-not-shared")
    assert "einvoice doctor" in refused.json["detail"]
    assert found == [Severity.WARNING]
    assert accepted_again.status_code == 202


def test_a_worker_that_was_killed_refuses_exports_for_five_minutes_at_most(
    service: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = runtime_of(service).settings
    began = clock.now()
    with service.app_context():
        ExportPlace(replace(settings, export_dir=str(tmp_path / "gone"))).announce()
        found = []
        for late in (-timedelta(seconds=1), timedelta(seconds=1)):
            later = began + export_places.SILENT_AFTER + late
            monkeypatch.setattr(clock, "now", lambda at=later: at)
            found.append(len(export_places.unseen(settings)))
        monkeypatch.undo()
        with db.writing() as connection:
            service_states.forget(connection, "exports:", clock.now() + timedelta(hours=1))

    assert found == [1, 0]


@pytest.mark.parametrize(
    ("most", "free", "done"),
    [
        (0, tenant_export.MIN_FREE_BYTES + 2**20, True),
        (1, 10**12, False),
        (0, tenant_export.MIN_FREE_BYTES - 1, False),
    ],
)
def test_an_export_ends_before_it_fills_its_disk(
    service: Flask,
    admin: Dashboard,
    monkeypatch: pytest.MonkeyPatch,
    most: int,
    free: int,
    done: bool,
) -> None:
    """The size of the whole is expected from what is written, so it ends early."""
    with service.app_context():
        for number in range(3):
            accepted(admin.tenant, number=f"L-{number}")
    monkeypatch.setattr(tenant_export, "CHECK_DOCUMENTS", 1)
    usage = tenant_export.shutil.disk_usage("/")._replace(free=free)
    monkeypatch.setattr(tenant_export.shutil, "disk_usage", lambda _: usage)
    if most:
        monkeypatch.setattr(tenant_export, "_BYTES_OF_A_MIB", 1)
    settings = replace(runtime_of(service).settings, export_max_mb=most)
    path = admin.post(EXPORTS).headers["Location"]
    with service.app_context():
        export = export_jobs.get(admin.tenant, path.rpartition("/")[2])
        file = settings.export_path / f"{export.id}.zip"
        if done:
            tenant_export.run(export, file, settings, lambda *_: None, kept=export_jobs.KEPT)
        else:
            with pytest.raises(tenant_export.ExportTooLarge):
                tenant_export.run(export, file, settings, lambda *_: None, kept=export_jobs.KEPT)

    assert (admin.get(path).json["status"] == "done") is done
    assert file.exists() is done
    assert not list(settings.export_path.glob(f".*{export.id}"))


def _ended(service: Flask, tenant: str) -> list[tuple[str, str]]:
    query = sa.select(Event.environment, Event.payload).where(
        Event.tenant_id == tenant, Event.type == EXPORT_FINISHED
    )
    with service.app_context(), db.reading() as connection:
        return [(row.environment, row.payload["status"]) for row in connection.execute(query)]


def test_the_end_of_an_export_is_an_event_once(service: Flask, admin: Dashboard) -> None:
    admin.post(EXPORTS)
    write_export(service, admin.tenant)
    assert _ended(service, admin.tenant) == [("live", "done")]

    failing = Dashboard(service, role=Role.ADMIN)
    failing.post(EXPORTS)
    with service.app_context():
        (export,) = export_jobs.newest(failing.tenant)
        for _ in range(2):
            tenant_export.fail(export, "not finished within a day")
    assert _ended(service, failing.tenant) == [("live", "failed")]
