"""Access points are called with what becomes of the documents they handed over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice import clock
from einvoice.cli import doctor_work
from einvoice.domain.artefacts import MLS
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.messages import Step
from einvoice.network.types import Evidence, NotSent, NotServiced, Rejected, Unknown
from einvoice.services import retention
from einvoice.services.account import tenants
from einvoice.services.delivery import operations, transmit
from einvoice.services.inbound import bills, notices
from einvoice.services.principal import Role, Session
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.tables import Invoice, Message, Notice, Outbox, Received, Transmission
from einvoice.validation import Finding
from einvoice.web.runtime import runtime_of
from tests.crashes import crash_before
from tests.networks.toll.answering import TollPost, TollPostPlugin, acknowledgement, pending
from tests.services.webhooks.fixtures import receiving, register
from tests.stored import count
from tests.workers import await_calls, claimed

ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def plugin() -> TollPostPlugin:
    return TollPostPlugin()


@pytest.fixture
def post(plugin) -> TollPost:
    return plugin.post


@pytest.fixture
def app(make_app, plugin) -> Iterator[Flask]:
    app = make_app(plugins=[plugin], webhook_allow_private=True)
    with app.app_context():
        yield app


@pytest.fixture
def owner(app) -> str:
    tenant = tenants.create("Acme")
    tenants.own_participant(tenant, Environment.TEST, samples.RECEIVER)
    return tenant


def receive(post, owner, **changes) -> str:
    """Let the authority hand over a document; its id."""
    return post.inbox.deliver_inbound(
        samples.inbound(access_point=post.name, **changes)
    ).document_id


def notify(app, tenant) -> None:
    """Make the calls that are due, as a worker of the lane plugins does."""
    notices.run(*claimed(outbox.PLUGINS, tenant), runtime_of(app))
    await_calls()


def deliver(app, tenant) -> None:
    """Do the steps of messages that are due."""
    transmit.advance(*claimed(outbox.CHORES, tenant), runtime_of(app))


WITHOUT_INVOICE = (
    sa.select(Transmission.status)
    .where(Transmission.invoice_id.is_(None))
    .order_by(Transmission.id)
)


def statuses() -> list[str]:
    with db.reading() as connection:
        return list(connection.execute(WITHOUT_INVOICE).scalars())


def test_the_access_point_gets_the_verdict_and_its_own_state(app, post, owner):
    """Who sent what to whom, whether the rules found an error, and the state of the Inbound."""
    state = {"seat": "POP000123"}
    document_id = receive(post, owner, instance_id="one", state=state)
    notify(app, owner)

    (outcome,) = post.asked
    assert (outcome.document_id, outcome.instance_id) == (document_id, "one")
    assert (outcome.step, outcome.tenant_id, outcome.state) == (Step.JUDGED, owner, state)
    assert (outcome.sender, outcome.receiver) == (samples.SENDER, samples.RECEIVER)
    assert outcome.receiver_country == "BE"
    assert outcome.valid is all(finding.severity != "error" for finding in outcome.findings)


FOUND = {
    "BR-01": False,
    "XML-NOT-WELL-FORMED": False,
    "PDF-DAMAGED": False,
    "NOT-JUDGED": True,
    "NOT-JUDGED-UNKNOWN": True,
    "PDF-TOO-LARGE": True,
    "XML-TOO-LARGE": True,
    "XML-TOO-MANY-ELEMENTS": True,
    "XML-TOO-MANY-ATTRIBUTES": True,
    "XML-TOO-DEEP": True,
}


def test_a_document_that_was_not_judged_is_valid_with_a_warning(app, post, owner):
    """No process had time for it, or it is beyond our bounds: nobody knows of an error in it."""
    ids = {receive(post, owner, instance_id=rule): rule for rule in FOUND}
    for document_id, rule in ids.items():
        finding = Finding("error", "xsd", rule, "As an earlier release has stored it.").as_data()
        its = sa.update(Invoice).where(Invoice.id == document_id)
        with db.writing() as connection:
            connection.execute(its.values(findings=[finding]))
    notify(app, owner)

    assert {ids[each.document_id]: each.valid for each in post.asked} == FOUND
    for outcome in post.asked:
        expected = "warning" if outcome.valid else "error"
        assert [each.severity for each in outcome.findings] == [expected], outcome.instance_id


def test_the_receiver_of_a_self_billed_document_is_in_the_country_of_its_supplier(app, post, owner):
    """The buyer has sent it."""
    document = samples.inbound().document
    foreign = document.replace(b">BE<", b">NL<", 1)  # the seller's country comes first
    self_billed = foreign.replace(b">380</cbc:InvoiceTypeCode>", b">389</cbc:InvoiceTypeCode>")
    first = receive(post, owner, document=foreign)
    second = receive(post, owner, document=self_billed)
    notify(app, owner)

    found = {outcome.document_id: outcome.receiver_country for outcome in post.asked}
    assert found == {first: "BE", second: "NL"}


def test_an_unreadable_document_is_not_valid_and_has_findings(app, post, owner):
    receive(post, owner, document=b"no invoice")
    notify(app, owner)

    (outcome,) = post.asked
    assert not outcome.valid
    assert outcome.findings[0].severity == "error"
    assert outcome.findings[0].message


def test_the_answer_becomes_an_artefact_of_the_document(app, post, owner):
    """The message and its receipt are kept with the document that they answer."""
    document_id = receive(post, owner)
    notify(app, owner)
    deliver(app, owner)

    kept = {one.kind for one in artefacts.of_invoice(document_id, owner)}
    assert kept == {"RECEIPT", "TOLL_ACK", "TOLL_ACK_RECEIPT"}
    assert statuses() == ["Delivered"]
    assert post.envelopes[0].invoice_id == document_id


def test_evidence_about_a_message_is_kept_once_with_the_document_that_it_answers(app, post, owner):
    """By the instance id of its envelope, and for its own access point only."""
    document_id = receive(post, owner)
    notify(app, owner)
    deliver(app, owner)
    instance, status = post.envelopes[0].instance_id, Evidence(MLS, b"<Mls/>")
    assert len(post.inbox.kept_document(post.name, instance).receipts) == 2
    assert post.inbox.kept_document("other", instance) is None
    for _ in range(2):
        assert post.inbox.deliver_evidence(post.name, instance, [status]).tenant_id == owner
    other = post.inbox.deliver_evidence("other", instance, [Evidence(MLS, b"<Other/>")])

    assert isinstance(other, NotServiced)
    kept = [one.kind for one in artefacts.of_invoice(document_id, owner)]
    assert kept.count("TOLL_ACK_MLS") == 1


def test_the_access_point_is_called_with_the_outcome_of_its_message(app, post, owner):
    """Delivered or failed, with the words of the network."""
    post.outcomes = [Rejected("T-1", "unknown toll")]
    document_id = receive(post, owner)
    for step in (notify, deliver, notify):
        step(app, owner)

    (result,) = post.results
    assert (result.delivered, result.error_code, result.reason) == (False, "T-1", "unknown toll")
    assert result.answers == document_id


def test_a_document_that_was_processed_is_reported_after_its_verdict(app, post, owner):
    """The steps of a document are called in their order, also where the first one fails."""
    post.faults = [OSError("closed")]
    document_id = receive(post, owner)
    session = Session(owner, "p1", "p@example.com", Role.MEMBER)
    bills.mark(document_id, session, processed=True)
    notify(app, owner)
    assert [one.step for one in post.asked] == [Step.JUDGED]

    with db.writing() as connection:
        outbox.make_due(connection, f"ntc_{document_id}", clock.now())
    notify(app, owner)
    assert [one.step for one in post.asked] == [Step.JUDGED, Step.JUDGED, Step.PROCESSED]
    assert count(Notice) == 0


def test_a_document_whose_webhook_was_answered_is_forwarded_once(app, post, owner):
    """With 2xx, by the first of its endpoints; before that it is not."""
    document_id = None
    settings = runtime_of(app).settings
    with receiving() as receiver:
        for name in ("one", "two"):
            register(f"{receiver.url}/{name}", settings, tenant_id=owner)
        receiver.status = 500
        document_id = receive(post, owner)
        deliveries.deliver(*claimed(outbox.WEBHOOKS, owner), settings)
        notify(app, owner)
        assert [one.step for one in post.asked] == [Step.JUDGED]

        receiver.status = 200
        for _ in range(2):
            with db.writing() as connection:
                connection.execute(
                    sa.update(Outbox)
                    .where(Outbox.lane == outbox.WEBHOOKS)
                    .values(due_at=clock.now())
                )
            deliveries.deliver(*claimed(outbox.WEBHOOKS, owner), settings)
            notify(app, owner)

    assert len(receiver.received) == 4
    assert [one.step for one in post.asked] == [Step.JUDGED, Step.FORWARDED]
    assert post.asked[1].document_id == document_id


def test_a_call_that_fails_is_repeated_with_growing_pauses_and_given_up_after_a_day(
    app, post, owner, move
):
    post.faults = [OSError("closed")] * 1000
    receive(post, owner)
    notify(app, owner)
    notify(app, owner)
    assert len(post.asked) == 1
    assert any("1 calls of access points" in one.message for one in doctor_work.problems(()))

    move(seconds=6)
    notify(app, owner)
    assert len(post.asked) == 2
    move(days=1)
    notify(app, owner)
    notify(app, owner)
    assert len(post.asked) == 3
    assert (count(Notice), count(Message)) == (0, 0)
    assert not any("calls of access" in one.message for one in doctor_work.problems(()))


def _breaks() -> bool:
    raise RuntimeError("broken")


GIVEN_UP = [  # what the access point says of its reports → whether calls end after a day
    (lambda: False, True),
    (lambda: True, False),
    (_breaks, False),
]


@pytest.mark.parametrize(("says", "is_given_up"), GIVEN_UP)
def test_a_call_for_what_the_law_may_want_reported_is_not_given_up(
    app, post, owner, move, says, is_given_up
):
    post.faults = [OSError("closed")] * 1000
    post.reports_received = says
    receive(post, owner)
    notify(app, owner)
    move(days=2)
    notify(app, owner)

    assert (count(Notice) == 0) is is_given_up
    move(hours=2)
    notify(app, owner)
    assert len(post.asked) == (2 if is_given_up else 3)


# -- several documents in one call -----------------------------------------------------------------


class PostOfMany(TollPost):
    """Takes the outcomes of several documents. `refused`: instance ids that it raises for."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []
        self.refused: set[str] = set()

    def received_outcomes(self, outcomes):
        self.calls.append(len(outcomes))
        return [list(self.received_outcome(outcome)) for outcome in outcomes]

    def received_outcome(self, outcome):
        if outcome.instance_id in self.refused:
            raise OSError("refused")
        return super().received_outcome(outcome)


@pytest.fixture
def many(post, monkeypatch) -> TollPost:
    """The access point of the plugin, which takes several outcomes."""
    monkeypatch.setattr(post, "__class__", PostOfMany)
    post.calls, post.refused = [], set()
    return post


@pytest.fixture
def mailed(many, owner) -> list[str]:
    """Five documents of two tenants."""
    other = tenants.create("Other")
    theirs = ParticipantId("0088", "9520000000011")
    tenants.own_participant(other, Environment.TEST, theirs)
    found = [receive(many, owner, instance_id=f"message-{n}") for n in range(3)]
    return found + [
        receive(many, other, instance_id=f"message-{n}", receiver=theirs) for n in (3, 4)
    ]


def claim_all() -> tuple[list[int], str]:
    """The rows of all tenants, under one token."""
    with db.reading() as connection:
        owners = connection.execute(sa.select(Outbox.tenant_id).distinct()).scalars().all()
    return claimed(outbox.PLUGINS, *owners)


def notify_all(app) -> None:
    """Make the calls of all tenants in one job."""
    notices.run(*claim_all(), runtime_of(app))
    await_calls()


def test_the_documents_of_a_job_are_passed_in_one_call(app, many, mailed):
    """Each with its own outcome, and each answered with its own message."""
    notify_all(app)

    assert many.calls == [5]
    assert [outcome.document_id for outcome in many.asked] == mailed
    assert (count(Message), count(Notice)) == (5, 0)
    with db.reading() as connection:
        answered = connection.execute(sa.select(Message.invoice_id, Message.tenant_id)).all()
        owners = connection.execute(sa.select(Received.invoice_id, Received.tenant_id)).all()
    assert sorted(answered) == sorted(owners)


def test_a_document_whose_call_fails_does_not_hold_back_the_others(app, many, mailed, move):
    """After the call about all of them failed, each is passed by itself."""
    many.refused = {"message-1"}
    notify_all(app)

    assert (count(Message), count(Notice)) == (4, 1)
    many.refused.clear()
    move(seconds=6)
    notify_all(app)
    assert (count(Message), count(Notice)) == (5, 0)
    assert many.calls == [5]  # the one that is left is passed to received_outcome


def test_the_steps_of_a_document_are_passed_in_their_order(app, many, mailed, owner):
    """At most one outcome of a document in a call."""
    session = Session(owner, "p1", "p@example.com", Role.MEMBER)
    bills.mark(mailed[0], session, processed=True)
    notify_all(app)

    assert many.calls == [5]
    steps = [one.step for one in many.asked if one.document_id == mailed[0]]
    assert steps == [Step.JUDGED, Step.PROCESSED]
    assert (count(Message), count(Notice)) == (6, 0)


@pytest.mark.parametrize("statement", range(28))
def test_a_worker_that_dies_during_a_call_about_several_queues_each_answer_once(
    app, many, mailed, move, statement
):
    with crash_before(statement):
        ids, token = claim_all()
        notices._call_all(token, runtime_of(app), outbox.held(ids, token, clock.now()))
    move(minutes=10)
    outbox.release_expired(clock.now())
    notify_all(app)

    assert (count(Message), count(Notice)) == (5, 0)
    with db.reading() as connection:
        kinds = set(connection.execute(sa.select(Outbox.kind)).scalars())
    assert kinds - {outbox.ENTRY} == {outbox.MESSAGE}


def test_documents_of_other_access_points_have_no_notices(app, post, owner):
    """An access point without the protocol costs no row."""
    post.inbox.deliver_inbound(samples.inbound(access_point="another"))

    assert count(Notice) == 0
    with db.reading() as connection:
        assert connection.execute(sa.select(Received.inbound_state)).scalars().all() == [None]


@pytest.mark.parametrize("statement", range(14))
def test_a_worker_that_dies_at_any_statement_queues_each_answer_once(
    app, post, owner, move, statement
):
    """The call is repeated, its message is not."""
    receive(post, owner)
    ids, token = claimed(outbox.PLUGINS, owner, kind=outbox.NOTICE)
    (row,) = outbox.held(ids, token, clock.now())
    with crash_before(statement):
        notices._call_all(token, runtime_of(app), [row])
    move(minutes=10)
    outbox.release_expired(clock.now())
    notify(app, owner)

    assert (count(Message), count(Notice)) == (1, 0)
    with db.reading() as connection:
        assert set(connection.execute(sa.select(Outbox.kind)).scalars()) == {outbox.MESSAGE}


@pytest.mark.parametrize("statement", range(16))
def test_a_message_is_submitted_once_wherever_its_worker_dies(app, post, move, statement):
    """The network is asked for what it has; the message is not repeated blindly."""
    post.inbox.queue_message(post.name, acknowledgement("k"))
    ids, token = claimed(outbox.CHORES, outbox.NO_TENANT)
    with crash_before(statement):
        transmit.advance(ids, token, runtime_of(app))
    for _ in range(4):
        move(minutes=10)
        outbox.release_expired(clock.now())
        deliver(app, outbox.NO_TENANT)

    assert statuses() == ["Delivered"]
    assert list(post.book.values()) == [1]


@ONE_DATABASE
def test_a_message_takes_all_outcomes_of_a_document(app, post, move):
    """Not sent, unknown, pending, delivered: as a transmission does."""
    post.outcomes = [NotSent("closed"), Unknown("no answer")]
    post.inbox.queue_message(post.name, acknowledgement("k"))
    deliver(app, outbox.NO_TENANT)
    assert statuses() == ["Processing"]
    move(minutes=1)
    deliver(app, outbox.NO_TENANT)  # unknown
    post.outcomes = [pending()]
    move(minutes=1)
    deliver(app, outbox.NO_TENANT)  # find: never seen
    deliver(app, outbox.NO_TENANT)  # pending
    assert statuses() == ["Processing"]
    move(minutes=1)
    deliver(app, outbox.NO_TENANT)

    assert statuses() == ["Delivered"]
    assert list(post.book.values()) == [1]


@ONE_DATABASE
def test_a_key_is_queued_once(app, post):
    """A duty may run twice."""
    first = post.inbox.queue_message(post.name, acknowledgement("k"))
    again = post.inbox.queue_message(post.name, acknowledgement("k", document=b"<Other/>"))

    assert first == again
    assert count(Message) == 1


@ONE_DATABASE
def test_a_message_answers_only_documents_of_its_access_point(app, post, owner):
    found = post.inbox.deliver_inbound(samples.inbound(access_point="another"))

    with pytest.raises(ValueError, match="has had no document"):
        post.inbox.queue_message(post.name, acknowledgement("k", found.document_id))
    assert count(Message) == 0


@ONE_DATABASE
def test_settled_messages_are_deleted_after_1100_days_and_open_ones_stay(app, post, move):
    post.inbox.queue_message(post.name, acknowledgement("settled"))
    deliver(app, outbox.NO_TENANT)
    post.inbox.queue_message(post.name, acknowledgement("open"))
    move(days=1099)
    retention.sweep_all()
    assert count(Message) == 2

    move(days=2)
    assert retention.sweep_all().messages == 1
    with db.reading() as connection:
        assert list(connection.execute(sa.select(Message.key)).scalars()) == ["open"]


@ONE_DATABASE
def test_a_call_that_exits_is_repeated(app, post, owner, move):
    """An access point cannot end the worker, or lose its notice."""
    post.faults = [SystemExit(3)]
    receive(post, owner)
    notify(app, owner)
    move(seconds=10)
    notify(app, owner)

    assert len(post.asked) == 2
    assert count(Message) == 1


@ONE_DATABASE
def test_an_operator_settles_a_message_once(app, post):
    message_id = post.inbox.queue_message(post.name, acknowledgement("k"))
    points = runtime_of(app).access_points
    operations.resolve(message_id, "failed", b"<Seen/>", "seen.xml", "at the portal", points)

    assert statuses() == ["Failed"]
    with pytest.raises(Conflict):
        operations.resolve(message_id, "delivered", b"<Seen/>", "seen.xml", None, points)
    with pytest.raises(NotFound):
        operations.retry_now("msg_none")


@pytest.mark.parametrize(
    "changes",
    [
        {"key": ""},
        {"key": "a\nb"},
        {"document": b""},
        {"document": lambda: b"x" * (5 * 1024 * 1024 + 1)},
        {"retry_for": timedelta(0)},
        {"retry_for": timedelta(days=31)},
    ],
)
def test_a_message_outside_of_its_bounds_is_not_made(changes):
    made = {name: value() if callable(value) else value for name, value in changes.items()}
    with pytest.raises(ValueError, match=r"a (key|message)"):
        acknowledgement(**({"key": "k"} | made))
