"""Messages to send: canonical text, digests, and what is the same in all attempts."""

from __future__ import annotations

import gzip
import re
import shutil
import subprocess
from dataclasses import replace

import as4_samples
import pytest
from as4_samples import INFO, MESSAGE, PAYLOAD, opened, sent
from cryptography.hazmat.primitives.serialization import Encoding
from lxml import etree

from einvoice_peppol.as4 import answers, incoming, outgoing, signals, signing, soap, user_message
from einvoice_peppol.as4.canonical import digest
from einvoice_peppol.as4.errors import NOT_SERVICED, OTHER, Refused
from einvoice_peppol.as4.names import DS, EB, XENC, q


def test_a_message_is_opened_by_its_receiver(c2, c3):
    """Header, payload, signer and the references that a receipt must repeat."""
    message = sent(c2, c3)
    found = opened(message.content, c3)

    assert found.message == MESSAGE
    assert found.payload == PAYLOAD
    assert found.signer == c2.certificate
    assert found.references == message.references


def test_all_attempts_have_the_same_signed_bytes(c2, c3):
    """Only the encryption differs, so a receipt of any attempt confirms the digests of all."""
    first, second = sent(c2, c3), sent(c2, c3)

    assert first.references == second.references
    assert _signed_texts(first) == _signed_texts(second)
    assert first.content.body != second.content.body


def _signed_texts(message):
    text = message.content.body
    wanted = (rb"<eb:Messaging .*</eb:Messaging>", rb"<ds:Signature .*</ds:Signature>")
    return [re.search(each, text, re.DOTALL)[0] for each in wanted]


def test_compression_has_no_time_in_it():
    """The same payload gives the same bytes, whenever it is compressed."""
    content = outgoing.compressed(PAYLOAD)

    assert content[4:8] == bytes(4)
    assert gzip.decompress(content) == PAYLOAD


def test_signed_text_is_written_in_its_canonical_form(c2, c3):
    """What is digested without parsing is what every receiver computes."""
    message = as4_samples.sent(c2, c3, conversation_id='<&>"', document_type=_awkward())
    parsed = incoming.received(message.content.content_type, message.content.body).soap
    info = parsed.security.find(f"{q(DS, 'Signature')}/{q(DS, 'SignedInfo')}")

    for element in (parsed.messaging, parsed.body, info):
        assert soap.canonical(element) in message.content.body


def _awkward():
    return replace(MESSAGE.document_type, value="a>b&c<d\"e'f##g::1")


@pytest.mark.parametrize("of_error", [False, True])
def test_signals_are_written_in_their_canonical_form(c2, c3, of_error):
    signal = _error(c3) if of_error else signals.receipt(INFO, sent(c2, c3).references, c3)
    messaging = soap.parse(signal, signals=True).messaging

    assert soap.canonical(messaging) in signal


def _error(identity):
    return signals.error(INFO, Refused(OTHER, "a <detail> & more"), identity)


def test_the_digests_are_those_of_the_three_parts(c2, c3):
    """Messaging, body, and the compressed payload before its encryption."""
    message = sent(c2, c3)

    assert [(one.uri, one.digest) for one in message.references] == [
        ("#messaging", digest(user_message.write(MESSAGE).encode())),
        ("#body", digest(signing.BODY.encode())),
        ("cid:p-1@test", digest(outgoing.compressed(PAYLOAD))),
    ]


def test_the_header_has_the_values_and_the_order_of_the_profile(c2, c3):
    """Peppol AS4 Profile 2.0.3; the schema of ebMS 3.0 prescribes the order."""
    message = sent(c2, c3)
    root = incoming.received(message.content.content_type, message.content.body).soap.message

    assert [etree.QName(child).localname for child in root] == [
        "MessageInfo",
        "PartyInfo",
        "CollaborationInfo",
        "MessageProperties",
        "PayloadInfo",
    ]
    assert root.findtext(q(EB, "CollaborationInfo", "Action")) == str(MESSAGE.document_type)
    assert root.find(q(EB, "CollaborationInfo", "Service")).get("type") == "cenbii-procid-ubl"
    assert root.find(q(EB, "CollaborationInfo", "AgreementRef")).attrib == {}
    assert {one.get("name") for one in root.findall(q(EB, "MessageProperties", "Property"))} == {
        "originalSender",
        "finalRecipient",
    }


def test_the_key_is_encrypted_before_the_signature_in_the_header(c2, c3):
    """WS-Security prepends what is done later, so the receiver decrypts first."""
    message = sent(c2, c3)
    security = incoming.received(message.content.content_type, message.content.body).soap.security

    assert [security[place].tag for place in (1, 2, -1)] == [
        q(XENC, "EncryptedKey"),
        q(XENC, "EncryptedData"),
        q(DS, "Signature"),
    ]


@pytest.mark.parametrize("changes", [{"from_seat": "POP000009"}, {"to_seat": "POP000009"}])
def test_a_message_names_the_seats_of_its_certificates(c2, c3, changes):
    with pytest.raises(ValueError, match="seats"):
        sent(c2, c3, **changes)


def test_a_receipt_confirms_the_message(c2, c3):
    """Signed by the receiver, about this message, with all digests."""
    message = sent(c2, c3)
    answer = answers.read(signals.receipt(INFO, message.references, c3))

    assert answer.has_receipt
    answers.verify_receipt(answer, "m-1@test", message.references, as4_samples.only(c3))


def test_an_error_repeats_the_message_id_and_the_exact_detail(c3):
    """Senders recognise PEPPOL:NOT_SERVICED by the whole detail."""
    answer = answers.read(signals.error(INFO, Refused(OTHER, NOT_SERVICED), c3))
    (error,) = answer.errors

    assert (error.code, error.severity, error.detail) == ("EBMS:0004", "failure", NOT_SERVICED)
    assert answer.in_reply_to == "m-1@test"


def test_an_error_about_no_message_has_no_reference(c3):
    """What could not be read has no id."""
    answer = answers.read(signals.error(replace(INFO, in_reply_to=None), Refused(OTHER, "x"), c3))

    assert answer.in_reply_to is None


@pytest.mark.skipif(shutil.which("xmlsec1") is None, reason="xmlsec1 is not installed")
@pytest.mark.parametrize("of_error", [False, True])
def test_xmlsec1_verifies_signals(c2, c3, tmp_path, of_error):
    """Foreign software computes the same digests and signature; a changed signal fails."""
    signal = _error(c3) if of_error else signals.receipt(INFO, sent(c2, c3).references, c3)
    (tmp_path / "c3.pem").write_bytes(c3.certificate.public_bytes(Encoding.PEM))

    assert _xmlsec1(tmp_path, signal) == 0
    assert _xmlsec1(tmp_path, signal.replace(b"m-1@test", b"m-2@test")) != 0


def _xmlsec1(folder, signal: bytes) -> int:
    (folder / "signal.xml").write_bytes(signal)
    ids = [f"{EB}:Messaging", "http://www.w3.org/2003/05/soap-envelope:Body"]
    options = [part for each in ids for part in ("--id-attr:Id", each)]
    command = ["xmlsec1", "--verify", "--pubkey-cert-pem", "c3.pem", *options, "signal.xml"]
    return subprocess.run(command, cwd=folder, capture_output=True).returncode
