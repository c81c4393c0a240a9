"""The signature of SMP documents: enveloped XMLDSig over the whole document.

Source: Peppol SMP 1.4.0. Exactly this form is accepted: one Signature, a child of the root, with
one Reference to the whole document. What is returned is parsed from the bytes that were digested,
so that nothing outside of the signature is read.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from einvoice import xml
from einvoice_peppol import c14n, certificates
from einvoice_peppol.base64_text import decoded
from einvoice_peppol.trust import Untrusted

DSIG: Final = "http://www.w3.org/2000/09/xmldsig#"
RSA_SHA256: Final = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256: Final = "http://www.w3.org/2001/04/xmlenc#sha256"
ENVELOPED: Final = f"{DSIG}enveloped-signature"
C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
EXCLUSIVE_C14N: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
_XML: Final = "{http://www.w3.org/XML/1998/namespace}"
_MAX_CERTIFICATES: Final = 5
_MAX_SIGNED_INFO: Final = 16 * 1024
CheckSigner = Callable[[x509.Certificate], None]


class InvalidSignatureOfDocument(ValueError):
    """A document without a valid signature. The message says what is wrong."""


def verified(
    content: bytes, max_bytes: int, check_signer: CheckSigner
) -> tuple[etree._Element, x509.Certificate]:
    """The signed document without its signature, and the certificate of its signer.

    check_signer  raises Untrusted for a certificate that is not trusted; it is called before
                  anything is canonicalised

    Raises InvalidSignatureOfDocument, NotXml and Untrusted.
    """
    root = xml.parse(content, max_bytes=max_bytes)
    signature = _signature(root)
    signers = _trusted(signature, check_signer)
    try:
        c14n.check(root)
        return _verified(root, signature, signers, max_bytes)
    except c14n.NotCanonical as fault:
        raise InvalidSignatureOfDocument(str(fault)) from fault


def _verified(
    root: etree._Element,
    signature: etree._Element,
    signers: Sequence[x509.Certificate],
    max_bytes: int,
) -> tuple[etree._Element, x509.Certificate]:
    signed_info = _signed_info(signature)
    signed = _canonical(signed_info, _method_of(signed_info))
    signer = _signer(signature, signers, signed)
    reference = _only(signed_info, "Reference")
    document = _referred(root, reference)
    digest = hashlib.sha256(document).digest()
    if not hmac.compare_digest(digest, _decoded(_only(reference, "DigestValue"))):
        raise InvalidSignatureOfDocument("the document was changed after it was signed")
    return xml.parse(document, max_bytes=max_bytes), signer


def _signature(root: etree._Element) -> etree._Element:
    found = list(root.iter(f"{{{DSIG}}}Signature"))
    if not found:
        raise InvalidSignatureOfDocument("it is not signed")
    if len(found) > 1 or found[0].getparent() is not root:
        raise InvalidSignatureOfDocument("its signature is not the only one, below the root")
    return found[0]


def _signed_info(signature: etree._Element) -> etree._Element:
    found = _only(signature, "SignedInfo")
    if len(etree.tostring(found, with_tail=False)) > _MAX_SIGNED_INFO:
        raise InvalidSignatureOfDocument(f"SignedInfo has more than {_MAX_SIGNED_INFO:,} bytes")
    return found


def _method_of(signed_info: etree._Element) -> bool:
    """Whether SignedInfo is canonicalised exclusively."""
    method = _only(signed_info, "SignatureMethod").get("Algorithm")
    if method != RSA_SHA256:
        raise InvalidSignatureOfDocument(f"the algorithm {method} is not accepted")
    return _is_exclusive(_only(signed_info, "CanonicalizationMethod"))


def _is_exclusive(method: etree._Element) -> bool:
    algorithm = method.get("Algorithm")
    if algorithm not in (C14N, EXCLUSIVE_C14N) or len(method):
        raise InvalidSignatureOfDocument(f"the canonicalisation {algorithm} is not accepted")
    return algorithm == EXCLUSIVE_C14N


def _referred(root: etree._Element, reference: etree._Element) -> bytes:
    """The bytes that the reference digests: the whole document without its signature."""
    if reference.get("URI") != "":
        raise InvalidSignatureOfDocument("it does not refer to the whole document")
    method = _only(reference, "DigestMethod").get("Algorithm")
    if method != SHA256:
        raise InvalidSignatureOfDocument(f"the digest {method} is not accepted")
    exclusive = _transforms(reference)
    bare = deepcopy(root.getroottree()).getroot()
    _remove(_signature(bare))
    return _c14n(bare, exclusive)


def _transforms(reference: etree._Element) -> bool:
    """Whether the document is canonicalised exclusively."""
    first, *others = _only(reference, "Transforms").findall(f"{{{DSIG}}}Transform") or [reference]
    if first.get("Algorithm") != ENVELOPED or len(others) > 1:
        raise InvalidSignatureOfDocument("its transforms are not those of an enveloped signature")
    return bool(others) and _is_exclusive(others[0])


def _remove(element: etree._Element) -> None:
    """Remove an element, and keep the text that follows it."""
    parent, before = element.getparent(), element.getprevious()
    assert parent is not None  # noqa: S101 a signature is a child of the root
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _canonical(signed_info: etree._Element, exclusive: bool) -> bytes:
    """SignedInfo in canonical form.

    lxml's inclusive form of a part of a tree is wrong where its default namespace is declared
    above: it is written out with all namespaces first, and canonicalised as a document.
    """
    for above in signed_info.iterancestors():
        if any(str(name).startswith(_XML) for name in above.attrib):
            raise InvalidSignatureOfDocument("it has attributes of XML above SignedInfo")
    return _c14n(xml.parse(etree.tostring(signed_info, with_tail=False)), exclusive)


def _c14n(root: etree._Element, exclusive: bool) -> bytes:
    return c14n.canonical(root.getroottree(), exclusive=exclusive)


def _trusted(signature: etree._Element, check_signer: CheckSigner) -> list[x509.Certificate]:
    """The certificates in KeyInfo that are trusted, beside which may be their authorities."""
    trusted, fault = [], None
    for certificate in _certificates(signature):
        try:
            check_signer(certificate)
            trusted.append(certificate)
        except Untrusted as reason:
            fault = fault or reason
    if fault is not None and not trusted:
        raise fault
    return trusted


def _signer(
    signature: etree._Element, signers: Sequence[x509.Certificate], signed: bytes
) -> x509.Certificate:
    """The certificate whose key made the signature over these bytes."""
    value = _decoded(_only(signature, "SignatureValue"))
    for certificate in signers:
        key = certificate.public_key()
        if isinstance(key, rsa.RSAPublicKey) and _is_signed(key, value, signed):
            return certificate
    raise InvalidSignatureOfDocument("none of its certificates has signed it")


def _is_signed(key: rsa.RSAPublicKey, value: bytes, signed: bytes) -> bool:
    try:
        key.verify(value, signed, padding.PKCS1v15(), hashes.SHA256())
    except InvalidSignature:
        return False
    return True


def _certificates(signature: etree._Element) -> Iterator[x509.Certificate]:
    path = f"{{{DSIG}}}KeyInfo/{{{DSIG}}}X509Data/{{{DSIG}}}X509Certificate"
    for element in signature.findall(path)[:_MAX_CERTIFICATES]:
        try:
            yield certificates.read(_decoded(element))
        except certificates.UnreadableCertificate as fault:
            raise InvalidSignatureOfDocument("its certificate cannot be read") from fault


def _only(parent: etree._Element, name: str) -> etree._Element:
    found = parent.findall(f"{{{DSIG}}}{name}")
    if len(found) != 1:
        raise InvalidSignatureOfDocument(f"its signature has {len(found)} {name} elements")
    return found[0]


def _decoded(element: etree._Element) -> bytes:
    try:
        return decoded(element.text or "")
    except ValueError as fault:
        name = etree.QName(element).localname
        raise InvalidSignatureOfDocument(f"{name} is not base64") from fault
