"""How often a receiver that does not answer for a day is tried."""

from __future__ import annotations

import uuid
from datetime import timedelta
from functools import partial

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.artefacts import MLS
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict
from einvoice.domain.identifiers import (
    BIS_BILLING_PROCESS,
    BIS_CREDIT_NOTE,
    BIS_INVOICE,
    ParticipantId,
)
from einvoice.network.messages import Outgoing
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    NotSent,
    Registration,
    Repeat,
    Unknown,
)
from einvoice.services.delivery import messages, operations, transmit
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Invoice, Outbox, Transmission
from tests.sandbox import Sandbox
from tests.services.delivery.offering import plugin_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

DAY, USUAL_TRIES = timedelta(hours=24), range(140, 161)
RECEIVER = "0088:9520000000998"


class Away(AccessPointBase):
    """A network that recognises repetitions, and never answers."""

    name, network, environment = "away", "peppol", Environment.TEST
    capabilities = Capabilities(repeat=Repeat.IDEMPOTENT, timeout=60.0, timeout_per_mebibyte=1000.0)

    def __init__(self) -> None:
        self.outcome: Unknown | NotSent = Unknown("no answer")
        self.tries = 0
        self.leased_until = None

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        self.tries += 1
        with db.reading() as connection:
            self.leased_until = connection.execute(sa.select(Outbox.lease_until)).scalar_one()
        return self.outcome


@pytest.fixture
def away():
    return Away()


@pytest.fixture
def sandbox(make_app, monkeypatch, away):
    app = make_app(plugins=[plugin_of(away)])
    with app.app_context():
        sandbox = Sandbox.of(app)
        monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
        yield sandbox


def a_document(sandbox) -> type[Transmission]:
    assert sandbox.post(RECEIVER).status_code == 200
    with db.writing() as connection:  # the sandbox gives up after two minutes
        until = sandbox.moment + DAY
        connection.execute(sa.update(Transmission).values(retry_until=until))
    return Transmission


def a_message(sandbox) -> type[Transmission]:
    seat = ParticipantId("0242", "000001")
    of_us = Outgoing(
        "status-1", MLS, Environment.TEST, seat, seat, BIS_INVOICE, BIS_BILLING_PROCESS, b"<a/>",
        sender_country="BE", retry_for=DAY,
    )  # fmt: skip
    messages.queue("away", of_us)
    return Transmission


def next_step(sandbox) -> bool:
    """Let time pass until the only row is due, and do its work; whether there was one."""
    with db.reading() as connection:
        row = connection.execute(sa.select(Outbox)).one_or_none()
    if row is None:
        return False
    sandbox.moment = max(sandbox.moment, row.due_at)
    token, tenant = uuid.uuid4().hex, row.tenant_id
    rows = outbox.claim(
        row.lane, tenant, 1, token=token, now=sandbox.moment, lease=timedelta(seconds=30)
    )
    transmit.advance([each.id for each in rows], token, sandbox.runtime)
    return True


@pytest.mark.parametrize(
    ("kind", "outcome"),
    [
        (a_document, Unknown("no answer")),
        (a_message, NotSent("not reached")),
        pytest.param(a_document, NotSent("not reached"), marks=pytest.mark.more),
        pytest.param(a_message, Unknown("no answer"), marks=pytest.mark.more),
    ],
)
def test_a_receiver_that_is_away_for_a_day_is_tried_some_150_times(sandbox, away, kind, outcome):
    """With distances up to ten minutes, whether bytes may have left or not. Unknown then waits for
    an operator, and NotSent is Failed: of a message nobody but an operator is told."""
    away.outcome, table, began = outcome, kind(sandbox), sandbox.moment
    while next_step(sandbox):
        assert sandbox.moment <= began + DAY + timedelta(minutes=10)
    with db.reading() as connection:
        row = connection.execute(sa.select(table)).one()

    assert away.tries in USUAL_TRIES
    assert (row.status, row.attention) == (
        ("Processing", True) if isinstance(outcome, Unknown) else ("Failed", row.invoice_id is None)
    )


def test_a_failed_message_needs_an_operator_until_one_has_seen_it(sandbox, away):
    """For example a monthly report: it cannot be retried, but is sent again as a new one."""
    away.outcome = NotSent("not reached")
    a_message(sandbox)
    with db.writing() as connection:
        connection.execute(sa.update(Transmission).values(retry_until=sandbox.moment))
    next_step(sandbox)
    (failed,) = operations.needing_attention()
    points = sandbox.runtime.access_points
    seen = partial(operations.resolve, failed.id, evidence=b"", name="seen.txt", points=points)
    with pytest.raises(Conflict):
        seen("delivered", reason=None)
    seen("failed", reason="sent by hand")

    assert operations.needing_attention() == []
    assert operations.find(failed.id).status == "Failed"
    with pytest.raises(Conflict):
        seen("failed", reason=None)


def test_a_large_document_is_leased_for_longer(sandbox, away):
    """So that no second worker submits it while the network still takes it."""
    a_document(sandbox)
    with db.reading() as connection:
        size = len(connection.execute(sa.select(Invoice.document)).scalar_one())
    next_step(sandbox)
    lasts = (away.leased_until - sandbox.moment).total_seconds()
    margin = sandbox.runtime.settings.lease_margin

    assert lasts == pytest.approx(60 + 1000 * size / (1 << 20) + margin, abs=0.01)
