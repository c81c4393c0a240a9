"""Documents pushed over HTTP while the web is killed with SIGKILL repeatedly.

The network does what networks do: it pushes a message until it is acknowledged.
"""

from __future__ import annotations

import random
import subprocess
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
import requests

from bench.service import RunningService, running_service
from einvoice.cli.processes import einvoice
from einvoice.network import samples
from einvoice.network.types import Inbound

TOKEN = "a-shared-secret"
MESSAGES, SENDERS = 120, 6
DEATHS = 4
TIMEOUT_SECONDS = 240.0  # however busy the machine

pytestmark = pytest.mark.long


@pytest.fixture
def service() -> Iterator[RunningService]:
    with running_service(environ={"HTTP_ACCESS_POINT_TOKEN": TOKEN}, workers={}) as service:
        words = ("participants", "add", service.tenant, str(samples.RECEIVER))
        subprocess.run(einvoice(*words), env=service.stack.environ, check=True, timeout=60)
        yield service


def pushed(service: RunningService, inbound: Inbound) -> bytes:
    """The acknowledgement; the push is repeated until there is one."""
    url = f"{service.stack.url}/networks/http-test/messages/{inbound.instance_id}"
    headers = {
        "authorization": f"Bearer {TOKEN}",
        "x-sender": str(inbound.sender),
        "x-receiver": str(inbound.receiver),
        "x-document-type": str(inbound.document_type),
    }
    until = time.monotonic() + TIMEOUT_SECONDS
    while time.monotonic() < until:
        try:
            answer = requests.post(url, data=inbound.document, headers=headers, timeout=30)
        except requests.RequestException:
            time.sleep(0.05)
            continue
        if answer.status_code == 200:
            return answer.content
        assert answer.status_code >= 500, answer.text
    raise TimeoutError(inbound.instance_id)


def test_an_acknowledged_message_is_stored_once_with_its_receipt(service):
    """Each message has one document and one event, and the stored receipt is the one returned."""
    messages = [samples.inbound() for _ in range(MESSAGES)]
    finished, deaths = threading.Event(), []

    def _die_and_rise() -> None:
        dice = random.Random(5)
        for _ in range(DEATHS):
            if finished.wait(dice.uniform(0.3, 1.2)):
                return
            service.stack.children.kill("web")
            deaths.append(time.monotonic())
            service.stack.command("web")
            until = time.monotonic() + TIMEOUT_SECONDS
            while not _answers(service) and time.monotonic() < until:
                time.sleep(0.05)

    reaper = threading.Thread(target=_die_and_rise)
    reaper.start()
    with ThreadPoolExecutor(SENDERS) as network:
        receipts = list(network.map(lambda message: pushed(service, message), messages))
    finished.set()
    reaper.join()

    kept = rows(service, "SELECT instance_id, receipt FROM received")
    reported = rows(service, "SELECT invoice_id, count(*) FROM events GROUP BY invoice_id")
    assert sorted((i, bytes(r)) for i, r in kept) == sorted(
        (message.instance_id, receipt) for message, receipt in zip(messages, receipts, strict=True)
    )
    assert deaths
    assert len(reported) == MESSAGES
    assert {count for _, count in reported} == {1}


def _answers(service: RunningService) -> bool:
    try:
        return requests.get(f"{service.stack.url}/healthz", timeout=5).ok
    except requests.RequestException:
        return False


def rows(service: RunningService, query: str) -> list[tuple[object, ...]]:
    url = service.database.replace("postgresql+psycopg://", "postgresql://")
    with psycopg.connect(url) as connection:
        return connection.execute(query.encode()).fetchall()
