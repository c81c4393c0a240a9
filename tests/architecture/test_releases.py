"""Two neighbouring releases run side by side, and a release has one number.

Read from the revisions of the schema and from the table of work.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from configparser import ConfigParser
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from einvoice.cli import main
from einvoice.release import RELEASE
from jobs import table
from tests.tables import each_row

ROOT = Path(__file__).parents[2]
# The revision of release 0.1.0 (CHANGELOG.md): what came before it has no release beside it.
RELEASED = 55
# What a release before cannot work with: it writes rows without a new column that is required, and
# reads columns and tables that it knows. Constraints on what it writes are the same.
FORBIDDEN = {
    "drop_column", "drop_table", "rename_table", "alter_column", "create_unique_constraint",
    "create_check_constraint", "create_foreign_key",
}  # fmt: skip


def revisions() -> Iterator[tuple[str, ast.FunctionDef]]:
    """Name and `upgrade` of the revisions after the released one."""
    for path in sorted((ROOT / "migrations/versions").glob("[0-9]*.py")):
        if int(path.name[:4]) > RELEASED:
            tree = ast.parse(path.read_text("utf-8"))
            for node in tree.body:
                if isinstance(node, ast.FunctionDef) and node.name == "upgrade":
                    yield path.name, node


def faults(upgrade: ast.AST) -> Iterator[str]:
    """What of a revision the release before cannot live with."""
    calls = [(node, _name(node)) for node in ast.walk(upgrade) if isinstance(node, ast.Call)]
    new = {
        column for call, name in calls if name == "create_table" for column in ast.walk(call)
    }  # fmt: skip
    for call, name in calls:
        if name in FORBIDDEN:
            yield name
        if name == "Column" and call not in new and _is_required(call):
            yield "a required column without a default of the server"


def _name(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def _is_required(column: ast.Call) -> bool:
    given = {word.arg: word.value for word in column.keywords}
    nullable = given.get("nullable")
    is_null = isinstance(nullable, ast.Constant) and nullable.value is True
    return not is_null and "server_default" not in given


def test_revisions_only_add_what_the_release_before_need_not_know() -> None:
    found = {name: list(faults(upgrade)) for name, upgrade in revisions()}

    assert found
    assert {name: each for name, each in found.items() if each} == {}


@each_row(
    ("statement", "fault"),
    [
        ('op.drop_column("t", "c")', "drop_column"),
        ('op.drop_table("t")', "drop_table"),
        ('op.alter_column("t", "c", type_=sa.Text())', "alter_column"),
        ('op.create_unique_constraint("u", "t", ["c"])', "create_unique_constraint"),
        ('op.add_column("t", sa.Column("c", sa.Text(), nullable=False))', "a required column"),
        ('op.add_column("t", sa.Column("c", sa.Text()))', "a required column"),
        ('op.add_column("t", sa.Column("c", sa.Text(), nullable=True))', ""),
        ('op.add_column("t", sa.Column("c", sa.Text(), server_default="x"))', ""),
        ('op.create_index("i", "t", ["c"])', ""),
        ('op.create_table("t", sa.Column("c", sa.Text(), nullable=False))', ""),
    ],
)
def test_a_revision_that_does_not_only_add_is_found(statement: str, fault: str) -> None:
    found = list(faults(ast.parse(statement)))

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
