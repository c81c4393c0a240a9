"""Batches that an access point takes at once (`capabilities.bulk`)."""

from __future__ import annotations

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
    NeverSeen,
    Pending,
    Registration,
    receipt,
)
from einvoice.store.core import db
from einvoice.store.tables import Attempt, Transmission
from tests.sandbox import Sandbox
from tests.services.delivery.offering import plugin_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

COUNT = 4
DELIVERED = Delivered((receipt(b"<r/>"),))


class ByDefault(AccessPointBase):
    """Takes batches by `submit_many`."""

    name, network, environment = "batches", "peppol", Environment.TEST
    capabilities = Capabilities(bulk=100)

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit_many(self, batch):
        return [DELIVERED] * len(batch)


class Batches(ByDefault):
    """Runs `script(batch)` for each batch and remembers their sizes."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.script = lambda batch: iter([[(place, DELIVERED) for place in range(len(batch))]])

    def submit_as_completed(self, batch):
        self.sizes.append(len(batch))
        yield from self.script(batch)


@pytest.fixture
def point(request):
    return getattr(request, "param", Batches)()


@pytest.fixture
def sandbox(make_app, monkeypatch, point):
    app = make_app(plugins=[plugin_of(point)])
    with app.app_context():
        sandbox = Sandbox.of(app)
        monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
        for _ in range(COUNT):
            assert sandbox.post("0088:9520000000998").status_code == 200
        yield sandbox


def phases():
    """How many transmissions are in each phase."""
    query = sa.select(Transmission.phase, sa.func.count()).group_by(Transmission.phase)
    with db.reading() as connection:
        return dict(connection.execute(query).all())


def test_a_job_is_one_batch(sandbox, point):
    """All documents are handed over at once, and each is delivered."""
    sandbox.work()

    assert point.sizes == [COUNT]
    assert phases() == {"done": COUNT}


def test_no_bytes_leave_without_a_live_lease(sandbox, point, monkeypatch):
    """Another worker may have taken the rows while this one prepared its documents."""
    prepare = point.prepare

    def slowly(*args):
        sandbox.moment += timedelta(seconds=31)  # longer than the lease
        return prepare(*args)

    monkeypatch.setattr(point, "prepare", slowly)
    sandbox.work()

    assert point.sizes == []
    assert phases() == {"queued": COUNT}


def test_a_group_is_stored_before_the_next_one_is_taken(sandbox, point):
    """A document that takes long does not hold back the outcomes of the others."""
    seen = []

    def one_by_one(batch):
        for place in range(len(batch)):
            seen.append(phases().get("done", 0))
            yield [(place, DELIVERED)]

    point.script = one_by_one
    sandbox.work()

    assert seen == [0, 1, 2, 3]


def test_an_exception_makes_the_rest_unknown_and_keeps_what_is_known(sandbox, point):
    """Bytes may be on the wire: nothing of the rest is submitted again."""

    def breaks_off(batch):
        yield [(1, DELIVERED)]
        raise OSError("connection reset")

    point.script = breaks_off
    sandbox.work()
    sandbox.work(60)

    assert phases() == {"done": 1, "unknown": COUNT - 1}
    assert point.sizes == [COUNT]


def test_a_document_without_an_outcome_is_unknown(sandbox, point):
    point.script = lambda batch: iter([[(0, DELIVERED)], [(2, DELIVERED)]])
    sandbox.work()

    assert phases() == {"done": 2, "unknown": COUNT - 2}


@pytest.mark.parametrize(
    "wrong", [None, Delivered((receipt("<r/>"),)), Pending("r", state={"page": 1}), NeverSeen()]
)
def test_what_is_no_outcome_is_unknown_and_the_others_are_stored(sandbox, point, wrong):
    """Also what only `find` may say: the document would be submitted once more, at once."""
    script = [(place, wrong if place == 1 else DELIVERED) for place in range(COUNT)]
    point.script = lambda batch: iter([script])
    sandbox.work()
    sandbox.work(60)

    assert phases() == {"done": COUNT - 1, "unknown": 1}
    assert point.sizes == [COUNT]


def test_a_document_of_which_nothing_is_made_waits_and_the_others_go(sandbox, point, monkeypatch):
    prepare, asked = point.prepare, []

    def nothing_at_first(envelope):
        asked.append(envelope)
        return None if len(asked) == 1 else prepare(envelope)

    monkeypatch.setattr(point, "prepare", nothing_at_first)
    sandbox.work()

    assert phases() == {"done": COUNT - 1, "queued": 1}


def test_the_first_of_two_outcomes_for_a_position_counts(sandbox, point):
    """The second one has no attempt of its own."""
    everything = [(place, DELIVERED) for place in range(COUNT)]
    point.script = lambda batch: iter([everything, everything])
    sandbox.work()

    assert phases() == {"done": COUNT}
    with db.reading() as connection:
        assert connection.execute(sa.select(sa.func.count(Attempt.number))).scalar() == COUNT


def test_a_position_outside_the_batch_has_no_effect(sandbox, point):
    point.script = lambda batch: iter([[(place, DELIVERED) for place in range(-1, COUNT + 1)]])
    sandbox.work()

    assert phases() == {"done": COUNT}


@pytest.mark.parametrize("point", [ByDefault], indirect=True)
def test_an_access_point_without_groups_is_asked_by_submit_many(sandbox):
    sandbox.work()

    assert phases() == {"done": COUNT}
