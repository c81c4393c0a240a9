from __future__ import annotations

import pytest

from tests.networks import fr
from tests.networks.fr import company
from tests.networks.fr.judging import by_own_rules
from tests.networks.fr.platform import Platform


@pytest.fixture
def platform():
    made = Platform(by_own_rules)
    for siren, name in ((company.SELLER, "Vendeur SAS"), (company.BUYER, "Acheteur SA")):
        made.company(siren, name)
    return made


@pytest.fixture
def service(platform):
    with fr.running(platform) as running:
        for siren, one in platform.companies.items():
            running.directory.add(siren, one.name)
        yield running


@pytest.fixture
def point(service):
    """The access point to the stand-in."""
    return company.point_at(service)


@pytest.fixture
def connection(point, service):
    """The connection of the seller."""
    return company.connected(point, service, company.SELLER)


@pytest.fixture
def bound(point, connection):
    return company.bound(point, connection)
