"""Logs: one JSON object per line, from the service and from libraries (docs/operators.md)."""

from __future__ import annotations

import io
import json
import logging as standard

import pytest
import structlog

from einvoice.observability import logging


@pytest.fixture
def lines(monkeypatch):
    """`lines(module, …)`: what these logged since, as a service of its own would have it.

    Threads of earlier tests may log, too.
    """
    out = io.StringIO()
    before, root = structlog.get_config(), standard.getLogger()
    monkeypatch.setattr("sys.stderr", out)
    monkeypatch.setattr(root, "handlers", [])
    level = root.level
    logging.configure("INFO", "json")

    def of(*modules):
        reported = map(json.loads, out.getvalue().splitlines())
        return [line for line in reported if line.get("module") in modules]

    yield of
    structlog.configure(**before)
    root.setLevel(level)


def test_logs_of_libraries_have_the_same_form(lines):
    structlog.get_logger(module="ours").warning("first", transmission="txn_1")
    standard.getLogger("theirs").warning("second %s", "text", extra={"api_key": "k"})
    ours, theirs = lines("ours", "theirs")

    assert (ours["event"], ours["level"], ours["module"]) == ("first", "warning", "ours")
    assert (theirs["event"], theirs["level"], theirs["module"]) == (
        "second text",
        "warning",
        "theirs",
    )
    assert theirs["api_key"] == "[redacted]"
    assert ours.keys() - {"transmission"} == theirs.keys() - {"api_key"}


def test_an_exception_of_a_library_is_one_line(lines):
    try:
        raise RuntimeError("broken\nin two")
    except RuntimeError:
        standard.getLogger("theirs").exception("oh")
    [line] = lines("theirs")

    assert "RuntimeError: broken\nin two" in line["exception"]


@pytest.mark.parametrize(
    ("name", "words", "reported"),
    [
        ("pikepdf._core", "C++ to Python logger bridge initialized", False),
        ("rq", "Cleaning registries", False),
        ("alembic.runtime.migration", "Context impl SQLiteImpl.", False),
        ("alembic.runtime.migration", "Running upgrade 0001 -> 0002", True),
    ],
)
def test_start_messages_of_libraries_are_not_logged(lines, name, words, reported):
    """Otherwise the output of every command would begin with them."""
    standard.getLogger(name).info(words)

    assert bool(lines(name)) is reported
