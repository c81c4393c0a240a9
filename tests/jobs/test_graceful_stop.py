"""SIGTERM, as sent by systemd and Docker: running work is finished, none is started."""

from __future__ import annotations

import ctypes
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
import requests

from bench.service import BY_HTTP, RunningService, running_service
from einvoice.cli.processes import einvoice
from tests.access_points.http_network import deliveries
from tests.processes import descendants, is_alive
from tests.waiting import until

WORKER = "worker-bulk-0"
LATENCY = 3.0
PATIENT = {"HTTP_ACCESS_POINT_TIMEOUT": "60"}  # a busy machine is no silent network


@pytest.fixture(scope="module")
def service() -> Iterator[RunningService]:
    """The service with a network latency of three seconds and no worker for waited sends."""
    with running_service({"latency": LATENCY}, PATIENT, {"bulk": 1, "chores": 1}) as service:
        service.reference(BY_HTTP)
        yield service


def send(service: RunningService, number: str, prefer: str) -> requests.Response:
    return requests.post(
        f"{service.stack.url}/api/invoices/send",
        json=service.body(number, BY_HTTP),
        headers={"x-api-key": service.key, "Prefer": prefer},
        timeout=60,
    )


def process(service: RunningService, name: str) -> subprocess.Popen[bytes]:
    return dict(service.stack.children.running())[name]


def test_a_worker_finishes_the_send_it_began(service):
    """The network has the document: its answer is still stored."""
    answer = send(service, "G-1", "respond-async").json()
    message = f"{answer['transactionId']}@http"
    until(lambda: deliveries(service.ledger)[message])
    worker = process(service, WORKER)
    worker.send_signal(signal.SIGTERM)

    assert worker.wait(120) == 0
    url = f"{service.stack.url}/api/invoices/{answer['invoiceId']}"
    reported = requests.get(url, headers={"x-api-key": service.key}, timeout=30).json()
    assert reported["networkStatus"] == "Delivered"
    assert deliveries(service.ledger)[message] == 1
    service.stack.command(WORKER)


def test_a_relay_ends_at_once(service):
    """A round is short, and its leases end."""
    relay = process(service, "relay")
    relay.send_signal(signal.SIGTERM)

    assert relay.wait(120) == 0
    service.stack.command("relay")


def test_a_web_process_ends_whichever_of_its_threads_gets_the_signal(service):
    """The system chooses the thread; Python handles a signal in the first one only."""
    worker = min(_web_processes(process(service, "web").pid))
    threads = {int(each.name) for each in Path(f"/proc/{worker}/task").iterdir()}
    assert ctypes.CDLL(None).tgkill(worker, max(threads - {worker}), signal.SIGTERM) == 0

    until(lambda: not is_alive(worker))
    until(lambda: _is_healthy(service.stack.url))  # the server has started another one


def test_a_web_process_answers_the_requests_it_has(service):
    """A send that waits for its outcome still gets it, then the process ends."""
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(send, service, "G-2", "wait=25")
        until(lambda: _accepted(service, "G-2"))
        web = process(service, "web")
        web.send_signal(signal.SIGTERM)
        service.stack.children.start(
            "late", einvoice("worker", "waited"), env=service.stack.environ
        )

        assert asked.result().status_code == 200
    assert web.wait(120) == 0
    with pytest.raises(requests.ConnectionError):
        requests.get(f"{service.stack.url}/healthz", timeout=30)


# The web server with processes that hold too much from the first measurement on.
TOO_LARGE = """
from einvoice import config
from einvoice.cli import serve
config._MINIMA["process_memory_mb"] = 1
serve.MEMORY_SAMPLES = serve.MEMORY_SAMPLE_SECONDS = 1
serve.serve()
"""


def test_a_web_process_that_is_replaced_answers_the_requests_it_has(service):
    """One that holds too much memory; the server, its address and the other requests stay."""
    stack, children = service.stack, service.stack.children
    for left in {"web", "late"} & dict(children.running()).keys():  # of the tests before
        children.kill(left)
    environ = stack.environ | {"EINVOICE_PROCESS_MEMORY_MB": "1", "EINVOICE_WEB_WORKERS": "1"}
    children.start("replaced", [sys.executable, "-c", TOO_LARGE], env=environ)
    until(lambda: _is_healthy(stack.url))
    with ThreadPoolExecutor(1) as thread:
        asked = thread.submit(send, service, "G-3", "wait=25")
        until(lambda: _accepted(service, "G-3"))
        serving = _web_processes(process(service, "replaced").pid)  # one of them has the request
        until(lambda: _web_processes(process(service, "replaced").pid) - serving)
        children.start("later", einvoice("worker", "waited"), env=stack.environ)

        assert asked.result().status_code == 200
    until(lambda: not any(map(is_alive, serving)))
    assert _is_healthy(stack.url)
    assert process(service, "replaced").poll() is None


def _web_processes(server: int) -> set[int]:
    return {pid for pid in descendants(server) if is_alive(pid)}


def _is_healthy(url: str) -> bool:
    try:
        return requests.get(f"{url}/healthz", timeout=30).ok
    except requests.ConnectionError:
        return False


def _accepted(service: RunningService, number: str) -> bool:
    with psycopg.connect(service.database) as connection:
        found = connection.execute("SELECT 1 FROM invoices WHERE number = %s", [number])
        return found.fetchone() is not None
