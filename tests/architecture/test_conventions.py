"""Conventions of the whole tree: layers, refusals, families of routes, settings, lock files."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory
from flask import Flask

from einvoice import config
from einvoice.domain import errors
from einvoice.observability import logging
from einvoice.store.core.db import Base
from einvoice.store.installation.schema_revisions import MIGRATIONS
from einvoice.web.api import Family
from einvoice.web.explanations import EXPLANATIONS
from einvoice.web.openapi.members import MEMBERS
from einvoice.web.problems import PROBLEMS
from einvoice.web.security_requirements import requirement_of

ROOT = Path(__file__).resolve().parents[2]


def refusals(kind: type[errors.RequestRefused] = errors.RequestRefused) -> set[str]:
    """The slugs of all refusals there are."""
    return {kind.slug}.union(*(refusals(child) for child in kind.__subclasses__()))


def test_imports_point_down() -> None:
    """The layers of docs/architecture.md are a contract that fails the build."""
    lint = Path(sys.executable).with_name("lint-imports")
    verdict = subprocess.run([lint, "--no-cache"], cwd=ROOT, capture_output=True, text=True)

    assert verdict.returncode == 0, verdict.stdout


def test_every_refusal_has_a_status_and_a_title() -> None:
    assert refusals() <= set(PROBLEMS)


def test_every_route_belongs_to_a_family_with_a_credential(app: Flask) -> None:
    """A route without a family would be open without saying so."""
    families = {name for name, b in app.blueprints.items() if isinstance(b, Family)}
    outside = {
        rule.rule
        for rule in app.url_map.iter_rules()
        if rule.endpoint.partition(".")[0] not in families
    }

    assert outside == set()


def test_every_credential_says_how_it_refuses(app: Flask) -> None:
    """web/security_requirements documents it at /openapi.json for every route that requires it."""
    for blueprint in app.blueprints.values():
        if isinstance(blueprint, Family):
            assert requirement_of(blueprint.credential)


def test_every_member_of_a_problem_has_a_type() -> None:
    """explanations.toml says what a member means, web/openapi/members what it is made of."""
    members = {name for text in EXPLANATIONS.values() for name in text.members}

    assert members - MEMBERS.keys() == set()


def test_there_is_one_newest_migration() -> None:
    assert len(ScriptDirectory(str(MIGRATIONS)).get_heads()) == 1


def test_every_setting_is_documented_for_operators() -> None:
    """docs/operators.md lists every variable with its default, and no other."""
    text = (ROOT / "docs" / "operators.md").read_text()
    documented = set(re.findall(r"^\| `(EINVOICE_[A-Z0-9_]+)` \|", text, re.MULTILINE))

    assert documented == {variable for variable, *_ in config.describe()}


def test_every_table_is_documented() -> None:
    """docs/states.md says of every table what changes in it, and of no other."""
    text = (ROOT / "docs" / "states.md").read_text()
    rows = text.partition("## Tables")[2].partition("\n## ")[0].splitlines()
    documented = {
        name
        for row in rows
        if row.startswith("| `")
        for name in re.findall(r"`([a-z_]+)`", row.split("|")[1])
    }

    assert documented == set(Base.metadata.tables)


def test_only_config_reads_the_environment_and_only_clock_the_time() -> None:
    """One place knows the environment, one knows the time."""
    readers = {
        r"os\.environ|os\.getenv": {"config.py", "app.py", "stack.py", "demo.py"},
        r"datetime\.now|time\.time\(|utcnow": {"clock.py"},
    }
    for pattern, allowed in readers.items():
        assert {path.name for path in _modules_with(pattern)} <= allowed, pattern


def test_parts_of_an_application_are_found_by_three_typed_accessors() -> None:
    """Each object is stored in Flask's registry by the module that returns it with its type."""
    found = {str(path.relative_to(ROOT)) for path in _modules_with(r"\.extensions\[")}

    assert found == {
        "einvoice/store/core/resources.py",
        "einvoice/web/parts.py",
        "einvoice/web/runtime.py",
    }


def test_no_log_line_has_a_field_that_is_always_redacted() -> None:
    """A count below the name `documents` would be a line without information."""
    sources = [*ROOT.glob("einvoice/**/*.py"), *ROOT.glob("plugins/*/einvoice_*/**/*.py")]
    fields = {
        f"{source.name}: {field.arg}"
        for source, text in ((source, source.read_bytes()) for source in sources)
        if b"log." in text
        for call in ast.walk(ast.parse(text))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and isinstance(call.func.value, ast.Name)
        and call.func.value.id == "log"
        for field in call.keywords
        if field.arg and logging._is_secret(field.arg)
    }

    assert fields == set()


def _modules_with(pattern: str) -> list[Path]:
    paths = [path for folder in ("einvoice", "jobs") for path in (ROOT / folder).rglob("*.py")]
    return [path for path in paths if re.search(pattern, path.read_text())]


@pytest.mark.parametrize("name", ["build", "runtime", "embedded", "dev"])
def test_lock_files_pin_by_hash_and_name_no_index(name: str) -> None:
    text = (ROOT / "requirements" / f"{name}.txt").read_text()
    pinned = re.findall(r"^[a-z0-9\-\[\]]+==\S+", text, re.MULTILINE)

    assert len(pinned) == text.count("==")
    assert "://" not in text


def test_modules_of_plugins_tests_hide_no_folder_of_tests():
    """`tests` is one package over all folders of the path, and a module goes before a folder."""
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    modules = {path.stem for path in ROOT.glob("plugins/*/tests/*.py")}

    assert modules & folders == set()
