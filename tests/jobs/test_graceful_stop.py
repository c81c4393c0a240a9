"""SIGTERM, as systemd and Docker send it: what was begun is finished, nothing is begun any more."""

from __future__ import annotations

import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import requests

from bench.ground import BY_HTTP, Ground, service
from einvoice.cli.processes import einvoice
from tests.access_points.http_network import deliveries

WORKER = "worker-bulk-0"
LATENCY = 3.0
PATIENT = {"HTTP_ACCESS_POINT_TIMEOUT": "60"}  # a busy machine is no silent network


@pytest.fixture(scope="module")
def ground() -> Iterator[Ground]:
    """A network that thinks for three seconds; nobody works for those who wait."""
    with service({"latency": LATENCY}, PATIENT, {"bulk": 1, "chores": 1}) as ground:
        yield ground


def send(ground: Ground, number: str, prefer: str) -> requests.Response:
    return requests.post(
        f"{ground.stack.url}/api/invoices/send",
        json=ground.body(number, BY_HTTP),
        headers={"x-api-key": ground.key, "Prefer": prefer},
        timeout=60,
    )


def process(ground: Ground, name: str) -> subprocess.Popen[bytes]:
    return dict(ground.stack.children.running())[name]


def until(what: Callable[[], object], seconds: float = 120.0) -> None:
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_a_worker_finishes_the_send_it_began(ground):
    """The network has the document and thinks: its answer is still taken and written down."""
    answer = send(ground, "G-1", "respond-async").json()
    message = f"{answer['transactionId']}@http"
    until(lambda: deliveries(ground.ledger)[message])
    worker = process(ground, WORKER)
    worker.send_signal(signal.SIGTERM)

    assert worker.wait(120) == 0
    url = f"{ground.stack.url}/api/invoices/{answer['invoiceId']}"
    told = requests.get(url, headers={"x-api-key": ground.key}, timeout=30).json()
    assert told["networkStatus"] == "Delivered"
    assert deliveries(ground.ledger)[message] == 1
    ground.stack.command(WORKER)


def test_a_relay_ends_at_once(ground):
    """A round is short; nothing it leased is lost."""
    relay = process(ground, "relay")
    relay.send_signal(signal.SIGTERM)

    assert relay.wait(120) == 0
    ground.stack.command("relay")


def test_a_web_process_answers_the_requests_it_has(ground):
    """A send that waits for its outcome still gets it, then the process ends."""
    ground.reference(BY_HTTP)
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(send, ground, "G-2", "wait=25")
        until(lambda: _accepted(ground, "G-2"))
        web = process(ground, "web")
        web.send_signal(signal.SIGTERM)
        ground.stack.children.start("late", einvoice("worker", "waited"), env=ground.stack.environ)

        assert asked.result().status_code == 200
    assert web.wait(120) == 0
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{ground.stack.url}/healthz", timeout=30)


def _accepted(ground: Ground, number: str) -> bool:
    with psycopg.connect(ground.database) as connection:
        found = connection.execute("SELECT 1 FROM invoices WHERE number = %s", [number])
        return found.fetchone() is not None
