"""The authority's seal: a detached XML signature over the bytes of a file.

The first reference digests the file as it is, by SHA-256, whatever its URI. Further ones refer to
parts of the signature itself, such as the properties of XAdES. Source: seals as they are checked by
published verifiers, and W3C XML Signature 1.1.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from lxml import etree

from einvoice import xml

DSIG: Final = "http://www.w3.org/2000/09/xmldsig#"
C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
EXCLUSIVE_C14N: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
SHA256: Final = "http://www.w3.org/2001/04/xmlenc#sha256"
_METHODS: Final[dict[str, hashes.HashAlgorithm]] = {
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256": hashes.SHA256(),
    "http://www.w3.org/2001/04/xmldsig-more#rsa-sha512": hashes.SHA512(),
}
_CANONICAL: Final = {C14N: False, EXCLUSIVE_C14N: True}
_MAX_BYTES: Final = 256 * 1024


class NotSealed(ValueError):
    """A file without a valid seal. The message says what is wrong."""


def verify(
    document: bytes, signature: bytes, signers: Sequence[x509.Certificate]
) -> x509.Certificate:
    """The certificate of the signer of a file.

    signers  accepted certificates, and issuers of accepted ones; empty: any

    Raises NotSealed.
    """
    if not signature:
        raise NotSealed("there is no seal")
    try:
        root = xml.parse(signature, max_bytes=_MAX_BYTES)
    except xml.NotXml as fault:
        raise NotSealed(str(fault)) from fault
    if root.tag != f"{{{DSIG}}}Signature":
        raise NotSealed("it is no XML signature")
    info = _only(root, "SignedInfo")
    signer = _signer(root)
    _check_value(root, info, signer)
    references = info.findall(f"{{{DSIG}}}Reference")
    if not references:
        raise NotSealed("it refers to nothing")
    _check_digest(references[0], document)
    for each in references[1:]:
        _check_digest(each, _part(root, each))
    _check_trust(signer, signers)
    return signer


def is_signature(content: bytes) -> bool:
    """Whether it is an XML signature, valid or not."""
    if len(content) > _MAX_BYTES or DSIG.encode() not in content:
        return False
    try:
        return xml.parse(content, max_bytes=_MAX_BYTES).tag == f"{{{DSIG}}}Signature"
    except xml.NotXml:
        return False


def is_of(document: bytes, signature: bytes) -> bool:
    """Whether the signature has the digest of this document."""
    root = xml.parse(signature, max_bytes=_MAX_BYTES)
    found = root.findtext(f"{{{DSIG}}}SignedInfo/{{{DSIG}}}Reference/{{{DSIG}}}DigestValue") or ""
    digest = base64.b64encode(hashlib.sha256(document).digest()).decode()
    return "".join(found.split()) == digest


def _check_value(root: etree._Element, info: etree._Element, signer: x509.Certificate) -> None:
    method = _METHODS.get(_algorithm(info, "SignatureMethod"))
    key = signer.public_key()
    if method is None or not isinstance(key, rsa.RSAPublicKey):
        raise NotSealed("the algorithm of the signature is not accepted")
    signed = _canonical(info, _algorithm(info, "CanonicalizationMethod"))
    try:
        key.verify(_decoded(_only(root, "SignatureValue")), signed, padding.PKCS1v15(), method)
    except InvalidSignature as fault:
        raise NotSealed("its certificate has not signed it") from fault


def _check_digest(reference: etree._Element, content: bytes) -> None:
    if _algorithm(reference, "DigestMethod") != SHA256:
        raise NotSealed("the algorithm of a digest is not accepted")
    given = _decoded(_only(reference, "DigestValue"))
    if not hmac.compare_digest(hashlib.sha256(content).digest(), given):
        raise NotSealed("the content was changed after it was signed")


def _part(root: etree._Element, reference: etree._Element) -> bytes:
    """The canonical form of the part of the signature to which a reference refers."""
    name = (reference.get("URI") or "").removeprefix("#")
    found = [each for each in root.iter() if name and each.get("Id") == name]
    transforms = reference.findall(f"{{{DSIG}}}Transforms/{{{DSIG}}}Transform")
    if len(found) != 1 or len(transforms) > 1:
        raise NotSealed("it refers to more than the file")
    return _canonical(found[0], (transforms[0].get("Algorithm") if transforms else None) or C14N)


def _canonical(element: etree._Element, algorithm: str) -> bytes:
    """The element in canonical form.

    lxml's inclusive form of a part of a tree is wrong where its default namespace is declared
    above: it is written out with all namespaces first, and canonicalised as a document.
    """
    if algorithm not in _CANONICAL:
        raise NotSealed("its canonicalisation is not accepted")
    alone = xml.parse(etree.tostring(element, with_tail=False))
    return etree.tostring(
        alone.getroottree(), method="c14n", exclusive=_CANONICAL[algorithm], with_comments=False
    )


def _signer(root: etree._Element) -> x509.Certificate:
    path = f"{{{DSIG}}}KeyInfo/{{{DSIG}}}X509Data/{{{DSIG}}}X509Certificate"
    found = root.find(path)
    if found is None:
        raise NotSealed("it has no certificate")
    try:
        return x509.load_der_x509_certificate(_decoded(found))
    except ValueError as fault:
        raise NotSealed("its certificate cannot be read") from fault


def _check_trust(signer: x509.Certificate, signers: Sequence[x509.Certificate]) -> None:
    if signers and not any(signer == each or _is_issued(signer, each) for each in signers):
        raise NotSealed(f"{signer.subject.rfc4514_string()} is not a signer of the authority")


def _is_issued(signer: x509.Certificate, issuer: x509.Certificate) -> bool:
    try:
        signer.verify_directly_issued_by(issuer)
    except (InvalidSignature, TypeError, ValueError):
        return False
    return True


def _algorithm(parent: etree._Element, name: str) -> str:
    return _only(parent, name).get("Algorithm") or ""


def _only(parent: etree._Element, name: str) -> etree._Element:
    found = parent.findall(f"{{{DSIG}}}{name}")
    if len(found) != 1:
        raise NotSealed(f"it has {len(found)} {name} elements")
    return found[0]


def _decoded(element: etree._Element) -> bytes:
    try:
        return base64.b64decode("".join((element.text or "").split()), validate=True)
    except binascii.Error as fault:
        raise NotSealed(f"{etree.QName(element).localname} is not base64") from fault
