"""The clock of the service, moved by tests; those of the plugins use it too."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import pytest

from einvoice import clock


@pytest.fixture
def move(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Moves the service's clock, which stands still otherwise: `move(minutes=5)`."""
    moved = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: moved[0])

    def _move(**by: float) -> None:
        moved[0] += timedelta(**by)

    return _move


@pytest.fixture
def later(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Puts the service's clock forward, which goes on: `later(seconds)`."""
    real, ahead = clock.now, [timedelta()]
    monkeypatch.setattr(clock, "now", lambda: real() + ahead[0])

    def _later(seconds: float) -> None:
        ahead[0] += timedelta(seconds=seconds)

    return _later
