"""Where RQ would lose or repeat a job, the database does not: each hole with SIGKILL at its edge.

Leases are two seconds long here, so that what a dead process held is due again soon.
"""

from __future__ import annotations

import signal
import sys
import uuid
from collections.abc import Iterator

import pytest
import requests
from redis import Redis

from bench.service import BY_HTTP, RunningService, running_service
from tests.access_points.http_network import deliveries
from tests.waiting import becomes, until

LEASES = {
    "EINVOICE_QUEUE_LEASE": "2",
    "EINVOICE_LEASE_MARGIN": "1",
    "HTTP_ACCESS_POINT_TIMEOUT": "1",
}
WORKER = "worker-bulk-0"

DIES_BEFORE_THE_JOB_STARTS = """
import os, signal
from jobs import worker
worker.LaneWorker.execute_job = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from einvoice.cli import main
main(["worker", "bulk"])
"""
DIES_BEFORE_THE_JOB_IS_QUEUED = """
import os, signal
from jobs import relay
relay.Relay._enqueue = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
from einvoice.cli import main
main(["relay"])
"""
DIES_WHEN_THE_NETWORK_HAS_ANSWERED = """
import os, signal
from einvoice.services.delivery import settlement
settlement.write = lambda settled, *_: settled and os.kill(os.getpid(), signal.SIGKILL)
from einvoice.cli import main
main(["worker", "bulk"])
"""


@pytest.fixture(scope="module")
def service() -> Iterator[RunningService]:
    """The whole service, its network with a latency that a kill can fall into."""
    with running_service({"latency": 0.4}, LEASES, {"bulk": 1, "chores": 1}) as service:
        yield service


def send(service: RunningService) -> str:
    answer = requests.post(
        f"{service.stack.url}/api/invoices/send",
        json=service.body(f"K-{uuid.uuid4().hex[:8]}", BY_HTTP),
        headers={"x-api-key": service.key, "Prefer": "respond-async"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text
    transaction: str = answer.json()["transactionId"]
    service.references[transaction] = answer.json()["invoiceId"]
    return transaction


def is_delivered_once(service: RunningService, transaction: str) -> bool:
    """Wait until it is delivered; whether the network has it once."""
    url = f"{service.stack.url}/api/invoices/{service.references[transaction]}"

    def _status() -> str:
        answer = requests.get(url, headers={"x-api-key": service.key}, timeout=30)
        status: str = answer.json()["networkStatus"]
        return status

    becomes(lambda: _status() != "Processing", 180, pause=0.1)
    return _status() == "Delivered" and taken(service, transaction) == 1


def taken(service: RunningService, transaction: str) -> int:
    return deliveries(service.ledger)[f"{transaction}@http"]


def run_until_it_dies(service: RunningService, name: str, program: str) -> tuple[str, int]:
    """Replace the process `name` by one that kills itself, send, and restore the process.

    The transaction, and how often the network had it in between."""
    service.stack.children.kill(name)
    dying = service.stack.children.start(
        name, [sys.executable, "-c", program], env=service.stack.environ,
        log=service.stack.data_dir / "dying.log",
    )  # fmt: skip
    transaction = send(service)
    assert dying.wait(180) == -signal.SIGKILL
    reached = taken(service, transaction)
    service.stack.command(name)
    return transaction, reached


@pytest.mark.parametrize(
    ("name", "program", "reached_the_network"),
    [
        pytest.param("relay", DIES_BEFORE_THE_JOB_IS_QUEUED, 0, id="relay-before-queueing"),
        pytest.param(WORKER, DIES_BEFORE_THE_JOB_STARTS, 0, id="worker-before-the-start"),
        pytest.param(WORKER, DIES_WHEN_THE_NETWORK_HAS_ANSWERED, 1, id="worker-before-the-commit"),
    ],
)
def test_a_process_killed_around_the_fence_delays_by_a_lease(
    service, name, program, reached_the_network
):
    """The document is delivered once, by another process, whether or not it had been sent."""
    transaction, reached = run_until_it_dies(service, name, program)

    assert reached == reached_the_network
    assert is_delivered_once(service, transaction)


def test_a_worker_killed_during_a_submission_sends_nothing_twice(service):
    """The bytes were sent: the network is queried for the outcome."""
    transaction = send(service)
    until(lambda: taken(service, transaction))

    service.stack.children.kill(WORKER)
    service.stack.command(WORKER)

    assert is_delivered_once(service, transaction)


def test_jobs_lost_with_redis_are_queued_again(service):
    """A lost queue delays documents by a lease."""
    service.stack.children.kill(WORKER)
    with Redis.from_url(service.redis_url) as redis:
        transaction = send(service)
        until(lambda: redis.llen("rq:queue:einvoice-bulk"))
        redis.flushall()
    service.stack.command(WORKER)

    assert is_delivered_once(service, transaction)
