"""The behaviour of the magic participants (decisions 14 and 19.9)."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from time import thread_time

import pytest
from lxml import etree

import einvoice_loopback
from einvoice.domain.artefacts import INVOICE_RESPONSE, RECEIPT
from einvoice.domain.delivery import DeliveredMeans
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, ParticipantId
from einvoice.domain.responses import ResponseStatus
from einvoice.network import access_points, registry, samples
from einvoice.network.testing import prepared_exchange, stored
from einvoice.network.types import (
    Advanceable,
    Busy,
    Delivered,
    DirectoryUnavailable,
    NeverSeen,
    NotRegistered,
    NotSent,
    Pending,
    Registration,
    Rejected,
    Stored,
    Unknown,
)
from einvoice_loopback.directory import Directory
from einvoice_loopback.participants import MAGIC, RESERVED
from einvoice_loopback.simulator import Simulator


def to(gln: str, **changes):
    return samples.envelope(receiver=ParticipantId("0088", gln), **changes)


def handed_over(simulator, envelope):
    return simulator.submit(*prepared_exchange(simulator, envelope))


@pytest.mark.parametrize(
    ("receiver", "seconds"),
    [
        ("0088:9520000000004", 2),
        ("0088:9520000000011", 60),
        ("0088:9520000000103", 2),
        ("0088:9520000000158", 2),
        ("0208:0123456749", 2),
        ("9915:anybody", 2),
    ],
)
def test_a_timed_participant_is_pending_and_then_delivered_on_time(
    simulator, time_passes, receiver, seconds
):
    """Not a millisecond earlier, and with a receipt."""
    envelope = samples.envelope(receiver=ParticipantId.parse(receiver))
    pending = handed_over(simulator, envelope)
    time_passes.pass_(seconds - 0.001)
    early = simulator.poll(envelope, stored(pending))
    time_passes.pass_(0.001)
    outcome = simulator.poll(envelope, stored(pending))

    assert isinstance(pending, Pending)
    assert pending.next_poll_at == time_passes.moment
    assert early == stored(pending)
    assert isinstance(outcome, Delivered)
    assert [evidence.kind for evidence in outcome.evidence] == [RECEIPT]


@pytest.mark.parametrize(
    ("gln", "reason_code", "retryable"),
    [
        ("9520000000035", "receiver-ap-unreachable", True),
        ("9520000000042", "rejected-by-receiver-ap", False),
    ],
)
def test_a_late_refusal_comes_after_two_seconds(
    simulator, time_passes, gln, reason_code, retryable
):
    """First Processing, then Failed with a reason code of the catalogue."""
    envelope = to(gln)
    pending = handed_over(simulator, envelope)
    time_passes.pass_(2)
    outcome = simulator.poll(envelope, stored(pending))

    assert isinstance(outcome, Rejected)
    assert (outcome.reason_code, outcome.retryable) == (reason_code, retryable)


@pytest.mark.parametrize(
    ("gln", "upstream_status", "retryable"),
    [("9520000000059", 400, False), ("9520000000066", 503, True)],
)
def test_an_immediate_refusal_is_the_outcome_of_the_submit(
    simulator, gln, upstream_status, retryable
):
    """The cases of network-failed."""
    outcome = handed_over(simulator, to(gln))

    assert isinstance(outcome, Rejected)
    assert (outcome.upstream_status, outcome.retryable) == (upstream_status, retryable)


def test_one_participant_waits_until_somebody_advances_it(simulator, time_passes):
    """However much time passes. The advance is in the state, so that any worker can read it."""
    envelope = to("9520000000028")
    pending = handed_over(simulator, envelope)
    time_passes.pass_(86400)
    still = simulator.poll(envelope, stored(pending))
    advanced = simulator.advance(envelope, stored(still))

    assert isinstance(simulator, Advanceable)
    assert pending.next_poll_at is still.next_poll_at is None
    assert advanced.next_poll_at == time_passes.moment
    assert isinstance(simulator.poll(envelope, stored(advanced)), Delivered)


def test_no_response_is_unknown_until_twenty_seconds_have_passed(simulator, time_passes):
    """A time-out without sleeping: `find` returns Unknown until then."""
    exchange = prepared_exchange(simulator, to("9520000000073"))
    silence = simulator.submit(*exchange)
    time_passes.pass_(19.999)
    before = simulator.find(*exchange)
    time_passes.pass_(0.001)

    assert isinstance(silence, Unknown)
    assert silence.ask_after == 20.0
    assert isinstance(before, Unknown)
    assert isinstance(simulator.find(*exchange), Delivered)


@pytest.mark.parametrize(
    ("gln", "seconds"), [("9520000000165", 1), ("9520000000172", 10), ("9520000000189", 30)]
)
def test_a_document_is_taken_late_without_sleeping(simulator, time_passes, gln, seconds):
    """Nothing is sent before, so the service asks again at that moment; then it is Delivered."""
    exchange = prepared_exchange(simulator, to(gln))
    first = simulator.submit(*exchange)
    time_passes.pass_(seconds - 0.001)
    early = simulator.submit(*exchange)
    found = simulator.find(*exchange)
    time_passes.pass_(0.001)
    taken = simulator.submit(*exchange)

    assert isinstance(first, NotSent)
    assert first.retry_after == seconds
    assert isinstance(early, NotSent)
    assert isinstance(found, NeverSeen)
    assert isinstance(taken, Delivered)
    assert [evidence.kind for evidence in taken.evidence] == [RECEIPT]


def test_a_first_attempt_fails_and_the_second_succeeds(simulator):
    """Certainly nothing reached the network, so the service may submit it again."""
    envelope, prepared = prepared_exchange(simulator, to("9520000000141"))

    assert isinstance(simulator.submit(envelope, prepared), NotSent)
    assert isinstance(simulator.find(envelope, prepared), NeverSeen)
    assert isinstance(simulator.submit(replace(envelope, attempt=2), prepared), Pending)


@pytest.mark.parametrize(
    ("gln", "kinds", "code", "reasons"),
    [
        ("9520000000103", [INVOICE_RESPONSE], "RE", 2),
        ("9520000000110", [INVOICE_RESPONSE], "AP", 0),
        ("9520000000134", [RECEIPT], None, 0),
    ],
)
def test_evidence_follows_a_delivery(simulator, time_passes, gln, kinds, code, reasons):
    """Two seconds later, and once."""
    envelope = to(gln)
    delivered = delivery(simulator, time_passes, envelope)
    early = simulator.poll(envelope, stored(delivered.follow_up))
    time_passes.pass_(2)
    later = simulator.poll(envelope, stored(delivered.follow_up))

    assert early == stored(delivered.follow_up)
    assert [evidence.kind for evidence in later.evidence] == kinds
    assert later.evidence[0].response_code == code
    assert len(later.evidence[0].reasons) == reasons
    assert later.follow_up is None


def delivery(simulator, time_passes, envelope) -> Delivered:
    pending = handed_over(simulator, envelope)
    time_passes.pass_(2)
    outcome = simulator.poll(envelope, stored(pending))
    assert isinstance(outcome, Delivered)
    return outcome


def test_the_second_receipt_is_the_first_again(simulator, time_passes):
    """The same bytes, so that evidence stored by its digest is stored once."""
    envelope = to("9520000000134")
    delivered = delivery(simulator, time_passes, envelope)
    time_passes.pass_(5)

    assert simulator.poll(envelope, stored(delivered.follow_up)).evidence == delivered.evidence


def test_an_invoice_response_names_the_invoice_and_says_that_it_is_simulated(
    simulator, time_passes
):
    """A well-formed ApplicationResponse, also with a number that must be escaped."""
    envelope = to("9520000000103", number="A&B <1>")
    follow_up = delivery(simulator, time_passes, envelope).follow_up
    time_passes.pass_(2)
    content = simulator.poll(envelope, stored(follow_up)).evidence[0].content
    response = etree.fromstring(content)

    assert response.findtext(".//{*}DocumentReference/{*}ID") == "A&B <1>"
    assert response.findtext(".//{*}ResponseCode") == "RE"
    assert b"SIMULATION" in content


def test_a_receipt_says_that_it_is_simulated(simulator, time_passes):
    """It must not be mistaken for a proof of delivery."""
    (receipt,) = delivery(simulator, time_passes, to("9520000000004")).evidence
    root = etree.fromstring(receipt.content)

    assert etree.QName(root).localname == "SimulatedReceipt"
    assert "no document left this service" in root.findtext("{*}Notice")
    assert root.findtext("{*}Environment") == "test"


@pytest.mark.parametrize("gln", ["9520000000059", "9520000000066", "9520000000035"])
def test_a_refusal_says_that_it_is_simulated(simulator, time_passes, gln):
    """Its reason is shown to the user as failureReason."""
    envelope = to(gln)
    outcome = handed_over(simulator, envelope)
    if isinstance(outcome, Pending):
        time_passes.pass_(2)
        outcome = simulator.poll(envelope, stored(outcome))

    assert outcome.reason.startswith("Simulated: ")


class Inbox:
    """An inbox that stores new documents, or returns the given verdict."""

    def __init__(self, *verdicts) -> None:
        self.messages, self.verdicts = [], list(verdicts)

    def __call__(self, inbound):
        self.messages.append(inbound)
        return self.verdicts.pop(0)


def test_an_invoice_comes_back_through_the_inbox(tmp_path, time_passes):
    """From the receiver to the sender; a repeated poll has the same instance id."""
    inbox = Inbox(Busy(), Stored("one"))
    simulator = Simulator(Directory(tmp_path), inbox)
    envelope = to("9520000000127")
    follow_up = delivery(simulator, time_passes, envelope).follow_up
    time_passes.pass_(2)
    busy = simulator.poll(envelope, stored(follow_up))
    time_passes.pass_(2)
    done = simulator.poll(envelope, stored(busy))
    first, second = inbox.messages

    assert isinstance(busy, Pending)
    assert done == Delivered()
    assert first == second
    assert (first.sender, first.receiver) == (envelope.receiver, envelope.sender)
    assert etree.fromstring(first.document).findtext("{*}BuyerReference") == envelope.number
    assert b"SIMULATION" in first.document


def test_nothing_comes_back_without_an_inbox(simulator, time_passes):
    """Then that participant is an ordinary one."""
    assert delivery(simulator, time_passes, to("9520000000127")).follow_up is None


def test_the_directory_knows_every_participant_but_one(simulator):
    """…0080 is not registered, …0097 takes no invoices, all others take them."""
    look = simulator.lookup

    assert look(ParticipantId("0088", "9520000000080")) == NotRegistered()
    assert BIS_INVOICE not in look(ParticipantId("0088", "9520000000097")).document_types
    assert BIS_INVOICE in look(ParticipantId("0208", "0123456749")).document_types


def test_the_directory_is_unavailable_once_for_all_processes_of_a_machine(tmp_path, time_passes):
    """The next lookup works in every process; a minute later one fails again."""
    participant = ParticipantId("0088", "9520000000158")
    one, other = Directory(tmp_path), Directory(tmp_path)
    with pytest.raises(DirectoryUnavailable):
        one.lookup(participant)
    time_passes.pass_(59.999)
    assert isinstance(other.lookup(participant), Registration)
    time_passes.pass_(0.001)
    with pytest.raises(DirectoryUnavailable):
        other.lookup(participant)


@pytest.mark.parametrize("memory", ["no moment", ""])
def test_an_invalid_file_of_the_last_outage_counts_as_none(tmp_path, time_passes, memory):
    """A half-written file must not break lookups."""
    (tmp_path / "simulator-outage").write_text(memory)
    participant = ParticipantId("0088", "9520000000158")

    with pytest.raises(DirectoryUnavailable):
        Directory(tmp_path).lookup(participant)
    assert isinstance(Directory(tmp_path).lookup(participant), Registration)


def test_without_a_writable_file_the_directory_is_available(tmp_path):
    """The outage would never end."""
    file = tmp_path / "a-file"
    file.touch()

    found = Directory(file / "below").lookup(ParticipantId("0088", "9520000000158"))

    assert isinstance(found, Registration)


@pytest.mark.parametrize("gln", [text.partition(":")[2] for text in MAGIC])
def test_another_process_can_poll_what_one_submitted(tmp_path, time_passes, gln):
    """Web and worker processes share no memory, and any of them may end."""

    def fresh():
        return Simulator(Directory(tmp_path))

    envelope = to(gln, attempt=2)
    exchange = prepared_exchange(fresh(), envelope)
    outcome = fresh().submit(*exchange)
    for _ in range(3):
        time_passes.pass_(60)
        if isinstance(outcome, NotSent):
            outcome = fresh().submit(*exchange)
        if isinstance(outcome, Pending):
            outcome = fresh().poll(envelope, stored(fresh().advance(envelope, outcome)))
        elif isinstance(outcome, Unknown):
            outcome = Delivered()

    assert isinstance(outcome, Delivered | Rejected)


def test_the_magic_participants_are_all_reserved(simulator):
    """A real test network is never asked about them; a live key may not send to them."""
    points = access_points.AccessPoints([simulator])

    assert len(RESERVED) == len(MAGIC) == 31
    assert all(points.reserved(participant) for participant in RESERVED)
    assert not points.reserved(samples.SENDER)


RESPONSES = {  # receiver → status of its response, code of the network
    "9520000000196": (ResponseStatus.RECEIVED, "AB"),
    "9520000000202": (ResponseStatus.IN_PROCESS, "IP"),
    "9520000000219": (ResponseStatus.CONDITIONALLY_ACCEPTED, "CA"),
    "9520000000110": (ResponseStatus.ACCEPTED, "AP"),
    "9520000000103": (ResponseStatus.REJECTED, "RE"),
    "9520000000226": (ResponseStatus.PAID, "PD"),
    "9520000000233": (ResponseStatus.UNDELIVERABLE, "RE"),
    "9520000000295": (ResponseStatus.REJECTED, "210"),
}


def test_there_is_a_receiver_of_each_response(simulator, time_passes):
    for gln, (status, code) in RESPONSES.items():
        envelope = to(gln)
        follow_up = delivery(simulator, time_passes, envelope).follow_up
        time_passes.pass_(2)
        (evidence,) = simulator.poll(envelope, stored(follow_up)).evidence
        assert (evidence.response.status, evidence.response_code) == (status, code), gln
        etree.fromstring(evidence.content)
    # Only a seller cancels an invoice.
    assert {status for status, _ in RESPONSES.values()} == {*ResponseStatus} - {
        ResponseStatus.CANCELLED
    }


AUTHORITIES = {  # receiver → form of the number of the authority
    "9520000000240": r"[1-9]\d{9}-20261121-[0-9A-F]{12}-[0-9A-F]{2}",
    "9520000000271": r"5\d{9}",
}


def test_an_authority_gives_a_number_in_the_form_of_its_network(simulator, time_passes):
    for gln, form in AUTHORITIES.items():
        delivered = delivery(simulator, time_passes, to(gln))
        _, receipt = delivered.evidence
        assert re.fullmatch(form, receipt.authority_reference), gln
        assert delivered.means is DeliveredMeans.PLATFORM


REFUSALS = {  # receiver → code, reason code, field of the finding
    "9520000000257": ("450", "document-refused", "invoice.buyer.taxId"),
    "9520000000264": ("440", "duplicate-document", "invoice.number"),
    "9520000000288": ("BR-RO-110", "document-refused", "invoice.supplier.address.region"),
    "9520000000301": ("213", "document-refused", None),
}


def test_a_refusal_of_an_authority_has_its_code_and_findings(simulator, time_passes):
    for gln, expected in REFUSALS.items():
        envelope = to(gln)
        pending = handed_over(simulator, envelope)
        time_passes.pass_(2)
        refused = simulator.poll(envelope, stored(pending))
        (finding,) = refused.findings
        assert (refused.code, refused.reason_code, finding.field) == expected, gln
        assert refused.reason.startswith("Simulated ")


@pytest.mark.parametrize("gln", [text.partition(":")[2] for text in MAGIC])
def test_a_magic_participant_is_a_gln_with_a_valid_check_digit(gln):
    """The rules about identifiers apply in the sandbox too."""
    weighted = sum(int(digit) * (3 if place % 2 else 1) for place, digit in enumerate(gln))

    assert len(gln) == 13
    assert weighted % 10 == 0


def test_the_readme_lists_what_the_simulator_does():
    """Its table is the one in the code."""
    readme = (Path(__file__).parents[1] / "README.md").read_text()

    assert dict(re.findall(r"^\| (0088:\d{13}) \| (.+) \|$", readme, re.MULTILINE)) == {
        participant: behaviour.words for participant, behaviour in MAGIC.items()
    }


def test_the_plugin_offers_one_simulator_for_the_test_environment(tmp_path):
    """Loaded as the service loads it."""
    points = registry.load({"EINVOICE_DATA_DIR": str(tmp_path)}, [einvoice_loopback])

    assert [(p.name, p.network, p.environment) for p in points] == [
        ("simulator", "simulator", Environment.TEST)
    ]
    assert points.serving(samples.RECEIVER, Environment.LIVE) == []


def test_a_hundred_envelopes_cost_less_than_ten_milliseconds(simulator):
    """The simulator must not dominate a load test (0.25 ms when written)."""
    batch = [prepared_exchange(simulator, samples.envelope()) for _ in range(100)]
    costs = []
    for _ in range(20):
        begun = thread_time()
        simulator.submit_many(batch)
        costs.append(thread_time() - begun)

    assert min(costs) < 0.010
