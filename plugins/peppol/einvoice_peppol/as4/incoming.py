"""A message that arrived: opened in an order in which refusing is cheap.

MIME and header come first, then the certificate, the signature over the header, and only then the
decryption (RSA), the digest of the payload and its decompression, within a bound.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass

from cryptography import x509
from lxml import etree

from einvoice import xml
from einvoice_peppol import c14n, trust
from einvoice_peppol.as4 import encryption, mime, soap, user_message, verification
from einvoice_peppol.as4.errors import (
    DECOMPRESSION,
    EXTERNAL_PAYLOAD,
    FAILED_AUTHENTICATION,
    FAILED_DECRYPTION,
    POLICY,
    VALUE_INCONSISTENT,
    Refused,
)
from einvoice_peppol.as4.names import (
    AES128_GCM,
    CIPHERTEXT,
    CONTENT_ONLY,
    DS,
    ENCRYPTED_KEY,
    MGF1_SHA256,
    RSA_OAEP,
    SHA256,
    WSSE,
    WSSE11,
    XENC,
    XENC11,
    q,
)
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.as4.soap import Soap, only
from einvoice_peppol.as4.user_message import UserMessage
from einvoice_peppol.as4.verification import CheckSigner
from einvoice_peppol.base64_text import decoded
from einvoice_peppol.identity import Identity


@dataclass(frozen=True, slots=True)
class Received:
    """A message whose parts were separated and whose SOAP was parsed. Nothing is verified."""

    soap: Soap
    payload: bytes
    content_id: str


@dataclass(frozen=True, slots=True)
class Verified:
    """A verified and decrypted message. `content` is its payload, as yet compressed.

    references  what its receipt repeats
    """

    message: UserMessage
    content: bytes
    signer: x509.Certificate
    references: tuple[Reference, ...]

    @property
    def size(self) -> int:
        """The bytes of the payload, as gzip states them at its end (RFC 1952, 2.3.1)."""
        if not self.message.compressed:
            return len(self.content)
        return int.from_bytes(self.content[-4:], "little")


@dataclass(frozen=True, slots=True)
class Opened:
    """A verified message with its payload."""

    message: UserMessage
    payload: bytes
    signer: x509.Certificate
    references: tuple[Reference, ...]


def received(content_type: str, body: mime.Body) -> Received:
    """The parts of a request. Raises Refused."""
    parts = mime.parse(content_type, body)
    return Received(soap.parse(parts.soap), parts.payload, parts.content_id)


def opened(
    given: Received, own: Sequence[Identity], check_signer: CheckSigner, *, max_bytes: int
) -> Opened:
    """Verify, decrypt and decompress a message. Raises Refused."""
    return decompressed(verified(given, own, check_signer), max_bytes=max_bytes)


def verified(given: Received, own: Sequence[Identity], check_signer: CheckSigner) -> Verified:
    """Verify and decrypt a message. Raises Refused.

    own  the certificates for which senders may encrypt: two, while one is renewed

    The signer is checked before the receiver, so that errors about the receiver are signed for
    those who are trusted: Oxalis reads no others.
    """
    message = user_message.read(given.soap.message)
    signed = verification.verified(given.soap, check_signer)
    _check_message(message, given, own)
    if trust.seat_id(signed.signer) != message.from_seat:
        raise Refused(FAILED_AUTHENTICATION, "From/PartyId is not the seat of the signer")
    reference = signed.attachment(message.content_id)
    wrapped, identity = _key(given, own)
    content = encryption.decrypted(given.payload, wrapped, identity.key)
    if message.compressed:
        verification.check_digest(reference, content)
    else:
        _check_uncompressed(reference, content)
    return Verified(message, content, signed.signer, signed.references)


def decompressed(given: Verified, *, max_bytes: int) -> Opened:
    """The message with its payload, of at most `max_bytes`. Raises Refused."""
    compressed = given.message.compressed
    payload = inflated(given.content, max_bytes) if compressed else given.content
    if len(payload) > max_bytes:
        raise Refused(DECOMPRESSION, f"the payload has more than {max_bytes} bytes")
    return Opened(given.message, payload, given.signer, given.references)


def _check_message(message: UserMessage, given: Received, own: Sequence[Identity]) -> None:
    if message.to_seat not in {identity.seat for identity in own}:
        raise Refused(VALUE_INCONSISTENT, "To/PartyId is not the seat of this access point")
    if message.content_id != given.content_id:
        raise Refused(EXTERNAL_PAYLOAD, "PartInfo does not refer to the payload of the message")


def _key(given: Received, own: Sequence[Identity]) -> tuple[bytes, Identity]:
    """The encrypted key of the payload, and the identity that can decrypt it. Raises Refused."""
    security = given.soap.security
    if security is None or security.find(q(XENC, "EncryptedData")) is None:
        raise Refused(POLICY, "the payload is not encrypted")
    key, data = only(security, q(XENC, "EncryptedKey")), only(security, q(XENC, "EncryptedData"))
    _check_key_algorithms(key)
    _check_data(given, key, data)
    certificate = verification.token(given.soap, only(key, q(DS, "KeyInfo")))
    for identity in own:
        if identity.certificate == certificate:
            return _cipher_value(key), identity
    raise Refused(FAILED_DECRYPTION, "it is encrypted for a certificate of another")


def _check_key_algorithms(key: etree._Element) -> None:
    method = only(key, q(XENC, "EncryptionMethod"))
    digest, mask = only(method, q(DS, "DigestMethod")), only(method, q(XENC11, "MGF"))
    given = (method.get("Algorithm"), digest.get("Algorithm"), mask.get("Algorithm"))
    if given != (RSA_OAEP, SHA256, MGF1_SHA256):
        raise Refused(POLICY, "the key is not encrypted with RSA-OAEP, SHA-256 and MGF1-SHA256")


def _check_data(given: Received, key: etree._Element, data: etree._Element) -> None:
    """Check that the EncryptedData is that of the payload, with the key and as prescribed."""
    reference = only(data, q(XENC, "CipherData"), q(XENC, "CipherReference"))
    transform = only(reference, q(XENC, "Transforms"), q(DS, "Transform"))
    if (
        only(data, q(XENC, "EncryptionMethod")).get("Algorithm") != AES128_GCM
        or transform.get("Algorithm") != CIPHERTEXT
        or data.get("Type") != CONTENT_ONLY
    ):
        raise Refused(POLICY, "the payload is not encrypted with AES-128-GCM as an attachment")
    if reference.get("URI") != f"cid:{given.content_id}":
        raise Refused(EXTERNAL_PAYLOAD, "the encrypted part is not the payload of the message")
    if not _refers_to(data, key) or not _lists(key, data):
        raise Refused(FAILED_DECRYPTION, "the encrypted key and the encrypted data do not match")


def _refers_to(data: etree._Element, key: etree._Element) -> bool:
    """Whether the data names the key as its own."""
    token = only(data, q(DS, "KeyInfo"), q(WSSE, "SecurityTokenReference"))
    return (
        token.get(q(WSSE11, "TokenType"), ENCRYPTED_KEY) == ENCRYPTED_KEY
        and only(token, q(WSSE, "Reference")).get("URI") == f"#{key.get('Id')}"
    )


def _lists(key: etree._Element, data: etree._Element) -> bool:
    """Whether the key names the data as the only thing that it encrypts."""
    listed = only(key, q(XENC, "ReferenceList"), q(XENC, "DataReference"))
    return listed.get("URI") == f"#{data.get('Id')}"


def _cipher_value(key: etree._Element) -> bytes:
    text = only(key, q(XENC, "CipherData"), q(XENC, "CipherValue")).text or ""
    try:
        return decoded(text)
    except ValueError:
        raise Refused(FAILED_DECRYPTION, "the payload cannot be decrypted") from None


def _check_uncompressed(reference: Reference, content: bytes) -> None:
    """Check the digest of XML, which WSS4J signs in its canonical form (SwA profile 1.1, 5.4.2)."""
    if verification.has_digest(reference, content):
        return
    try:
        root = xml.parse(content)
        c14n.check(root)
    except (xml.NotXml, c14n.NotCanonical) as fault:
        raise Refused(EXTERNAL_PAYLOAD, str(fault)) from None
    verification.check_digest(reference, soap.canonical(root))


def inflated(content: bytes, max_bytes: int) -> bytes:
    """The content of one gzip stream of at most `max_bytes`. Raises Refused."""
    stream = zlib.decompressobj(wbits=31)
    try:
        payload = stream.decompress(content, max_bytes + 1)
    except zlib.error:
        raise Refused(DECOMPRESSION, "the payload is not gzip") from None
    if len(payload) > max_bytes:
        raise Refused(DECOMPRESSION, f"the payload has more than {max_bytes} bytes")
    if not stream.eof or stream.unused_data:
        raise Refused(DECOMPRESSION, "the payload is not one complete gzip stream")
    return payload
