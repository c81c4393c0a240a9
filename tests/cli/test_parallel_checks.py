"""Many files are checked by several processes, as by one."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from click.testing import CliRunner

from einvoice.cli import parallel_checks
from einvoice.cli.checked_file import CheckedFile
from einvoice.cli.file_checker import FileChecker
from einvoice.cli.parallel_checks import TooSlow, checked_files
from einvoice.cli.validate import validate

HERE = os.getpid()


class Named(FileChecker):
    """A checker whose results have only the name of the file, and the process in `problem`."""

    def __init__(self, before: Callable[[str], None] = lambda file: None) -> None:
        super().__init__(line=False, words=False)
        self._before = before

    def check(self, file: str) -> CheckedFile:
        if os.getpid() != HERE:
            self._before(file)
        return CheckedFile(file, 0, problem=str(os.getpid()))


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Three processes for ten files, two files a block."""
    monkeypatch.setattr(parallel_checks, "MIN_FILES", 10)
    monkeypatch.setattr(parallel_checks, "BLOCK_FILES", 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})


FILES = [f"{number:02}" for number in range(31)]


def test_many_files_are_checked_by_each_process_in_their_order() -> None:
    """The first block is checked by the parent."""
    found = list(checked_files(FILES, Named))

    assert [each.file for each in found] == FILES
    assert {each.problem for each in found[:2]} == {str(HERE)}
    assert len({each.problem for each in found[2:]} - {str(HERE)}) == 3
    assert not multiprocessing.active_children()


@pytest.mark.parametrize("files", [FILES[:9], [*FILES, "-"]], ids=["few", "standard input"])
def test_few_files_and_standard_input_are_checked_by_the_parent(files: list[str]) -> None:
    assert {each.problem for each in checked_files(files, Named)} == {str(HERE)}


def _die(at: str, file: str) -> None:
    if file == at:
        os._exit(9)


def test_files_of_a_process_that_ended_are_checked_by_the_parent() -> None:
    found = list(checked_files(FILES, partial(Named, partial(_die, "15"))))

    assert [each.file for each in found] == FILES
    assert {each.problem for each in found if each.file in ("14", "15")} == {str(HERE)}
    assert {each.problem for each in found if each.file in ("16", "17")} != {str(HERE)}


def _sleep(file: str) -> None:
    time.sleep(60)


def test_a_block_that_takes_too_long_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """No process is left."""
    monkeypatch.setattr(parallel_checks, "_SECONDS", 0.2)

    with pytest.raises(TooSlow, match="02 and those after it"):
        list(checked_files(FILES, partial(Named, _sleep)))
    assert not multiprocessing.active_children()


def test_closing_the_results_ends_the_processes() -> None:
    """As Ctrl-C does."""
    results = checked_files(FILES, partial(Named, _sleep))
    assert [next(results).file, next(results).file] == FILES[:2]
    results.close()

    assert not multiprocessing.active_children()


@pytest.mark.parametrize("form", ["--jsonl", "--json", ""])
def test_the_output_is_the_same_as_of_one_process(
    tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sample = Path(__file__).parents[1] / "samples" / "good_ubl.xml"
    for number in range(12):
        currency = "EUR" if number % 3 else f"{number:03}"
        text = sample.read_text().replace('currencyID="EUR"', f'currencyID="{currency}"')
        (tmp_path / f"{number:02}.xml").write_text(text)
    monkeypatch.setattr("einvoice.clock.monotonic", lambda: 0.0)
    arguments = [*filter(None, [form]), "--no-schema", str(tmp_path)]

    several = CliRunner().invoke(validate, arguments)
    monkeypatch.setattr(parallel_checks, "MIN_FILES", 100)
    one = CliRunner().invoke(validate, arguments)

    assert several.stdout == one.stdout
    assert several.exit_code == one.exit_code == 1
