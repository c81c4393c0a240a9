"""Sending through both REST interfaces: the contract, and the outcome of every kind of answer."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.artefacts import MLS, RECEIPT
from einvoice.domain.environments import Environment
from einvoice.domain.responses import ResponseContent
from einvoice.network import samples
from einvoice.network.messages import InvoiceAnswer, ReceivedOutcome, RespondsToInvoices, Step
from einvoice.network.testing import AccessPointContract, prepared_exchange, stored
from einvoice.network.types import (
    Delivered,
    NeverSeen,
    NotSent,
    Pending,
    Prepared,
    Rejected,
    Unknown,
)
from einvoice_gateway import transmissions
from einvoice_gateway.access_point import GatewayAccessPoint, NotReported
from einvoice_gateway.configuration import Shape
from einvoice_peppol import invoice_response
from plugins.gateway.tests import stand_ins
from plugins.gateway.tests.stand_ins import RECEIPT as SIGNAL
from plugins.gateway.tests.stand_ins import as4_error, failed, report


class GatewayContract(AccessPointContract):
    shape: Shape

    def wait_until(self, moment):
        """The stand-ins need no time."""

    @pytest.fixture
    def an_envelope(self):
        return samples.envelope

    @pytest.fixture
    def refused_envelope(self):
        return samples.envelope(receiver=stand_ins.REFUSED)

    @pytest.fixture
    def stranger(self):
        return stand_ins.STRANGER

    @pytest.fixture
    def offline(self):
        closed = stand_ins.FixedDirectory(available=False)
        return GatewayAccessPoint(stand_ins.gateway(self.shape, "http://127.0.0.1:9", closed))


class TestPhase4(GatewayContract):
    shape = Shape.PHASE4

    @pytest.fixture
    def access_point(self, through_phase4):
        return through_phase4


class TestPhossAp(GatewayContract):
    """It sends in the request, or its first attempt fails and it repeats by itself."""

    shape = Shape.PHOSS_AP

    @pytest.fixture(params=["at once", "later"])
    def access_point(self, request, through_phoss, phoss):
        if request.param == "later":
            phoss.statuses = [
                {"status": "failed"}, {"status": "sending"}, {"status": "sent"},
            ]  # fmt: skip
            phoss.reports = lambda instance: failed(
                instance, "TRANSPORT_ERROR" if instance else None
            )
        return through_phoss

    @pytest.fixture
    def refused_envelope(self, phoss):
        return None if phoss.reports else samples.envelope(receiver=stand_ins.REFUSED)


def submitted(point, **changes):
    return point.submit(*prepared_exchange(point, samples.envelope(**changes)))


# -- both ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", ["phoss", "phase4"])
def test_the_envelope_says_what_the_transmission_says(shape, request):
    stand_in, point = (request.getfixturevalue(name) for name in (shape, f"through_{shape}"))
    envelope = samples.envelope(sender_country="NL")
    outcome = point.submit(*prepared_exchange(point, envelope))
    (enveloped,) = stand_in.submitted
    header = enveloped.header

    assert header.instance_id == envelope.instance_id
    assert header.country_c1 == "NL"
    assert (header.sender, header.receiver) == (envelope.sender, envelope.receiver)
    assert (header.document_type, header.process) == (envelope.document_type, envelope.process)
    assert outcome.evidence[0].kind is RECEIPT
    assert outcome.evidence[0].content == SIGNAL.encode()
    assert outcome.evidence[0].authority_reference == f"{envelope.instance_id}@ap.example"


def test_a_document_without_the_country_of_its_sender_is_refused_before_it_is_sent(through_phase4):
    refused = through_phase4.prepare(samples.envelope(sender_country=None))

    assert (refused.code, refused.reason_code) == ("envelope", "document-refused")


def test_a_delivery_without_a_receipt_has_the_report_as_evidence(through_phase4, phase4):
    phase4.reports = lambda instance: report(instance, as4ReceivedSignalMsg=None)
    (evidence,) = submitted(through_phase4).evidence

    assert evidence.content_type == "application/json"
    assert b'"overallSuccess": true' in evidence.content


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (302, NotSent), (400, Rejected), (401, NotSent), (404, NotSent), (413, Rejected),
        (408, Unknown), (409, Unknown), (422, Unknown), (500, Unknown), (503, Unknown),
        (200, Unknown), (0, Unknown),
    ],
)  # fmt: skip
@pytest.mark.parametrize("shape", ["phoss", "phase4"])
def test_an_answer_without_a_report_fails_only_what_cannot_have_been_sent(
    shape, status, expected, request
):
    stand_in, point = (request.getfixturevalue(name) for name in (shape, f"through_{shape}"))
    stand_in.respond = lambda *_: (status, b"<html/>")

    assert isinstance(submitted(point), expected)


def test_a_refused_token_leaves_the_document_to_be_sent():
    with stand_ins.serving(stand_ins.Phase4()) as url:
        point = GatewayAccessPoint(stand_ins.gateway(Shape.PHASE4, url, token="wrong"))
        outcome = submitted(point)

    assert (type(outcome), outcome.code) == (NotSent, "401")


# -- phase4 ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "detail", "expected", "reason"),
    [
        ("EBMS:0004", "PEPPOL:NOT_SERVICED", Rejected, "receiver-unknown"),
        ("0004", "the document is refused", Rejected, "rejected-by-receiver-ap"),
        ("EBMS:0102", "", Rejected, "rejected-by-receiver-ap"),
        ("EBMS:0005", "", NotSent, None),
        ("EBMS:0202", "", NotSent, None),
        ("EBMS:4001", "", Pending, None),
        ("EBMS:0004", "already handled", Pending, None),
    ],
)
def test_an_error_of_the_receiver_has_the_outcome_that_it_has_without_a_gateway(
    through_phase4, phase4, code, detail, expected, reason
):
    phase4.reports = lambda instance: failed(
        instance, "AS4_ERROR_MESSAGE_RECEIVED", as4ResponseErrors=[as4_error(code, detail)]
    )
    outcome = submitted(through_phase4)

    assert isinstance(outcome, expected)
    assert getattr(outcome, "reason_code", None) == reason


@pytest.mark.parametrize(
    "result",
    ["TRANSPORT_ERROR", "TRANSPORT_ERROR_NO_RETRY", "NO_SIGNAL_MESSAGE_RECEIVED", "NEW", None],
)
def test_a_result_that_proves_nothing_is_unknown(through_phase4, phase4, result):
    phase4.reports = lambda instance: failed(instance, result)

    assert isinstance(submitted(through_phase4), Unknown)


@pytest.mark.parametrize("result", ["SUCCESS", "INVALID_SIGNAL_MESSAGE_RECEIVED"])
def test_a_receipt_that_does_not_count_needs_attention_with_its_evidence(
    through_phase4, phase4, result
):
    phase4.reports = lambda instance: failed(instance, result, as4ReceivedSignalMsg=SIGNAL)
    outcome = submitted(through_phase4)

    assert isinstance(outcome, Pending)
    assert outcome.next_poll_at is None
    assert outcome.deadline <= clock.now()
    assert outcome.evidence[0].content == SIGNAL.encode()


def test_a_failed_lookup_of_the_access_point_leaves_the_document_to_be_sent(through_phase4, phase4):
    phase4.reports = lambda instance: failed(instance, None, lookupError=True)

    assert isinstance(submitted(through_phase4), NotSent)


def test_a_warning_beside_an_error_decides_nothing(through_phase4, phase4):
    warning = as4_error("EBMS:0005") | {"severity": "warning"}
    phase4.reports = lambda instance: failed(
        instance, "AS4_ERROR_MESSAGE_RECEIVED", as4ResponseErrors=[warning, as4_error("0102")]
    )

    assert isinstance(submitted(through_phase4), Rejected)


def test_phase4_has_no_status_to_ask_for(through_phase4):
    exchange = prepared_exchange(through_phase4, samples.envelope())

    assert not through_phase4.capabilities.has_status
    assert isinstance(through_phase4.find(*exchange), Unknown)


# -- phoss AP --------------------------------------------------------------------------------------


@pytest.fixture
def pending(through_phoss, phoss):
    """A document that the access point repeats, with its envelope."""
    phoss.reports = lambda instance: failed(instance, "TRANSPORT_ERROR")
    envelope, prepared = prepared_exchange(through_phoss, samples.envelope())
    return envelope, stored(through_phoss.submit(envelope, prepared))


@pytest.mark.parametrize("result", ["TRANSPORT_ERROR", "AS4_ERROR_MESSAGE_RECEIVED", None])
def test_a_failed_attempt_of_a_phoss_ap_is_polled(through_phoss, phoss, result):
    """It repeats by itself: only its status is final."""
    phoss.reports = lambda instance: failed(instance, result)
    outcome = submitted(through_phoss)

    assert isinstance(outcome, Pending)
    assert outcome.next_poll_at > clock.now()


@pytest.mark.parametrize(
    ("status", "expected", "reason"),
    [
        ("pending", Pending, None), ("sending", Pending, None), ("failed", Pending, None),
        ("something-new", Pending, None), ("sent", Delivered, None),
        ("rejected", Rejected, "document-refused"),
        ("permanently_failed", Rejected, "not-handed-over"),
    ],
)  # fmt: skip
def test_each_status_of_a_phoss_ap_has_its_outcome(
    through_phoss, phoss, pending, status, expected, reason
):
    phoss.statuses = [{"status": status, "errorDetails": "connection refused"}]
    outcome = through_phoss.poll(*pending)

    assert isinstance(outcome, expected)
    assert getattr(outcome, "reason_code", None) == reason
    if reason:
        assert outcome.reason == "connection refused"


def test_a_status_is_asked_for_ever_later_and_not_before_the_next_retry(
    through_phoss, phoss, pending
):
    envelope, first = pending
    phoss.statuses = [{"status": "failed"}]
    second = through_phoss.poll(envelope, first)
    third = through_phoss.poll(envelope, stored(second))
    now = clock.now()
    assert second.next_poll_at < third.next_poll_at - timedelta(seconds=1.5)
    assert third.deadline == first.deadline

    retry = now + timedelta(minutes=20)
    phoss.statuses = [{"status": "failed", "nextRetryDT": retry.isoformat()}]
    assert through_phoss.poll(envelope, stored(third)).next_poll_at == retry


@pytest.mark.parametrize("answer", [(404, None), (401, None), (503, b""), (200, {}), (0, None)])
def test_a_poll_without_a_status_is_repeated(through_phoss, phoss, pending, answer):
    phoss.respond = lambda *_: answer

    assert isinstance(through_phoss.poll(*pending), NotSent)


@pytest.mark.parametrize(
    ("mls", "code"), [("received_ap", "AP"), ("received_ab", "AB"), ("received_re", "RE")]
)
def test_a_message_level_status_follows_the_delivery(through_phoss, phoss, mls, code):
    envelope, prepared = prepared_exchange(through_phoss, samples.envelope())
    awaited = through_phoss.submit(envelope, prepared).follow_up
    phoss.statuses = [
        {"status": "sent", "mlsStatus": "pending"}, {"status": "sent", "mlsStatus": mls},
    ]  # fmt: skip
    still = through_phoss.poll(envelope, stored(awaited))
    (evidence,) = through_phoss.poll(envelope, stored(still)).evidence

    assert isinstance(still, Pending)
    assert (evidence.kind, evidence.response_code) == (MLS, code)


@pytest.mark.parametrize("answer", [None, (503, b"")])
def test_a_message_level_status_is_not_awaited_for_ever(through_phoss, phoss, monkeypatch, answer):
    envelope, prepared = prepared_exchange(through_phoss, samples.envelope())
    awaited = stored(through_phoss.submit(envelope, prepared).follow_up)
    phoss.statuses = [{"status": "sent", "mlsStatus": "pending"}]
    phoss.respond = lambda *_: answer
    assert not isinstance(through_phoss.poll(envelope, awaited), Delivered)

    later = clock.now() + transmissions.MLS_WAIT
    monkeypatch.setattr(clock, "now", lambda: later)
    assert through_phoss.poll(envelope, awaited) == Delivered()


def test_a_submit_that_was_not_answered_is_found_by_its_status(through_phoss, phoss):
    exchange = prepared_exchange(through_phoss, samples.envelope())
    phoss.respond = lambda method, _: phoss.taken.update({exchange[0].instance_id: 0}) or (0, None)
    assert isinstance(through_phoss.submit(*exchange), Unknown)
    phoss.respond = lambda *_: None

    assert isinstance(through_phoss.find(*exchange), Delivered)


def test_a_document_counts_as_never_seen_only_if_the_interface_answers(through_phoss, phoss):
    """A 404 of a proxy is no proof: the document would be sent twice."""
    exchange = prepared_exchange(through_phoss, samples.envelope())
    assert through_phoss.find(*exchange) == NeverSeen()

    phoss.respond = lambda *_: (404, b"")
    assert isinstance(through_phoss.find(*exchange), Unknown)


def test_a_refused_repeat_is_not_a_failure(through_phoss):
    """The access point refuses an instance id that it has: an earlier attempt has arrived."""
    envelope, prepared = prepared_exchange(through_phoss, samples.envelope())
    through_phoss.submit(envelope, prepared)
    repeated = through_phoss.submit(replace(envelope, attempt=2), prepared)

    assert isinstance(repeated, Unknown)
    assert isinstance(through_phoss.find(envelope, prepared), Delivered)


# -- the country of receivers ----------------------------------------------------------------------


def outcome(**changes):
    inbound = samples.inbound()
    fields = {
        name: getattr(inbound, name)
        for name in (
            "access_point", "instance_id", "environment", "sender", "receiver", "document_type",
            "process",
        )
    }  # fmt: skip
    fields |= {"document_id": "doc-1", "tenant_id": "t", "step": Step.JUDGED, "valid": True}
    fields |= {"at": clock.now(), "received_at": clock.now(), "receiver_country": "BE"}
    return ReceivedOutcome(**(fields | changes))


def test_the_country_of_a_receiver_is_reported_once_the_document_is_judged(through_phoss, phoss):
    through_phoss.received_outcome(outcome(instance_id="a/b c"))
    through_phoss.received_outcome(outcome(instance_id="other", step=Step.PROCESSED))

    assert phoss.countries == {"a/b c": "BE"}


@pytest.mark.parametrize(("status", "raises"), [(503, True), (401, True), (404, False)])
def test_a_country_that_was_not_taken_is_reported_again(through_phoss, phoss, status, raises):
    phoss.respond = lambda *_: (status, b"")
    if not raises:
        assert through_phoss.received_outcome(outcome()) == ()
        return
    with pytest.raises(NotReported):
        through_phoss.received_outcome(outcome())


def test_phase4_is_not_reported_countries(through_phase4, phase4):
    phase4.respond = lambda *_: pytest.fail("it was called")

    assert through_phase4.received_outcome(outcome()) == ()


def test_a_prepared_message_is_stored_compressed(through_phase4):
    envelope = samples.envelope()
    prepared = through_phase4.prepare(envelope)

    assert isinstance(prepared, Prepared)
    assert len(prepared.content) < len(envelope.document)


# -- responses to bills ----------------------------------------------------------------------------


def an_answer(**changes):
    fields = {
        "response_id": "r-1",
        "document_id": "doc-1",
        "environment": Environment.TEST,
        "tenant_id": "t",
        "sender": samples.RECEIVER,
        "receiver": samples.SENDER,
        "sender_name": "Buyer",
        "receiver_name": "Seller",
        "number": "INV-1",
        "type_code": "380",
        "issue_date": None,
        "at": clock.now(),
        "content": ResponseContent("AP"),
        "sender_country": "NL",
    }
    return InvoiceAnswer(**(fields | changes))


def test_responses_are_taken_by_those_registered_for_them(through_phase4):
    assert isinstance(through_phase4, RespondsToInvoices)
    assert through_phase4.takes_responses(samples.SENDER) is True
    assert through_phase4.takes_responses(stand_ins.STRANGER) is False


def test_a_response_is_an_invoice_response_to_the_sender_of_the_bill(through_phase4):
    message = through_phase4.response_message(an_answer())
    response = invoice_response.read(message.document)

    assert (message.sender, message.receiver) == (samples.RECEIVER, samples.SENDER)
    assert (message.key, message.answers) == ("response-r-1", "doc-1")
    assert (message.sender_country, response.code, response.number) == ("NL", "AP", "INV-1")


def test_a_response_without_the_country_of_its_sender_is_refused(through_phase4):
    with pytest.raises(ValueError, match="country"):
        through_phase4.response_message(an_answer(sender_country=None))
