"""The clock of a simulated week."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from pathlib import Path

import pytest

from einvoice import clock
from einvoice.clock import Pace
from einvoice.config import Settings, SettingsFault
from einvoice.http import Response
from einvoice.network.checks import Level
from einvoice.network.common_checks import clock_beside

NOON = datetime(2026, 11, 28, 12, 0, tzinfo=UTC)


@pytest.fixture
def sixty() -> Iterator[None]:
    """The clock has run sixty times as fast for a minute."""
    clock.run(Pace(60.0, datetime.now(UTC) - timedelta(minutes=1)))
    yield
    clock.run(clock.REALITY)


@pytest.mark.parametrize(
    ("passed", "shown"),
    [(-60, -60), (0, 0), (1, 60), (90, 5400)],
)
def test_the_clock_runs_at_its_rate_from_its_moment_on(passed: int, shown: int) -> None:
    """Before it, as in reality, so that all processes agree whenever they start."""
    pace = Pace(60.0, NOON)

    assert pace.at(NOON + timedelta(seconds=passed)) == NOON + timedelta(seconds=shown)


def test_the_clock_of_a_process_runs_as_it_was_told(sixty: None) -> None:
    ahead = clock.now() - clock.real_now()

    assert timedelta(minutes=59) <= ahead < timedelta(minutes=60)


def test_a_lease_lasts_as_long_as_in_reality(sixty: None) -> None:
    """So that nobody takes what another process is still working on."""
    assert clock.lasting(timedelta(seconds=30)) == timedelta(minutes=30)


def test_a_file_is_as_old_as_the_clock_says(sixty: None, tmp_path: Path) -> None:
    """The machine stamps it, by a clock that does not run faster."""
    file = tmp_path / "file"
    file.touch()

    assert abs(clock.now() - clock.written_at(file.stat().st_mtime)) < timedelta(minutes=30)


@pytest.mark.parametrize(
    ("ahead", "level"),
    [(0, Level.GOOD), (59, Level.GOOD), (40, Level.ERROR), (70, Level.ERROR)],
)
def test_a_server_has_the_clock_of_the_week_or_that_of_the_machine(
    sixty: None, ahead: int, level: Level
) -> None:
    """Stand-ins have the first, which is 59 minutes ahead; web servers the second."""
    theirs = clock.real_now() + timedelta(minutes=ahead)
    response = Response(200, {"date": format_datetime(theirs)}, b"")

    found = clock_beside(response, "it", "nothing works", tolerance=timedelta(minutes=1))
    assert found.level is level


def test_schedules_run_with_the_clock(sixty: None) -> None:
    assert clock.schedule_seconds() / clock.monotonic() == pytest.approx(60, rel=0.01)


@pytest.mark.parametrize(
    "text",
    [
        "60",
        "60@noon",
        "60@2026-11-28T14:00:00",
        "0.5@2026-11-28T14:00:00Z",
        "1001@2026-11-28T14:00:00Z",
        "nan@2026-11-28T14:00:00Z",
    ],
)
def test_a_rate_that_is_none_stops_the_start(text: str) -> None:
    with pytest.raises(SettingsFault, match="EINVOICE_CLOCK_RATE"):
        Settings.from_env({"EINVOICE_CLOCK_RATE": text})


def test_production_refuses_a_rate() -> None:
    settings = Settings(clock_rate="60@2026-11-28T14:00:00Z")

    assert "EINVOICE_CLOCK_RATE must be empty in production" in settings.production_problems()


def test_a_pace_is_read_as_it_is_written() -> None:
    """Computing processes are told that of their parent."""
    assert Pace.parse(str(Pace(96.0, NOON))) == Pace(96.0, NOON)
    assert Pace.parse(str(clock.REALITY)) == clock.REALITY
