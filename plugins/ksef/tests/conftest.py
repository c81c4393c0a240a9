from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from plugins.ksef.tests import company, receiving
from tests.networks import ksef
from tests.networks.ksef import judging
from tests.networks.ksef.authority import Authority


@pytest.fixture
def authority():
    return Authority()


@pytest.fixture
def service(authority):
    """The stand-in; its requests are judged by the official interface at the end."""
    with ksef.running(authority) as running:
        yield running
        if judging.DOCUMENT.exists() and not authority.unknown_members:
            assert judging.faults(running.exchanges) == []


@pytest.fixture
def point(service):
    """The access point to the stand-in."""
    return company.point_at(service.url)


@pytest.fixture
def connection(point, authority):
    """The connection of the seller, by a token."""
    return company.connected(point, {"token": authority.issue_token(company.SELLER)})


@pytest.fixture
def bound(point, connection):
    return company.bound(point, connection)


@pytest.fixture
def move(monkeypatch):
    """Moves the clock. It begins at noon, so that a test does not pass midnight by itself."""
    real = clock.now
    noon = real().replace(hour=12, minute=0, second=0, microsecond=0)
    shift = [noon - real()]
    monkeypatch.setattr(clock, "now", lambda: real() + shift[0])

    def moved(**given: float) -> None:
        shift[0] += timedelta(**given)

    return moved


@pytest.fixture
def pef_point(service):
    """The access point for PEF to the stand-in; its provider has not logged in yet."""
    return company.pef_point_at(service.url)


@pytest.fixture
def permitted(authority):
    """The seller has given the permission PefInvoicing to the provider."""
    authority.grant(("Nip", company.SELLER), ("PeppolId", company.PROVIDER), "PefInvoicing")


@pytest.fixture
def pef_connection(pef_point, authority, permitted):
    """The connection of the seller for PEF, which a token has shown to be its own."""
    return company.connected(pef_point, {"token": authority.issue_token(company.SELLER)})


@pytest.fixture
def pef_bound(pef_point, pef_connection):
    return company.bound(pef_point, pef_connection)


@pytest.fixture
def buyer(point, authority):
    """The connection of the buyer, by a token."""
    token = {"token": authority.issue_token(company.BUYER)}
    return company.connected(point, token, company.BUYER, "c2")


@pytest.fixture
def arrive(service, authority):
    """A function that lets a seller send so many invoices to the buyer; their KSeF numbers."""
    return receiving.arriving(service, authority)


@pytest.fixture
def inbox(point, buyer):
    return receiving.Inbox(point, buyer)
