"""The signature of SMP documents: enveloped XMLDSig over the whole document.

Source: Peppol SMP 1.4.0. Exactly this form is accepted: one Signature, a child of the root, with
one Reference to the whole document. What is returned is parsed from the bytes that were digested,
so that nothing outside of the signature is read.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Iterator
from copy import deepcopy
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from einvoice import xml

DSIG: Final = "http://www.w3.org/2000/09/xmldsig#"
RSA_SHA256: Final = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
SHA256: Final = "http://www.w3.org/2001/04/xmlenc#sha256"
ENVELOPED: Final = f"{DSIG}enveloped-signature"
C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
EXCLUSIVE_C14N: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
_XML: Final = "{http://www.w3.org/XML/1998/namespace}"
_MAX_CERTIFICATES: Final = 5


class InvalidSignatureOfDocument(ValueError):
    """A document without a valid signature. The message says what is wrong."""


def verified(content: bytes, max_bytes: int) -> tuple[etree._Element, x509.Certificate]:
    """The signed document without its signature, and the certificate of its signer.

    Whether the signer is trusted is not checked. Raises InvalidSignatureOfDocument and NotXml.
    """
    root = xml.parse(content, max_bytes=max_bytes)
    signature = _signature(root)
    signed_info = _only(signature, "SignedInfo")
    signer = _signer(signature, _canonical(signed_info, _method_of(signed_info)))
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
    return etree.tostring(
        root.getroottree(), method="c14n", exclusive=exclusive, with_comments=False
    )


def _signer(signature: etree._Element, signed: bytes) -> x509.Certificate:
    """The certificate in KeyInfo whose key made the signature over these bytes."""
    value = _decoded(_only(signature, "SignatureValue"))
    for certificate in _certificates(signature):
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
            certificate = x509.load_der_x509_certificate(_decoded(element))
            certificate.public_key()
        except (ValueError, TypeError) as fault:
            raise InvalidSignatureOfDocument("its certificate cannot be read") from fault
        yield certificate


def _only(parent: etree._Element, name: str) -> etree._Element:
    found = parent.findall(f"{{{DSIG}}}{name}")
    if len(found) != 1:
        raise InvalidSignatureOfDocument(f"its signature has {len(found)} {name} elements")
    return found[0]


def _decoded(element: etree._Element) -> bytes:
    try:
        return base64.b64decode("".join((element.text or "").split()), validate=True)
    except binascii.Error as fault:
        name = etree.QName(element).localname
        raise InvalidSignatureOfDocument(f"{name} is not base64") from fault
