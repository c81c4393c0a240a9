"""The tiers name tests that exist, and each promise that moves to `more` leaves one behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests import tiers

SQLITE = {"database_url": "sqlite"}
POSTGRESQL = {"database_url": "postgresql"}
SERIAL = tiers.ROOT / "tests" / "services" / "delivery" / "test_serial.py"
STATES = tiers.ROOT / "tests" / "services" / "delivery" / "test_states.py"


def test_every_path_and_test_that_a_tier_names_exists() -> None:
    missing = [str(path) for path in tiers.named_paths() if not path.exists()]
    missing += [
        f"{path}::{name}"
        for path, name in tiers.named_tests()
        if not re.search(rf"^def {name}\(", path.read_text(), re.MULTILINE)
    ]

    assert missing == []


def test_a_file_with_a_single_test_of_more_keeps_others() -> None:
    for path, _ in tiers.named_tests():
        single = {name for place, name in tiers.named_tests() if place == path}

        assert set(re.findall(r"^def (test_\w+)\(", path.read_text(), re.MULTILINE)) - single, path


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


def test_what_dies_before_each_statement_does_so_on_one_database() -> None:
    for name in ("test_a_crash_leaves_no_gap", "test_a_worker_that_dies_at_any_statement"):
        assert tiers.is_more(SERIAL, name, [], POSTGRESQL, has_twin=True), name
        assert not tiers.is_more(SERIAL, name, [], SQLITE, has_twin=False), name


def test_a_test_that_starts_the_service_is_more() -> None:
    assert tiers.is_more(SERIAL, "test_it", ["tmp_path", "stack"], {}, has_twin=False)
