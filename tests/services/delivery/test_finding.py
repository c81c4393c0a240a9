"""Documents whose submission got no answer, about which the network is asked at the same time."""

from __future__ import annotations

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.types import (
    AccessPointBase,
    Capabilities,
    Delivered,
    NotSent,
    Registration,
    Unknown,
)
from tests.sandbox import Sandbox
from tests.services.delivery.offering import plugin_of

DOCUMENTS = 3


class Silent(AccessPointBase):
    """Answers no submission; of what it is asked about, it answers all but the first question."""

    name, network, environment = "silent", "peppol", Environment.TEST

    def __init__(self, concurrency: int) -> None:
        self.capabilities = Capabilities(has_status=True, concurrency=concurrency)
        self.asked: list[str] = []

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        return Unknown("no answer", ask_after=0.0)

    def find(self, envelope, prepared):
        self.asked.append(envelope.transmission_id)
        return Unknown("no answer") if len(self.asked) == 1 else Delivered()


class Unlucky(Silent):
    """Answers the first `find` with what only `submit` may return."""

    def find(self, envelope, prepared):
        self.asked.append(envelope.transmission_id)
        return NotSent("busy") if len(self.asked) == 1 else Delivered()

    def submit(self, envelope, prepared):
        self.submitted = getattr(self, "submitted", 0) + 1
        return Unknown("no answer", ask_after=0.0)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_answer_that_find_may_not_give_submits_nothing_again(make_app, monkeypatch):
    """NotSent is of the question, not of the document, which the network may have."""
    point = Unlucky(concurrency=1)
    app = make_app(plugins=[plugin_of(point)])
    with app.app_context():
        sandbox = Sandbox.of(app)
        monkeypatch.setattr(clock, "now", lambda: sandbox.moment)
        name = sandbox.post("0088:9520000000998").json["invoiceId"]
        for _ in range(4):
            sandbox.work(30)
        status = sandbox.get(f"/api/invoices/{name}").json["networkStatus"]

    assert (status, point.submitted, len(point.asked)) == ("Delivered", 1, 2)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_question_without_an_answer_keeps_no_other_document_waiting(make_app, monkeypatch):
    """Whether a worker asks about them one after the other or at the same time."""
    for concurrency in (1, 8):
        point = Silent(concurrency)
        app = make_app(plugins=[plugin_of(point)])
        with app.app_context():
            sandbox = Sandbox.of(app)
            monkeypatch.setattr(clock, "now", lambda own=sandbox: own.moment)
            sent = [sandbox.post("0088:9520000000998").json for _ in range(DOCUMENTS)]
            sandbox.work()
            sandbox.work(60)
            names = [each["invoiceId"] for each in sent]
            statuses = [
                sandbox.get(f"/api/invoices/{name}").json["networkStatus"] for name in names
            ]
        monkeypatch.undo()

        assert sorted(statuses) == ["Delivered", "Delivered", "Processing"], concurrency
        assert len(point.asked) == DOCUMENTS, concurrency
