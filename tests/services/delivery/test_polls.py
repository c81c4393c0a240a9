"""A worker polls only what it holds, and holds it for as long as the calls may take."""

from __future__ import annotations

from contextlib import ExitStack
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    Pending,
    Registration,
    receipt,
)
from einvoice.store.core import db
from einvoice.store.tables import Artefact, Invoice, Outbox, Transmission
from tests.sandbox import Sandbox
from tests.services.delivery.offering import plugin_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

COUNT = 3
MARGIN = 15
POLL_AFTER = timedelta(minutes=1)


class Slow(AccessPointBase):
    """Has an outcome later; runs `script` at each poll."""

    name, network, environment = "slow", "peppol", Environment.TEST

    def __init__(self, capabilities: Capabilities) -> None:
        self.capabilities = capabilities
        self.script = lambda: None
        self.polls = 0

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        return Pending("ref", clock.now() + POLL_AFTER)

    def submit_many(self, batch):
        return [self.submit(*one) for one in batch]

    def poll(self, envelope, pending):
        self.polls += 1
        self.script()
        return Pending("ref", clock.now() + POLL_AFTER)


@pytest.fixture
def polling(make_app, monkeypatch):
    """`polling(…)`: an access point of these capabilities, a sandbox with pending documents, and a
    function that returns how long the rows in a worker's hands are still leased."""
    contexts = ExitStack()

    def start(kind=Slow, **capabilities):
        point = kind(Capabilities(**capabilities))
        app = make_app(plugins=[plugin_of(point)], lease_margin=MARGIN)
        contexts.enter_context(app.app_context())
        sandbox = Sandbox.of(app)
        monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
        for _ in range(COUNT):
            assert sandbox.post("0088:9520000000998").status_code == 200
        sandbox.work()

        def leases():
            query = sa.select(Outbox.lease_until).where(Outbox.token.is_not(None))
            with app.app_context(), db.reading() as connection:
                return {until - clock.now() for until in connection.execute(query).scalars()}

        return point, sandbox, leases

    with contexts:
        yield start


@pytest.mark.parametrize(
    ("capabilities", "seconds"),
    [
        ({"timeout": 40, "concurrency": COUNT}, 40),  # side by side
        ({"timeout": 40, "bulk": COUNT}, COUNT * 40),  # one after the other
        ({"timeout": 200, "bulk": COUNT}, 300),  # at most five minutes
    ],
)
def test_a_lease_lasts_as_long_as_the_calls_may_take(polling, capabilities, seconds):
    point, sandbox, leases = polling(**capabilities)
    seen = []
    point.script = lambda: seen.append(leases())
    sandbox.work(POLL_AFTER.total_seconds())

    assert seen == [{timedelta(seconds=seconds + MARGIN)}] * COUNT


def test_what_is_no_longer_held_is_not_polled(polling):
    """The first poll outlasts the leases of the others, which are another worker's by then."""
    point, sandbox, _ = polling(timeout=40)

    def hang():
        sandbox.moment += timedelta(minutes=5)

    point.script = hang
    sandbox.work(POLL_AFTER.total_seconds())

    assert point.polls == 1


class InBulk(Slow):
    """Queries many with one call; `answers` changes what it returns."""

    answers = staticmethod(lambda outcomes: outcomes)

    def __init__(self, capabilities):
        super().__init__(capabilities)
        self.batches = []

    def poll(self, envelope, pending):
        raise AssertionError("polled one by one")

    def poll_many(self, batch):
        self.batches.append([envelope.number for envelope, _ in batch])
        seals = [Delivered((receipt(envelope.number.encode()),)) for envelope, _ in batch]
        return self.answers(seals)


def statuses():
    with db.reading() as connection:
        return sorted(connection.execute(sa.select(Transmission.status)).scalars())


def test_outcomes_are_queried_in_bulk_and_belong_to_their_documents(polling):
    """At most `poll_bulk` in a call; each document gets the evidence of its own."""
    point, sandbox, _ = polling(InBulk, poll_bulk=2)
    sandbox.work(POLL_AFTER.total_seconds())

    assert [len(batch) for batch in point.batches] == [2, 1]
    assert statuses() == ["Delivered"] * COUNT
    with db.reading() as connection:
        pairs = connection.execute(
            sa.select(Invoice.number, Artefact.content).join(
                Artefact, Artefact.invoice_id == Invoice.id
            )
        ).all()
    assert sorted(number.encode() for number, _ in pairs) == sorted(c for _, c in pairs)
    assert all(number.encode() == content for number, content in pairs)


def too_few(outcomes):
    return outcomes[1:]


def raises(outcomes):
    raise OSError("closed")


@pytest.mark.parametrize("answers", [too_few, raises])
def test_a_fault_of_a_bulk_query_settles_none_and_it_is_repeated(polling, answers):
    point, sandbox, _ = polling(InBulk, poll_bulk=COUNT)
    point.answers = answers
    sandbox.work(POLL_AFTER.total_seconds())
    assert statuses() == ["Processing"] * COUNT

    point.answers = InBulk.answers
    sandbox.work(POLL_AFTER.total_seconds())
    assert statuses() == ["Delivered"] * COUNT
    assert len(point.batches) == 2
