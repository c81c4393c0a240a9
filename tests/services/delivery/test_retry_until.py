"""How long a document is submitted again that its access point lets wait."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain import events
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    NotSent,
    Registration,
)
from einvoice.services.delivery.outcomes import DELAYED_AFTER
from einvoice.store.core import db
from einvoice.store.tables import Event, Transmission
from tests.web.caller import Caller

LONGER = timedelta(days=5)
USUAL = timedelta(minutes=2)  # in the sandbox


class Away(AccessPointBase):
    """A network that cannot be reached; the document says how long it may wait."""

    name, network, environment = "away", "peppol", Environment.TEST
    capabilities = Capabilities()
    waits = False

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        until = envelope.accepted_at + LONGER if self.waits and envelope.attempt == 1 else None
        due_by = envelope.accepted_at + LONGER if self.waits else None
        return NotSent("away", retry_until=until, due_by=due_by)


@pytest.fixture
def away():
    return Away()


@pytest.fixture
def caller(make_app, away):
    class Plugin:
        EINVOICE_INTERFACE = INTERFACE_VERSION

        @hookimpl
        def einvoice_access_points(self):
            yield away

    return Caller(make_app([Plugin()]))


@pytest.fixture
def later(monkeypatch):
    """Puts the clock forward."""
    real, ahead = clock.now, [timedelta()]
    monkeypatch.setattr(clock, "now", lambda: real() + ahead[0])

    def put(by: timedelta) -> None:
        ahead[0] = by

    return put


def status(caller, invoice) -> str:
    return caller.get(f"/api/invoices/{invoice}").json["networkStatus"]


@pytest.mark.parametrize(("waits", "limit"), [(False, USUAL), (True, LONGER)])
def test_a_document_is_submitted_again_for_as_long_as_its_first_outcome_let_it_wait(
    caller, away, later, waits, limit
):
    """Later outcomes that do not say so, such as those of the service itself, do not shorten it."""
    away.waits = waits
    invoice = caller.sent()
    caller.work()
    with caller.app.app_context(), db.reading() as connection:
        row = connection.execute(sa.select(Transmission)).one()
    later(limit - timedelta(seconds=20))
    caller.work()
    before = status(caller, invoice)
    later(limit + timedelta(seconds=20))
    caller.work()

    assert row.retry_until - row.created_at == limit
    assert (before, status(caller, invoice)) == ("Processing", "Failed")


def test_the_tenant_gets_one_event_of_a_document_that_waits_for_an_hour(caller, away, later):
    away.waits = True
    invoice = caller.sent()
    counts = []
    for minutes in (0, 59, 61, 75, 240):
        later(timedelta(minutes=minutes))
        caller.work()
        with caller.app.app_context(), db.reading() as connection:
            payload = sa.select(Event.payload).where(Event.type == events.TRANSACTION_DELAYED)
            found = connection.execute(payload).scalars().all()
            accepted = connection.execute(sa.select(Transmission.created_at)).scalar()
        counts.append(len(found))

    assert timedelta(hours=1) == DELAYED_AFTER
    assert counts == [0, 0, 1, 1, 1]
    assert found[0].pop("transactionId").startswith("txn_")
    assert found[0] == {
        "invoiceId": invoice, "status": "Processing", "reason": "away",
        "acceptedAt": clock.timestamp(accepted), "dueBy": clock.timestamp(accepted + LONGER),
    }  # fmt: skip
