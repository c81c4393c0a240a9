"""`einvoice archive` and the settings of the archive."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from einvoice.cli import application, doctor_checks
from einvoice.cli.archive import archive
from einvoice.config import Settings, SettingsFault
from einvoice.store.archive import archive_objects
from tests.services.archive.conftest import old


@pytest.fixture
def run(make_app, monkeypatch, tmp_path):
    """`run("status")` with an archive in a directory; `code` is the expected exit code."""
    (tmp_path / "archive").mkdir()
    app = make_app(archive_store="directory", archive_directory=str(tmp_path / "archive"))
    monkeypatch.setattr(application, "application", lambda: app)

    def _run(line: str, code: int = 0) -> str:
        result = CliRunner().invoke(archive, line.split())
        assert result.exit_code == code, result.output
        return result.output

    with app.app_context():
        yield _run


def test_move_reports_what_it_moved_and_status_what_is_there(run, tenant):
    old(tenant)

    assert run("move") == "1 invoices, 2 parts, 384 bytes moved; 0 put off\n"
    assert run("status").splitlines() == [
        "written to: directory",
        "store      state   objects  bytes  stored bytes",
        f"directory  stored  2        384    {archive_objects.figures()[0].stored_size}",
        "invoices to look at again: 0",
    ]


def test_verify_names_what_is_damaged_and_exits_with_1(run, tenant, tmp_path):
    old(tenant)
    run("move")
    assert run("verify") == "2 objects, 384 bytes, 0 faults\n"
    victim = next(path for path in (tmp_path / "archive").rglob("*.gz"))
    victim.unlink()

    assert f"{victim.relative_to(tmp_path / 'archive')}: missing" in run("verify", code=1)


def test_holds_are_placed_listed_and_released(run, tenant):
    hold = run(f"hold {tenant} --reason lawsuit-4711").strip()
    listed = run(f"holds {tenant}")
    released = run(f"release {hold}")

    assert f"{hold}  all" in listed
    assert "lawsuit-4711" in listed
    assert released == f"released: {tenant}\n"
    assert "no hold" in run(f"release {hold}", code=1)


def test_drop_needs_to_be_switched_on(run, tenant):
    assert "EINVOICE_ARCHIVE_DROP is off" in run("drop", code=1)


def test_a_store_that_is_away_is_one_line(run, tenant, tmp_path):
    old(tenant)
    (tmp_path / "archive").rename(tmp_path / "away")

    assert "is not there" in run("move", code=1)


def test_move_without_a_store_says_so(make_app, monkeypatch):
    monkeypatch.setattr(application, "application", make_app)
    result = CliRunner().invoke(archive, ["move"])

    assert result.exit_code == 1
    assert "EINVOICE_ARCHIVE_STORE is database" in result.output


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"STORE": "directory"}, "needs EINVOICE_ARCHIVE_DIRECTORY"),
        ({"STORE": "s3"}, "needs EINVOICE_ARCHIVE_S3_BUCKET"),
        ({"STORE": "tape"}, "must be one of: database, directory, s3"),
        ({"S3_BUCKET": "b", "S3_ACCESS_KEY": "k"}, "set together or not at all"),
        ({"S3_BUCKET": "b", "S3_SECRET_KEY": "k"}, "set together or not at all"),
        ({"S3_ENDPOINT": "https://a.b"}, "S3_ENDPOINT needs EINVOICE_ARCHIVE_S3_BUCKET"),
        ({"S3_OBJECT_LOCK": "compliance"}, "S3_OBJECT_LOCK needs EINVOICE_ARCHIVE_S3_BUCKET"),
        ({"S3_BUCKET": "b", "S3_OBJECT_LOCK": "worm"}, "must be one of"),
        ({"S3_BUCKET": "b", "S3_ENDPOINT": "a.b"}, "must begin with https: or http:"),
        ({"LARGE_BYTES": "0"}, "must be at least 1"),
        ({"MIN_BYTES": "-1"}, "must be at least 0"),
        ({"AFTER_DAYS": "-1"}, "must be at least 0"),
    ],
)
def test_half_settings_stop_the_start(given: dict[str, str], words: str) -> None:
    variables = {f"EINVOICE_ARCHIVE_{name}": value for name, value in given.items()}

    with pytest.raises(SettingsFault, match=words):
        Settings.from_env(variables)


def test_the_secret_key_is_not_shown() -> None:
    assert "hidden" not in repr(Settings(archive_s3_secret_key="hidden"))


def test_doctor_checks_the_store(make_app, tmp_path: Path) -> None:
    directory = tmp_path / "archive"
    app = make_app(archive_store="directory", archive_directory=str(directory))
    with app.app_context():
        absent = list(doctor_checks.check_archive())
        directory.mkdir()
        present = list(doctor_checks.check_archive())

    assert [problem.serious for problem in absent] == [True]
    assert "is not a directory" in absent[0].message
    assert present == []
