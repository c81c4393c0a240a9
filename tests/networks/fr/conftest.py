from __future__ import annotations

import pytest

import einvoice_loopback
from tests.networks import fr
from tests.networks.fr import company
from tests.networks.fr.judging import by_own_rules
from tests.networks.fr.platform import Platform
from tests.networks.fr.selling import Plugin


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
def app(make_app, service):
    return make_app([Plugin(service), einvoice_loopback])
