"""Recompute every value of a stamped document.

`verify` needs nothing but the document: the hash, the signature, the digests of the signed
properties and of the certificate, and the values of the QR code.
"""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass
from typing import Any, cast

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from lxml import etree

from einvoice.xml import parse
from einvoice_zatca.digests import hexadecimal, invoice_hash, signed_properties_digest
from einvoice_zatca.identity import UnusableIdentity, certificate_of, issuer_of, public_bytes
from einvoice_zatca.names import COUNTER, PREVIOUS, QR, TAGS
from einvoice_zatca.qr import Tag, UnreadableCode, decoded
from einvoice_zatca.stamp import is_simplified, values_of_document

_REFERENCE = "cac:AdditionalDocumentReference[normalize-space(cbc:ID)='{}']"
_CONTENT = f"{_REFERENCE}/cac:Attachment/cbc:EmbeddedDocumentBinaryObject"


@dataclass(frozen=True, slots=True)
class Checked:
    """The statements of a stamped document about itself, and its faults: names of values.

    faults  hash, signature, signed-properties, certificate-digest, issuer, certificate, and
            qr-<number of the tag>, or qr
    """

    uuid: str
    counter: str
    previous: str
    hash: str
    faults: tuple[str, ...]


def verify(document: bytes) -> Checked:
    """Recompute the values of a document. Raises NotXml."""
    root = parse(document)
    counter = _text(root, f"{_REFERENCE.format(COUNTER)}/cbc:UUID")
    previous, uuid = _text(root, _CONTENT.format(PREVIOUS)), _text(root, "cbc:UUID")
    code = _text(root, _CONTENT.format(QR))
    stated, simplified = values_of_document(root), is_simplified(root)
    parts = _Signature(root)
    faults = parts.faults()
    digest = invoice_hash(root)
    text = base64.b64encode(digest).decode()
    if parts.digest != text:
        faults.append("hash")
    if not parts.signs(digest):
        faults.append("signature")
    faults.extend(_code_faults(code, stated, text, parts, simplified=simplified))
    return Checked(uuid, counter, previous, text, tuple(faults))


class _Signature:
    """The values of the signature of a document."""

    def __init__(self, root: etree._Element) -> None:
        info = "//ds:SignedInfo/ds:Reference"
        self.root = root
        self.digest = _text(root, f"{info}[@Id='invoiceSignedData']/ds:DigestValue")
        self.value = _text(root, "//ds:SignatureValue")
        self.certificate_text = _text(root, "//ds:X509Certificate")
        self.properties_digest = _text(
            root, f"{info}[@URI='#xadesSignedProperties']/ds:DigestValue"
        )
        self.certificate = _certificate(self.certificate_text)

    def faults(self) -> list[str]:
        """The faults within the signature itself."""
        properties = _elements(self.root, "//xades:SignedProperties")
        digest = _text(self.root, "//xades:CertDigest/ds:DigestValue")
        faults = []
        if not properties or signed_properties_digest(properties[0]) != self.properties_digest:
            faults.append("signed-properties")
        if hexadecimal(self.certificate_text.encode()) != digest:
            faults.append("certificate-digest")
        if self.certificate is None:
            return [*faults, "certificate"]
        serial = _text(self.root, "//xades:IssuerSerial/ds:X509SerialNumber")
        issuer = _text(self.root, "//xades:IssuerSerial/ds:X509IssuerName")
        if (serial, issuer) != (
            str(self.certificate.serial_number), issuer_of(self.certificate)
        ):  # fmt: skip
            faults.append("issuer")
        return faults

    def signs(self, digest: bytes) -> bool:
        key = self.certificate and self.certificate.public_key()
        if not isinstance(key, ec.EllipticCurvePublicKey):
            return False
        try:
            key.verify(base64.b64decode(self.value), digest, ec.ECDSA(hashes.SHA256()))
        except (InvalidSignature, binascii.Error, ValueError):
            return False
        return True

    def key(self) -> bytes:
        key = self.certificate and self.certificate.public_key()
        return public_bytes(key) if isinstance(key, ec.EllipticCurvePublicKey) else b""


def _certificate(text: str) -> x509.Certificate | None:
    try:
        return certificate_of(text)
    except UnusableIdentity:
        return None


def _code_faults(
    code: str, stated: dict[Tag, bytes], digest: str, parts: _Signature, *, simplified: bool
) -> list[str]:
    try:
        values = decoded("".join(code.split()))
    except UnreadableCode:
        return ["qr"]
    expected = stated | {
        Tag.HASH: digest.encode(),
        Tag.SIGNATURE: parts.value.encode(),
        Tag.PUBLIC_KEY: parts.key(),
    }
    if simplified and parts.certificate is not None:
        expected[Tag.CERTIFICATE_SIGNATURE] = parts.certificate.signature
    return [f"qr-{tag.value}" for tag in expected if values.get(tag) != expected[tag]]


def _text(root: etree._Element, path: str) -> str:
    """The text of the first element on a path, "" if there is none."""
    found = _elements(root, path)
    return (found[0].text or "").strip() if found else ""


def _elements(root: etree._Element, path: str) -> list[etree._Element]:
    return cast("list[Any]", root.xpath(path, namespaces=TAGS))
