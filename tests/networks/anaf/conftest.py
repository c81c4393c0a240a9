from __future__ import annotations

import pytest

import einvoice_loopback
from tests.networks import anaf
from tests.networks.anaf.authority import Authority
from tests.networks.anaf.selling import Plugin


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def service(authority):
    with anaf.running(authority) as running:
        yield running


@pytest.fixture
def app(make_app, service):
    return make_app([Plugin(service), einvoice_loopback])
