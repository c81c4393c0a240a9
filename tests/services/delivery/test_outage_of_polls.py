"""A network that is away while it is polled: asked less and less often, and told once."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Pending,
    Registration,
)
from einvoice.services.delivery import polls
from einvoice.store.core import db
from einvoice.store.tables import Outbox
from tests import logs
from tests.sandbox import Sandbox
from tests.services.delivery.offering import plugin_of

OUTAGE = timedelta(hours=3)
DOCUMENTS = 2


class Away(AccessPointBase):
    """Has documents, and raises while it is away; `asked` counts questions."""

    name, network, environment = "away", "peppol", Environment.TEST

    def __init__(self, poll_bulk: int) -> None:
        self.capabilities = Capabilities(poll_bulk=poll_bulk)
        self.is_away, self.asked = True, 0

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        return Pending("ref", clock.now())

    def poll(self, envelope, pending):
        self.asked += 1
        if self.is_away:
            raise ConnectionError("no route")
        return Pending("ref", clock.now())

    def poll_many(self, batch):
        return [self.poll(*one) for one in batch]


def next_due() -> datetime:
    with db.reading() as connection:
        return connection.execute(
            sa.select(Outbox.due_at).order_by(Outbox.due_at).limit(1)
        ).scalar_one()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_outage_is_told_once_and_asked_about_less_often(make_app, monkeypatch):
    """Of an outage of three hours some 25 questions about a document, in place of 720."""
    for bulk in (1, DOCUMENTS):
        monkeypatch.setattr(polls, "_silent", set())
        point = Away(bulk)
        app = make_app(plugins=[plugin_of(point)], log_level="ERROR")
        with app.app_context(), logs.captured(polls) as logged:
            sandbox = Sandbox.of(app)
            monkeypatch.setattr(clock, "now", lambda own=sandbox: own.moment)
            for _ in range(DOCUMENTS):
                assert sandbox.post("0088:9520000000998").status_code == 200
            sandbox.work()
            begun = sandbox.moment
            while sandbox.moment < begun + OUTAGE:
                sandbox.moment = next_due()
                sandbox.work()
            asked = point.asked
            point.is_away = False
            sandbox.work(600)
            answered = point.asked
            point.is_away = True
            sandbox.work(600)
        told = [each for each in logged if each["event"] == "access point raised"]

        assert 20 <= asked / (DOCUMENTS if bulk == 1 else 1) <= 30, (bulk, asked)
        assert answered > asked, bulk
        assert len(told) == 2, (bulk, told)  # one of each outage
        monkeypatch.undo()
