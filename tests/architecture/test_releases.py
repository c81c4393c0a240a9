"""Two neighbouring releases run side by side, and a release has one number.

Read from the revisions of the schema and from the table of work.
"""

from __future__ import annotations

import inspect
import io
import re
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import alembic.command
import flask_migrate
import pytest
from click.testing import CliRunner
from flask import Flask

from einvoice.app import create_app
from einvoice.cli import main
from einvoice.config import Settings
from einvoice.release import RELEASE
from einvoice.store.core.db import db
from einvoice.store.installation.schema import MIGRATIONS
from jobs import table
from tests.tables import each_row

ROOT = Path(__file__).parents[2]
# The revision of release 0.1.0 (CHANGELOG.md): what came before it has no release beside it.
RELEASED = 55
# Tables from which the release before deletes no row: other tables may refer to them.
NEVER_DELETED = {"tenants", "invoices", "connections"}
# What it cannot work with, whatever came before it in the same upgrade.
FORBIDDEN = re.compile(
    r"DROP (?:TABLE|COLUMN|CONSTRAINT)|RENAME|ALTER COLUMN|ADD CONSTRAINT"
    r"|ALTER TABLE \S+ ALTER \S+|ADD COLUMN .* UNIQUE"
)
TABLE = re.compile(r"CREATE TABLE (?:IF NOT EXISTS )?(\w+)")
COLUMN = re.compile(r"ALTER TABLE (\w+) ADD COLUMN (?:IF NOT EXISTS )?(\w+) (.*)")
INDEX = re.compile(
    r"CREATE (UNIQUE )?INDEX (?:CONCURRENTLY )?(?:IF NOT EXISTS )?(\w+) ON (\w+) (.*)"
)
DROPPED_INDEX = re.compile(r"DROP INDEX (?:CONCURRENTLY )?(?:IF EXISTS )?(\w+)")
REFERENCE = re.compile(r"REFERENCES (\w+)")


class Upgrade:
    """The statements of an upgrade one after the other, and what they have made so far."""

    def __init__(self) -> None:
        self.tables, self.indexes = set[str](), set[str]()
        self.columns = set[tuple[str, str]]()

    def faults(self, sql: str) -> Iterator[str]:
        """What the release before cannot live with: it writes rows without new columns, reads
        tables and columns that it knows by indexes that it knows, and deletes rows."""
        for statement in map(" ".join, map(str.split, sql.split(";"))):
            yield from self._of(statement)

    def _of(self, statement: str) -> Iterator[str]:
        if found := FORBIDDEN.search(statement):
            yield found[0]
        if found := TABLE.search(statement):
            self.tables.add(found[1])
            for table in set(REFERENCE.findall(statement)) - self.tables - NEVER_DELETED:
                yield f"a row of {table} cannot be deleted"
        if found := COLUMN.search(statement):
            self.columns.add((found[1], found[2]))
            if "NOT NULL" in found[3] and "DEFAULT" not in found[3]:
                yield "a required column without a default of the server"
        if found := INDEX.search(statement):
            self.indexes.add(found[2])
            if found[1] and not self._is_of_new_values(found[3], found[4]):
                yield "a unique index of what was there"
        if (found := DROPPED_INDEX.search(statement)) and found[1] not in self.indexes:
            yield f"the index {found[1]} is gone"

    def _is_of_new_values(self, table: str, rest: str) -> bool:
        """Whether the release before writes NULL into a column of the index, which is as good as
        no entry."""
        names = re.findall(r"\w+", rest.partition("(")[2].partition(")")[0])
        return table in self.tables or any((table, name) in self.columns for name in names)


def sql_of_revisions(app: Flask) -> str:
    """What `einvoice db upgrade --sql` prints of the revisions after the released one."""
    with app.app_context():
        config = flask_migrate.Migrate(app, db).get_config(str(MIGRATIONS))
        config.output_buffer = io.StringIO()
        alembic.command.upgrade(config, f"{RELEASED:04d}:head", sql=True)
        return config.output_buffer.getvalue()


def test_revisions_only_add_what_the_release_before_need_not_know(tmp_path: Path) -> None:
    """Whatever helpers they use: it is the statements that count."""
    url = "postgresql://nobody@localhost/none"  # which nobody asks
    app = create_app(Settings(data_dir=str(tmp_path), database_url=url), plugins=[])
    upgrade = Upgrade()

    assert list(upgrade.faults(sql_of_revisions(app))) == []
    assert "tenant_moves" in upgrade.tables


@each_row(
    ("statements", "fault"),
    [
        ("ALTER TABLE t DROP COLUMN c", "DROP COLUMN"),
        ("DROP TABLE t", "DROP TABLE"),
        ("ALTER TABLE t RENAME COLUMN c TO d", "RENAME"),
        ("ALTER TABLE t RENAME c TO d", "RENAME"),
        ("ALTER TABLE t RENAME TO u", "RENAME"),
        ("ALTER TABLE t ALTER COLUMN c TYPE TEXT", "ALTER COLUMN"),
        ("ALTER TABLE t ALTER c SET NOT NULL", "ALTER TABLE"),
        ("ALTER TABLE t ADD CONSTRAINT u UNIQUE (c)", "ADD CONSTRAINT"),
        ("ALTER TABLE t DROP CONSTRAINT pk_t", "DROP CONSTRAINT"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS c TEXT NOT NULL", "a required column"),
        ("ALTER TABLE t ADD COLUMN c TEXT UNIQUE", "UNIQUE"),
        ("ALTER TABLE t ADD COLUMN IF NOT EXISTS c TEXT", ""),
        ("ALTER TABLE t ADD COLUMN c BOOLEAN DEFAULT false NOT NULL", ""),
        ("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON t (c)", ""),
        ("CREATE UNIQUE INDEX i ON t (c, d)", "a unique index"),
        ("ALTER TABLE t ADD COLUMN d TEXT;\nCREATE UNIQUE INDEX i ON t (c, d)", ""),
        ("ALTER TABLE u ADD COLUMN d TEXT; CREATE UNIQUE INDEX i ON t (c, d)", "a unique index"),
        ("DROP INDEX CONCURRENTLY IF EXISTS i", "the index i is gone"),
        ("CREATE INDEX i ON t (c); DROP INDEX i", ""),
        ("CREATE TABLE t (c TEXT NOT NULL); CREATE UNIQUE INDEX i ON t (c)", ""),
        ("CREATE TABLE t (c TEXT, FOREIGN KEY(c) REFERENCES batches (id))", "a row of batches"),
        ("CREATE TABLE t (c TEXT, FOREIGN KEY(c) REFERENCES tenants (id))", ""),
    ],
)
def test_a_revision_that_does_not_only_add_is_found(statements: str, fault: str) -> None:
    found = list(Upgrade().faults(statements))

    assert len(found) == bool(fault)
    assert all(fault in each for each in found)


def test_jobs_of_either_release_are_done_by_the_other() -> None:
    """Redis has their names, ids of rows and a token; none has another argument."""
    for lane in table.LANES.values():
        for task in lane.tasks.values():
            assert list(inspect.signature(task).parameters) == ["outbox_ids", "token"], task


def declared(path: Path) -> str:
    read = ConfigParser(interpolation=None)
    read.read(path, "utf-8")
    return read["metadata"]["version"]


@pytest.mark.parametrize(
    "place", [".", *sorted(p.parent.name for p in ROOT.glob("plugins/*/setup.cfg"))]
)
def test_packages_of_a_release_have_its_number(place: str) -> None:
    folder = ROOT if place == "." else ROOT / "plugins" / place

    assert declared(folder / "setup.cfg") == RELEASE


def test_image_command_health_and_contract_say_the_same_number(client: Any) -> None:
    image = re.search(r"^ARG VERSION=(.+)$", (ROOT / "Dockerfile").read_text("utf-8"), re.MULTILINE)
    said = CliRunner().invoke(main, ["--version"]).output

    assert image is not None
    assert image[1] == RELEASE
    assert said.split()[-1] == RELEASE
    assert client.get("/healthz").json["version"] == RELEASE
    assert client.get("/openapi.json").json["info"]["version"] == RELEASE


def test_every_release_names_its_database_revision() -> None:
    text = (ROOT / "CHANGELOG.md").read_text("utf-8")
    releases = re.split(r"^## ", text, flags=re.MULTILINE)[2:]

    assert releases
    for each in releases:
        assert re.match(r"\d+\.\d+\.\d+ – \d{4}-\d\d-\d\d\n\n.*Database revision \d{4}", each)
