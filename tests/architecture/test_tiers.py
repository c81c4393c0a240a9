"""The tiers name tests that exist, and each promise that moves to `more` leaves one behind."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import slow, tiers

SQLITE = {"database_url": "sqlite"}
POSTGRESQL = {"database_url": "postgresql"}
SERIAL = tiers.ROOT / "tests" / "services" / "delivery" / "test_serial.py"
STATES = tiers.ROOT / "tests" / "services" / "delivery" / "test_states.py"


def test_every_path_and_test_that_a_tier_names_exists() -> None:
    missing = [str(path) for path in tiers.named_paths() if not path.exists()]
    missing += [
        f"{file}::{name}"
        for file, names in slow.slow_tests().items()
        for name in names - names_in(file)
    ]
    for kept in slow.KEPT:
        file, _, name = kept.partition("::")
        if not (tiers.ROOT / file).exists() or (name and name not in names_in(file)):
            missing.append(kept)

    assert missing == []


def test_a_file_of_which_tests_are_slow_keeps_one_in_make_test() -> None:
    whole = [file for file, names in slow.slow_tests().items() if names >= names_in(file)]

    assert whole == []


def names_in(file: str) -> set[str]:
    text = (tiers.ROOT / file).read_text()
    return set(re.findall(r"^def (test_\w+)\(", text, re.MULTILINE))


ONE, TWO = "tests/a.py", "tests/web/test_isolation.py"
LANGUAGES, _, SENTENCE = slow.KEPT[-1].partition("::")
OVER = slow.LIMIT + 0.01


@pytest.mark.parametrize(
    ("rows", "before", "expected"),
    [
        ([(f"{ONE}::test_a", 0.0), (f"{ONE}::test_b", OVER)], {}, [f"{ONE}::test_b"]),
        ([(f"{ONE}::test_a", 0.0), (f"{ONE}::test_b", slow.LIMIT)], {}, []),
        ([(f"{ONE}::test_a", OVER), (f"{ONE}::test_b", 9.0)], {}, [f"{ONE}::test_b"]),
        (
            [(f"{ONE}::test_a", 0.0), (f"{ONE}::test_b[1]", OVER), (f"{ONE}::test_b[2]", 0.0)],
            {},
            [],
        ),
        ([(f"{TWO}::test_a", 0.1), (f"{TWO}::test_b", 9.0)], {}, []),
        (
            [
                (f"{LANGUAGES}::test_a", 0.0),
                (f"{LANGUAGES}::{SENTENCE}", 9.0),
                (f"{LANGUAGES}::test_b", 9.0),
            ],
            {},
            [f"{LANGUAGES}::test_b"],
        ),
        ([(f"{ONE}::TestA::test_a", 0.1), (f"{ONE}::TestA::test_b", 9.0)], {}, []),
        ([(f"{ONE}::test_a", 0.1)], {ONE: frozenset({"test_z"})}, [f"{ONE}::test_z"]),
    ],
)
def test_what_costs_more_than_the_limit_is_listed_but_for_the_cheapest_of_a_file_and_isolation(
    rows: list[tuple[str, float]], before: dict[str, frozenset[str]], expected: list[str]
) -> None:
    assert slow.listed(rows, before) == expected


def test_a_listed_test_is_more() -> None:
    file, names = next(iter(slow.slow_tests().items()))

    assert tiers.is_more(tiers.ROOT / file, min(names), [], SQLITE, has_twin=False)


@pytest.mark.parametrize(
    ("path", "case", "has_twin", "expected"),
    [
        (SERIAL, SQLITE, False, False),
        (SERIAL, POSTGRESQL, True, False),
        (STATES, SQLITE, False, False),
        (STATES, POSTGRESQL, True, True),
        (STATES, POSTGRESQL, False, False),
        (SERIAL, {"archive_settings": "s3"}, False, True),
        (SERIAL, {"archive_settings": "directory"}, False, False),
        (SERIAL, {"database_url": "postgresql, plain"}, False, True),
        (tiers.ROOT / "tests" / "jobs" / "test_relay.py", SQLITE, False, True),
    ],
)
def test_a_case_on_the_second_database_is_more_unless_it_depends_on_it(
    path: Path, case: dict[str, object], has_twin: bool, expected: bool
) -> None:
    assert tiers.is_more(path, "test_it", [], case, has_twin=has_twin) is expected


def test_tiers_hold_for_the_tests_of_plugins_alone() -> None:
    """`make test` runs them as a part of their own."""
    named = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-m", "not more"]
    ran = subprocess.run(
        [*named, "plugins/anaf/tests/test_sealed.py"],
        cwd=tiers.ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip

    assert "test_sealed.py::" in ran.stdout
    assert "test_a_gigabyte_in_an_archive_is_not_read" not in ran.stdout


def test_what_dies_before_each_statement_does_so_on_one_database() -> None:
    for name in ("test_a_crash_leaves_no_gap", "test_a_worker_that_dies_at_any_statement"):
        assert tiers.is_more(SERIAL, name, [], POSTGRESQL, has_twin=True), name
        assert not tiers.is_more(SERIAL, name, [], SQLITE, has_twin=False), name


def test_a_test_that_starts_the_service_is_more() -> None:
    assert tiers.is_more(SERIAL, "test_it", ["tmp_path", "stack"], {}, has_twin=False)
