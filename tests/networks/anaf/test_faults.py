"""1,000 uploads to RO e-Factura with faults and killed workers: nothing lost, nothing twice."""

from __future__ import annotations

import statistics
from collections import Counter
from datetime import timedelta

import pytest

from plugins.anaf.tests import company
from tests.networks import faulty
from tests.networks.anaf import selling
from tests.networks.anaf.authority import Authority
from tests.networks.anaf.judging import by_own_rules
from tests.networks.anaf.selling import Plugin, a_send, connect
from tests.networks.faulty import Dice, kept, settled
from tests.waiting import becomes
from tests.web.caller import Caller

COUNT, BATCH = 1_000, 100
FAULTS = {"timeout": 0.05, "gateway": 0.05, "lost": 0.02}
BATCH_SECONDS = 240


@pytest.fixture
def authority():
    return Authority(delay=timedelta(seconds=0.5), judge=by_own_rules)


@pytest.fixture
def seller(make_app, service, authority):
    """A company in the service, whose clock goes on."""
    caller = Caller(make_app([Plugin(service)]))
    connect(caller, authority, company.SELLER)
    return caller


@pytest.fixture
def workers(seller, service, database_url, tmp_path):
    place = (selling.__name__, "plugins/anaf", service.url, database_url, tmp_path)
    with faulty.workers(seller, *place, together=24) as found:
        yield found


@pytest.mark.long
@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_no_upload_is_lost_or_made_twice(seller, authority, service, workers, record_property):
    """5 % time-outs, 5 % faults of the gateway, 2 % lost answers; a worker killed every 100."""
    service.faults = Dice(18, FAULTS)
    workers.start()
    for batch in range(COUNT // BATCH):
        for number in range(BATCH):
            answer = seller.send(a_send(number=f"RO-{batch}-{number}"))
            assert answer.status_code == 200, answer.text
        faulty.repeat_for_a_day(seller)
        becomes(
            lambda goal=batch * BATCH + BATCH // 2: len(authority.uploads) >= goal, 60, pause=0.2
        )
        workers.kill()
        workers.start()
        goal = (batch + 1) * BATCH
        becomes(lambda goal=goal: settled(seller)["Delivered"] >= goal, BATCH_SECONDS, pause=0.2)
    service.faults = lambda call: None
    becomes(lambda: kept(seller, "AUTHORITY_DOCUMENT") >= COUNT, 300, pause=0.2)
    workers.kill()

    assert settled(seller) == {"Delivered": COUNT}
    contents = Counter(each.document for each in authority.uploads.values())
    assert len(contents) == COUNT
    assert [count for count in contents.values() if count > 1] == []
    assert kept(seller, "AUTHORITY_DOCUMENT") == COUNT
    figures = measured(authority)
    record_property("figures", str(figures))
    assert figures["median"] <= 3
    assert figures["most in a minute"] <= 1_000
    assert figures["most downloads of a file"] <= 10


def measured(authority) -> dict[str, float]:
    """Calls of a document in the median, of the busiest minute, and downloads of a file."""
    of_document = Counter()
    files = {each.file_id: each.index for each in authority.uploads.values()}
    for _, _, of in authority.calls:
        of_document[files.get(of, of)] += 1
    times = [at for at, _, _ in authority.calls]
    busiest, first = 0, 0
    for last, at in enumerate(times):
        while at - times[first] > timedelta(minutes=1):
            first += 1
        busiest = max(busiest, last - first + 1)
    downloads = [n for (what, *_), n in authority.counts.items() if what == "file"]
    return {
        "calls": len(times),
        "median": 1 + statistics.median(of_document[index] for index in authority.uploads),
        "most in a minute": busiest,
        "most downloads of a file": max(downloads),
    }
