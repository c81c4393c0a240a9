"""A job begins calls for some seconds, and what it has not come to is due again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa
from flask import Flask
from structlog.testing import CapturingLogger

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Pending,
    Registration,
)
from einvoice.services.delivery import following, transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox, Transmission
from jobs import tasks
from tests.sandbox import Sandbox
from tests.services.delivery.offering import plugin_of
from tests.workers import claimed

COUNT = 6
POLL_AFTER = timedelta(minutes=1)
RECEIVER = "0088:9520000000998"


class Slow(AccessPointBase):
    """Each of its calls takes so many seconds of the machine's clock."""

    name, network, environment = "slow", "peppol", Environment.TEST

    def __init__(self, capabilities: Capabilities) -> None:
        self.capabilities = capabilities
        self.takes = self.passed = 0.0
        self.calls: list[str] = []

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        self._called(envelope)
        if not self.capabilities.has_status:
            return Delivered()
        return Pending("ref", clock.now() + POLL_AFTER)

    def poll(self, envelope, pending):
        self._called(envelope)
        return Delivered()

    def poll_many(self, batch):
        for envelope, _ in batch:
            self._called(envelope)
        return [Delivered()] * len(batch)

    def _called(self, envelope) -> None:
        self.passed += self.takes
        self.calls.append(envelope.number)


Start = Callable[[Capabilities], tuple[Slow, Sandbox]]


@pytest.fixture
def start(make_app: Callable[..., Flask], monkeypatch: pytest.MonkeyPatch) -> Iterator[Start]:
    """A slow access point, and a sandbox with documents that are due there."""
    with ExitStack() as contexts:

        def _start(capabilities: Capabilities) -> tuple[Slow, Sandbox]:
            point = Slow(capabilities)
            app = make_app(plugins=[plugin_of(point)])
            contexts.enter_context(app.app_context())
            sandbox = Sandbox.of(app)
            real = clock.monotonic
            monkeypatch.setattr(clock, "monotonic", lambda: real() + point.passed)
            monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
            for _ in range(COUNT):
                assert sandbox.post(RECEIVER).status_code == 200
            return point, sandbox

        yield _start


def due(sandbox: Sandbox) -> list[tuple[int, str, datetime]]:
    """The rows that nobody has, and that are due: with their lane, and since when."""
    free = sa.select(Outbox.id, Outbox.lane, Outbox.due_at).where(
        Outbox.token.is_(None), Outbox.due_at <= sandbox.moment, Outbox.kind == "transmission"
    )
    with db.reading() as connection:
        return list(connection.execute(free.order_by(Outbox.id)))


TURNS = {
    "all in time": (Capabilities(), 1.0, COUNT),
    "one call that is too long": (Capabilities(), 20.0, 1),
    "the last in time": (Capabilities(), 7.0, 2),
    "calls side by side": (Capabilities(concurrency=4), 20.0, 4),
    "calls in bulk": (Capabilities(bulk=3), 20.0, 3),
}


@pytest.mark.parametrize("case", TURNS)
def test_a_job_leaves_what_it_has_no_time_for_as_it_was(start: Start, case: str) -> None:
    """So a network that does not answer keeps others waiting for one call, not for one after the
    other. Nothing of what is left counts as an attempt, and the next job begins with it."""
    capabilities, takes, submitted = TURNS[case]
    point, sandbox = start(capabilities)
    point.takes, before = takes, due(sandbox)
    tasks.advance_transmissions(*claimed(outbox.BULK, sandbox.tenant))
    with db.reading() as connection:
        query = sa.select(Transmission.attempts).where(Transmission.status == "Processing")
        attempts = connection.execute(query).scalars().all()

    assert len(before) == COUNT
    assert len(point.calls) == submitted
    assert due(sandbox) == before[submitted:]
    assert attempts == [0] * (COUNT - submitted)
    while due(sandbox):
        tasks.advance_transmissions(*claimed(outbox.BULK, sandbox.tenant))
    assert sorted(point.calls) == sorted(set(point.calls))
    assert len(point.calls) == COUNT


@pytest.mark.parametrize(("takes", "named"), [(20.0, []), (21.0, ["slow"])])
def test_an_access_point_that_keeps_a_worker_is_named(start, takes, named, monkeypatch) -> None:
    """So an operator sees for whom the documents of all others have waited."""
    point, sandbox = start(Capabilities())
    events = CapturingLogger()
    began = sandbox.moment.timestamp()
    monkeypatch.setattr(transmit, "log", events)
    monkeypatch.setattr(clock, "monotonic", lambda: began + point.passed)
    point.takes = takes
    tasks.advance_transmissions(*claimed(outbox.BULK, sandbox.tenant))

    assert [one.kwargs["access_point"] for one in events.calls] == named


@pytest.mark.parametrize(("bulk", "polled"), [(1, 1), (4, 4)])
def test_polls_end_with_the_time_of_their_job(start: Start, bulk: int, polled: int) -> None:
    point, sandbox = start(Capabilities(has_status=True, poll_bulk=bulk))
    sandbox.work()
    sandbox.moment += POLL_AFTER
    point.calls, point.takes = [], following.BEGIN_SECONDS + 1
    tasks.advance_transmissions(*claimed(outbox.CHORES, sandbox.tenant))

    assert len(point.calls) == polled
    assert len(due(sandbox)) == COUNT - polled
