"""The application of long-running processes."""

from __future__ import annotations

import errno
import gc

import click
import pytest
from click.testing import CliRunner

from einvoice.cli import application, main
from einvoice.store.core import db


def test_the_garbage_collector_skips_the_objects_of_the_start(monkeypatch, tmp_path):
    """Collecting them would pause every request for 140 ms."""
    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path))
    try:
        app = application.long_running_application()
        assert gc.get_freeze_count() > 100_000
        assert len(gc.get_objects()) < 1_000
    finally:
        gc.unfreeze()
    with app.app_context():
        db.db.engine.dispose()


@pytest.mark.parametrize("command", [["relay"], ["worker", "bulk"]], ids=" ".join)
def test_a_relay_or_worker_does_not_start_without_its_tables(command, monkeypatch, tmp_path):
    monkeypatch.setenv("EINVOICE_DATA_DIR", str(tmp_path))
    try:
        result = CliRunner().invoke(main, command)
    finally:
        gc.unfreeze()

    assert result.exit_code == 1
    assert result.output == (
        "Error: The database has not the tables of this release: run einvoice db upgrade "
        "(missing).\n"
    )


def test_a_file_that_the_user_may_not_read_is_an_error_of_one_line(monkeypatch):
    """The command of an installation runs as the user einvoice, whom /root is closed to."""

    @click.command()
    def refused():
        raise PermissionError(13, "Permission denied", "/root/x.zip")

    monkeypatch.setattr(main, "get_command", lambda ctx, name: refused)
    result = CliRunner().invoke(main, ["tenants"])

    assert result.exit_code == 1
    assert result.output.startswith("Error: /root/x.zip: Permission denied for the user ")
    assert result.output.count("\n") == 1


@pytest.mark.parametrize(
    ("fault", "line"),
    [
        (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
        (OSError(errno.EROFS, "Read-only file system", "x.zip"), "x.zip: Read-only file system"),
    ],
)
def test_a_disk_without_room_is_an_error_of_one_line(monkeypatch, fault, line):
    @click.command()
    def written():
        raise fault

    monkeypatch.setattr(main, "get_command", lambda ctx, name: written)
    result = CliRunner().invoke(main, ["tenants"])

    assert (result.exit_code, result.output) == (1, f"Error: {line}\n")
