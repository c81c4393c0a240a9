from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from plugins.anaf.tests import company
from tests.networks import anaf
from tests.networks.anaf.authority import Authority


@pytest.fixture
def move(monkeypatch):
    """Moves the clock, which stands still otherwise: `move(minutes=5)`."""
    moved = [clock.now()]
    monkeypatch.setattr(clock, "now", lambda: moved[0])

    def _move(**by: float) -> None:
        moved[0] += timedelta(**by)

    return _move


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def service(authority):
    with anaf.running(authority) as running:
        yield running


@pytest.fixture
def point(service):
    """The access point to the stand-in."""
    return company.point_at(service)


@pytest.fixture
def connection(point, authority):
    """The connection of the seller, with consent."""
    return company.connected(point, authority, company.SELLER)


@pytest.fixture
def bound(point, connection):
    return company.bound(point, connection)
