"""Invoices to KSeF with faults and killed workers: nothing lost, no number given twice."""

from __future__ import annotations

from datetime import timedelta

import pytest

from plugins.ksef.tests import company
from tests.networks import faulty
from tests.networks.faulty import Dice, kept, settled
from tests.networks.ksef import selling
from tests.networks.ksef.authority import Authority
from tests.networks.ksef.selling import Plugin, a_send, connect
from tests.waiting import becomes
from tests.web.caller import Caller

COUNT, BATCH = 300, 60
FAULTS = {"timeout": 0.02, "gateway": 0.04, "lost": 0.04, "html": 0.01}
BATCH_SECONDS = 240


@pytest.fixture
def authority():
    return Authority(delay=timedelta(seconds=0.5))


@pytest.fixture
def seller(make_app, service, authority):
    """A company in the service, whose clock goes on."""
    caller = Caller(make_app([Plugin(service.url)]))
    connect(caller, {"token": authority.issue_token(company.SELLER)})
    return caller


@pytest.fixture
def workers(seller, service, database_url, tmp_path):
    place = (selling.__name__, "plugins/ksef", service.url, database_url, tmp_path)
    with faulty.workers(seller, *place, together=40) as found:
        yield found


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_no_invoice_is_lost_or_has_two_numbers(seller, authority, service, workers):
    """A tenth of all calls fails; two workers, one of which is killed for every 60 invoices."""
    service.faults = Dice(18, FAULTS, spared="/auth/")
    workers.start()
    workers.start()
    for batch in range(COUNT // BATCH):
        for number in range(BATCH):
            sent = seller.send(a_send(f"FV/{batch}/{number}"))
            assert sent.status_code == 200, sent.text
        faulty.repeat_for_a_day(seller)
        becomes(
            lambda goal=batch * BATCH + BATCH // 2: len(authority.archive) >= goal, 60, pause=0.2
        )
        workers.kill()
        workers.start()
        goal = (batch + 1) * BATCH
        becomes(lambda goal=goal: settled(seller)["Delivered"] >= goal, BATCH_SECONDS, pause=0.2)
    service.faults = lambda call: None
    becomes(lambda: kept(seller, "AUTHORITY_RECEIPT") >= COUNT, 180, pause=0.2)

    assert settled(seller) == {"Delivered": COUNT}
    assert len(authority.archive) == COUNT
    assert kept(seller, "AUTHORITY_DOCUMENT") == kept(seller, "AUTHORITY_RECEIPT") == COUNT
    assert authority.limits.refusals == []
