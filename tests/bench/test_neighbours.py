"""The trial of two releases fails for whatever went wrong, and for nothing else."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pytest

from bench.neighbours import book, release
from bench.neighbours.book import Book
from bench.neighbours.release import Release
from tests.tables import each_row

GOOD = Book(0, 0, 0, 0, 0, 0, 0, sent=3, received=1, delivered=3, reads=4, repeats=2)
COUNTS_OF_WHAT_HAPPENED = {
    "sent", "received", "delivered", "failed", "reads", "repeats", "left_to_the_other",
}  # fmt: skip


def line(level: str, event: str, **more: str) -> str:
    return json.dumps({"level": level, "event": event, **more})


def test_only_what_must_be_nothing_fails_the_trial() -> None:
    assert GOOD.good
    assert replace(GOOD, left_to_the_other=7, failed=1).good
    for field in fields(Book):
        if field.name not in COUNTS_OF_WHAT_HAPPENED:
            value = {"an error": 1} if field.name == "faults" else 1
            assert not replace(GOOD, **{field.name: value}).good, field.name


@each_row(
    ("text", "faults"),
    [
        (line("warning", "relay waits for redis"), []),
        (line("error", "relay round failed", exception="…\nx.Error: no column\nDETAIL: …"),
         ["relay round failed  x.Error: no column"]),
        (line("error", "no task for this kind of work", kind="letter"),
         ["no task for this kind of work letter"]),
        ("Traceback (most recent call last):\n  File …", ["Traceback outside of the log"]),
        (line("error", "cut by a kill")[:-5], []),
        ("[INFO] Listening", []),
    ],
)  # fmt: skip
def test_errors_of_logs_are_faults_with_their_last_line(text: str, faults: list[str]) -> None:
    assert list(book._faults_of(text)) == faults


def test_rows_of_kinds_that_a_release_does_not_know_are_no_fault_of_it(tmp_path) -> None:
    """They are named with the release and the process that said it."""
    said = line("error", "no task for this kind of work", kind="letter")
    (tmp_path / "relay.log").write_text(f"{said}\n{said}\n")

    ((text, times),) = book._said({"before (abc)": tmp_path})

    assert (text, times) == ("before (abc), relay: no task for this kind of work letter", 2)
    assert book.OF_NEW_KINDS in text


@each_row(
    ("home", "own"),
    [
        ("before/environment/lib/python3.11/site-packages/einvoice/__init__.py", True),
        ("checkout/einvoice/__init__.py", False),
    ],
)
def test_a_release_that_would_run_the_code_of_this_checkout_is_refused(
    home: str, own: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = Release("before (abc)", Path("/t/before/environment/bin/python"), "/t/before/plugins")
    monkeypatch.setattr(Release, "home", lambda _: Path("/t") / home)

    if own:
        assert release._of_its_own(before, Path("/t/before")) is before
    else:
        with pytest.raises(ValueError, match="would run the code of"):
            release._of_its_own(before, Path("/t/before"))


def test_a_process_of_a_release_imports_nothing_from_the_current_directory() -> None:
    found = Release("before", Path("python"), "/t/plugins").environ({"PYTHONPATH": "/checkout"})

    assert (found["PYTHONPATH"], found["PYTHONSAFEPATH"]) == ("/t/plugins", "1")
