"""What the tests of several networks share."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock


@pytest.fixture
def move(monkeypatch):
    """Moves the service's clock, which stands still otherwise: `move(minutes=5)`."""
    moved = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: moved[0])

    def _move(**by: float) -> None:
        moved[0] += timedelta(**by)

    return _move
