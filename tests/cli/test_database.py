"""`einvoice db` on databases of this release, of a newer one and of none."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from click.testing import CliRunner
from flask import Flask

from einvoice.cli import main
from einvoice.store.core import db
from einvoice.store.installation import schema

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

NEXT = f"{schema.newest() + 1:04d}"
NEWER = f"The database is at {NEXT}, of a newer release than this one ({schema.newest():04d})"

# Revision of the database, command, exit code, words of the output
COMMANDS = [
    (NEXT, ["upgrade"], 0, f"{NEWER}: nothing to do."),
    (NEXT, ["upgrade", "0001"], 0, f"{NEWER}: nothing to do."),
    (NEXT, ["upgrade", "--check"], 0, f"{NEWER}: nothing to do."),
    (NEXT, ["current"], 0, "of a newer release than this one"),
    (NEXT, ["downgrade"], 1, f"{NEWER}: only that release"),
    ("9999", ["upgrade"], 0, "The database is at 9999"),
    (None, ["upgrade"], 0, ""),
    (None, ["upgrade", "--check"], 0, "The database has the newest schema."),
    (None, ["current"], 0, "(newest)"),
    ("1975ea83b712", ["upgrade"], 1, "which is none of this service"),
    ("1975ea83b712", ["upgrade", "--check"], 1, "which is none of this service"),
]


@pytest.fixture
def command(app: Flask, database_url: str, monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("EINVOICE_DATABASE_URL", database_url)
    return CliRunner()


def set_revision(revision: str) -> None:
    with db.writing() as connection:
        connection.execute(
            sa.text("UPDATE alembic_version SET version_num = :number"), {"number": revision}
        )


def test_an_older_release_leaves_the_database_of_a_newer_one_as_it_is(command: CliRunner) -> None:
    """Units and compose run `db upgrade` at each start, also after going back one release."""
    wrong = []
    for revision, words, code, said in COMMANDS:
        set_revision(revision or f"{schema.newest():04d}")
        done = command.invoke(main, ["db", *words])
        if (done.exit_code, said in done.output) != (code, True):
            wrong.append((revision, words, done.exit_code, done.output))

    assert wrong == []
