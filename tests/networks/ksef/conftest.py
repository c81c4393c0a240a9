from __future__ import annotations

import pytest

import einvoice_loopback
from plugins.ksef.tests import company
from tests.networks import ksef
from tests.networks.ksef import judging
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.selling import Plugin, connect
from tests.web.caller import Caller


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def service(authority):
    """The stand-in; its answers are judged by the published interface at the end."""
    with ksef.running(authority) as running:
        yield running
        if judging.DOCUMENT.exists():
            assert not judging.faults(running.exchanges, requests=False)


@pytest.fixture
def app(make_app, service):
    return make_app([Plugin(service.url), einvoice_loopback])


@pytest.fixture
def seller(app, authority, move):
    caller = Caller(app)
    connect(caller, {"token": authority.issue_token(company.SELLER)})
    return caller
