"""The endpoint: what is acknowledged, what is refused and with which code, and repeats."""

from __future__ import annotations

import base64
from dataclasses import replace
from tempfile import TemporaryFile

import broken_certificates
import pytest
from as4_samples import MESSAGE, header, only, sent
from as4_server import FixedDirectory, network
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import BIS_INVOICE, DocumentTypeId, ParticipantId
from einvoice.network import samples
from einvoice.network.endpoints import Request
from einvoice.network.testing import InboundContract, MemoryInbox
from einvoice.network.types import Busy, NotRegistered, NotServiced
from einvoice_peppol import certificates, receiving, sbdh
from einvoice_peppol.as4 import answers, verification
from einvoice_peppol.as4.names import TEST_ACTION, TEST_SERVICE
from einvoice_peppol.certificates import UnreadableCertificate
from einvoice_peppol.identity import Identity
from einvoice_peppol.receiving import Receiver
from einvoice_peppol.revocation import RevocationLists
from einvoice_peppol.smp_documents import NotOffered
from einvoice_peppol.trust import Anchors, Trust, Untrusted


@pytest.fixture
def inbox():
    return MemoryInbox()


@pytest.fixture
def receiver(c3, trusted, inbox):
    return Receiver(network(c3, trusted=trusted), inbox)


@pytest.fixture
def posted(c2, c3):
    """A function that makes the request of a message, with these changes of its parts."""

    def _posted(signer=c2, to=c3, document=None, **changes):
        values = {name: changes.pop(name) for name in list(changes) if name in _HEADER}
        values |= {"document_type": PINT} if changes.get("document_type") == PINT else {}
        given = header(**values)
        payload = sbdh.write(given, document or samples.envelope().document)
        message = sent(signer, to, payload, **changes)
        headers = {"content-type": message.content.content_type}
        return Request("POST", "/", message.content.body, headers=headers), message

    return _posted


_HEADER = {"instance_id", "country_c1", "mls_to", "mls_type"}


def code(response) -> str:
    """The code of the error signal in a response."""
    assert response.status == 200
    (error,) = answers.read(response.body).errors
    return error.code


def test_a_document_is_stored_and_acknowledged(receiver, inbox, posted, c3):
    """The receipt confirms all digests, and is kept with the document."""
    request, message = posted(instance_id="instance-1")
    response = receiver.answer(request)
    (inbound,) = inbox.arrived

    assert response.status == 200
    assert response.content_type.startswith("application/soap+xml")
    answers.verify_receipt(
        answers.read(response.body), MESSAGE.message_id, message.references, only(c3)
    )
    assert inbound.receipt == response.body
    assert (inbound.instance_id, inbound.sender) == ("instance-1", samples.SENDER)
    assert (inbound.receiver, inbound.environment) == (samples.RECEIVER, Environment.TEST)
    assert inbound.access_point == "peppol-test"


def test_what_the_message_level_status_needs_is_kept_with_the_document(receiver, inbox, posted):
    """Who sent it, from which country, and to whom and when a status is wanted."""
    wanted = ParticipantId("0242", "000001")
    receiver.answer(posted(mls_to=wanted, mls_type="ALWAYS_SEND")[0])

    assert inbox.arrived[0].state == {
        "seat": "POP000001",
        "country_c1": "BE",
        "mls_to": "0242:000001",
        "mls_type": "ALWAYS_SEND",
    }


def test_a_repeated_message_gets_the_same_receipt(receiver, posted):
    """The bytes of the first one, although it is encrypted differently."""
    first, second = (posted(instance_id="instance-1")[0] for _ in range(2))

    assert first.body != second.body
    assert receiver.answer(first).body == receiver.answer(second).body


def test_a_document_in_another_message_gets_a_receipt_of_its_own(receiver, posted, c3):
    """It is stored once, and the new message is acknowledged by its own id."""
    document = samples.envelope().document
    first, _ = posted(document=document, instance_id="instance-1")
    second, message = posted(document=document, instance_id="instance-1", message_id="m-2@test")
    kept, fresh = receiver.answer(first).body, receiver.answer(second).body

    assert kept != fresh
    answers.verify_receipt(answers.read(fresh), "m-2@test", message.references, only(c3))


PINT = DocumentTypeId(
    "peppol-doctype-wildcard",
    "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2::Invoice"
    "##urn:peppol:pint:billing-1@jp-1::2.1",
)


def test_a_type_that_the_receiver_is_not_registered_for_is_not_serviced(c2, c3, trusted, posted):
    """By its registration; where that is not known, and for BIS Billing, everything is taken."""
    directory = FixedDirectory("http://127.0.0.1:9/as4", c3)
    refused = NotOffered("the receiver is not registered for this document type")
    cases = {
        "registered": (PINT, directory.found, True),
        "not registered for it": (PINT, refused, False),
        "not registered at all": (PINT, NotRegistered(), True),
        "directory away": (PINT, None, True),
        "BIS Billing": (BIS_INVOICE, refused, True),
    }
    taken = {}
    for name, (kind, found, _) in cases.items():
        directory.found, directory.available = found, found is not None
        inbox = MemoryInbox()
        answer = Receiver(network(c3, trusted=trusted, directory=directory), inbox).answer(
            posted(document_type=kind)[0]
        )
        taken[name] = bool(inbox.arrived)
        details = [each.detail for each in answers.read(answer.body).errors]
        assert details == ([] if taken[name] else ["PEPPOL:NOT_SERVICED"])

    assert taken == {name: expected for name, (_, _, expected) in cases.items()}


def test_a_receiver_that_is_not_served_is_reported_in_the_words_of_peppol(c3, trusted, posted):
    inbox = MemoryInbox(NotServiced("no such participant"))
    receiver = Receiver(network(c3, trusted=trusted), inbox)
    (error,) = answers.read(receiver.answer(posted()[0]).body).errors

    assert (error.code, error.detail) == ("EBMS:0004", "PEPPOL:NOT_SERVICED")


def test_a_message_that_cannot_be_stored_now_is_to_be_repeated(c3, trusted, posted):
    """Without a signal, so that its sender tries again."""
    inbox = MemoryInbox(Busy(retry_after=7.0))
    response = Receiver(network(c3, trusted=trusted), inbox).answer(posted()[0])

    assert (response.status, response.headers["Retry-After"]) == (503, "7")
    assert answers.read(response.body) is None


@pytest.mark.parametrize(
    "leaf", ["expired", "revoked", "foreign", "not_yet_valid", "smp_as_access_point"]
)
def test_a_signer_that_is_not_trusted_is_refused(receiver, inbox, posted, pki, leaf):
    """Unsigned, because signing costs more than refusing."""
    given = getattr(pki, leaf)
    sender = Identity(given.certificate, given.key)
    response = receiver.answer(posted(sender, from_seat=sender.seat)[0])

    assert code(response) == "EBMS:0101"
    assert answers.read(response.body).in_reply_to == MESSAGE.message_id
    assert b"Signature" not in response.body
    assert inbox.arrived == []


def test_a_certificate_of_the_other_network_is_refused(receiver, posted, live_pki):
    sender = Identity(live_pki.c2.certificate, live_pki.c2.key)

    assert code(receiver.answer(posted(sender)[0])) == "EBMS:0101"


def test_an_error_to_a_trusted_sender_is_signed(receiver, posted, c3):
    request, _ = posted(receiver=ParticipantId("0208", "0000000001"))
    answer = answers.read(receiver.answer(request).body)

    assert answer.errors[0].code == "EBMS:0003"
    assert verification.verified(answer.soap, only(c3))


def test_an_error_about_the_receiver_is_signed_for_a_trusted_sender(receiver, posted, c3, other):
    """Oxalis does not read unsigned errors."""
    answer = answers.read(receiver.answer(posted(to=other)[0]).body)

    assert answer.errors[0].code == "EBMS:0003"
    assert verification.verified(answer.soap, only(c3))


def test_an_unknown_revocation_status_is_to_be_repeated(c3, pki, inbox, posted):
    """The list cannot be fetched: neither accepted nor refused for good."""
    roots = (pki.root.certificate,)
    anchors = Anchors((pki.access_points.certificate,), roots)
    trusted = Trust(anchors, anchors, Environment.TEST, RevocationLists(given=()))
    response = Receiver(network(c3, trusted=trusted), inbox).answer(posted()[0])

    assert response.status == 503
    assert inbox.arrived == []


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"sender": ParticipantId("0208", "0000000001")}, "EBMS:0003"),
        ({"receiver": ParticipantId("0208", "0000000001")}, "EBMS:0003"),
        ({"document_type": replace(MESSAGE.document_type, value="a::b##c::2.1")}, "EBMS:0003"),
        ({"process": replace(MESSAGE.process, value="other")}, "EBMS:0003"),
        ({"document": b"<other xmlns='urn:other'/>"}, "EBMS:0004"),
    ],
)
def test_a_header_that_contradicts_the_envelope_is_refused(
    receiver, inbox, posted, changes, expected
):
    """Routing by the one and delivering by the other would reach another receiver."""
    assert code(receiver.answer(posted(**changes)[0])) == expected
    assert inbox.arrived == []


def test_participants_are_compared_without_case(receiver, posted):
    request, _ = posted(receiver=ParticipantId("0088", "9520000000004".upper()))

    assert answers.read(receiver.answer(request).body).has_receipt


def test_a_message_of_the_test_service_is_acknowledged_and_not_stored(receiver, inbox, c2, c3):
    """The ping of ebMS 3.0: its payload may be anything."""
    message = sent(
        c2,
        c3,
        process=replace(MESSAGE.process, value=TEST_SERVICE),
        document_type=replace(MESSAGE.document_type, scheme="", value=TEST_ACTION),
    )
    headers = {"content-type": message.content.content_type}
    response = receiver.answer(Request("POST", "/", message.content.body, headers=headers))

    assert answers.read(response.body).has_receipt
    assert inbox.arrived == []


def test_a_payload_that_is_too_large_is_refused(c3, trusted, inbox, posted):
    receiver = Receiver(network(c3, trusted=trusted), inbox, max_bytes=1000)

    assert code(receiver.answer(posted()[0])) == "EBMS:0303"


@pytest.mark.parametrize("over", [0, 1])
def test_a_document_that_is_too_large_once_it_is_taken_out_is_refused(
    c3, trusted, inbox, posted, over
):
    """A `>` of the envelope is four bytes in the document: the envelope has the smaller size."""
    document = samples.envelope().document.replace(b"</Invoice>", b">" * 9000 + b"</Invoice>")
    request, _ = posted(document=document)
    Receiver(network(c3, trusted=trusted), inbox).answer(request)
    limit = len(inbox.arrived.pop().document) - over
    answer = Receiver(network(c3, trusted=trusted), inbox, max_bytes=limit).answer(request)

    assert limit > len(document) + 9000
    assert [error.code for error in answers.read(answer.body).errors] == ["EBMS:0004"] * over
    assert len(inbox.arrived) == 1 - over


@pytest.mark.parametrize("large", [10, 10**9])
def test_a_body_may_be_in_a_file(receiver, inbox, posted, monkeypatch, large):
    """A large one is mapped into memory, a small one read."""
    monkeypatch.setattr(receiving, "LARGE_BYTES", large)
    request, _ = posted()
    with TemporaryFile() as file:
        file.write(request.body)
        response = receiver.answer(replace(request, body=b"", file=file))

    assert answers.read(response.body).has_receipt
    assert len(inbox.arrived) == 1


@pytest.mark.parametrize("in_payload", [False, True])
def test_large_messages_are_handled_one_at_a_time(receiver, inbox, posted, monkeypatch, in_payload):
    """Also one whose payload is large only when it is decompressed."""
    document = b"<!--" + bytes(range(65, 90)) * 4000 + b"-->" + samples.envelope().document[38:]
    request, _ = posted(document=document)
    monkeypatch.setattr(receiving, "LARGE_BYTES", len(request.body) - (not in_payload))
    monkeypatch.setattr(receiving, "LARGE_WAIT_SECONDS", 0.01)

    with receiver._large:
        assert receiver.answer(request).status == 503
    assert receiver.answer(request).status == 200
    assert len(inbox.arrived) == 1


def test_few_large_messages_wait_at_once(receiver, posted, monkeypatch):
    """The others are to be repeated at once, and small ones are answered."""
    request, _ = posted()
    monkeypatch.setattr(receiving, "LARGE_BYTES", len(request.body) - 1)
    monkeypatch.setattr(receiving, "LARGE_WAIT_SECONDS", 3600.0)
    for _ in range(receiving.LARGE_AT_ONCE):
        receiver._queue.acquire()

    with receiver._large:
        assert receiver.answer(request).status == 503
        monkeypatch.setattr(receiving, "LARGE_BYTES", 10**9)
        assert receiver.answer(request).status == 200


@pytest.mark.parametrize(
    ("method", "content_type", "status"),
    [("GET", "", 405), ("POST", "text/xml", 415), ("POST", "", 415)],
)
def test_what_is_no_message_gets_a_problem_document(receiver, method, content_type, status):
    response = receiver.answer(Request(method, "/", b"", headers={"content-type": content_type}))

    assert (response.status, response.content_type) == (status, "application/problem+json")


@pytest.mark.parametrize("body", [b"", b"garbage", b"--b\r\n\r\n" * 1000])
def test_what_cannot_be_read_gets_an_error_about_no_message(receiver, body):
    headers = {"content-type": "multipart/related; boundary=b"}
    response = receiver.answer(Request("POST", "/", body, headers=headers))

    assert code(response) == "EBMS:0007"
    assert answers.read(response.body).in_reply_to is None


class TestContract(InboundContract):
    @pytest.fixture
    def hand_over(self, c3, trusted, posted):
        def _hand_over(inbox, message):
            receiver = Receiver(network(c3, trusted=trusted), inbox)
            request, _ = posted(instance_id=message, message_id=f"{message}@test")
            try:
                response = receiver.answer(request)
            except OSError:
                return None
            answer = answers.read(response.body)
            return response.body if answer is not None and answer.has_receipt else None

        return _hand_over


def test_every_malformed_certificate_is_refused_as_a_failed_authentication(receiver, posted, c2):
    """None leaves the endpoint as an exception: anybody can send them."""
    der = c2.certificate.public_bytes(Encoding.DER)
    request, _ = posted()
    found = {}
    for name, broken in broken_certificates.of(der):
        given = [base64.b64encode(each) for each in (der, broken)]
        found[name] = code(receiver.answer(replace(request, body=request.body.replace(*given))))

    assert {name: each for name, each in found.items() if each != "EBMS:0101"} == {}


def test_a_certificate_with_any_changed_byte_is_refused_in_words(trusted, c2):
    """cryptography has exceptions of its own for some of them."""
    der = bytearray(c2.certificate.public_bytes(Encoding.DER))
    for place in range(len(der)):
        changed = bytes(der[:place]) + bytes([der[place] ^ 0x41]) + bytes(der[place + 1 :])
        with pytest.raises((UnreadableCertificate, Untrusted)):
            trusted.check_access_point(certificates.read(changed), clock.now())


def test_a_namespace_without_a_canonical_form_is_a_failed_authentication(receiver, posted):
    """libxml2 raises for a relative one; what is no URI at all is not XML."""
    expected = {
        "relative": "0101",
        "../a": "0101",
        "http://[::": "0009",
        "%": "0009",
        "a b": "0009",
    }
    request, _ = posted()
    found = {}
    for place in ("<eb:UserMessage", "<ds:SignedInfo", "<S12:Body"):
        for namespace in expected:
            with_namespace = f'{place} xmlns:r="{namespace}" r:a="b"'
            body = request.body.replace(place.encode(), with_namespace.encode())
            found[place, namespace] = code(receiver.answer(replace(request, body=body)))

    assert found == {key: f"EBMS:{expected[key[1]]}" for key in found}
