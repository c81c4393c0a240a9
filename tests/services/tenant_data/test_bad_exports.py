"""A file that is not what was exported is refused, with the name of what is wrong."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from einvoice.cli import application
from einvoice.cli.tenants import tenants as commands
from einvoice.services.account import tenants
from einvoice.services.tenant_data import export_reader, tenant_export, tenant_import
from einvoice.services.tenant_data.export_reader import ExportBroken
from einvoice.services.tenant_data.export_writer import MANIFEST
from einvoice.store.core import db
from einvoice.store.tables import Tenant, TenantImport
from einvoice.web.runtime import runtime_of
from tests.builders import accepted

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

Entries = dict[str, bytes]


@pytest.fixture
def exported(app: Flask, tmp_path: Path) -> Path:
    """The export of a tenant with two documents, which is not here any more."""
    tenant = tenants.create("Acme")
    for number in range(2):
        accepted(tenant, number=str(number), document=b"<Invoice/>" * 50)
    path = tmp_path / "good.zip"
    tenant_export.to_file(tenant, path, runtime_of(app).settings, lambda *_: None)
    with db.writing() as connection:
        for table in reversed(Tenant.metadata.sorted_tables):
            connection.execute(sa.delete(table))
    return path


def import_(app: Flask, path: Path, **given: Any) -> str:
    settings = runtime_of(app).settings
    return tenant_import.from_file(path, settings, lambda *_: None, **given).tenant_id


def read(path: Path) -> Entries:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def written(path: Path, entries: Entries, *, sealed: bool = True) -> Path:
    """An export with other entries; `sealed`: the manifest is made to agree with them."""
    if sealed:
        about = json.loads(entries[MANIFEST])
        about["entries"] = [
            {**one, "size": len(entries[one["name"]]), "sha256": sha256(entries[one["name"]]),
             "rows": len(entries[one["name"]].splitlines()) if one["rows"] else 0}
            for one in about["entries"]
        ]  # fmt: skip
        entries = entries | {MANIFEST: json.dumps(about).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content)
    return path


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def test_the_file_is_imported_as_it_was_written(app: Flask, exported: Path, tmp_path: Path) -> None:
    """The cases below change this one."""
    again = written(tmp_path / "again.zip", read(exported))

    assert tenants.get(import_(app, again)).name == "Acme"


INVOICES, PACK = "tables/invoices/000001.jsonl", "files/000001.zip"


def _in_manifest(change: Callable[[dict[str, Any]], Any]) -> Callable[[Entries], Entries]:
    def _changed(entries: Entries) -> Entries:
        about = json.loads(entries[MANIFEST])
        change(about)
        return entries | {MANIFEST: json.dumps(about).encode()}

    return _changed


def _in_row(family: str, **values: Any) -> Callable[[Entries], Entries]:
    """Replace values of the first row of a family."""

    def _changed(entries: Entries) -> Entries:
        name = f"tables/{family}/000001.jsonl"
        first, *others = entries[name].splitlines()
        row = json.dumps({**json.loads(first), **values}).encode()
        return entries | {name: b"\n".join([row, *others]) + b"\n"}

    return _changed


def _without(*names: str) -> Callable[[Entries], Entries]:
    return lambda entries: {n: c for n, c in entries.items() if n not in names}


def _with(name: str, content: bytes = b"x") -> Callable[[Entries], Entries]:
    return lambda entries: entries | {name: content}


def _pack_of(*files: tuple[str, bytes]) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as pack:
        for name, content in files:
            pack.writestr(name, content)
    return target.getvalue()


def _other_files(entries: Entries) -> Entries:
    """A pack whose files have the right names and sizes, and other bytes."""
    with zipfile.ZipFile(io.BytesIO(entries[PACK])) as pack:
        found = [(one.filename, b"?" * one.file_size) for one in pack.infolist()]
    return entries | {PACK: _pack_of(*found)}


def _unknown_family(entries: Entries) -> Entries:
    name = "tables/unknown/000001.jsonl"
    new = {"name": name, "size": 3, "sha256": "", "rows": 1}
    return _in_manifest(lambda m: m["entries"].append(new))(entries | {name: b"{}\n"})


# Changes of which the manifest knows nothing.
CHANGED: dict[str, tuple[Callable[[Entries], Entries], str]] = {
    "a changed row": (_in_row("invoices", number="9"), INVOICES),
    "a changed pack": (lambda e: e | {PACK: e[PACK][:50] + b"?" + e[PACK][51:]}, PACK),
    "a longer part": (lambda e: e | {INVOICES: e[INVOICES] + b"{}\n"}, INVOICES),
    "no manifest": (_without(MANIFEST), "manifest.json is missing"),
    "no JSON": (_with(MANIFEST, b"{"), "manifest.json: this is no einvoice-tenant-export"),
    "deep JSON": (_with(MANIFEST, b"[" * 100_000), "manifest.json: this is no"),
    "another format": (_in_manifest(lambda m: m.update(format="x")), "this is no einvoice"),
    "another version": (
        _in_manifest(lambda m: m.update(version=2)),
        "manifest.json: version 2, this service reads 1",
    ),
    "entries that are no list": (_in_manifest(lambda m: m.update(entries={})), "are no list"),
    "an entry without a digest": (
        _in_manifest(lambda m: m["entries"][0].pop("sha256")), "an entry is malformed",
    ),
    "an entry of another type": (
        _in_manifest(lambda m: m["entries"][0].update(size="1")), "an entry is malformed",
    ),
    "an entry that the manifest has twice": (
        _in_manifest(lambda m: m["entries"].append(m["entries"][0])), "has it twice",
    ),
    "a missing part": (_without(INVOICES), f"{INVOICES}: it is missing"),
    "a missing pack": (_without(PACK), f"{PACK}: it is missing"),
    "an entry more": (_with("tables/invoices/000002.jsonl"), "is not in the manifest"),
    "a path out of the archive": (_with("../../etc/passwd"), "'../../etc/passwd': it is not in"),
    "an absolute path": (_with("/etc/passwd"), "'/etc/passwd': it is not in the manifest"),
    "a path in the manifest": (
        _in_manifest(lambda m: m["entries"][0].update(name="tables/../x/000001.jsonl")),
        "'tables/../x/000001.jsonl' is not the name of an entry",
    ),
}  # fmt: skip

PLACE = {"pack": PACK, "name": "x", "size": 1, "sha256": "0" * 64}
PROOF = {
    "missing": "document-dropped", "kind": "UBL", "sha256": "0" * 64, "size": 1,
    "rule": "10 years", "droppedAt": "2026-11-21T10:00:00.000Z",
}  # fmt: skip
ALL_DROPPED = {"original": PROOF, "document": PROOF, "network_document": None}

# Changes that were made together with the manifest.
FORGED: dict[str, tuple[Callable[[Entries], Entries], str]] = {
    "a row of another tenant": (_in_row("invoices", tenant_id="other"), "another tenant's"),
    "an unknown column": (_in_row("invoices", more=1), "'more' is missing, or of another version"),
    "an amount as a number": (_in_row("invoices", grand_total=121.0), "grand_total is no str"),
    "an amount that is none": (_in_row("invoices", grand_total="NaN"), "an amount that is no"),
    "a time without its zone": (
        _in_row("invoices", created_at="2026-11-22T10:00:00"), "a time without its zone",
    ),
    "a text that is too long": (_in_row("invoices", currency="EURO"), "longer than 3"),
    "a missing value": (_in_row("invoices", sender=None), "sender is missing"),
    "a delivery of a foreign document": (
        _in_row("transmissions", invoice_id="foreign"), "invoice_id 'foreign' is not in the export",
    ),
    "a file that is not in the pack": (
        _with(PACK, _pack_of(("other", b""))), f"{PACK}: ",
    ),
    "a pack that is no ZIP": (_with(PACK, b"no zip"), f"{PACK}: File is not a zip file"),
    "files with other bytes": (_other_files, "its digest is not that of its row"),
    "a family that is not known": (_unknown_family, "no family of this version"),
    "another tenant's own row": (_in_row("tenants", id="other"), "must have one row"),
    "a row that is no object": (_with(INVOICES, b"[]\n"), "row 1 is no JSON object"),
    "a proof without a digest": (
        _in_row("invoices", files={**ALL_DROPPED, "document": {**PROOF, "sha256": "x"}}),
        "the proof of a dropped file is malformed",
    ),
    "a proof without a time": (
        _in_row("invoices", files={**ALL_DROPPED, "document": {**PROOF, "droppedAt": "then"}}),
        "the proof of a dropped file is malformed",
    ),
    "a proof with a rule that is too long": (
        _in_row("invoices", files={**ALL_DROPPED, "document": {**PROOF, "rule": "x" * 201}}),
        "the proof of a dropped file is malformed",
    ),
    "a proof with a negative size": (
        _in_row("invoices", files={**ALL_DROPPED, "document": {**PROOF, "size": -1}}),
        "the proof of a dropped file is malformed",
    ),
    "an invoice that was dropped in part": (
        _in_row("invoices", files={**ALL_DROPPED, "original": PLACE}),
        "some of its files were dropped and others were not",
    ),
    "a proof where nothing is dropped": (
        _in_row("transmissions", files={"prepared": PROOF}),
        "some of its files were dropped and others were not",
    ),
    "places of files that are malformed": (_in_row("invoices", files={}), "files are malformed"),
}  # fmt: skip


@pytest.mark.parametrize("case", CHANGED)
def test_a_changed_file_is_refused_before_anything_is_stored(
    app: Flask, exported: Path, tmp_path: Path, case: str
) -> None:
    change, words = CHANGED[case]
    path = written(tmp_path / "bad.zip", change(read(exported)), sealed=False)
    with pytest.raises(ExportBroken) as refused:
        import_(app, path)

    assert words in str(refused.value)
    assert _stored() == ([], [])


@pytest.mark.parametrize("case", FORGED)
def test_a_forged_file_is_refused(app: Flask, exported: Path, tmp_path: Path, case: str) -> None:
    """Its tenant stays closed, if anything of it was stored at all."""
    change, words = FORGED[case]
    path = written(tmp_path / "bad.zip", change(read(exported)))
    with pytest.raises(ExportBroken) as refused:
        import_(app, path)

    assert words in str(refused.value)
    assert None not in _stored()[0]


def test_an_entry_that_is_there_twice_is_refused(app: Flask, exported: Path) -> None:
    with (
        pytest.warns(UserWarning, match="Duplicate name"),
        zipfile.ZipFile(exported, "a") as archive,
    ):
        archive.writestr(INVOICES, b"{}")
    with pytest.raises(ExportBroken, match="it is there twice"):
        import_(app, exported)


def test_a_file_that_is_cut_off_is_refused(app: Flask, exported: Path) -> None:
    """No manifest and no directory: the copy has not ended."""
    exported.write_bytes(exported.read_bytes()[:-100])
    with pytest.raises(ExportBroken, match=r"manifest\.json is missing|File is not a zip file"):
        import_(app, exported)


def test_a_bomb_stops_at_the_size_of_its_entry(app: Flask, exported: Path, tmp_path: Path) -> None:
    """The archive says that the entry is small, and its data expand without end."""
    entries = read(exported)
    path = written(tmp_path / "bomb.zip", entries | {INVOICES: b"\0" * 50_000_000}, sealed=False)
    with pytest.raises(ExportBroken, match="its size is not the manifest's"):
        import_(app, path)


@pytest.mark.parametrize(("limit", "words"), [("MAX_PART", INVOICES), ("MAX_PACK", PACK)])
def test_an_entry_above_the_limit_is_refused(
    app: Flask, exported: Path, monkeypatch: pytest.MonkeyPatch, limit: str, words: str
) -> None:
    monkeypatch.setattr(export_reader, limit, 10)
    with pytest.raises(ExportBroken, match="larger than 10 bytes"):
        import_(app, exported)


def test_a_file_above_the_limit_is_refused(
    app: Flask, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_reader, "MAX_FILE", 10)
    with pytest.raises(ExportBroken, match=r"files/000001\.zip: .*larger than 10 bytes"):
        import_(app, exported)


def test_the_commands_export_and_import(
    app: Flask, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`--manifest` refuses another file; a file that is there is not replaced."""
    monkeypatch.setattr(application, "application", lambda: app)
    run = CliRunner().invoke
    digest = sha256(read(exported)[MANIFEST])
    wrong = run(commands, ["import", str(exported), "--manifest", "0" * 64])
    done = run(commands, ["import", str(exported), "--manifest", digest])
    tenant = done.stdout.strip()
    again = run(commands, ["import", str(exported)])
    path = tmp_path / "again.zip"
    out = run(commands, ["export", tenant, str(path)])
    there = run(commands, ["export", tenant, str(path)])
    nowhere = run(commands, ["export", tenant, str(tmp_path / "no" / "x.zip")])

    assert (wrong.exit_code, done.exit_code, again.exit_code) == (1, 0, 1)
    assert digest in wrong.stderr
    assert "There is a tenant" in again.stderr
    assert tenants.get(tenant).name == "Acme"
    assert out.stdout.strip() == sha256(read(path)[MANIFEST])
    assert "is not replaced" in there.stderr
    assert "There is no directory" in nowhere.stderr


def test_the_import_says_how_many_files_are_lost(
    app: Flask, exported: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of an archive that was damaged when they were exported; a file that is there is no loss."""
    monkeypatch.setattr(application, "application", lambda: app)
    lost = {"missing": "archive-damaged", "sha256": "0" * 64}
    files = {"original": lost, "document": lost, "network_document": None}
    path = written(tmp_path / "lost.zip", _in_row("invoices", files=files)(read(exported)))
    done = CliRunner().invoke(commands, ["import", str(path)])

    assert done.exit_code == 0
    assert "2 files could not be exported" in done.stderr


def test_an_import_of_all_files_reports_no_loss(
    app: Flask, exported: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(application, "application", lambda: app)
    done = CliRunner().invoke(commands, ["import", str(exported)])

    assert done.exit_code == 0
    assert "could not be exported" not in done.stderr


def _stored() -> tuple[list[Any], list[Any]]:
    """When the tenants were closed, and the imports."""
    with db.reading() as connection:
        closed = list(connection.execute(sa.select(Tenant.closed_at)).scalars())
        imports = list(connection.execute(sa.select(TenantImport.tenant_id)).scalars())
    return closed, imports


def test_a_damaged_copy_of_the_file_system_is_refused(
    app: Flask, exported: Path, tmp_path: Path
) -> None:
    """One changed byte anywhere in the data of an entry."""
    for position in (60, exported.stat().st_size // 2):
        copy = tmp_path / f"{position}.zip"
        shutil.copy(exported, copy)
        content = bytearray(copy.read_bytes())
        content[position] ^= 1
        copy.write_bytes(content)
        with pytest.raises(ExportBroken):
            import_(app, copy)
