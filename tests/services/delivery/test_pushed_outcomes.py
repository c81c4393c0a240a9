"""Outcomes and evidence that a network pushes: they reach their document, once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import date, timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.artefacts import MLS
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE, ParticipantId
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    Delivered,
    Evidence,
    InvoiceReference,
    NotServiced,
    Pending,
    Registration,
    Rejected,
    Repeat,
    Settled,
    receipt,
)
from einvoice.services.inbound.reception import Reception
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, SENDER
from tests.crashes import crash_before, statements_run
from tests.web.caller import Caller

DELIVERED = Delivered((receipt(b"<Receipt/>"),))
REFUSED = Rejected("T-1", "no such buyer")
STATEMENT = Evidence(MLS, b"<Mls/>", response_code="AB")
NAMED = InvoiceReference(
    Environment.TEST, ParticipantId.parse(SENDER), ParticipantId.parse(RECEIVER), "N-1"
)


class Patient(AccessPointBase):
    """A network that answers by a call-back only."""

    name, network, environment = "patient", "peppol", Environment.TEST
    capabilities = Capabilities()

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        now = clock.now()
        return Pending(f"ref-{envelope.number}", deadline=now + timedelta(days=2))

    def poll(self, envelope, pending):
        return pending


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    @hookimpl
    def einvoice_access_points(self):
        yield Patient()


@pytest.fixture
def caller(make_app):
    return Caller(make_app([Plugin()]))


@pytest.fixture
def inbox(caller):
    parts = runtime_of(caller.app)
    return Reception(caller.app.app_context, parts.caches, parts.computing, parts.forms)


@pytest.fixture
def waiting(caller):
    """An invoice whose outcome is pushed."""
    invoice = caller.sent(number="N-1")
    caller.work()
    return invoice


def status(caller, invoice):
    return caller.get(f"/api/invoices/{invoice}").json["networkStatus"]


def evidence(caller, invoice):
    items = caller.get(f"/api/invoices/{invoice}/artefacts").json["items"]
    return sorted(
        each["type"]
        for each in items
        if each["type"] not in {"UBL", "ORIGINAL", "VALIDATION_REPORT"}
    )


def events(caller, invoice):
    query = sa.select(Event.type).where(Event.invoice_id == invoice).order_by(Event.sequence)
    with caller.app.app_context(), db.reading() as connection:
        return list(connection.execute(query).scalars())


def open_work(caller):
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(sa.func.count()).where(Outbox.kind == "transmission")
        return connection.execute(query.select_from(Outbox)).scalar_one()


@pytest.mark.parametrize(
    ("outcome", "expected", "kept", "event"),
    [
        (DELIVERED, "Delivered", ["RECEIPT"], "transaction.sent"),
        (REFUSED, "Failed", ["FAILURE_REPORT"], "transaction.failed"),
    ],
)
def test_a_pushed_outcome_settles_the_document_that_waits_for_it(
    caller, inbox, waiting, outcome, expected, kept, event
):
    assert status(caller, waiting) == "Processing"

    verdict = inbox.settle("patient", "ref-N-1", outcome)

    assert isinstance(verdict, Settled)
    assert verdict.changed is True
    assert (status(caller, waiting), evidence(caller, waiting)) == (expected, kept)
    assert events(caller, waiting) == [event]
    assert open_work(caller) == 0


@pytest.mark.parametrize("statement", range(13))
def test_a_process_that_dies_while_it_settles_leaves_no_work_on_a_final_document(
    caller, inbox, waiting, statement
):
    """Whoever pushes again finds it final, and does no more; its next poll may be days away."""
    with caller.app.app_context(), crash_before(statement):
        inbox.settle("patient", "ref-N-1", DELIVERED)

    assert (status(caller, waiting), open_work(caller)) in [("Processing", 1), ("Delivered", 0)]
    inbox.settle("patient", "ref-N-1", DELIVERED)
    assert (status(caller, waiting), open_work(caller)) == ("Delivered", 0)
    assert events(caller, waiting) == ["transaction.sent"]


def test_a_settlement_needs_no_more_statements_than_those_above(caller, inbox, waiting):
    """Else some line was never died at."""
    with caller.app.app_context(), statements_run() as found:
        inbox.settle("patient", "ref-N-1", DELIVERED)

    assert 0 < len(found) <= 13


def test_the_transmission_id_is_a_reference_too(caller, inbox, waiting):
    """A message id is made of it."""
    transmission = caller.get(f"/api/invoices/{waiting}").json["transactionId"]

    assert inbox.settle("patient", transmission, DELIVERED) == Settled(transmission, changed=True)


@pytest.mark.parametrize(
    ("access_point", "reference"), [("patient", "ref-N-2"), ("other", "ref-N-1"), ("patient", "")]
)
def test_an_unknown_reference_or_that_of_another_access_point_settles_nothing(
    caller, inbox, waiting, access_point, reference
):
    assert isinstance(inbox.settle(access_point, reference, DELIVERED), NotServiced)
    assert isinstance(inbox.deliver_evidence(access_point, reference, [STATEMENT]), NotServiced)
    assert status(caller, waiting) == "Processing"


def test_a_repeated_push_changes_nothing(caller, inbox, waiting):
    """Neither the same outcome nor another one; the first counts."""
    transmission = caller.get(f"/api/invoices/{waiting}").json["transactionId"]
    with ThreadPoolExecutor(4) as threads:
        found = list(
            threads.map(lambda _: inbox.settle("patient", transmission, DELIVERED), range(4))
        )
    found.append(inbox.settle("patient", transmission, REFUSED))

    assert sorted(each.changed for each in found) == [False, False, False, False, True]
    assert (status(caller, waiting), evidence(caller, waiting)) == ("Delivered", ["RECEIPT"])
    assert events(caller, waiting) == ["transaction.sent"]


def test_what_is_kept_of_a_document_is_told_to_its_access_point(caller, inbox, waiting):
    """Its receiver, and its receipts as soon as there are some."""
    transmission = caller.get(f"/api/invoices/{waiting}").json["transactionId"]
    before = inbox.kept_document("patient", "ref-N-1")
    inbox.settle("patient", "ref-N-1", DELIVERED)
    after = inbox.kept_document("patient", ids.instance_of(transmission))

    assert (before.receiver, before.receipts) == (after.receiver, ())
    assert [each.content for each in DELIVERED.evidence] == list(after.receipts)
    assert inbox.kept_document("other", "ref-N-1") is None
    assert inbox.kept_document("patient", "ref-N-2") is None


def test_evidence_after_delivery_is_kept_once_and_reported(caller, inbox, waiting):
    """An MLS that arrives at an endpoint reaches the invoice by the instance id that it names."""
    transmission = caller.get(f"/api/invoices/{waiting}").json["transactionId"]
    inbox.settle("patient", "ref-N-1", DELIVERED)

    for reference in (transmission, transmission, ids.instance_of(transmission)):
        assert inbox.deliver_evidence("patient", reference, [STATEMENT]) == Settled(
            transmission, changed=False
        )

    assert evidence(caller, waiting) == ["MLS", "RECEIPT"]
    assert events(caller, waiting) == ["transaction.sent", "invoice.responded"]


def test_a_pushed_pending_replaces_what_the_document_waits_for(caller, inbox, waiting):
    onwards = Pending("ref-other", deadline=clock.now() + timedelta(days=3))

    assert inbox.settle("patient", "ref-N-1", onwards).changed is True

    assert isinstance(inbox.settle("patient", "ref-N-1", DELIVERED), NotServiced)
    assert inbox.settle("patient", "ref-other", DELIVERED).changed is True
    assert status(caller, waiting) == "Delivered"


def test_a_document_that_was_not_submitted_is_not_settled(caller, inbox):
    """Such an outcome belongs to nothing that was sent."""
    invoice = caller.sent(number="N-3")
    transmission = caller.get(f"/api/invoices/{invoice}").json["transactionId"]

    assert inbox.settle("patient", transmission, DELIVERED) == Settled(transmission, changed=False)

    assert status(caller, invoice) == "Processing"


QUEUED_AGAIN = {  # repeat of the network, attempts → whether an outcome settles the queued document
    (Repeat.IDEMPOTENT, 1): True,
    (Repeat.IDEMPOTENT, 0): False,
    (Repeat.NEVER, 1): False,
}


def test_the_outcome_of_a_first_submission_counts_where_the_network_recognises_the_repeat(
    caller, monkeypatch
):
    """Its worker stopped before it stored that it waits: the answer comes once."""
    parts, found = runtime_of(caller.app), {}
    inbox = Reception(
        caller.app.app_context, parts.caches, parts.computing, parts.forms,
        points=lambda: parts.access_points,
    )  # fmt: skip
    for repeat, attempts in QUEUED_AGAIN:
        monkeypatch.setattr(Patient, "capabilities", Capabilities(repeat=repeat))
        invoice = caller.sent()
        transmission = caller.get(f"/api/invoices/{invoice}").json["transactionId"]
        submitted = sa.update(Transmission).where(Transmission.id == transmission)
        with caller.app.app_context(), db.writing() as connection:
            connection.execute(submitted.values(attempts=attempts))
        settled = inbox.settle("patient", transmission, DELIVERED).changed
        assert (status(caller, invoice) == "Delivered") is settled
        found[repeat, attempts] = settled

    assert found == QUEUED_AGAIN


def test_evidence_of_a_named_invoice_reaches_the_owner_of_its_sender(caller, inbox, waiting):
    """An Invoice Response has the number of the invoice, and no id of its message."""
    transmission = caller.get(f"/api/invoices/{waiting}").json["transactionId"]
    caller.own()
    for _ in range(2):
        found = inbox.deliver_evidence("patient", NAMED, [STATEMENT])

    assert (found, found.tenant_id) == (Settled(transmission, changed=False), caller.tenant)
    assert found.sender_country == "BE"
    assert evidence(caller, waiting) == ["MLS"]
    assert events(caller, waiting) == ["invoice.responded"]


@pytest.mark.parametrize(
    "changes",
    [
        {"number": "N-2"},
        {"receiver": ParticipantId.parse("0088:9520000000011")},
        {"sender": ParticipantId.parse("0088:9520000000011")},
        {"environment": Environment.LIVE},
    ],
    ids=["number", "receiver", "sender", "environment"],
)
def test_evidence_of_another_invoice_is_not_serviced(caller, inbox, waiting, changes):
    caller.own()
    found = inbox.deliver_evidence("patient", replace(NAMED, **changes), [STATEMENT])

    assert isinstance(found, NotServiced)
    assert evidence(caller, waiting) == []


def test_evidence_of_a_named_invoice_never_reaches_another_tenant(caller, inbox, waiting):
    """In the sandbox several tenants may send from one participant id: its owner is responded."""
    Caller(caller.app).own()

    assert isinstance(inbox.deliver_evidence("patient", NAMED, [STATEMENT]), NotServiced)
    assert evidence(caller, waiting) == []


def test_of_several_invoices_with_a_number_that_of_the_date_is_responded_to(caller, inbox):
    caller.own()
    earlier = caller.sent(number="N-1", issueDate="2026-10-01", dueDate="2026-10-31")
    later = caller.sent(number="N-1", issueDate="2026-11-01", dueDate="2026-11-30")
    caller.work()
    inbox.deliver_evidence("patient", replace(NAMED, issue_date=date(2026, 10, 1)), [STATEMENT])
    inbox.deliver_evidence("patient", replace(NAMED, issue_date=date(2020, 1, 1)), [STATEMENT])

    assert (evidence(caller, earlier), evidence(caller, later)) == (["MLS"], ["MLS"])
