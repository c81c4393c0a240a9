"""Commands start fast: `einvoice --help` imports none of them, `einvoice validate` no service.
They end fast, and so do the processes of the service."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from einvoice import cli
from einvoice.cli.summaries import SUMMARIES

GOOD = Path(__file__).parents[1] / "samples" / "good_ubl.xml"
# What a validation of one XML file does not need; each takes 20 to 200 ms.
HEAVY = ("flask", "sqlalchemy", "redis", "requests", "pikepdf", "structlog", "cryptography",
         "marshmallow", "typst", "babel", "jinja2")  # fmt: skip
SHOWING_MODULES = """
import os, runpy, sys
sys.argv[0] = "einvoice"
try:
    runpy.run_module("einvoice.cli", run_name="__main__")
except SystemExit:
    pass
print("modules:", *sys.modules)
"""


def modules_of(*arguments: str) -> set[str]:
    """The modules that a process of `einvoice` with these arguments has imported."""
    ran = subprocess.run(
        [sys.executable, "-c", SHOWING_MODULES, *arguments],
        capture_output=True, text=True, check=True, timeout=120, env={**os.environ},
    )  # fmt: skip
    return set(ran.stdout.rpartition("modules:")[2].split())


def test_every_command_of_the_service_is_listed_with_the_first_sentence_of_its_help() -> None:
    context = click.Context(cli.main)
    offered = cli._offered()

    wrong = {
        name: SUMMARIES.get(name)
        for name in offered
        if (command := cli.main.get_command(context, name)) is None
        or command.get_short_help_str(10_000) != SUMMARIES.get(name)
    }
    assert wrong == {}
    assert set(SUMMARIES) == set(offered)


def test_help_loads_a_command_only_if_it_has_no_summary(monkeypatch: pytest.MonkeyPatch) -> None:
    """One of another distribution is listed with its own words."""
    entry = cli.EntryPoint("parcel", "tests.cli.test_start:parcel", cli.GROUP)
    monkeypatch.setattr(cli, "_offered", lambda: {"serve": None, "parcel": entry})

    output = CliRunner().invoke(cli.main, ["--help"]).output

    assert "parcel  Send a parcel." in output
    assert "serve   Serve the API." in output


@click.command()
def parcel() -> None:
    """Send a parcel."""


def test_help_imports_no_command() -> None:
    loaded = modules_of("--help")

    assert {name for name in loaded if name.startswith("einvoice.cli.")} == {
        "einvoice.cli.summaries"
    }


def test_a_validation_of_one_file_imports_what_judges_it_alone() -> None:
    """Not what serves, stores, sends or opens PDFs, neither of the service nor of a plugin."""
    loaded = modules_of("validate", str(GOOD))

    assert "einvoice.validation.judgement" in loaded
    assert {name.partition(".")[0] for name in loaded} & set(HEAVY) == set()


def test_a_process_that_ends_does_not_look_for_garbage_among_all_it_has_loaded() -> None:
    """Of the application that takes seconds, for which an operator and each restart would wait."""
    first = "import atexit, gc; atexit.register(lambda: print('left:', len(gc.get_objects())))"
    ran = subprocess.run(
        [sys.executable, "-c", first + SHOWING_MODULES, "validate", str(GOOD)],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip

    assert int(ran.stdout.rpartition("left:")[2]) < 1000
