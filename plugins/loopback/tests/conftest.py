"""A clock that the tests control, so that the simulator's minutes pass at once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from einvoice import clock
from einvoice_loopback.directory import Directory
from einvoice_loopback.simulator import Simulator


class Clock:
    def __init__(self) -> None:
        self.moment = datetime(2026, 11, 21, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.moment

    def pass_(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)


@pytest.fixture
def time_passes(monkeypatch) -> Clock:
    own = Clock()
    monkeypatch.setattr(clock, "now", own.now)
    return own


@pytest.fixture
def simulator(tmp_path, time_passes) -> Simulator:
    return Simulator(Directory(tmp_path))
