"""Message Level Statuses: when one is sent and to whom, and which one is taken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from as4_samples import INFO, header, sent
from as4_server import FixedDirectory, network

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_BILLING_PROCESS, BIS_INVOICE, ParticipantId
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.messages import ReceivedFinding, ReceivedOutcome, Step
from einvoice.network.testing import MemoryInbox
from einvoice.network.types import Busy, KeptDocument, NotRegistered, NotServiced, Settled
from einvoice_peppol import mls, sbdh, statuses
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.as4 import answers, signals
from einvoice_peppol.mls import Issue, Mls
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.smp_documents import Endpoint
from plugins.peppol.tests import official

OURS, THEIRS = ParticipantId("0242", "000002"), ParticipantId("0242", "000001")
ERROR = ReceivedFinding("error", "en16931", "BR-01", "A number is needed.", "/Invoice[1]")
WARNING = ReceivedFinding("warning", "peppol", "PEPPOL-R1", "Perhaps.")
SCHEMA = ReceivedFinding("error", "xsd", "XSD", "Not allowed here.", "/Invoice[1]/ID[1]")
OUTCOME = ReceivedOutcome(
    document_id="doc-1",
    access_point="peppol-test",
    instance_id="instance-1",
    environment=Environment.TEST,
    tenant_id="t",
    sender=samples.SENDER,
    receiver=samples.RECEIVER,
    document_type=samples.envelope().document_type,
    process=samples.envelope().process,
    step=Step.JUDGED,
    at=clock.now(),
    received_at=clock.now(),
    valid=True,
    state={"seat": "POP000001", "country_c1": "BE"},
)


@pytest.fixture
def directory(c2):
    return FixedDirectory("http://127.0.0.1:9/as4", c2)


@pytest.fixture
def own(c3, trusted, directory):
    return network(c3, trusted=trusted, directory=directory)


@pytest.fixture
def answered(own):
    """The status about a document, with these changes of the outcome; None if there is none."""

    def _answered(**changes):
        state = {**OUTCOME.state, **changes.pop("state", {})}
        found = [*Peppol(own).received_outcome(replace(OUTCOME, state=state, **changes))]
        assert len(found) <= 1
        return found[0] if found else None

    return _answered


# -- for received documents ----------------------------------------------------------------------


def test_an_invalid_document_is_answered_by_a_refusal_with_its_findings(answered):
    message = answered(valid=False, findings=(SCHEMA, ERROR, WARNING))
    status = mls.read(message.document)

    assert (status.code, status.instance_id) == ("RE", "instance-1")
    assert status.description == "The document breaks 2 rule(s)."
    assert [(each.reason, each.place) for each in status.issues] == [
        ("SV", "/Invoice[1]/ID[1]"),
        ("BV", "/Invoice[1]"),
        ("BW", "NA"),
    ]
    assert status.issues[1].description == "BR-01: A number is needed."
    assert official.failures(official.MLS, message.document) == []


def test_the_message_goes_from_provider_to_provider_and_answers_the_document(answered):
    message = answered(valid=False, findings=(ERROR,))

    assert (message.sender, message.receiver) == (OURS, THEIRS)
    assert (message.document_type, message.process) == (mls.DOCUMENT_TYPE, mls.PROCESS)
    assert (message.answers, message.key, message.sender_country) == ("doc-1", "mls-doc-1", "BE")


@pytest.mark.parametrize(
    ("wanted", "code"), [(None, None), ("FAILURE_ONLY", None), ("ALWAYS_SEND", "AB")]
)
def test_a_valid_document_is_answered_only_if_the_sender_asked_for_it(answered, wanted, code):
    state = {"mls_type": wanted} if wanted else {}
    message = answered(state=state, findings=(WARNING,))

    assert (message and mls.read(message.document).code) == code


def test_the_status_is_the_same_when_the_call_is_repeated(answered, monkeypatch):
    monkeypatch.setattr(clock, "now", lambda: OUTCOME.at)

    assert answered(valid=False, findings=(ERROR,)) == answered(valid=False, findings=(ERROR,))


def test_a_document_is_answered_once_and_not_when_its_tenant_has_processed_it(answered):
    assert answered(valid=False, findings=(ERROR,), step=Step.PROCESSED) is None


def test_mls_to_of_the_provider_gets_the_status(answered):
    wanted = answered(valid=False, findings=(ERROR,), state={"mls_to": "0242:000001-UNIT"})
    foreign = answered(valid=False, findings=(ERROR,), state={"mls_to": "0242:000009-UNIT"})

    assert wanted.receiver == ParticipantId("0242", "000001-UNIT")
    assert foreign.receiver == THEIRS


def test_an_unregistered_mls_to_is_replaced_by_the_provider_itself(answered, directory):
    def endpoint(participant, *_):
        return NotRegistered() if participant != THEIRS else directory.found

    directory.endpoint = endpoint
    message = answered(valid=False, findings=(ERROR,), state={"mls_to": "0242:000001-UNIT"})

    assert message.receiver == THEIRS


def test_a_provider_that_takes_no_statuses_gets_none(answered, directory):
    """They are being introduced until 2027; not all providers are registered for them."""
    directory.found = NotRegistered()

    assert answered(valid=False, findings=(ERROR,)) is None


def test_a_directory_that_does_not_answer_does_not_lose_the_status(answered, directory):
    directory.available = False

    assert answered(valid=False, findings=(ERROR,)).receiver == THEIRS


@pytest.mark.parametrize("state", [{"seat": "nonsense"}, {"seat": ""}])
def test_a_document_of_an_unknown_access_point_is_not_answered(answered, state):
    assert answered(valid=False, findings=(ERROR,), state=state) is None


# -- for our documents ---------------------------------------------------------------------------


class Inbox(MemoryInbox):
    """Has one document, with these receipts."""

    def __init__(self, verdict=None, receipts=()):
        super().__init__()
        self.verdict, self.kept, self.receipts = verdict, [], receipts

    def kept_document(self, access_point, reference):
        if isinstance(self.verdict, (Busy, NotServiced)):
            return self.verdict if isinstance(self.verdict, Busy) else None
        return KeptDocument(samples.RECEIVER, BIS_INVOICE, BIS_BILLING_PROCESS, self.receipts)

    def deliver_evidence(self, access_point, reference, evidence):
        self.kept.append((access_point, reference, *evidence))
        return self.verdict or Settled("txn_1", changed=False)


STATUS = Mls("id-1", clock.now(), THEIRS, OURS, "RE", "instance-9", "No.", (mls.Issue("BV", "x"),))


BROKEN = mls.write(STATUS).replace(b">urn:peppol:edec:mls<", b">urn:other<")


@pytest.fixture
def delivered(own, c2):
    """The inbox and the response after a status arrived from c2, with these changes."""

    def _delivered(verdict=None, receiver=OURS, document=None, signer=c2, receipts=(), **changes):
        inbox = Inbox(verdict, receipts)
        content = document or mls.write(replace(STATUS, **changes))
        parties = {"sender": THEIRS, "receiver": receiver}
        kind = {"document_type": mls.DOCUMENT_TYPE, "process": mls.PROCESS}
        payload = sbdh.write(header(**parties, **kind), content)
        message = sent(signer, own.identity, payload, **parties, **kind)
        headers = {"content-type": message.content.content_type}
        request = Request("POST", "/", message.content.body, headers=headers)
        return inbox, Receiver(own, inbox).answer(request)

    return _delivered


def errors(response):
    return [each.detail or each.code for each in answers.read(response.body).errors]


def test_a_status_is_kept_with_the_document_that_it_names(delivered):
    inbox, response = delivered()
    ((access_point, reference, evidence),) = inbox.kept

    assert (response.status, errors(response)) == (200, [])
    assert (access_point, reference) == ("peppol-test", "instance-9")
    assert (evidence.kind.code, evidence.response_code) == ("MLS", "RE")
    assert evidence.reasons == ("No.", "x")
    assert mls.read(evidence.content).code == "RE"
    assert inbox.arrived == []


def test_a_status_for_another_provider_is_not_serviced(delivered):
    inbox, response = delivered(receiver=ParticipantId("0242", "000009"))

    assert inbox.kept == []
    assert errors(response) == ["PEPPOL:NOT_SERVICED"]


@pytest.mark.parametrize(
    "changes",
    [{"document": BROKEN}, {"sender": ParticipantId("0242", "000009")}],
)
def test_a_status_that_counts_for_nothing_is_acknowledged_and_not_kept(delivered, changes):
    """There is no status about a status: its sender would learn nothing by an error."""
    inbox, response = delivered(**changes)

    assert (inbox.kept, errors(response)) == ([], [])


def test_a_status_about_an_unknown_document_is_acknowledged(delivered):
    _, response = delivered(NotServiced("unknown"))

    assert (response.status, errors(response)) == (200, [])


def test_a_status_counts_only_if_its_provider_has_received_the_document(
    delivered, directory, c2, c3, other
):
    """By the signer of the receipt; before it is there, by the metadata of the receiver."""
    of = {who.seat: signals.receipt(INFO, sent(c3, who).references, who) for who in (c2, other)}
    endpoints = {who.seat: Endpoint("http://x", who.certificate) for who in (c2, other)}
    cases = {
        "receipt of its own": ((of[c2.seat],), other.seat, True),
        "receipt of another": ((of[other.seat],), c2.seat, False),
        "receipts of both": (tuple(of.values()), other.seat, True),
        "no receipt, its own metadata": ((), c2.seat, True),
        "no receipt, metadata of another": ((), other.seat, False),
        "unreadable receipt, metadata of another": ((b"<a/>",), other.seat, False),
    }
    kept = {}
    for name, (receipts, registered, _) in cases.items():
        directory.found = endpoints[registered]
        inbox, response = delivered(receipts=receipts)
        assert errors(response) == []
        kept[name] = bool(inbox.kept)

    assert kept == {name: expected for name, (_, _, expected) in cases.items()}


def test_a_status_waits_while_its_provider_cannot_be_found_out(delivered, directory):
    directory.available = False
    inbox, response = delivered()

    assert (response.status, inbox.kept) == (503, [])


def test_a_status_that_cannot_be_stored_now_is_not_acknowledged(delivered):
    _, response = delivered(Busy(7.0))

    assert (response.status, response.headers["Retry-After"]) == (503, "7")


def test_the_country_of_a_provider_is_that_of_its_certificate(c2):
    assert statuses.country_of(c2) == "BE"


@pytest.mark.parametrize(
    ("issues", "reason"),
    [
        ((), "The tax authority refuses the report: 2 faults"),
        (
            (
                Issue(mls.RULE, "ibr-tdd-09"),
                Issue(mls.SYNTAX, "no UUID"),
                Issue(mls.RULE, "ibr-tdd-09"),
            ),
            "The tax authority refuses the report: 2 faults; BV: ibr-tdd-09; SV: no UUID",
        ),
    ],
)
def test_a_refused_report_says_each_fault_once_with_its_code(issues, reason):
    status = Mls("1", clock.now(), THEIRS, OURS, mls.REJECTED, "i", "2 faults", issues)

    assert statuses._answer(status, statuses.evidence_of(status, b"<x/>")).reason == reason


def test_a_refusal_of_many_kilobytes_is_cut():
    """As an authority may repeat the whole document in its words."""
    issues = tuple(Issue(mls.RULE, f"{number}: {'x' * 100_000}") for number in range(100))
    status = Mls("1", clock.now(), THEIRS, OURS, mls.REJECTED, "i", "y" * 100_000, issues)
    evidence = statuses.evidence_of(status, b"<x/>")

    assert len(statuses._answer(status, evidence).reason) == statuses.MAX_WORDS
    assert sum(map(len, evidence.reasons)) <= 50 * 500
