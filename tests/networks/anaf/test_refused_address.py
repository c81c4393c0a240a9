"""A firewall before ANAF refuses the address of the service: no company is blamed for it."""

from __future__ import annotations

import pytest

from plugins.anaf.tests import company
from tests.networks import refusing
from tests.networks.anaf.selling import a_send, connect
from tests.networks.stand_ins import REFUSALS
from tests.web.caller import Caller


@pytest.fixture
def seller(app, authority, move):
    caller = Caller(app)
    connect(caller, authority, company.SELLER)
    return caller


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_403_without_words_of_the_authority_blames_no_account(seller, service, move):
    """JSON of a security service, a page, nothing: once, and for hours. Documents leave
    minutes after it, and the operator was told."""

    def send(number: str) -> str:
        answer = seller.send(a_send(number=number))
        assert answer.status_code == 200, answer.text
        return answer.json["invoiceId"]

    assert refusing.goes_through(seller, service, move, send) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_one_call_in_a_few_minutes_is_made_while_the_address_is_refused(
    app, seller, authority, service, move
):
    """Whatever the number of documents and companies."""
    other = Caller(app)
    connect(other, authority, company.BUYER)
    for number in range(20):
        seller.send(a_send(number=f"RO-{number}"))
    service.faults = lambda _: REFUSALS[0]
    service.requests.clear()
    for _ in range(60):
        seller.work()
        refusing.check_connections(other)
        move(minutes=1)

    assert 12 <= len(service.requests) <= 25


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_the_authority_s_own_words_blame_the_account(seller, authority, service, move):
    """A person who has lost the rights is told at once."""
    seller.send(a_send(number="RO-1"))
    for person in authority.rights:
        authority.rights[person] = {"1"}
    seller.work()
    refusing.check_connections(seller)

    assert "needs-person" in refusing.states(seller)
    assert refusing.told(seller) == []
