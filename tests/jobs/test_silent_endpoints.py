"""Webhooks with the real relay, workers, PostgreSQL and receivers on loopback.

`python -m bench.webhooks` is the full form of the first test.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator

import pytest

from bench.service import RunningService, running_service
from bench.webhooks import application, await_delivered, beside_silent, receivers, subscribe

HOLES = 20
KILLS = ("worker-webhooks-0", "relay", "worker-webhooks-1") * 2
LEASES = {"EINVOICE_QUEUE_LEASE": "2", "EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true"}


@pytest.fixture
def service(request: pytest.FixtureRequest) -> Iterator[RunningService]:
    environ, workers = request.param
    with running_service(environ={**LEASES, **environ}, workers={"webhooks": workers}) as running:
        yield running


@pytest.mark.parametrize(
    ("service", "events", "seconds"),
    [
        pytest.param(
            ({"EINVOICE_WEBHOOK_TIMEOUT": "2"}, 1), 50, 12.0, id="short", marks=pytest.mark.long
        ),
        pytest.param(({}, 1), 1_000, 60.0, id="full", marks=pytest.mark.long),
    ],
    indirect=["service"],
)
def test_endpoints_that_never_answer_do_not_delay_others(service, events, seconds):
    """Twenty of them, with many events each: the webhooks of others arrive within three seconds,
    and none of the silent ones has more than two requests at a time."""
    seen = beside_silent(service, HOLES, events, rate=4.0, seconds=seconds)

    assert seen.missing == 0
    assert seen.worst < 3.0
    assert seen.most_in_flight == 2
    assert seen.silent_requests >= 2 * HOLES
    assert seen.worker_mb < 250


@pytest.mark.parametrize("service", [({"EINVOICE_WEBHOOK_TIMEOUT": "1"}, 2)], indirect=True)
def test_no_event_is_lost_when_workers_and_relay_are_killed(service):
    """Each arrives at least once; repeated is only what a killed worker had not recorded."""
    with receivers(latency=0.05) as received, application(service) as settings:
        subscribers = [subscribe(received, "prompt", f"{n}", settings) for n in range(3)]
        for one in subscribers:
            one.happen(150)
        for name in KILLS:
            time.sleep(0.6)
            service.stack.children.kill(name)
            service.stack.command(name)

        assert await_delivered(subscribers) == 450
        arrived = Counter(i for path in received.arrived.values() for i, _ in path)
        repeated = sum(arrived.values()) - len(arrived)
        assert len(arrived) == 450
        assert repeated <= len(KILLS) * len(subscribers) * 10
        assert max(received.most_open.values()) == 2
