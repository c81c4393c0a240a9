"""What the law has an access point send because of a sent document is sent, once, and shown."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice.cli import doctor_work
from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_CREDIT_NOTE, BIS_INVOICE
from einvoice.network.hookspec import hookimpl
from einvoice.network.sent_documents import PartyFault
from einvoice.network.types import (
    INTERFACE_VERSION,
    AccessPointBase,
    Capabilities,
    Delivered,
    NotSent,
    Pending,
    Registration,
    Rejected,
    Repeat,
    Unknown,
    receipt,
)
from einvoice.services.delivery import messages
from einvoice.services.inbound import notices
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Event, Message, Notice, Outbox
from einvoice.web.runtime import runtime_of
from tests.crashes import crash_before
from tests.networks.toll.answering import acknowledgement
from tests.web.caller import Caller
from tests.workers import await_calls, claimed

TDD = ArtefactKind("TDD", "application/xml", "tdd-{number}.xml")
GIVEN = Delivered((receipt(b"<Receipt/>"),))
REPORTED_ONLY = Delivered((receipt(b"<Receipt/>"),), means=DeliveredMeans.REPORTED)
REFUSED = Rejected("T-1", "no such buyer")
STATEMENTS = 16  # more than a worker executes for one invoice


class FiveCorners(AccessPointBase):
    """A network in which the sender's access point reports each invoice to the authority.

    outcomes  of the next submissions of invoices; `verdicts`: of reports. Delivered without one
    book      the documents that the authority has got, by the key of the report
    asked     the outcomes with which the access point was called
    country   of the sellers whose invoices it reports
    """

    name, network = "corners-test", "peppol"
    environment = Environment.TEST
    capabilities = Capabilities(repeat=Repeat.IDEMPOTENT)
    country = "BE"

    def __init__(self):
        self.outcomes, self.verdicts, self.asked, self.faults = [], [], [], []
        self.book: dict[str, bytes] = {}

    def lookup(self, participant):
        return Registration((BIS_INVOICE, BIS_CREDIT_NOTE))

    def submit(self, envelope, prepared):
        if envelope.document_type != BIS_INVOICE:
            verdict = self.verdicts.pop(0) if self.verdicts else GIVEN
            if isinstance(verdict, Delivered):
                self.book[envelope.number] = envelope.document
            return verdict
        return self.outcomes.pop(0) if self.outcomes else GIVEN

    def follows_sent(self, document):
        return document.sender_country == self.country

    def sent_outcome(self, outcome):
        self.asked.append(outcome)
        if self.faults:
            raise self.faults.pop()
        if outcome.delivered:
            about = outcome.envelope
            key = f"tdd-{about.transmission_id}"
            yield acknowledgement(
                key, about.invoice_id, kind=TDD, reports_to="AE", due_in=timedelta(hours=2)
            )


class Plugin:
    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self):
        self.point = FiveCorners()

    @hookimpl
    def einvoice_access_points(self):
        yield self.point


@pytest.fixture
def plugin():
    return Plugin()


@pytest.fixture
def point(plugin):
    return plugin.point


@pytest.fixture
def caller(make_app, plugin):
    return Caller(make_app([plugin]))


def call(caller):
    """Call the access points about what they follow, and deliver what they return."""
    with caller.app.app_context():
        notices.run(*claimed(outbox.PLUGINS, caller.tenant), runtime_of(caller.app))
        await_calls()
    caller.work()


def shown(caller, invoice):
    """The reports of an invoice: country, type, status."""
    found = caller.get(f"/api/invoices/{invoice}").json["reports"]
    return [(each["reportsTo"], each["kind"], each["status"]) for each in found]


def stored(caller, what):
    with caller.app.app_context(), db.reading() as connection:
        return list(connection.execute(what).scalars())


def events(caller, invoice):
    chosen = sa.select(Event.type).where(Event.invoice_id == invoice).order_by(Event.sequence)
    return stored(caller, chosen)


def test_a_delivered_invoice_is_reported_beside_its_delivery(caller, point):
    """The invoice is Delivered before its report is made; the report has its own state."""
    invoice = caller.sent()
    caller.work()
    assert caller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Delivered"
    assert shown(caller, invoice) == []

    call(caller)

    (outcome,) = point.asked
    assert (outcome.delivered, outcome.submitted, outcome.means) == (
        True, True, DeliveredMeans.RECEIVER,
    )  # fmt: skip
    assert outcome.envelope.invoice_id == invoice
    assert shown(caller, invoice) == [("AE", "TDD", "Delivered")]
    detail = caller.get(f"/api/invoices/{invoice}").json
    assert [each["event"] for each in detail["history"]][-2:] == ["delivered", "reported"]
    assert list(point.book.values()) == [f"<Ack>tdd-{detail['transactionId']}</Ack>".encode()]
    assert {"TDD", "TDD_RECEIPT"} <= set(caller.artefacts(invoice))
    assert events(caller, invoice) == ["transaction.sent", "invoice.reported"]


def test_what_a_failed_document_says_of_itself(caller, point):
    """One that never left is told apart from one that the receiver refused."""
    point.outcomes = [REFUSED]
    caller.sent()
    caller.work()
    call(caller)
    (refused,) = point.asked
    assert (refused.submitted, refused.delivered, refused.means) == (True, False, None)
    assert (refused.reason, refused.error_code) == (REFUSED.reason, REFUSED.code)

    point.asked.clear()
    point.prepare = lambda envelope: Rejected("T-2", "no message can be made")
    caller.sent()
    caller.work()
    call(caller)
    (unsent,) = point.asked
    assert (unsent.submitted, unsent.delivered, unsent.reason) == (
        False, False, "no message can be made",
    )  # fmt: skip


FOLLOWED = {  # the country whose sellers are reported, the outcome → whether it is called
    ("BE", "delivered"): True,
    ("BE", "refused"): True,
    ("NL", "delivered"): False,
}


def test_an_access_point_is_called_about_final_outcomes_of_what_it_follows(caller, point):
    """Failed ones too: the law may want to know of them."""
    found = {}
    for point.country, end in FOLLOWED:
        point.asked.clear()
        point.outcomes = [REFUSED] if end == "refused" else []
        caller.sent()
        caller.work()
        call(caller)
        found[point.country, end] = bool(point.asked)
        assert all(each.delivered is (end == "delivered") for each in point.asked)

    assert found == FOLLOWED


def test_an_open_outcome_calls_nobody(caller, point):
    point.outcomes = [NotSent("later"), Pending("ref"), Unknown("lost")]
    for _ in range(3):
        caller.sent()
    caller.work()
    call(caller)

    assert point.asked == []
    assert stored(caller, sa.select(Notice.id)) == []


def test_a_document_for_the_authority_only_is_delivered_to_nobody(caller, point):
    """Its access point says so of this document, not of all."""
    point.outcomes = [REPORTED_ONLY, GIVEN]
    ids = [caller.sent(), caller.sent()]
    caller.work()
    call(caller)

    found = [caller.get(f"/api/invoices/{each}").json["deliveredMeans"] for each in ids]
    assert found == ["reported", "receiver"]
    asked = {each.envelope.invoice_id: each.means for each in point.asked}
    assert asked == dict(zip(ids, [DeliveredMeans.REPORTED, DeliveredMeans.RECEIVER], strict=True))


def test_a_refused_report_needs_a_person_and_changes_nothing_of_the_invoice(caller, point):
    point.verdicts = [Rejected("TDD-09", "The TRN of the seller is unknown.")]
    invoice = caller.sent()
    caller.work()
    call(caller)

    detail = caller.get(f"/api/invoices/{invoice}").json
    (report,) = detail["reports"]
    assert (detail["networkStatus"], report["status"]) == ("Delivered", "Failed")
    assert (report["attention"], report["reason"]) == (True, "The TRN of the seller is unknown.")
    assert detail["history"][-1]["event"] == "reportFailed"
    assert events(caller, invoice) == ["transaction.sent", "invoice.reported"]


def test_a_report_that_is_late_is_a_problem_of_the_doctor(caller, point, move):
    """Just before it is due it is none; delivered late, it is none any more."""
    point.verdicts = [NotSent("the authority is away", retry_after=3600.0)] * 2
    caller.sent()
    caller.work()
    call(caller)

    def overdue():
        with caller.app.app_context():
            return [p.message for p in doctor_work.check_reports()]

    move(minutes=119)
    assert overdue() == []
    move(minutes=2)
    (problem,) = overdue()
    assert problem.startswith("1 reports to the tax authority of AE are overdue")
    point.verdicts.clear()
    caller.work()
    assert (overdue(), len(point.book)) == ([], 1)


def test_a_call_about_a_sent_document_is_never_given_up(caller, point, move):
    """What the law wants reported is not forgotten after a day, as an answer to a network is."""
    invoice = caller.sent()
    caller.work()
    point.faults = [OSError("broken")] * 2
    call(caller)
    move(days=2)
    call(caller)
    move(hours=2)
    call(caller)

    assert (len(point.asked), shown(caller, invoice)) == (3, [("AE", "TDD", "Delivered")])


def _breaks(document):
    raise RuntimeError("broken")


def test_an_access_point_that_cannot_say_what_it_follows_keeps_no_outcome_from_its_document(
    caller, point
):
    """It is called, since a report that the law wants may not be given up."""
    point.follows_sent = _breaks
    invoice = caller.sent()
    caller.work()
    assert caller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Delivered"
    call(caller)

    assert shown(caller, invoice) == [("AE", "TDD", "Delivered")]


def test_an_access_point_that_cannot_judge_parties_refuses_nothing(caller, point):
    """Its answer is checked, too: a fault without its code would be a refusal in no words."""
    for answer in (_breaks, lambda document: None, lambda document: ["no such id"]):
        point.party_faults = answer
        caller.sent()
    point.party_faults = lambda document: [PartyFault(True, "no-such-id", "No such id.")]
    refused = caller.send()

    assert refused.status_code == 400
    (field,) = refused.json["errors"]
    assert (field["pointer"], field["code"]) == ("/routing/receiverParticipantId", "no-such-id")


def test_a_worker_that_dies_while_it_settles_leaves_one_report(caller, point):
    """Before each statement, until it lives: the notice is in the commit that settles."""
    invoices = []
    for statement in range(STATEMENTS):
        invoices.append(caller.sent())
        with caller.app.app_context(), crash_before(statement):
            caller.work()
        _expire_leases(caller)
    caller.work()
    for _ in range(2):
        call(caller)

    assert {len(shown(caller, each)) for each in invoices} == {1}
    assert len(point.book) == len(invoices)
    assert len(stored(caller, sa.select(Message.id))) == len(invoices)


def _expire_leases(caller):
    free = sa.update(Outbox).values(token=None, lease_until=None)
    with caller.app.app_context(), db.writing() as connection:
        connection.execute(free)


def test_a_report_of_an_invoice_that_was_sent_again_is_settled(caller, point):
    """The invoice has two transmissions then."""
    point.outcomes = [Rejected("T-2", "closed", retryable=True)]
    invoice = caller.sent()
    caller.work()
    call(caller)
    again = caller.call("POST", f"/api/invoices/{invoice}/resend", Idempotency_Key="k-1")
    assert again.status_code == 200, again.text
    caller.work()
    call(caller)

    assert shown(caller, invoice) == [("AE", "TDD", "Delivered")]


def test_a_report_names_its_document():
    with pytest.raises(ValueError, match="names the document"):
        acknowledgement("k", None, reports_to="AE")


def test_a_report_of_a_foreign_document_is_refused(caller, point):
    """An access point reports what it was given to send, and nothing else."""
    with caller.app.app_context(), pytest.raises(ValueError, match="has had no document"):
        messages.queue(point.name, acknowledgement("k", "someone-elses", reports_to="AE"))
