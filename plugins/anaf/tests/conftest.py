from __future__ import annotations

import pytest

from plugins.anaf.tests import company
from tests.networks import anaf
from tests.networks.anaf.authority import Authority


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
