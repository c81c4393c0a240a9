"""Units of a seller while calls fail and workers are killed: chains without gaps."""

from __future__ import annotations

from collections import Counter

import pytest

from einvoice_zatca.digests import FIRST_HASH
from einvoice_zatca.verification import verify
from tests.networks import faulty
from tests.networks.faulty import Dice, kept, settled
from tests.networks.zatca import selling
from tests.networks.zatca.selling import CONSUMER, a_send, connect, plugin_of
from tests.waiting import becomes
from tests.web.caller import Caller

UNITS, ROUNDS, EACH = 20, 20, 1
FAULTS = {"lost": 0.03, "gateway": 0.03, "refused-json": 0.01}


@pytest.fixture
def units(make_app, service, authority):
    """A seller, and the connections of its units."""
    caller = Caller(make_app([plugin_of(service)]))
    return caller, [connect(caller, authority, f"-{number}") for number in range(UNITS)]


@pytest.fixture
def workers(units, service, database_url, tmp_path):
    place = (selling.__name__, "plugins/zatca", service.url, database_url, tmp_path)
    with faulty.workers(units[0], *place, together=24) as found:
        yield found


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_chains_have_no_gap_and_no_counter_twice(units, authority, service, workers):
    """Two workers, of which one is killed in each round; calls fail meanwhile."""
    seller, connections = units
    service.faults = Dice(41, FAULTS)
    workers.start()
    workers.start()
    for number in range(ROUNDS):
        for place, connection in enumerate(connections):
            for each in range(EACH):
                buyer = {"buyer": CONSUMER} if (place + number) % 2 else {}
                body = a_send(number=f"SA-{place}-{number}-{each}", **buyer)
                body["routing"]["connection"] = connection
                answer = seller.send(body)
                assert answer.status_code == 200, answer.text
        faulty.repeat_for_a_day(seller)
        goal = number * UNITS * EACH + UNITS // 2
        becomes(lambda goal=goal: len(authority.taken) >= goal, 120, pause=0.1)
        workers.kill()
        workers.start()
    service.faults = lambda call: None
    total = UNITS * ROUNDS * EACH
    becomes(lambda: settled(seller)["Delivered"] >= total, 300, pause=0.2)

    assert settled(seller) == {"Delivered": total}
    assert kept(seller, "AUTHORITY_DOCUMENT") == total
    documents = {checked.uuid: checked for checked in map(_verified, authority.taken.values())}
    assert all(each.faults == () for each in documents.values())
    for unit in authority.units.values():
        assert [counter for counter, _ in unit.links] == [*range(1, ROUNDS * EACH + 1)]
    assert _previous(documents) == {FIRST_HASH: UNITS}


def _verified(taken):
    return verify(taken[1])


def _previous(documents) -> Counter[str]:
    """The hashes that are those of no document, with the number of documents that name them."""
    known = {each.hash for each in documents.values()}
    return Counter(each.previous for each in documents.values() if each.previous not in known)
