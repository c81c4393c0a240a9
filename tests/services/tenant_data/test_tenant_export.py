"""An export has everything of a tenant, of one moment, and nothing of others."""

from __future__ import annotations

import hashlib
import io
import json
import os
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.security import api_keys
from einvoice.services.account import audit, tenants
from einvoice.services.tenant_data import export_writer, tenant_export
from einvoice.services.webhooks import endpoints
from einvoice.store.archive.archived import LazyContent
from einvoice.store.core import db
from einvoice.store.tables import Artefact, TenantExport
from einvoice.store.tenant_data import tenant_data, tenant_exports
from einvoice.web.runtime import runtime_of
from tests.builders import accepted
from tests.sandbox import Sandbox

DELIVERED = "0088:9520000000004"


@pytest.fixture
def export(app: Flask, tmp_path: Path) -> Callable[[str], Path]:
    """`export(tenant)`: the file of an export."""
    count = iter(range(100))

    def _export(tenant: str) -> Path:
        path = tmp_path / f"export{next(count)}.zip"
        tenant_export.to_file(tenant, path, runtime_of(app).settings, lambda *_: None)
        return path

    return _export


def manifest(path: Path) -> dict[str, Any]:
    with zipfile.ZipFile(path) as archive:
        return dict(json.loads(archive.read(export_writer.MANIFEST)))


def rows(path: Path, family: str) -> list[dict[str, Any]]:
    with zipfile.ZipFile(path) as archive:
        parts = sorted(n for n in archive.namelist() if n.startswith(f"tables/{family}/"))
        return [json.loads(line) for part in parts for line in archive.read(part).splitlines()]


def content(path: Path, place: Mapping[str, Any]) -> bytes:
    with zipfile.ZipFile(path) as archive:
        pack = zipfile.ZipFile(io.BytesIO(archive.read(place["pack"])))
        return pack.read(place["name"])


def test_a_document_is_exported_with_its_files_and_evidence(sandbox: Sandbox, export: Any) -> None:
    invoice_id = sandbox.send(DELIVERED)
    sandbox.work(5)
    path = export(sandbox.tenant)
    (row,) = rows(path, "invoices")
    listed = sandbox.get(f"/api/invoices/{invoice_id}/artefacts").json["items"]
    by_kind = {one["type"]: one for one in listed}
    (evidence,) = rows(path, "artefacts")
    (transmission,) = rows(path, "transmissions")

    assert row["id"] == invoice_id
    assert row["files"]["original"]["sha256"] == by_kind["ORIGINAL"]["sha256"]
    assert row["files"]["document"]["sha256"] == by_kind["UBL"]["sha256"]
    assert evidence["files"]["content"]["sha256"] == by_kind["RECEIPT"]["sha256"]
    assert transmission["status"] == "Delivered"
    for place in (row["files"]["original"], evidence["files"]["content"]):
        found = content(path, place)
        assert hashlib.sha256(found).hexdigest() == place["sha256"]
        assert len(found) == place["size"]
    assert {one["type"] for one in rows(path, "events")} == {"transaction.sent"}
    assert rows(path, "idempotency_keys") == []


def test_the_manifest_has_the_digest_of_every_entry(sandbox: Sandbox, export: Any) -> None:
    sandbox.send(DELIVERED)
    path = export(sandbox.tenant)
    about = manifest(path)
    with zipfile.ZipFile(path) as archive:
        found = {n: hashlib.sha256(archive.read(n)).hexdigest() for n in archive.namelist()}
        whole = found.pop(export_writer.MANIFEST)
        sizes = {info.filename: info.file_size for info in archive.infolist()}
    (stored,) = _exports(sandbox.tenant)

    assert (about["format"], about["version"]) == ("einvoice-tenant-export", 1)
    assert (about["tenantId"], about["documents"]) == (sandbox.tenant, 1)
    assert {one["name"]: one["sha256"] for one in about["entries"]} == found
    assert all(one["size"] == sizes[one["name"]] for one in about["entries"])
    assert (stored.status, stored.sha256, stored.documents) == ("done", whole, 1)
    assert stored.size == path.stat().st_size


def test_nothing_of_another_tenant_and_no_secret_is_exported(
    app: Flask, sandbox: Sandbox, export: Any
) -> None:
    other = tenants.create("Somebody else")
    accepted(other, number="THEIRS")
    sandbox.send(DELIVERED)
    made = endpoints.create(
        sandbox.tenant, Environment.TEST, url="https://a.example/hook", description=None,
        event_types=(), settings=runtime_of(app).settings,
    )  # fmt: skip
    path = export(sandbox.tenant)
    everything = b"".join(_contents(path))

    assert other.encode() not in everything
    assert b"THEIRS" not in everything
    assert made.secret.encode() not in everything
    assert made.signing_secret.encode() not in everything
    assert sandbox.headers["x-api-key"].encode() not in everything
    assert api_keys.fingerprint(sandbox.headers["x-api-key"]).encode() not in everything
    assert b"https://a.example/hook" in everything


def test_the_export_contains_its_own_audit_entry_sealed(sandbox: Sandbox, export: Any) -> None:
    with audit.of_operator():
        path = export(sandbox.tenant)
    entries, seals = rows(path, "audit_entries"), rows(path, "audit_seals")

    assert [(one["action"], one["actor"]) for one in entries] == [("tenant.exported", "operator")]
    assert [one["seal"] for one in entries] == [1] == [one["number"] for one in seals]


def test_parts_and_packs_are_bounded(
    sandbox: Sandbox, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every row and every file is in exactly one of them."""
    monkeypatch.setattr(export_writer, "MAX_PART_ROWS", 2)
    monkeypatch.setattr(export_writer, "MAX_PACK_FILES", 3)
    monkeypatch.setattr("einvoice.store.tenant_data.tenant_data.PAGE", 2)
    ids = {accepted(sandbox.tenant, number=str(number)).invoice_id for number in range(5)}
    path = export(sandbox.tenant)
    parts = [one for one in manifest(path)["entries"] if one["name"].startswith("tables/invoices")]
    found = rows(path, "invoices")
    files = [place for row in found for place in row["files"].values() if place]

    assert [one["rows"] for one in parts] == [2, 2, 1]
    assert {row["id"] for row in found} == ids
    assert len({(place["pack"], place["name"]) for place in files}) == len(files) == 10
    assert len({place["pack"] for place in files}) == 4
    assert all(hashlib.sha256(content(path, p)).hexdigest() == p["sha256"] for p in files)


def test_an_export_shows_one_moment(
    sandbox: Sandbox, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document that is accepted while it runs is not in it, nor are its rows."""
    accepted(sandbox.tenant, number="before")
    write_page = tenant_export._write_page

    def _meanwhile(*given: Any) -> Any:
        accepted(sandbox.tenant, number="meanwhile", key="k")
        return write_page(*given)

    monkeypatch.setattr(tenant_export, "_write_page", _meanwhile)
    path = export(sandbox.tenant)

    assert [row["number"] for row in rows(path, "invoices")] == ["before"]
    assert len(rows(path, "transmissions")) == 1
    assert rows(path, "idempotency_keys") == []


def test_a_second_export_at_once_is_refused(app: Flask, tenant: str, tmp_path: Path) -> None:
    """Until the first one has ended, or its process has not been seen for a while."""
    first = tenant_export.begin(tenant, tenant_exports.RUNNING)
    with pytest.raises(Conflict, match="is running"):
        tenant_export.begin(tenant, tenant_exports.RUNNING)
    with db.writing() as connection:
        long_ago = clock.now() - tenant_export.SILENT_AFTER - timedelta(seconds=1)
        connection.execute(sa.update(TenantExport).values(seen_at=long_ago))
    second = tenant_export.begin(tenant, tenant_exports.RUNNING)
    with pytest.raises(tenant_export.LostExport, match="another process"):
        tenant_export.run(first, tmp_path / "x", runtime_of(app).settings, lambda *_: None)
    tenant_export.run(second, tmp_path / "y", runtime_of(app).settings, lambda *_: None)

    assert [one.status for one in _exports(tenant)] == ["failed", "done"]
    assert tenant_export.begin(tenant, tenant_exports.RUNNING)


def test_an_export_that_fails_leaves_no_file(
    app: Flask, sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def _broken(*_: Any) -> None:
        raise OSError("disk full")

    accepted(sandbox.tenant, number="1")
    monkeypatch.setattr(tenant_export, "_write_page", _broken)
    with pytest.raises(OSError, match="disk full"):
        tenant_export.to_file(
            sandbox.tenant, tmp_path / "x.zip", runtime_of(app).settings, lambda *_: None
        )
    (stored,) = _exports(sandbox.tenant)

    assert [path.name for path in tmp_path.glob("*x.zip*")] == []
    assert (stored.status, stored.fault) == ("failed", "OSError: disk full")


def test_a_file_is_on_the_disk_before_it_has_its_name(
    tenant: str, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A purge by contract may follow at once, and a loss of power after it."""
    real, synchronised = os.fsync, []

    def _fsync(descriptor: int) -> None:
        synchronised.append(Path(f"/proc/self/fd/{descriptor}").readlink().name)
        real(descriptor)

    monkeypatch.setattr(os, "fsync", _fsync)
    path = export(tenant)

    assert [name.startswith(f".{path.name}.") for name in synchronised] == [True, False]
    assert synchronised[1] == path.parent.name


def test_only_its_owner_can_read_the_file(tenant: str, export: Any) -> None:
    assert stat.S_IMODE(export(tenant).stat().st_mode) == 0o600


def test_an_unknown_tenant_is_refused(app: Flask, tmp_path: Path) -> None:
    with pytest.raises(NotFound):
        tenant_export.to_file("none", tmp_path / "x", runtime_of(app).settings, lambda *_: None)

    assert list(tmp_path.glob("*x")) == []


def test_bytes_that_are_gone_are_named_and_do_not_end_the_export(
    sandbox: Sandbox, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Gone(NotFound):
        slug = "document-dropped"

    def _gone(content: LazyContent) -> bytes:
        if content._content == receipt:
            raise Gone("dropped at the end of its retention")
        return read(content)

    sandbox.send(DELIVERED)
    sandbox.work(5)
    with db.reading() as connection:
        receipt = connection.execute(sa.select(Artefact.content)).scalar_one()
    read = LazyContent.read
    monkeypatch.setattr(LazyContent, "read", _gone)
    (evidence,) = rows(export(sandbox.tenant), "artefacts")

    assert evidence["files"] == {"content": {"missing": "document-dropped"}}
    assert evidence["sha256"]


def _exports(tenant: str) -> list[Any]:
    query = sa.select(TenantExport).where(TenantExport.tenant_id == tenant)
    with db.reading() as connection:
        return list(connection.execute(query.order_by(TenantExport.created_at)))


def _contents(path: Path) -> Iterator[bytes]:
    with zipfile.ZipFile(path) as archive:
        for name in archive.namelist():
            if not name.startswith("files/"):
                yield archive.read(name)
                continue
            with zipfile.ZipFile(io.BytesIO(archive.read(name))) as pack:
                yield from (pack.read(inner) for inner in pack.namelist())


def test_bytes_are_read_for_several_documents_at_once_within_a_bound(
    sandbox: Sandbox, export: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By their size, not only by their number; a larger document is read by itself."""
    sizes = [10, 10, 10, 500, 10, 10]
    for number, size in enumerate(sizes):
        at = sandbox.moment + timedelta(seconds=number)
        document = b"d" * size
        accepted(sandbox.tenant, number=str(number), document=document, created_at=at, original=b"")
    monkeypatch.setattr(tenant_data, "MAX_READ_BYTES", 25)
    contents, read = tenant_data._contents, []

    def _noted(connection: Any, family: Any, ids: Any) -> Any:
        if family is tenant_data.INVOICES:
            read.append(len(ids))
        return contents(connection, family, ids)

    monkeypatch.setattr(tenant_data, "_contents", _noted)
    exported = rows(export(sandbox.tenant), "invoices")

    assert read == [2, 1, 1, 2]
    assert [row["files"]["document"]["size"] for row in exported] == sizes
