"""The HTTP access point that other tests and the benchmarks rely on does what they rely on."""

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
    Moods,
    deliveries,
    running,
)

ROOT = Path(__file__).parents[2]


@pytest.fixture
def ledger(tmp_path) -> Path:
    return tmp_path / "ledger"


@pytest.fixture
def nobody() -> Iterator[int]:
    """A port that is taken, where nobody listens."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


MOODS = {
    "well": (Moods(), Repeat.NEVER),
    "idempotent": (Moods(idempotent=True), Repeat.IDEMPOTENT),
    "later": (Moods(later=1.0, takes=0.05), Repeat.NEVER),
    "twice": (Moods(duplicates=1.0), Repeat.NEVER),
    "silent": (Moods(silent=1.0), Repeat.NEVER),
}


def _timeout(moods: Moods) -> float:
    """Short only where it is waited for."""
    return 0.5 if moods.silent else 30.0


class TestContract(AccessPointContract):
    @pytest.fixture(params=MOODS)
    def access_point(self, request, ledger):
        moods, repeat = MOODS[request.param]
        with running(ledger, moods) as url:
            yield HttpAccessPoint(url, repeat, concurrency=4, timeout=_timeout(moods))

    @pytest.fixture
    def an_envelope(self):
        return partial(samples.envelope)

    @pytest.fixture
    def refused_envelope(self):
        return samples.envelope(receiver=ParticipantId.parse(REFUSED_RECEIVER))

    @pytest.fixture
    def offline(self, nobody):
        return HttpAccessPoint(f"http://127.0.0.1:{nobody}", timeout=10.0)

    @pytest.fixture
    def stranger(self):
        return ParticipantId.parse(STRANGER)


def submitted(point, envelope=None):
    exchange = prepared_exchange(point, envelope or samples.envelope())
    return exchange, point.submit(*exchange)


def test_silence_is_unknown_and_the_document_was_taken(ledger):
    """The time-out that must not be repeated blindly: `find` knows better."""
    with running(ledger, Moods(silent=1.0)) as url:
        exchange, outcome = submitted(HttpAccessPoint(url, timeout=0.5))

        assert isinstance(outcome, Unknown)
        assert isinstance(HttpAccessPoint(url, timeout=60.0).find(*exchange), Delivered)
    assert deliveries(ledger) == {exchange[1].message_id: 1}


def test_a_lost_document_is_unknown_and_was_never_seen(ledger):
    """The other time-out: it may be sent again, because the network is sure."""
    with running(ledger, Moods(lost=1.0)) as url:
        exchange, outcome = submitted(HttpAccessPoint(url, timeout=0.5))

        assert isinstance(outcome, Unknown)
        assert isinstance(HttpAccessPoint(url, timeout=60.0).find(*exchange), NeverSeen)
    assert not deliveries(ledger)


def test_a_busy_network_took_nothing(ledger):
    """NotSent, with the time to wait that it asked for."""
    with running(ledger, Moods(busy=1.0)) as url:
        _, outcome = submitted(HttpAccessPoint(url))

    assert outcome == NotSent("busy", 1.0)
    assert not deliveries(ledger)


def test_a_later_delivery_is_polled(ledger):
    """Pending until the network's time has come."""
    with running(ledger, Moods(later=1.0, takes=3600.0)) as url:
        (envelope, _), pending = submitted(HttpAccessPoint(url))
        early = HttpAccessPoint(url).poll(envelope, stored(pending))
    assert isinstance(pending, Pending)
    assert isinstance(early, Pending)

    with running(ledger, Moods(later=1.0, takes=0.2)) as url:
        point = HttpAccessPoint(url)
        exchange, outcome = submitted(point)
        until = time.monotonic() + 30
        while isinstance(outcome, Pending) and time.monotonic() < until:
            time.sleep(0.02)
            outcome = point.poll(exchange[0], stored(outcome))
    assert isinstance(outcome, Delivered)


def test_a_duplicate_receipt_follows(ledger):
    """The same receipt once more; the document was taken once."""
    with running(ledger, Moods(duplicates=1.0)) as url:
        point = HttpAccessPoint(url)
        (envelope, prepared), first = submitted(point)
        second = point.poll(envelope, stored(first.follow_up))

    assert second.evidence == first.evidence
    assert second.follow_up is None
    assert deliveries(ledger)[prepared.message_id] == 1


@pytest.mark.parametrize(("idempotent", "taken"), [(False, 2), (True, 1)])
def test_the_ledger_counts_every_delivery(ledger, idempotent, taken):
    """A blind repeat shows, unless the network recognises it."""
    with running(ledger, Moods(idempotent=idempotent)) as url:
        point = HttpAccessPoint(url)
        exchange, _ = submitted(point)
        point.submit(*exchange)

    assert deliveries(ledger) == {exchange[1].message_id: taken}


def test_the_ledger_outlives_the_network(ledger):
    """Restarted, it still knows what it took: `find` says Delivered."""
    with running(ledger) as url:
        exchange, _ = submitted(HttpAccessPoint(url))
    with running(ledger) as url:
        found = HttpAccessPoint(url).find(*exchange)

    assert isinstance(found, Delivered)


def test_a_line_cut_off_by_a_crash_is_no_delivery(ledger):
    """Only whole lines count."""
    ledger.write_text("one abc\ntwo abc\none abc\nthr")

    assert deliveries(ledger) == {"one": 2, "two": 1}


def test_latency_holds_up_one_document_and_not_the_others(ledger):
    """Sixteen documents at a second each, side by side, take far less than sixteen seconds."""
    with running(ledger, Moods(latency=1.0)) as url:
        point = HttpAccessPoint(url, concurrency=16)
        begun = time.monotonic()
        with ThreadPoolExecutor(16) as threads:
            list(threads.map(lambda _: submitted(point), range(16)))

    assert 1.0 <= time.monotonic() - begun < 12.0


def test_it_has_room_for_so_many_connections_and_no_more(ledger):
    """The one too many is hung up on, the others are served."""
    with running(ledger, Moods(max_connections=1)) as url:
        first, second = HttpAccessPoint(url), HttpAccessPoint(url)
        _, served = submitted(first)  # and its connection is kept
        _, hung_up = submitted(second)

    assert isinstance(served, Delivered)
    assert isinstance(hung_up, Unknown)


def test_it_runs_as_a_process_and_says_where(ledger):
    """As the benchmarks start it; killed, it leaves its ledger."""
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
    """With the address it is given; without one the start stops."""
    settings = {"HTTP_ACCESS_POINT_URL": "http://127.0.0.1:1", "HTTP_ACCESS_POINT_REPEAT": "never"}
    points = registry.load(settings, [http_access_point])

    assert points.serving(samples.RECEIVER, Environment.TEST) is points["http-test"]
    with pytest.raises(registry.PluginFault, match="HTTP_ACCESS_POINT_URL"):
        registry.load({}, [http_access_point])


def test_other_processes_find_it_once_it_is_announced(tmp_path):
    """By entry point, as an installed plugin is found."""
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
