"""Messages that arrive: what is changed, wrapped, swapped or encrypted for others is refused."""

from __future__ import annotations

import gzip
import re
import zlib
from dataclasses import replace

import pytest
from as4_samples import INFO, MESSAGE, PAYLOAD, anyone, changed, only, opened, sent
from lxml import etree

from einvoice_peppol.as4 import (
    answers,
    encryption,
    incoming,
    mime,
    outgoing,
    signals,
    signing,
    verification,
)
from einvoice_peppol.as4 import user_message as header
from einvoice_peppol.as4.errors import Refused
from einvoice_peppol.as4.names import DS, EB, q
from einvoice_peppol.identity import Identity


def refused(content, own, **options) -> str:
    """The code of the refusal."""
    with pytest.raises(Refused) as refusal:
        opened(content, own, **options)
    return refusal.value.code.code


def resigned(c2, c3, messaging: str, payload: bytes | None = None) -> mime.Multipart:
    """A message with this eb:Messaging, correctly signed and encrypted by c2."""
    content = outgoing.compressed(PAYLOAD) if payload is None else payload
    references = signing.references(messaging, (MESSAGE.content_id, content))
    ciphertext, security = encryption.encrypted(content, MESSAGE.content_id, c3.certificate)
    soap = signing.envelope(messaging, security + signing.signature(c2, references))
    return mime.write(soap, MESSAGE.content_id, ciphertext, boundary="b-1")


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("<eb:Role>", "<eb:Role> ", "EBMS:0101"),
        (f"<eb:MessageId>{MESSAGE.message_id}", "<eb:MessageId>other", "EBMS:0101"),
        ("</S12:Body>", "<a/></S12:Body>", "EBMS:0101"),
        ("</S12:Body>", "</S12:Body><S12:Body/>", "EBMS:0009"),
        ('URI="#body"', 'URI="#messaging"', "EBMS:0101"),
        ("#rsa-sha256", "#rsa-sha1", "EBMS:0103"),
        ("<ds:SignatureValue>", "<ds:SignatureValue>AAAA", "EBMS:0101"),
        ("<ds:DigestValue>", "<ds:DigestValue>A", "EBMS:0101"),
        ("xmlenc11#rsa-oaep", "xmlenc11#rsa-1_5", "EBMS:0103"),
        ("mgf1sha256", "mgf1sha1", "EBMS:0103"),
        ("aes128-gcm", "aes256-gcm", "EBMS:0103"),
        ('URI="#key"', 'URI="#keys"', "EBMS:0102"),
        ('URI="#data"', 'URI="#others"', "EBMS:0102"),
        ("CipherReference URI", "CipherReference other", "EBMS:0011"),
        ("#Attachment-Content-Only", "#Attachment-Complete", "EBMS:0103"),
        ('wsu:Id="body"', 'wsu:Id="key"', "EBMS:0009"),
        ('Id="data"', 'Id="messaging"', "EBMS:0009"),
        ("<eb:UserMessage>", "<eb:UserMessage/><eb:UserMessage>", "EBMS:0009"),
        ("<ds:SignedInfo", "<ds:SignedInfo/><ds:SignedInfo", "EBMS:0009"),
        ("#X509v3", "#X509PKIPathv1", "EBMS:0103"),
        ("?>\n<S12:Envelope", "?><!DOCTYPE a>\n<S12:Envelope", "EBMS:0009"),
    ],
)
def test_a_changed_message_is_refused(c2, c3, old, new, code):
    assert refused(changed(sent(c2, c3).content, old, new), c3) == code


def test_a_swapped_payload_is_refused(c2, c3):
    """The ciphertext and key of another message fit together, but the signature does not."""
    message, foreign = sent(c2, c3).content, sent(c2, c3, b"<other/>").content
    ours, theirs = (incoming.received(each.content_type, each.body) for each in (message, foreign))
    security = re.search(rb"<xenc:EncryptedKey.*</xenc:EncryptedData>", message.body)[0]
    other = re.search(rb"<xenc:EncryptedKey.*</xenc:EncryptedData>", foreign.body)[0]
    body = message.body.replace(security, other).replace(ours.payload, theirs.payload)

    assert refused(replace(message, body=body), c3) == "EBMS:0101"


def test_a_changed_ciphertext_is_refused(c2, c3):
    message = sent(c2, c3).content
    received = incoming.received(message.content_type, message.body)
    flipped = received.payload[:-1] + bytes([received.payload[-1] ^ 1])

    for payload in (flipped, received.payload[:20], b""):
        body = message.body.replace(received.payload, payload)
        assert refused(replace(message, body=body), c3) == "EBMS:0102"


def wrapped(body: bytes, moved: bytes, fresh: bytes, place: bytes) -> bytes:
    """The signed element moved to another place, with a fresh one where it was."""
    return body.replace(moved, fresh).replace(place, place + moved)


@pytest.mark.parametrize("keeps_id", [True, False])
@pytest.mark.parametrize("place", [b"<S12:Header>", b"</wsse:BinarySecurityToken>"])
def test_a_signed_element_that_was_moved_is_refused(c2, c3, place, keeps_id):
    """Signature wrapping: the signature is valid, but not of the element that would be used."""
    message = sent(c2, c3).content
    messaging = re.search(rb"<eb:Messaging .*</eb:Messaging>", message.body)[0]
    fresh = messaging.replace(b"m-1@test", b"forged@test")
    if not keeps_id:
        fresh = fresh.replace(b'wsu:Id="messaging"', b'wsu:Id="forged"')
    body = wrapped(message.body, messaging, fresh, place)

    assert refused(replace(message, body=body), c3) in {"EBMS:0009", "EBMS:0101"}


@pytest.mark.parametrize("place", [b"<S12:Header>", b"<wsse:Security "])
def test_a_moved_signature_is_refused(c2, c3, place):
    """A signature elsewhere than in the only wsse:Security does not count."""
    message = sent(c2, c3).content
    signature = re.search(rb"<ds:Signature .*</ds:Signature>", message.body)[0]
    body = message.body.replace(signature, b"")
    body = body.replace(place, b"<a>" + signature + b"</a>" + place)

    assert refused(replace(message, body=body), c3) == "EBMS:0009"


def test_a_message_of_another_signer_is_refused_before_it_is_decrypted(c2, c3, other, monkeypatch):
    """An RSA decryption costs most, so it comes last."""
    monkeypatch.setattr(encryption, "decrypted", None)

    assert refused(sent(other, c3).content, c3, check=only(c2)) == "EBMS:0101"


def test_a_signature_is_bounded_before_it_is_canonicalised(c2, c3, monkeypatch):
    """By the bytes of SignedInfo, and by its references."""
    message = sent(c2, c3).content
    soap = incoming.received(message.content_type, message.body).soap
    info = soap.security.find(f"{q(DS, 'Signature')}/{q(DS, 'SignedInfo')}")
    size = len(etree.tostring(info, with_tail=False))

    monkeypatch.setattr(verification, "MAX_SIGNED_INFO", size)
    assert opened(message, c3).payload == PAYLOAD
    monkeypatch.setattr(verification, "canonical", None)
    monkeypatch.setattr(verification, "MAX_SIGNED_INFO", size - 1)
    assert refused(message, c3) == "EBMS:0103"
    monkeypatch.setattr(verification, "MAX_REFERENCES", 2)
    assert refused(message, c3) == "EBMS:0103"


def test_a_receipt_is_bounded_as_a_message_is(c2, c3):
    message = sent(c2, c3)
    receipt = signals.receipt(INFO, message.references, c3)
    flooded = receipt.replace(b"</ds:SignedInfo>", b"<a/>" * 5000 + b"</ds:SignedInfo>")

    with pytest.raises(answers.InvalidReceipt, match="SignedInfo has more than"):
        answers.verify_receipt(answer(flooded), "m-1@test", message.references, anyone)


def test_the_signer_must_be_the_sender_that_the_message_names(c2, c3, other):
    messaging = header.write(replace(MESSAGE, from_seat=other.seat))

    assert refused(resigned(c2, c3, messaging), c3) == "EBMS:0101"


def test_a_message_for_another_access_point_is_refused(c2, c3, other):
    """By its header, or by the certificate for which it is encrypted."""
    messaging = header.write(MESSAGE)

    assert refused(sent(c2, other).content, c3) == "EBMS:0003"
    assert refused(resigned(c2, other, messaging), c3) == "EBMS:0102"


def test_either_of_two_own_certificates_decrypts(c2, c3, pki):
    """While one is renewed, senders use the one or the other, of the same seat."""
    leaf = pki.access_points.leaf("POP000002")
    renewed = Identity(leaf.certificate, leaf.key)

    for receiver in (c3, renewed):
        content = sent(c2, receiver).content
        received = incoming.received(content.content_type, content.body)
        found = incoming.opened(received, [c3, renewed], anyone, max_bytes=len(PAYLOAD))
        assert found.payload == PAYLOAD


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        ("ap_provider", "other", "EBMS:0003"),
        (f"{EB}initiator", f"{EB}responder", "EBMS:0003"),
        ("identifiers:ap", "identifiers:other", "EBMS:0003"),
        ("iso6523-actorid-upis", "other", "EBMS:0003"),
        ("originalSender", "sender", "EBMS:0003"),
        ("finalRecipient", "originalSender", "EBMS:0009"),
        (">application/gzip<", ">application/zip<", "EBMS:0003"),
        ('"MimeType"', '"Type"', "EBMS:0003"),
        ("cid:p-1", "cid:p-2", "EBMS:0011"),
        ('href="cid:p-1@test"', 'href="http://a"', "EBMS:0009"),
        ("<eb:MessageId>m-1@test</eb:MessageId>", "", "EBMS:0009"),
        ("m-1@test", "m" * 1001, "EBMS:0009"),
        ("<eb:UserMessage>", '<eb:UserMessage mpc="other">', "EBMS:0003"),
    ],
)
def test_a_header_that_breaks_the_profile_is_refused(c2, c3, old, new, code):
    """Correctly signed, so it is the header alone that is wrong."""
    messaging = header.write(MESSAGE)
    assert old in messaging

    assert refused(resigned(c2, c3, messaging.replace(old, new)), c3) == code


def test_the_default_channel_may_be_named(c2, c3):
    messaging = header.write(MESSAGE).replace(
        "<eb:UserMessage>", f'<eb:UserMessage mpc="{EB}defaultMPC">'
    )

    assert opened(resigned(c2, c3, messaging), c3).payload == PAYLOAD


# A payload without CompressionType.
PLAIN = header.write(MESSAGE).replace(
    '<eb:Property name="CompressionType">application/gzip</eb:Property>', ""
)


@pytest.mark.parametrize("payload", [b"<a   b='c'/>", b'<a b="c"></a>'])
def test_an_uncompressed_payload_is_taken(c2, c3, payload):
    """Signed as it is."""
    assert opened(resigned(c2, c3, PLAIN, payload), c3).payload == payload


def test_an_uncompressed_payload_may_be_signed_in_its_canonical_form(c2, c3):
    """WSS4J does so for XML; the payload is not changed by it."""
    content = b"<?xml version='1.0'?><a  b='c'/>"
    references = signing.references(PLAIN, (MESSAGE.content_id, b'<a b="c"></a>'))
    ciphertext, security = encryption.encrypted(content, MESSAGE.content_id, c3.certificate)
    soap = signing.envelope(PLAIN, security + signing.signature(c2, references))
    message = mime.write(soap, MESSAGE.content_id, ciphertext, boundary="b-1")

    assert opened(message, c3).payload == content


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (gzip.compress(bytes(1001)), "EBMS:0303"),
        (zlib.compress(b"<a/>"), "EBMS:0303"),
        (b"<a/>", "EBMS:0303"),
        (gzip.compress(b"<a/>")[:-4], "EBMS:0303"),
        (gzip.compress(b"<a/>") * 2, "EBMS:0303"),
        (b"", "EBMS:0303"),
    ],
    ids=["too large", "zlib", "plain", "cut", "two streams", "empty"],
)
def test_a_payload_that_is_not_one_small_gzip_stream_is_refused(c2, c3, payload, code):
    message = resigned(c2, c3, header.write(MESSAGE), payload)

    assert refused(message, c3, max_bytes=1000) == code


def test_a_gzip_bomb_is_not_inflated_beyond_the_bound():
    """64 MiB of zeros cost no more than the bound."""
    bomb = zlib.compressobj(9, wbits=31)
    data = b"".join(bomb.compress(bytes(1 << 20)) for _ in range(64)) + bomb.flush()

    with pytest.raises(Refused, match="more than 1000 bytes"):
        incoming.inflated(data, 1000)
    assert incoming.inflated(gzip.compress(bytes(1000)), 1000) == bytes(1000)


@pytest.mark.parametrize(
    "pattern",
    [rb"<xenc:EncryptedKey.*</xenc:EncryptedData>", rb"<ds:Signature .*</ds:Signature>"],
)
def test_a_message_without_encryption_or_signature_is_refused(c2, c3, pattern):
    message = sent(c2, c3).content
    body = re.sub(pattern, b"", message.body, flags=re.DOTALL)

    assert refused(replace(message, body=body), c3) in {"EBMS:0103", "EBMS:0009"}


def test_a_body_cut_at_any_thousandth_byte_is_refused(c2, c3):
    message = sent(c2, c3).content

    for end in range(0, len(message.body) - 4, 1000):
        assert refused(replace(message, body=message.body[:end]), c3) == "EBMS:0007"


# -- receipts of others ----------------------------------------------------------------------------


def answer(receipt: bytes):
    found = answers.read(receipt)
    assert found is not None
    return found


def test_a_receipt_for_another_message_is_not_one(c2, c3):
    message = sent(c2, c3)
    receipt = signals.receipt(replace(INFO, in_reply_to="m-2@test"), message.references, c3)

    with pytest.raises(answers.InvalidReceipt, match="another message"):
        answers.verify_receipt(answer(receipt), "m-1@test", message.references, anyone)


def test_a_receipt_of_another_signer_is_not_one(c2, c3, other):
    message = sent(c2, c3)
    receipt = signals.receipt(INFO, message.references, other)

    with pytest.raises(answers.InvalidReceipt, match="another signer"):
        answers.verify_receipt(answer(receipt), "m-1@test", message.references, only(c3))


def test_an_unsigned_receipt_is_not_one(c2, c3):
    message = sent(c2, c3)
    receipt = signals.receipt(INFO, message.references, c3)
    unsigned = re.sub(rb"<wsse:Security.*</wsse:Security>", b"", receipt)

    with pytest.raises(answers.InvalidReceipt, match="not signed"):
        answers.verify_receipt(answer(unsigned), "m-1@test", message.references, anyone)


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("missing", [False, True])
def test_a_receipt_must_confirm_each_of_the_three_digests(c2, c3, place, missing):
    """One that is missing or wrong is enough."""
    message = sent(c2, c3)
    references = list(message.references)
    wrong = replace(references.pop(place), digest="A" * 43 + "=")
    given = references if missing else [*references, wrong]
    receipt = signals.receipt(INFO, given, c3)

    with pytest.raises(answers.InvalidReceipt, match="does not confirm the digest of"):
        answers.verify_receipt(answer(receipt), "m-1@test", message.references, anyone)


@pytest.mark.parametrize(
    "body", [b"", b"<html/>", b"{}", b"<html><body>Bad gateway</body></html>", b"\x1f\x8b"]
)
def test_an_answer_without_a_signal_has_none(body):
    assert answers.read(body) is None


def test_a_code_may_lack_its_prefix(c3):
    signal = signals.error(INFO, Refused(incoming.POLICY, "x"), c3).replace(b"EBMS:0103", b"0103")

    assert answer(signal).errors[0].code == "EBMS:0103"
