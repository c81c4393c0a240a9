"""Sending: the contract, what all attempts share, and the outcome of every kind of answer."""

from __future__ import annotations

import base64
import gzip
import quopri
from dataclasses import replace
from threading import Event
from time import sleep

import pytest
from as4_server import FixedDirectory, network, serving
from throwaway_pki import Authority

from einvoice.domain.artefacts import RECEIPT
from einvoice.domain.identifiers import ParticipantId
from einvoice.http import BrokenOff, Policy, TimedOut
from einvoice.network import samples
from einvoice.network.endpoints import Response
from einvoice.network.testing import AccessPointContract, MemoryInbox, prepared_exchange
from einvoice.network.types import (
    Delivered,
    NotSent,
    NotServiced,
    Pending,
    Rejected,
    Unknown,
)
from einvoice_peppol import access_point, hosts, outcomes, sbdh, sending
from einvoice_peppol.access_point import Peppol
from einvoice_peppol.as4 import answers, incoming, signals
from einvoice_peppol.as4.errors import Code, Refused
from einvoice_peppol.identity import Identity
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.smp_documents import Endpoint, NotOffered

UNSERVED = ParticipantId("0088", "9520000000042")


class Inbox(MemoryInbox):
    """Takes documents for everybody but one."""

    def deliver_inbound(self, inbound):
        if inbound.receiver == UNSERVED:
            return NotServiced("no such participant")
        return super().deliver_inbound(inbound)


@pytest.fixture
def inbox():
    return Inbox()


@pytest.fixture
def server(c3, trusted, inbox):
    receiver = Receiver(network(c3, trusted=trusted), inbox)
    with serving(receiver.answer) as running:
        yield running


@pytest.fixture
def directory(server, c3):
    return FixedDirectory(server.url, c3)


@pytest.fixture
def peppol(c2, directory, trusted):
    return Peppol(network(c2, trusted=trusted, directory=directory))


class TestContract(AccessPointContract):
    @pytest.fixture
    def access_point(self, peppol):
        return peppol

    @pytest.fixture
    def an_envelope(self):
        return samples.envelope

    @pytest.fixture
    def refused_envelope(self):
        return samples.envelope(receiver=UNSERVED)

    @pytest.fixture
    def offline(self, c2, c3, trusted):
        directory = FixedDirectory("http://127.0.0.1:9/as4", c3)
        directory.available = False
        return Peppol(network(c2, trusted=trusted, directory=directory))

    @pytest.fixture
    def stranger(self):
        return FixedDirectory.stranger


def submitted(peppol, **changes):
    return peppol.submit(*prepared_exchange(peppol, samples.envelope(**changes)))


# -- what is sent ----------------------------------------------------------------------------------


def test_the_receipt_is_the_evidence(peppol, server, inbox):
    """The raw bytes that the receiver sent, under the id of the message."""
    envelope, prepared = prepared_exchange(peppol, samples.envelope())
    outcome = peppol.submit(envelope, prepared)
    (evidence,) = outcome.evidence

    assert isinstance(outcome, Delivered)
    assert evidence.kind is RECEIPT
    assert evidence.content == inbox.arrived[0].receipt
    assert evidence.authority_reference == prepared.message_id


def test_the_envelope_says_what_the_transmission_says(peppol, inbox):
    envelope, prepared = prepared_exchange(peppol, samples.envelope(sender_country="NL"))
    peppol.submit(envelope, prepared)
    (inbound,) = inbox.arrived
    header = sbdh.read(gzip.decompress(prepared.content), max_bytes=10**6).header

    assert header.country_c1 == "NL"
    assert inbound.instance_id == header.instance_id == envelope.instance_id
    assert (inbound.sender, inbound.receiver) == (envelope.sender, envelope.receiver)
    assert (inbound.document_type, inbound.process) == (envelope.document_type, envelope.process)


def test_every_attempt_has_the_signed_bytes_of_the_first(peppol, server, c3):
    """A worker may have died after the first attempt: any receipt proves both."""
    envelope, prepared = prepared_exchange(peppol, samples.envelope())
    for attempt in (1, 2):
        peppol.submit(replace(envelope, attempt=attempt), prepared)
    first, second = (_opened(request, c3) for request in server.requests)

    assert first.references == second.references
    assert first.message == second.message


def _opened(request, own):
    received = incoming.received(request.headers["content-type"], request.body)
    return incoming.opened(received, [own], lambda signer: None, max_bytes=10**6)


def test_a_repeat_is_delivered_once(peppol, inbox):
    """With the receipt of the first attempt."""
    exchange = prepared_exchange(peppol, samples.envelope())
    first, second = peppol.submit(*exchange), peppol.submit(*exchange)

    assert first == second
    assert len(inbox._first) == 1


@pytest.mark.parametrize("country", [None, "", "Belgium"])
def test_a_document_without_the_country_of_its_sender_cannot_be_sent(peppol, country):
    """Peppol's envelope must have it."""
    outcome = peppol.prepare(samples.envelope(sender_country=country, document=b"<a/>"))

    assert isinstance(outcome, Rejected)
    assert outcome.reason_code == "document-refused"


def test_many_documents_for_one_access_point_share_few_connections(peppol, server, directory):
    """One lookup for each receiver and type."""
    batch = [prepared_exchange(peppol, samples.envelope()) for _ in range(40)]
    outcomes = peppol.submit_many(batch)

    assert {type(outcome) for outcome in outcomes} == {Delivered}
    assert server.connections <= 8
    assert directory.asked == 1


def test_documents_one_after_the_other_share_one_connection(peppol, server):
    for _ in range(5):
        submitted(peppol)

    assert server.connections == 1


def test_a_slow_lookup_does_not_hold_back_the_batch(peppol, directory, monkeypatch):
    """What is not found in time is sent later; nothing of it has left."""
    monkeypatch.setattr(access_point, "LOOKUP_SECONDS", 0.2)
    released, found = Event(), directory.endpoint

    def slow(participant, *rest):
        if participant == UNSERVED:
            released.wait(10)
        return found(participant, *rest)

    directory.endpoint = slow
    envelopes = [samples.envelope(), samples.envelope(receiver=UNSERVED)]
    outcomes = peppol.submit_many([prepared_exchange(peppol, each) for each in envelopes])
    released.set()

    assert [type(outcome) for outcome in outcomes] == [Delivered, NotSent]


# -- lookup ----------------------------------------------------------------------------------------


def test_an_outage_of_the_directory_is_not_a_refusal(peppol, directory, server):
    directory.available = False

    assert isinstance(submitted(peppol), NotSent)
    assert server.requests == []


def test_an_unregistered_receiver_is_a_refusal(peppol):
    outcome = submitted(peppol, receiver=FixedDirectory.stranger)

    assert (type(outcome), outcome.reason_code) == (Rejected, "receiver-unknown")


def test_a_type_that_is_not_offered_is_a_refusal_with_the_reason(peppol, directory):
    directory.found = NotOffered("not offered for this process")
    outcome = submitted(peppol)

    assert (type(outcome), outcome.reason) == (Rejected, "not offered for this process")


def test_an_address_that_the_policy_forbids_is_a_refusal(c2, directory, trusted, server):
    """A registered address on the own network must not be posted to in live."""
    policy = Policy(https_only=False, allow_private=False)
    own = network(c2, trusted=trusted, directory=directory, policy=policy)
    outcome = submitted(Peppol(own))

    assert (type(outcome), outcome.reason_code) == (Rejected, "receiver-ap-unreachable")
    assert server.requests == []


# -- answers ---------------------------------------------------------------------------------------


def answering(server, c3, make) -> None:
    """Let the server answer with what the function makes of a message's id and references."""

    def answer(request):
        opened = _opened(request, c3)
        made = make(opened.message.message_id, opened.references)
        return made if isinstance(made, Response) else Response(200, made)

    server.answer = answer


def signal_info(message_id):
    return signals.Info("s@test", "2026-11-22T12:00:00.000Z", message_id)


def error(code, detail="detail", signer=None, message_id=None):
    """A function that makes an error signal."""

    def _make(asked, references):
        refusal = Refused(Code(code, "Words", "Content"), detail)
        return signals.error(signal_info(message_id or asked), refusal, signer)

    return _make


@pytest.mark.parametrize(
    ("code", "detail", "outcome"),
    [
        ("EBMS:0001", "", Rejected),
        ("EBMS:0002", "", Rejected),
        ("EBMS:0003", "", Rejected),
        ("EBMS:0004", "PEPPOL:NOT_SERVICED", Rejected),
        ("EBMS:0004", "handler failure", NotSent),
        ("EBMS:0004", "temporarily out of order", NotSent),
        ("EBMS:0004", "message with Message ID 'x' was already handled", Pending),
        ("EBMS:0005", "", NotSent),
        ("EBMS:0007", "", Rejected),
        ("EBMS:0009", "No trusted certs found", Rejected),
        ("EBMS:0010", "", Rejected),
        ("EBMS:0011", "", Rejected),
        ("EBMS:0101", "", Rejected),
        ("EBMS:0102", "", Rejected),
        ("EBMS:0103", "", Rejected),
        ("EBMS:0202", "", NotSent),
        ("EBMS:0301", "", NotSent),
        ("EBMS:0302", "", Rejected),
        ("EBMS:0303", "", Rejected),
        ("EBMS:4001", "duplicate", Pending),
        ("OTHER:1", "", Rejected),
    ],
)
@pytest.mark.parametrize("status", [200, 400, 500])
def test_an_error_signal_decides_whatever_the_http_status(
    peppol, server, c3, code, detail, outcome, status
):
    """phase4 sends errors with 200, Oxalis with 500 and unsigned."""
    made = error(code, detail)
    answering(server, c3, lambda *about: Response(status, made(*about)))

    assert type(submitted(peppol)) is outcome


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (NotSent, [
            "", "could not be processed", "An undefined error occurred", "Internal error",
            "org.postgresql.util.PSQLException: Connection to db:5432 refused",
            "JDBC: Invalid object name", "java.lang.NullPointerException", "Read timed out",
            "The document is invalid, try again later",
        ]),
        (Rejected, [
            "PEPPOL:NOT_SERVICED", "the SBDH cannot be read", "invalid document",
            "the document is refused", "message rejected", "payload was not valid",
            "schema validation failed", "Unsupported process", "the receiver is not registered",
        ]),
        (Pending, ["message 'x' was already received", "DUPLICATE message id"]),
    ],
)  # fmt: skip
def test_an_error_without_a_meaning_is_final_only_by_words_that_are(
    peppol, server, c3, outcome, words
):
    """EBMS:0004 is also what a backend that is away is reported as. Either text may say it."""
    found = {}
    for text in words:
        answering(server, c3, error("EBMS:0004", text))
        found[text] = type(submitted(peppol))

    assert found == dict.fromkeys(words, outcome)


def test_a_refusal_has_the_code_and_the_words_of_the_other_side(peppol, server, c3):
    answering(server, c3, error("EBMS:0003", "no such thing"))
    outcome = submitted(peppol)

    assert outcome.code == "EBMS:0003"
    assert "no such thing" in outcome.reason
    assert (outcome.upstream_status, outcome.retryable) == (200, False)


def test_a_receiver_with_a_renewed_certificate_is_tried_again(peppol, server, directory, c3, other):
    """The lookup is repeated once; the same registration is final."""
    answering(server, c3, error("EBMS:0102"))
    renewed = Endpoint(server.url, other.certificate)
    directory.forget = lambda participant: setattr(directory, "found", renewed)

    assert isinstance(submitted(peppol), NotSent)


def test_a_repeated_lookup_holds_back_no_other_document(peppol, server, directory, c3):
    """The outcome of the refused one comes after those of the others."""
    refused = prepared_exchange(peppol, samples.envelope())
    batch = [refused, *(prepared_exchange(peppol, samples.envelope()) for _ in range(3))]

    def made(message_id, references):
        if message_id == refused[1].message_id:
            return error("EBMS:0102")(message_id, references)
        return signals.receipt(signal_info(message_id), references, c3)

    answering(server, c3, made)
    order = [place for group in peppol.submit_as_completed(batch) for place, _ in group]

    assert sorted(order) == [0, 1, 2, 3]
    assert order[-1] == 0
    assert directory.asked == 2


def test_without_time_for_a_lookup_the_document_is_submitted_again(peppol, server, c3, monkeypatch):
    """Rather than refused for good by what may be outdated."""
    answering(server, c3, error("EBMS:0102"))
    monkeypatch.setattr(outcomes, "may_be_outdated", lambda response: sleep(0.5) or True)
    monkeypatch.setattr(access_point, "SEND_SECONDS", 0.4 - access_point.LOOKUP_SECONDS)

    assert isinstance(submitted(peppol), NotSent)


def test_messages_are_made_while_those_before_them_are_sent(peppol, server, monkeypatch):
    """Signing a whole batch takes as long as several round trips."""
    make, unsent = sending.message, []

    def made(*of):
        if not server.requests:
            unsent.append(of)
            sleep(0.02)
        return make(*of)

    monkeypatch.setattr(sending, "message", made)
    batch = [prepared_exchange(peppol, samples.envelope()) for _ in range(50)]
    found = peppol.submit_many(batch)

    assert {type(outcome) for outcome in found} == {Delivered}
    assert len(unsent) < len(batch)


def test_a_message_that_cannot_be_made_holds_back_no_other(peppol):
    """For example one that another version has prepared."""
    good, bad = (prepared_exchange(peppol, samples.envelope()) for _ in range(2))
    found = peppol.submit_many([(bad[0], replace(bad[1], state={})), good])

    assert [type(outcome) for outcome in found] == [NotSent, Delivered]


def test_an_unchanged_registration_makes_the_refusal_final(peppol, server, directory, c3):
    answering(server, c3, error("EBMS:0102"))

    assert isinstance(submitted(peppol), Rejected)
    assert directory.forgotten == [samples.RECEIVER]


def test_a_duplicate_without_a_receipt_needs_attention(peppol, server, c3):
    """The first attempt arrived, and nothing proves it: neither failed nor delivered."""
    answering(server, c3, error("EBMS:4001"))
    outcome = submitted(peppol)

    assert outcome.next_poll_at is None
    assert outcome.deadline is not None
    assert answers.read(outcome.evidence[0].content).errors[0].code == "EBMS:4001"


def test_an_error_about_another_message_is_no_answer(peppol, server, c3):
    answering(server, c3, error("EBMS:0003", message_id="other@test"))

    assert isinstance(submitted(peppol), Unknown)


def test_an_error_outranks_a_receipt(peppol, server, c3):
    def both(message_id, references):
        receipt = signals.receipt(signal_info(message_id), references, c3)
        refusal = b'<eb:Error errorCode="EBMS:0003" severity="failure"></eb:Error>'
        return receipt.replace(b"</eb:Receipt>", b"</eb:Receipt>" + refusal)

    answering(server, c3, both)

    assert isinstance(submitted(peppol), Rejected)


def test_a_warning_does_not_refuse(peppol, server, c3):
    def warned(message_id, references):
        refusal = Refused(Code("EBMS:0003", "Words", "Content"), "detail")
        signal = signals.error(signal_info(message_id), refusal, c3)
        return signal.replace(b'severity="failure"', b'severity="warning"')

    answering(server, c3, warned)

    assert isinstance(submitted(peppol), Unknown)


def without_security(signal: bytes) -> bytes:
    return signal[: signal.index(b"<wsse:Security")] + signal[signal.index(b"</S12:Header>") :]


@pytest.mark.parametrize("wrong", ["signer", "digest", "missing", "unsigned"])
def test_a_receipt_that_proves_nothing_needs_attention(peppol, server, c3, other, wrong):
    """The receiver seems to have the document, so it is not sent again as if it had not."""

    def receipt(message_id, references):
        given = list(references)
        if wrong == "digest":
            given[2] = replace(given[2], digest="A" * 43 + "=")
        if wrong == "missing":
            del given[1]
        made = signals.receipt(signal_info(message_id), given, other if wrong == "signer" else c3)
        return without_security(made) if wrong == "unsigned" else made

    answering(server, c3, receipt)
    outcome = submitted(peppol)

    assert isinstance(outcome, Pending)
    assert outcome.next_poll_at is None
    assert outcome.evidence


def test_a_receipt_for_another_message_is_no_answer(peppol, server, c3):
    """The message is sent again: nothing says that it arrived."""
    answering(server, c3, lambda _, refs: signals.receipt(signal_info("other@test"), refs, c3))

    assert isinstance(submitted(peppol), Unknown)


def test_a_receipt_by_a_renewed_certificate_of_the_receiver_counts(peppol, server, c3, pki):
    """Same seat, same authority, valid: it was renewed between the lookup and the answer."""
    leaf = pki.access_points.leaf("POP000002")
    renewed = Identity(leaf.certificate, leaf.key)
    answering(server, c3, lambda about, refs: signals.receipt(signal_info(about), refs, renewed))

    assert isinstance(submitted(peppol), Delivered)


def test_a_receipt_by_a_foreign_certificate_of_that_name_does_not_count(peppol, server, c3):
    leaf = Authority("PEPPOL ACCESS POINT TEST CA - G3").leaf("POP000002")
    foreign = Identity(leaf.certificate, leaf.key)
    answering(server, c3, lambda about, refs: signals.receipt(signal_info(about), refs, foreign))

    assert isinstance(submitted(peppol), Pending)


def test_a_compressed_answer_is_read(peppol, server, c3):
    """phase4 compresses where a client says that it takes gzip, and others without that."""

    def compressed(message_id, references):
        receipt = signals.receipt(signal_info(message_id), references, c3)
        return Response(200, gzip.compress(receipt), headers={"Content-Encoding": "gzip"})

    answering(server, c3, compressed)
    outcome = submitted(peppol)

    assert isinstance(outcome, Delivered)
    assert outcome.evidence[0].content.startswith(b"<")


def in_parts(soap: bytes, head: bytes = b"", end: bytes = b"\r\n") -> bytes:
    lines = [b"--b", b"Content-Type: application/soap+xml", *([head] if head else []), b"", soap]
    return end.join([*lines, b"--b--", b""])


RELATED = 'multipart/related; type="application/soap+xml"; boundary="b"'
LEGAL_FORMS = {
    "parts": (RELATED, in_parts),
    "parts with line feeds": (RELATED, lambda soap: in_parts(soap, end=b"\n")),
    "parts after a preamble": (RELATED, lambda soap: b"preamble\r\n" + in_parts(soap)),
    "parts whose type is not said": ("text/xml", in_parts),
    "base64": (RELATED, lambda soap: in_parts(
        base64.encodebytes(soap), b"Content-Transfer-Encoding: BASE64")),
    "quoted-printable": (RELATED, lambda soap: in_parts(
        quopri.encodestring(soap), b"Content-Transfer-Encoding: quoted-printable")),
    "root is the second part": (
        f'{RELATED}; start="<root>"',
        lambda soap: b"--b\r\n\r\nfirst\r\n" + in_parts(soap, b"Content-ID: <root>")),
    "line break before the declaration": ("application/soap+xml", lambda soap: b"\r\n " + soap),
    "byte order mark": ("application/soap+xml", lambda soap: b"\xef\xbb\xbf" + soap),
    "parts with both": (RELATED, lambda soap: b"\r\n" + in_parts(b"\r\n" + soap)),
    "another type": ("text/plain", lambda soap: soap),
}  # fmt: skip
OTHER_FORMS = {
    "the boundary only": (RELATED, lambda soap: b"--b--"),
    "no part with it": (RELATED, lambda soap: in_parts(b"none")),
    "a page before it": ("text/html", lambda soap: b"<p>hello</p>" + soap),
    "cut": (RELATED, lambda soap: in_parts(soap[:-9])),
}


@pytest.mark.parametrize(
    ("forms", "outcome"), [(LEGAL_FORMS, Delivered), (OTHER_FORMS, Unknown)], ids=["legal", "other"]
)
def test_a_receipt_is_recognised_in_any_legal_form(peppol, server, c3, forms, outcome):
    """And verified: the evidence is the SOAP message alone, as `peppol verify` takes it."""
    declaration, found = b'<?xml version="1.0" encoding="UTF-8"?>', {}
    for name, (content_type, form) in forms.items():

        def packed(message_id, references, form=form, content_type=content_type):
            receipt = signals.receipt(signal_info(message_id), references, c3)
            if not receipt.startswith(b"<?xml"):
                receipt = declaration + receipt
            return Response(200, form(receipt), content_type)

        answering(server, c3, packed)
        envelope, prepared = prepared_exchange(peppol, samples.envelope())
        found[name] = peppol.submit(envelope, prepared)
        if outcome is Delivered and isinstance(found[name], Delivered):
            kept = answers.read(found[name].evidence[0].content)
            assert kept is not None
            assert kept.in_reply_to == prepared.message_id
        peppol._hosts.answered(server.url)

    assert {name: type(each) for name, each in found.items()} == dict.fromkeys(forms, outcome)


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (200, Unknown),
        (202, Unknown),
        (301, NotSent),
        (400, NotSent),
        (401, NotSent),
        (404, NotSent),
        (413, Rejected),
        (429, NotSent),
        (500, Unknown),
        (502, Unknown),
        (503, Unknown),
    ],
)
@pytest.mark.parametrize("body", [b"", b"<html>Bad gateway</html>", b"{}"])
def test_a_status_without_a_signal_is_repeated(peppol, server, status, outcome, body):
    """A status of 5xx may come after the message was taken, so its outcome is unknown."""
    server.answer = lambda request: Response(status, body, "text/html", {"Location": "http://x/"})

    assert type(submitted(peppol)) is outcome


def test_a_pause_that_the_other_side_asks_for_is_kept(peppol, server):
    server.answer = lambda request: Response(503, headers={"Retry-After": "120"})

    assert submitted(peppol).ask_after == 120.0


@pytest.mark.parametrize(("attempt", "wait"), [(1, 2.0), (2, 2.0), (3, 4.0), (11, 600.0)])
def test_a_pause_that_the_other_side_asks_for_shortens_none_of_ours(peppol, server, attempt, wait):
    """One second for a day would be 86,400 attempts."""
    server.answer = lambda request: Response(503, headers={"Retry-After": "2"})

    assert submitted(peppol, attempt=attempt).ask_after == wait


def test_an_answer_that_is_cut_off_is_unknown(peppol, server):
    server.answer = lambda request: Response(0)

    assert isinstance(submitted(peppol), Unknown)


def test_a_receiver_that_cannot_be_reached_got_nothing(peppol, directory, c3):
    directory.found = Endpoint("http://127.0.0.1:9/as4", c3.certificate)

    assert isinstance(submitted(peppol), NotSent)


# -- hosts that do not answer ----------------------------------------------------------------------


@pytest.mark.parametrize("status", [0, 200, 404, 502])
def test_a_host_that_does_not_answer_is_tried_by_one_message_at_a_time(
    peppol, server, monkeypatch, status
):
    """However many documents wait for it; the first receipt lets all of them go."""
    now, answer = [1000.0], server.answer
    monkeypatch.setattr(hosts.clock, "monotonic", lambda: now[0])
    server.answer = lambda request: Response(status, b"<html>", "text/html")
    for _ in range(hosts.FAILURES_BEFORE_WAITING):
        submitted(peppol)
    tried = len(server.requests)
    early = peppol.submit_many([prepared_exchange(peppol, samples.envelope()) for _ in range(20)])
    held_back = len(server.requests) == tried
    now[0] += hosts.distance(hosts.FAILURES_BEFORE_WAITING)
    due = peppol.submit_many([prepared_exchange(peppol, samples.envelope()) for _ in range(20)])
    alone = len(server.requests) == tried + 1
    now[0] += hosts.MAX_DISTANCE
    server.answer = answer
    first, after = submitted(peppol), submitted(peppol)

    assert held_back
    assert {each.code for each in early} == {"host-away"}
    assert alone
    assert sum(isinstance(each, NotSent) and each.code == "host-away" for each in due) == 19
    assert [type(first), type(after)] == [Delivered, Delivered]


def test_an_answer_that_refuses_a_message_holds_back_no_other(peppol, server, c3):
    answering(server, c3, error("EBMS:0301"))
    for _ in range(5):
        submitted(peppol)

    assert len(server.requests) == 5


def test_a_large_document_has_more_time(peppol, monkeypatch):
    """29 MB took a receiver 68 s; a small one has 60 s as before."""
    sent = []

    def send_all(requests, **limits):
        sent.extend((request.seconds, limits["seconds"]) for request in requests)
        return iter(())

    monkeypatch.setattr(peppol._http, "send_all", send_all)
    for size in (10, 29 * (1 << 20)):
        exchange = prepared_exchange(peppol, samples.envelope())
        large = replace(exchange[0], document=bytes(size))
        list(peppol.submit_as_completed([(large, exchange[1])]))
    (small, usual), (large, longer) = sent

    assert small < 0.1
    assert usual < 81
    assert large == 3 * 29
    assert longer > 60 + large
    assert peppol.capabilities.timeout_of(29 * (1 << 20)) > longer


def test_after_a_time_out_the_receiver_is_left_alone_for_a_while(peppol, monkeypatch):
    """It may still be at work on the message; before the request is sent it has nothing."""
    late = TimedOut("no answer", maybe_sent=True)

    assert outcomes.not_answered(late).ask_after == 300.0
    assert outcomes.not_answered(late, 11).ask_after == 600.0
    assert outcomes.not_answered(BrokenOff("reset", maybe_sent=True)).ask_after is None
    assert isinstance(outcomes.not_answered(TimedOut("connecting")), NotSent)


def test_an_answer_of_many_megabytes_is_not_read(peppol, server):
    server.answer = lambda request: Response(200, bytes(2_000_000))

    assert isinstance(submitted(peppol), Unknown)
