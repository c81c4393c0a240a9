"""The HTTP access point and its network, on which other tests and the benchmarks rely."""

from __future__ import annotations

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import pytest
import urllib3

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import registry, samples
from einvoice.network.testing import AccessPointContract, prepared_exchange, stored
from einvoice.network.types import (
    Delivered,
    NeverSeen,
    NotSent,
    Pending,
    Repeat,
    Unknown,
)
from tests.access_points import http_access_point
from tests.access_points.http_access_point import HttpAccessPoint, announce
from tests.access_points.http_network import (
    REFUSED_RECEIVER,
    STRANGER,
    Behaviour,
    deliveries,
    running,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(tmp_path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def closed_port() -> Iterator[int]:
    """An occupied port on which nothing listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


BEHAVIOURS = {
    "well": (Behaviour(), Repeat.NEVER),
    "idempotent": (Behaviour(idempotent=True), Repeat.IDEMPOTENT),
    "later": (Behaviour(later=1.0, takes=0.05), Repeat.NEVER),
    "twice": (Behaviour(duplicates=1.0), Repeat.NEVER),
    "silent": (Behaviour(silent=1.0), Repeat.NEVER),
}


def _timeout(behaviour: Behaviour) -> float:
    """Short only where a test waits for it."""
    return 0.5 if behaviour.silent else 30.0


class TestContract(AccessPointContract):
    @pytest.fixture(params=BEHAVIOURS)
    def access_point(self, request, ledger):
        behaviour, repeat = BEHAVIOURS[request.param]
        with running(ledger, behaviour) as url:
            yield HttpAccessPoint(url, repeat, concurrency=4, timeout=_timeout(behaviour))

    @pytest.fixture
    def an_envelope(self):
        return partial(samples.envelope)

    @pytest.fixture
    def refused_envelope(self):
        return samples.envelope(receiver=ParticipantId.parse(REFUSED_RECEIVER))

    @pytest.fixture
    def offline(self, closed_port):
        return HttpAccessPoint(f"http://127.0.0.1:{closed_port}", timeout=10.0)

    @pytest.fixture
    def stranger(self):
        return ParticipantId.parse(STRANGER)


def submitted(point, envelope=None):
    exchange = prepared_exchange(point, envelope or samples.envelope())
    return exchange, point.submit(*exchange)


def test_silence_is_unknown_and_the_document_was_taken(ledger):
    """Repeating it could deliver twice; `find` returns the outcome."""
    with running(ledger, Behaviour(silent=1.0)) as url:
        exchange, outcome = submitted(HttpAccessPoint(url, timeout=0.5))

        assert isinstance(outcome, Unknown)
        assert isinstance(HttpAccessPoint(url, timeout=60.0).find(*exchange), Delivered)
    assert deliveries(ledger) == {exchange[1].message_id: 1}


def test_a_lost_document_is_unknown_and_was_never_seen(ledger):
    """It may be sent again, because the network is certain."""
    with running(ledger, Behaviour(lost=1.0)) as url:
        exchange, outcome = submitted(HttpAccessPoint(url, timeout=0.5))

        assert isinstance(outcome, Unknown)
        assert isinstance(HttpAccessPoint(url, timeout=60.0).find(*exchange), NeverSeen)
    assert not deliveries(ledger)


def test_a_busy_network_takes_nothing(ledger):
    """NotSent, with the time of its Retry-After."""
    with running(ledger, Behaviour(busy=1.0)) as url:
        _, outcome = submitted(HttpAccessPoint(url))

    assert outcome == NotSent("busy", 1.0)
    assert not deliveries(ledger)


def test_a_later_delivery_is_polled(ledger):
    """Pending until the network has delivered."""
    with running(ledger, Behaviour(later=1.0, takes=3600.0)) as url:
        (envelope, _), pending = submitted(HttpAccessPoint(url))
        early = HttpAccessPoint(url).poll(envelope, stored(pending))
    assert isinstance(pending, Pending)
    assert isinstance(early, Pending)

    with running(ledger, Behaviour(later=1.0, takes=0.2)) as url:
        point = HttpAccessPoint(url)
        exchange, outcome = submitted(point)
        until = time.monotonic() + 30
        while isinstance(outcome, Pending) and time.monotonic() < until:
            time.sleep(0.02)
            outcome = point.poll(exchange[0], stored(outcome))
    assert isinstance(outcome, Delivered)


def test_a_duplicate_receipt_follows(ledger):
    """The same receipt a second time; the document was taken once."""
    with running(ledger, Behaviour(duplicates=1.0)) as url:
        point = HttpAccessPoint(url)
        (envelope, prepared), first = submitted(point)
        second = point.poll(envelope, stored(first.follow_up))

    assert second.evidence == first.evidence
    assert second.follow_up is None
    assert deliveries(ledger)[prepared.message_id] == 1


@pytest.mark.parametrize(("idempotent", "taken"), [(False, 2), (True, 1)])
def test_the_ledger_counts_every_delivery(ledger, idempotent, taken):
    """A repeat counts twice, unless the network recognises repeats."""
    with running(ledger, Behaviour(idempotent=idempotent)) as url:
        point = HttpAccessPoint(url)
        exchange, _ = submitted(point)
        point.submit(*exchange)

    assert deliveries(ledger) == {exchange[1].message_id: taken}


def test_the_ledger_survives_a_restart(ledger):
    """`find` returns Delivered for a document of the earlier process."""
    with running(ledger) as url:
        exchange, _ = submitted(HttpAccessPoint(url))
    with running(ledger) as url:
        found = HttpAccessPoint(url).find(*exchange)

    assert isinstance(found, Delivered)


def test_a_line_cut_off_by_a_crash_does_not_count(ledger):
    """Only whole lines count."""
    ledger.write_text("one abc\ntwo abc\none abc\nthr")

    assert deliveries(ledger) == {"one": 2, "two": 1}


def test_latency_delays_each_document_on_its_own(ledger):
    """Of 32 documents of a second each, one after the other would take 32 seconds."""
    with running(ledger, Behaviour(latency=1.0)) as url:
        point = HttpAccessPoint(url, concurrency=32)
        begun = time.monotonic()
        with ThreadPoolExecutor(32) as threads:
            list(threads.map(lambda _: submitted(point), range(32)))

    assert 1.0 <= time.monotonic() - begun < 30.0


def test_the_number_of_its_connections_is_limited(ledger):
    """One more is closed, the others are served."""
    with running(ledger, Behaviour(max_connections=1)) as url:
        first, second = HttpAccessPoint(url), HttpAccessPoint(url)
        _, served = submitted(first)  # and its connection is kept
        _, hung_up = submitted(second)

    assert isinstance(served, Delivered)
    assert isinstance(hung_up, Unknown)


def test_it_runs_as_a_process_and_prints_its_address(ledger):
    """As the benchmarks start it; the ledger is there after a kill."""
    command = [sys.executable, "-m", "tests.access_points.http_access_point", "--port", "0"]
    with subprocess.Popen(
        [*command, "--ledger", str(ledger), "--duplicates", "1"],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            url = re.search(r"http://\S+(?=,)", process.stdout.readline())[0]
            exchange, outcome = submitted(HttpAccessPoint(url))
            summary = urllib3.request("GET", f"{url}/ledger").json()
        finally:
            process.send_signal(signal.SIGKILL)

    assert isinstance(outcome, Delivered)
    assert summary == {"taken": 1, "messages": 1, "twice": []}
    assert deliveries(ledger) == {exchange[1].message_id: 1}


def test_it_is_loaded_by_its_hook(ledger):
    """With its configured address; without one the start stops."""
    settings = {"HTTP_ACCESS_POINT_URL": "http://127.0.0.1:1", "HTTP_ACCESS_POINT_REPEAT": "never"}
    points = registry.load(settings, [http_access_point])

    assert points.serving(samples.RECEIVER, Environment.TEST) == [points["http-test"]]
    with pytest.raises(registry.PluginFault, match="HTTP_ACCESS_POINT_URL"):
        registry.load({}, [http_access_point])


def test_other_processes_find_it_by_its_entry_point(tmp_path):
    """As they find an installed plugin."""
    announce(tmp_path)
    code = (
        "import os; from einvoice.network import registry;"
        "print('http-test' in registry.load(os.environ))"
    )
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(tmp_path), str(ROOT), os.environ.get("PYTHONPATH", "")]),
        "HTTP_ACCESS_POINT_URL": "http://127.0.0.1:1",
    }
    said = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, timeout=120
    )

    assert said.stdout == "True\n", said.stderr
