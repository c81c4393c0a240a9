"""Tests side by side in forks: what a person at `make test` relies on."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
FILE = """
import os
import pytest

@pytest.fixture(scope="module")
def shared():
    yield []
    print("taken down")

def test_first(shared):
    shared.append(1)

def test_second(shared):
    {second}

def test_third(shared, tmp_path):
    (tmp_path / "file").write_text("x")
"""


@pytest.fixture
def run(tmp_path):
    """Run two files, of which one has this second test; the lines of the output."""

    def _run(second: str, *options: str) -> tuple[int, list[str]]:
        (tmp_path / "test_one.py").write_text(FILE.format(second=second))
        (tmp_path / "test_two.py").write_text(FILE.format(second="assert shared == [1]"))
        done = subprocess.run(
            [sys.executable, "-m", "pytest", "-c", "/dev/null", "--rootdir", str(tmp_path),
             "-p", "tests.forks", "--processes", "2", *options, str(tmp_path)],
            capture_output=True, text=True, timeout=300, cwd=ROOT, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout.splitlines()

    return _run


def test_all_tests_of_a_file_share_a_process(run):
    status, lines = run("assert shared == [1]")

    assert status == 0
    assert "6 passed" in lines[-1]


def test_a_failure_is_reported_with_its_output(run):
    status, lines = run("print('here'); assert shared == 2")

    assert status == 1
    assert "1 failed, 5 passed" in lines[-1]
    assert {"here", "E       assert [1] == 2"} <= set(lines)


def test_a_process_that_dies_fails_its_test_and_the_rest_of_the_file_runs(run):
    status, lines = run("os._exit(7)")

    assert status == 1
    assert "1 failed, 5 passed" in lines[-1]
    assert "the process of this test ended with 7" in lines


def test_a_run_stops_at_the_first_failure_if_asked(run):
    status, lines = run("os._exit(7)", "-x")

    assert status == 1
    assert any("stopping after 1 failures" in line for line in lines)
