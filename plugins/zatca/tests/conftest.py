from __future__ import annotations

import pytest

from plugins.zatca.tests import unit
from tests.networks import zatca
from tests.networks.zatca.authority import Authority


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def service(authority):
    with zatca.running(authority) as running:
        yield running


@pytest.fixture
def point(service):
    """The access point to the stand-in."""
    return unit.point_at(service)


@pytest.fixture
def connection(point, authority):
    """A registered unit."""
    return unit.registered(point, authority)


@pytest.fixture
def bound(point, connection):
    return unit.bound(point, connection)
