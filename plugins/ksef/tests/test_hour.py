"""A seller's hour with the limits of production: every invoice gets its number, once."""

from __future__ import annotations

import random
from datetime import timedelta

import pytest

from einvoice.network.types import Delivered
from plugins.ksef.tests import company, hour
from tests.networks import ksef
from tests.networks.ksef.authority import Authority

HOUR = timedelta(hours=1)


def sent_in_an_hour(count, spread, faults=None):
    """The seller, the stand-in, and the time that it took."""
    with hour.moving() as moved:
        authority = Authority(timedelta(seconds=3))
        authority.use_production_limits()
        with ksef.running(authority) as service:
            one = hour.seller(
                company.point_at(service.url), authority, company.SELLER, count, spread
            )
            service.faults = faults or service.faults
            took = hour.run([one], moved, 2 * HOUR)
    return one, authority, took


def check(one, authority, count):
    numbers = [each.state.evidence[0].authority_reference for each in one.documents]

    assert all(isinstance(each.state, Delivered) for each in one.documents)
    assert len(set(numbers)) == len(authority.archive) == count
    assert authority.limits.refusals == []


@pytest.mark.parametrize("spread", [timedelta(0), timedelta(minutes=20)])
def test_more_invoices_than_the_session_takes_have_their_numbers(spread):
    one, authority, took = sent_in_an_hour(300, spread)

    check(one, authority, 300)
    assert took < HOUR / 2


@pytest.mark.long
@pytest.mark.parametrize("spread", [timedelta(0), timedelta(minutes=55)])
def test_two_thousand_invoices_of_a_seller_in_an_hour(spread):
    one, authority, took = sent_in_an_hour(2000, spread)

    check(one, authority, 2000)
    assert took <= HOUR


def test_lost_answers_lead_to_no_second_invoice():
    """A twentieth of all calls: the answer is lost, or the gateway fails."""
    chance = random.Random(7)

    def faults(call):
        if "auth" in call or chance.random() > 0.05:
            return None
        return chance.choice(["lost", "gateway", "html"])

    one, authority, _ = sent_in_an_hour(150, timedelta(minutes=10), faults)

    check(one, authority, 150)


def test_sellers_side_by_side_do_not_share_their_limits():
    with hour.moving() as moved:
        authority = Authority(timedelta(seconds=3))
        authority.use_production_limits()
        with ksef.running(authority) as service:
            point = company.point_at(service.url)
            nips = [f"526589{number:04}" for number in range(20)]
            sellers = [hour.seller(point, authority, nip, 20) for nip in nips]
            took = hour.run(sellers, moved, HOUR)

    assert all(isinstance(d.state, Delivered) for one in sellers for d in one.documents)
    assert len(authority.archive) == 400
    assert authority.limits.refusals == []
    assert took < HOUR / 10
