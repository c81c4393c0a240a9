"""Signatures in XAdES: verified as strictly as a foreign verifier does, and made for UPO.

A reference to a part of the document without a transform is canonicalised by C14N 1.0, as the
recommendation says; what was digested otherwise is refused.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from collections.abc import Callable
from copy import deepcopy
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import (
    decode_dss_signature,
    encode_dss_signature,
)
from lxml import etree

DS: Final = "http://www.w3.org/2000/09/xmldsig#"
XADES: Final = "http://uri.etsi.org/01903/v1.3.2#"
SIGNED_PROPERTIES: Final = "http://uri.etsi.org/01903#SignedProperties"
C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_EXCLUSIVE: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
_ENVELOPED: Final = f"{DS}enveloped-signature"
_XPATH: Final = "http://www.w3.org/TR/1999/REC-xpath-19991116"
_CANONICAL: Final = {
    each + comments: (each == _EXCLUSIVE, bool(comments))
    for each in (C14N, "http://www.w3.org/2006/12/xml-c14n11", _EXCLUSIVE)
    for comments in ("", "#WithComments", "WithComments")
}
_DIGESTS: Final = {
    "http://www.w3.org/2001/04/xmlenc#sha256": "sha256",
    "http://www.w3.org/2001/04/xmldsig-more#sha384": "sha384",
    "http://www.w3.org/2001/04/xmlenc#sha512": "sha512",
}
_MORE: Final = "http://www.w3.org/2001/04/xmldsig-more#"
_HASHES: Final[dict[str, hashes.HashAlgorithm]] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
MIN_RSA_BITS: Final = 2048
MIN_EC_BITS: Final = 256


class BadSignature(ValueError):
    """The signature is not valid. `code`: that of KSeF."""

    def __init__(self, words: str, code: int = 9105) -> None:
        super().__init__(words)
        self.code = code


def _q(name: str, namespace: str = DS) -> str:
    return f"{{{namespace}}}{name}"


def signature_in(root: etree._Element) -> etree._Element:
    """The only signature of a document. Raises BadSignature."""
    found = [*root.iter(_q("Signature"))]
    if not found:
        raise BadSignature("there is no signature", 9102)
    if len(found) > 1:
        raise BadSignature("there are several signatures", 9103)
    return found[0]


def without_signature(root: etree._Element) -> etree._Element:
    """A copy of the signed document, of an enveloping signature too."""
    signature = signature_in(root)
    if signature is root:
        for each in root.iterchildren(_q("Object")):
            inner = [child for child in each if child.tag != _q("QualifyingProperties", XADES)]
            if len(inner) == 1:
                return deepcopy(inner[0])
        raise BadSignature("the signature envelops nothing", 9101)
    copy = deepcopy(root)
    _remove(signature_in(copy))
    return copy


def verify(root: etree._Element) -> x509.Certificate:
    """Check the signature of a document; the certificate of its signer. Raises BadSignature."""
    signature = signature_in(root)
    info = signature.find(_q("SignedInfo"))
    if info is None:
        raise BadSignature("SignedInfo is missing")
    properties = [*signature.iter(_q("SignedProperties", XADES))]
    if len(properties) != 1:
        raise BadSignature("there is not exactly one SignedProperties")
    covered = [_referred(root, signature, each) for each in info.iterchildren(_q("Reference"))]
    if not any(each is properties[0] for each in covered):
        raise BadSignature("SignedProperties are not signed")
    if not any(each is root or _is_enveloped(signature, each) for each in covered):
        raise BadSignature("the document is not signed")
    certificate = _certificate(signature)
    _check_signing_certificate(properties[0], certificate)
    _check_value(signature, info, certificate)
    return certificate


def _is_enveloped(signature: etree._Element, element: etree._Element) -> bool:
    """Whether the element is the content of an enveloping signature."""
    holder = element if element.tag == _q("Object") else element.getparent()
    return (
        signature.getparent() is None
        and holder is not None
        and holder.getparent() is signature
        and holder.tag == _q("Object")
        and holder.find(_q("QualifyingProperties", XADES)) is None
    )


def _referred(
    root: etree._Element, signature: etree._Element, reference: etree._Element
) -> etree._Element:
    """The element of a reference, whose digest is checked."""
    uri = reference.get("URI")
    if uri is None or (uri and not uri.startswith("#")):
        raise BadSignature(f"a reference to {uri!r} is not allowed")
    element = root if uri == "" else _by_id(root, uri[1:])
    is_signed_properties = element.tag == _q("SignedProperties", XADES)
    if is_signed_properties and reference.get("Type") != SIGNED_PROPERTIES:
        raise BadSignature("the reference to SignedProperties has another type")
    content = _transformed(root, element, reference, whole=uri == "")
    name = _DIGESTS.get(_algorithm(reference.find(_q("DigestMethod"))))
    if name is None:
        raise BadSignature("the digest is not allowed")
    expected = base64.b64decode(reference.findtext(_q("DigestValue")) or "")
    if not hmac.compare_digest(hashlib.new(name, content).digest(), expected):
        raise BadSignature(f"the digest of {uri or 'the document'!r} does not match")
    return element


def _by_id(root: etree._Element, name: str) -> etree._Element:
    found = [each for each in root.iter(etree.Element) if name in (each.get("Id"), each.get("ID"))]
    if len(found) != 1:
        raise BadSignature(f"{len(found)} elements have the id {name!r}")
    return found[0]


def _transformed(
    root: etree._Element, element: etree._Element, reference: etree._Element, *, whole: bool
) -> bytes:
    canonical: etree._Element | None = None
    enveloped = False
    for transform in reference.iter(_q("Transform")):
        algorithm = _algorithm(transform)
        if algorithm in (_ENVELOPED, _XPATH):
            words = "".join((transform.findtext(_q("XPath")) or "").split())
            if algorithm == _XPATH and words != "not(ancestor-or-self::ds:Signature)":
                raise BadSignature(f"the transform {words!r} is not allowed")
            enveloped = True
        elif algorithm in _CANONICAL:
            canonical = transform
        else:
            raise BadSignature(f"the transform {algorithm!r} is not allowed")
    if enveloped:
        copy = deepcopy(root)
        _remove(signature_in(copy))
        return _canonical(copy.getroottree(), canonical)
    return _canonical(root.getroottree() if whole else element, canonical)


def _canonical(node: etree._Element | etree._ElementTree, method: etree._Element | None) -> bytes:
    algorithm = C14N if method is None else _algorithm(method)
    if algorithm not in _CANONICAL:
        raise BadSignature(f"{algorithm!r} is not a canonicalisation that is allowed")
    exclusive, comments = _CANONICAL[algorithm]
    prefixes = None
    if method is not None and exclusive:
        named = method.find(_q("InclusiveNamespaces", _EXCLUSIVE))
        prefixes = (named.get("PrefixList") or "").split() if named is not None else None
    return etree.tostring(
        node,
        method="c14n",
        exclusive=exclusive,
        with_comments=comments,
        inclusive_ns_prefixes=prefixes,
    )


def _algorithm(element: etree._Element | None) -> str:
    return "" if element is None else element.get("Algorithm", "")


def _remove(element: etree._Element) -> None:
    """Take an element out of its document; the text behind it stays."""
    parent, before = element.getparent(), element.getprevious()
    if parent is None:
        raise BadSignature("an enveloping signature cannot be removed")
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _certificate(signature: etree._Element) -> x509.Certificate:
    found = signature.findtext(f"{_q('KeyInfo')}/{_q('X509Data')}/{_q('X509Certificate')}")
    try:
        return x509.load_der_x509_certificate(base64.b64decode(found or ""))
    except ValueError as fault:
        raise BadSignature("there is no certificate", 21115) from fault


def _check_signing_certificate(properties: etree._Element, certificate: x509.Certificate) -> None:
    """The certificate is the one that SignedProperties name by its digest."""
    for digest in properties.iter(_q("CertDigest", XADES)):
        name = _DIGESTS.get(_algorithm(digest.find(_q("DigestMethod"))))
        value = base64.b64decode(digest.findtext(_q("DigestValue")) or "")
        if name and certificate.fingerprint(_HASHES[name]) == value:
            return
    raise BadSignature("SignedProperties do not name the certificate")


def _check_value(
    signature: etree._Element, info: etree._Element, certificate: x509.Certificate
) -> None:
    content = _canonical(info, info.find(_q("CanonicalizationMethod")))
    value = base64.b64decode(signature.findtext(_q("SignatureValue")) or "")
    check = _verifier(_algorithm(info.find(_q("SignatureMethod"))), certificate)
    try:
        check(value, content)
    except (InvalidSignature, ValueError) as fault:
        raise BadSignature("the value of the signature does not match") from fault


def _verifier(algorithm: str, certificate: x509.Certificate) -> Callable[[bytes, bytes], None]:
    name = next((each for each in _HASHES if each in algorithm), None)
    key = certificate.public_key()
    if name is None:
        raise BadSignature(f"the signature method {algorithm!r} is not allowed")
    made = _HASHES[name]
    if isinstance(key, rsa.RSAPublicKey) and "rsa" in algorithm:
        if key.key_size < MIN_RSA_BITS:
            raise BadSignature("the key is too short", 21115)
        pad: padding.AsymmetricPadding = padding.PKCS1v15()
        if algorithm.endswith("MGF1"):
            pad = padding.PSS(padding.MGF1(made), made.digest_size)
        return lambda value, content: key.verify(value, content, pad, made)
    if isinstance(key, ec.EllipticCurvePublicKey) and algorithm.startswith(f"{_MORE}ecdsa"):
        if key.key_size < MIN_EC_BITS:
            raise BadSignature("the key is too short", 21115)
        return lambda value, content: key.verify(_as_der(value, key), content, ec.ECDSA(made))
    raise BadSignature(f"the signature method {algorithm!r} does not fit the key")


def _as_der(value: bytes, key: ec.EllipticCurvePublicKey) -> bytes:
    size = (key.key_size + 7) // 8
    if len(value) != 2 * size:
        raise BadSignature("the value of an ECDSA signature is R||S")
    return encode_dss_signature(
        int.from_bytes(value[:size], "big"), int.from_bytes(value[size:], "big")
    )


# -- seals of the stand-in ---------------------------------------------------------------------


def sealed(
    root: etree._Element,
    key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey,
    certificate: x509.Certificate,
    now: datetime,
) -> bytes:
    """The document with a signature in it (XAdES-BASELINE-B)."""
    mark = f"s-{secrets.token_hex(8)}"
    document = etree.tostring(root.getroottree(), method="c14n")
    signature = etree.SubElement(root, _q("Signature"), Id=mark, nsmap={"ds": DS})
    info = etree.SubElement(signature, _q("SignedInfo"))
    etree.SubElement(info, _q("CanonicalizationMethod"), Algorithm=C14N)
    etree.SubElement(info, _q("SignatureMethod"), Algorithm=_method_of(key))
    value = etree.SubElement(signature, _q("SignatureValue"))
    data = etree.SubElement(etree.SubElement(signature, _q("KeyInfo")), _q("X509Data"))
    der = certificate.public_bytes(serialization.Encoding.DER)
    etree.SubElement(data, _q("X509Certificate")).text = base64.b64encode(der).decode()
    properties = _properties(signature, mark, certificate, now)
    _add_reference(info, "", document, _ENVELOPED, C14N)
    content = etree.tostring(properties, method="c14n")
    _add_reference(info, f"#{mark}-p", content, C14N, kind=SIGNED_PROPERTIES)
    value.text = base64.b64encode(_signed(key, etree.tostring(info, method="c14n"))).decode()
    return etree.tostring(root.getroottree(), encoding="utf-8", xml_declaration=True)


def _method_of(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    return f"{_MORE}{'rsa' if isinstance(key, rsa.RSAPrivateKey) else 'ecdsa'}-sha256"


def _signed(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey, content: bytes) -> bytes:
    if isinstance(key, rsa.RSAPrivateKey):
        return key.sign(content, padding.PKCS1v15(), hashes.SHA256())
    r, s = decode_dss_signature(key.sign(content, ec.ECDSA(hashes.SHA256())))
    size = (key.key_size + 7) // 8
    return r.to_bytes(size, "big") + s.to_bytes(size, "big")


def _properties(
    signature: etree._Element, mark: str, certificate: x509.Certificate, now: datetime
) -> etree._Element:
    made = etree.SubElement(signature, _q("Object"))
    qualifying = etree.SubElement(
        made, _q("QualifyingProperties", XADES), Target=f"#{mark}", nsmap={"xades": XADES}
    )
    properties = etree.SubElement(qualifying, _q("SignedProperties", XADES), Id=f"{mark}-p")
    of_signature = etree.SubElement(properties, _q("SignedSignatureProperties", XADES))
    time = etree.SubElement(of_signature, _q("SigningTime", XADES))
    time.text = now.strftime("%Y-%m-%dT%H:%M:%SZ")
    signer = etree.SubElement(of_signature, _q("SigningCertificateV2", XADES))
    digest = etree.SubElement(etree.SubElement(signer, _q("Cert", XADES)), _q("CertDigest", XADES))
    _add_digest(digest, certificate.fingerprint(hashes.SHA256()))
    return properties


def _add_reference(
    info: etree._Element, uri: str, content: bytes, *transforms: str, kind: str | None = None
) -> None:
    reference = etree.SubElement(info, _q("Reference"), URI=uri)
    if kind is not None:
        reference.set("Type", kind)
    listed = etree.SubElement(reference, _q("Transforms"))
    for each in transforms:
        etree.SubElement(listed, _q("Transform"), Algorithm=each)
    _add_digest(reference, hashlib.sha256(content).digest())


def _add_digest(parent: etree._Element, value: bytes) -> None:
    sha256 = "http://www.w3.org/2001/04/xmlenc#sha256"
    etree.SubElement(parent, _q("DigestMethod"), Algorithm=sha256)
    etree.SubElement(parent, _q("DigestValue")).text = base64.b64encode(value).decode()
