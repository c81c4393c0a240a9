"""Verification of the signature of a message or a signal, and of the certificate behind it."""

from __future__ import annotations

import hmac
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from einvoice_peppol import certificates
from einvoice_peppol.as4.canonical import digest
from einvoice_peppol.as4.errors import FAILED_AUTHENTICATION, POLICY, Refused
from einvoice_peppol.as4.names import (
    ATTACHMENT,
    BASE64,
    DS,
    EC,
    EXCLUSIVE,
    RSA_SHA256,
    SHA256,
    WSSE,
    WSU,
    X509V3,
    q,
)
from einvoice_peppol.as4.signing import Reference
from einvoice_peppol.as4.soap import Soap, canonical, only
from einvoice_peppol.base64_text import decoded

MAX_REFERENCES: Final = 3
MAX_SIGNED_INFO: Final = 16 * 1024  # bytes; with three references it has about 2 KiB
_DIGEST = re.compile("[A-Za-z0-9+/]{43}=", re.ASCII)
CheckSigner = Callable[[x509.Certificate], None]


@dataclass(frozen=True, slots=True)
class Signed:
    """A verified signature: the certificate of the signer and what it signed."""

    signer: x509.Certificate
    references: tuple[Reference, ...]

    def attachment(self, content_id: str) -> Reference:
        """The reference to a MIME part, whose digest is yet to be compared. Raises Refused."""
        uri = f"cid:{content_id}"
        found = [one for one in self.references if one.uri == uri]
        if len(found) != 1 or len(self.references) != MAX_REFERENCES:
            raise Refused(FAILED_AUTHENTICATION, "the payload is not signed")
        return found[0]


def verified(soap: Soap, check_signer: CheckSigner) -> Signed:
    """Verify the signature over eb:Messaging and the body. Raises Refused.

    check_signer  raises Refused for a certificate that is not trusted; it is called before any
                  signature is computed
    """
    if soap.security is None:
        raise Refused(POLICY, "the message is not signed")
    signature = only(soap.security, q(DS, "Signature"))
    info = _signed_info(signature)
    signer = token(soap, only(signature, q(DS, "KeyInfo")))
    check_signer(signer)
    prefixes = _algorithm(info, "CanonicalizationMethod", EXCLUSIVE)
    _algorithm(info, "SignatureMethod", RSA_SHA256)
    references = tuple(reference(one) for one in info.findall(q(DS, "Reference")))
    _check_value(signer, _decoded(only(signature, q(DS, "SignatureValue"))), info, prefixes)
    _check_elements(soap, references)
    return Signed(signer, references)


def _signed_info(signature: etree._Element) -> etree._Element:
    """ds:SignedInfo, which is canonicalised before anything is proved. Raises Refused."""
    info = only(signature, q(DS, "SignedInfo"))
    if len(info.findall(q(DS, "Reference"))) > MAX_REFERENCES:
        raise Refused(POLICY, "the signature has too many references")
    if len(etree.tostring(info, with_tail=False)) > MAX_SIGNED_INFO:
        raise Refused(POLICY, f"SignedInfo has more than {MAX_SIGNED_INFO:,} bytes")
    return info


def _check_value(
    signer: x509.Certificate, value: bytes, info: etree._Element, prefixes: str | None
) -> None:
    key = signer.public_key()
    if not isinstance(key, rsa.RSAPublicKey):
        raise Refused(POLICY, "the key of the signer is not RSA")
    try:
        key.verify(value, canonical(info, prefixes), padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        raise Refused(FAILED_AUTHENTICATION, "the signature is wrong") from None


def _check_elements(soap: Soap, references: tuple[Reference, ...]) -> None:
    """Check the digests of eb:Messaging and the body, and that both are signed."""
    expected = {id(soap.messaging), id(soap.body)}
    for one in references:
        if one.uri.startswith("#"):
            element = soap.by_id.get(one.uri[1:])
            if element is None or id(element) not in expected or one.transform != EXCLUSIVE:
                raise Refused(FAILED_AUTHENTICATION, "the signature refers to another element")
            expected.remove(id(element))
            check_digest(one, canonical(element, one.prefixes))
        elif not one.uri.startswith("cid:") or one.transform != ATTACHMENT:
            raise Refused(POLICY, "the signature refers to something else than the message")
    if expected:
        raise Refused(FAILED_AUTHENTICATION, "eb:Messaging and the body are not both signed")


def has_digest(one: Reference, content: bytes) -> bool:
    """Whether the content has the digest of its reference."""
    return hmac.compare_digest(one.digest, digest(content))


def check_digest(one: Reference, content: bytes) -> None:
    """Check that the content has the digest of its reference. Raises Refused."""
    if not has_digest(one, content):
        raise Refused(FAILED_AUTHENTICATION, f"the digest of {one.uri[:200]} is wrong")


def token(soap: Soap, key_info: etree._Element) -> x509.Certificate:
    """The certificate to which a KeyInfo refers directly. Raises Refused."""
    reference = only(key_info, q(WSSE, "SecurityTokenReference"), q(WSSE, "Reference"))
    uri = reference.get("URI", "")
    found = soap.by_id.get(uri[1:]) if uri.startswith("#") else None
    if found is None or found.tag != q(WSSE, "BinarySecurityToken"):
        raise Refused(POLICY, "the certificate is not referred to as a token of the message")
    if found.getparent() is not soap.security or found.get(q(WSU, "Id")) != uri[1:]:
        raise Refused(POLICY, "the token is not in wsse:Security")
    if found.get("ValueType") != X509V3 or found.get("EncodingType", BASE64) != BASE64:
        raise Refused(POLICY, "the token is not an X.509 certificate in base64")
    try:
        return certificates.read(_decoded(found))
    except certificates.UnreadableCertificate as fault:
        raise Refused(FAILED_AUTHENTICATION, str(fault)) from None


def reference(element: etree._Element) -> Reference:
    """The values of a ds:Reference of one transform. Raises Refused."""
    transforms = only(element, q(DS, "Transforms"))
    transform = only(transforms, q(DS, "Transform"))
    if len(transforms) != 1:
        raise Refused(POLICY, "a reference has another transform")
    _algorithm(element, "DigestMethod", SHA256)
    value = "".join((only(element, q(DS, "DigestValue")).text or "").split())
    if not _DIGEST.fullmatch(value):
        raise Refused(FAILED_AUTHENTICATION, "a digest is not one of SHA-256 in base64")
    return Reference(
        element.get("URI", ""), transform.get("Algorithm", ""), value, _prefixes(transform)
    )


def _algorithm(parent: etree._Element, name: str, expected: str) -> str | None:
    """Check an algorithm; its PrefixList of inclusive namespaces, if any. Raises Refused."""
    method = only(parent, q(DS, name))
    if method.get("Algorithm") != expected:
        raise Refused(POLICY, f"the algorithm of {name} is not {expected}")
    return _prefixes(method)


def _prefixes(method: etree._Element) -> str | None:
    inclusive = method.find(q(EC, "InclusiveNamespaces"))
    return None if inclusive is None else inclusive.get("PrefixList", "")


def _decoded(element: etree._Element) -> bytes:
    try:
        return decoded(element.text or "")
    except ValueError:
        raise Refused(FAILED_AUTHENTICATION, "a value is not base64") from None
