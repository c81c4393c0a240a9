from __future__ import annotations

import pytest

import einvoice_loopback
from tests.networks import zatca
from tests.networks.zatca.authority import Authority
from tests.networks.zatca.selling import connect, plugin_of
from tests.web.caller import Caller


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def service(authority):
    with zatca.running(authority) as running:
        yield running


@pytest.fixture
def app(make_app, service):
    return make_app([plugin_of(service), einvoice_loopback])


@pytest.fixture
def seller(app, authority):
    caller = Caller(app)
    connect(caller, authority)
    return caller
