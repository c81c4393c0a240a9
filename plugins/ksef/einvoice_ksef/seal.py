"""Verifies the seal of a document: a XAdES signature inside of it.

The signature has a reference to the whole document without the signature, and one to its signed
properties, which name the certificate. A part that has no transform for it is canonicalised by C14N
1.0. Source: W3C XML Signature 1.1, ETSI EN 319 132-1, and the ministry's guide podpis-xades.md.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
from collections.abc import Sequence
from copy import deepcopy
from typing import Final

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature
from lxml import etree

from einvoice import xml

DS: Final = "http://www.w3.org/2000/09/xmldsig#"
XADES: Final = "http://uri.etsi.org/01903/v1.3.2#"
_MORE: Final = "http://www.w3.org/2001/04/xmldsig-more#"
_ENC: Final = "http://www.w3.org/2001/04/xmlenc#"
_PSS: Final = "http://www.w3.org/2007/05/xmldsig-more#"
_C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
_C14N_11: Final = "http://www.w3.org/2006/12/xml-c14n11"
_EXCLUSIVE: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
_MIN_RSA_BITS: Final = 2048
_HASHES: Final[dict[str, hashes.HashAlgorithm]] = {
    "sha256": hashes.SHA256(),
    "sha384": hashes.SHA384(),
    "sha512": hashes.SHA512(),
}
_DIGESTS: Final = {
    f"{_ENC}sha256": "sha256",
    f"{_MORE}sha384": "sha384",
    f"{_ENC}sha512": "sha512",
}
# Canonical form → whether it is exclusive, and whether comments belong to it.
_FORMS: Final = {
    _C14N: (False, False),
    f"{_C14N}#WithComments": (False, True),
    _C14N_11: (False, False),
    f"{_C14N_11}#WithComments": (False, True),
    _EXCLUSIVE: (True, False),
    f"{_EXCLUSIVE}WithComments": (True, True),
}
# Transforms that take the signature out of the document, with the expression that they need.
_WITHOUT_SIGNATURE: Final = {
    f"{DS}enveloped-signature": None,
    "http://www.w3.org/TR/1999/REC-xpath-19991116": "not(ancestor-or-self::ds:Signature)",
    "http://www.w3.org/2002/06/xmldsig-filter2": "/descendant::ds:Signature",
}


class NotSealed(ValueError):
    """A document without a valid seal. The message says what is wrong."""


def verify(root: etree._Element, signers: Sequence[x509.Certificate] = ()) -> x509.Certificate:
    """The certificate of the signer of a document.

    signers  accepted certificates, and issuers of accepted ones; empty: any

    Raises NotSealed.
    """
    signatures = [*root.iter(_ds("Signature"))]
    if len(signatures) != 1 or signatures[0] is root:
        raise NotSealed(f"it has {len(signatures)} signatures in it")
    (signature,) = signatures
    info, properties = _only(signature, _ds("SignedInfo")), _properties(signature)
    signed = [_signed_part(root, signature, each) for each in info.iterchildren(_ds("Reference"))]
    if root not in signed:
        raise NotSealed("the document is not signed")
    if properties not in signed:
        raise NotSealed("the properties of the signature are not signed")
    certificate = _certificate(signature)
    _check_certificate(properties, certificate)
    _check_value(signature, info, certificate)
    if signers and not any(_is_of(certificate, each) for each in signers):
        raise NotSealed(f"{certificate.subject.rfc4514_string()} is not an accepted signer")
    return certificate


def _ds(name: str) -> str:
    return f"{{{DS}}}{name}"


def _xades(name: str) -> str:
    return f"{{{XADES}}}{name}"


def _only(parent: etree._Element, name: str) -> etree._Element:
    found = parent.findall(name)
    if len(found) != 1:
        raise NotSealed(f"there are {len(found)} elements {etree.QName(name).localname}")
    return found[0]


def _properties(signature: etree._Element) -> etree._Element:
    return _only(
        signature,
        f"{_ds('Object')}/{_xades('QualifyingProperties')}/{_xades('SignedProperties')}",
    )


# -- references ------------------------------------------------------------------------------------


def _signed_part(
    root: etree._Element, signature: etree._Element, reference: etree._Element
) -> etree._Element:
    """The element of a reference, whose digest is checked."""
    uri = reference.get("URI")
    if uri is None or (uri and not uri.startswith("#")):
        raise NotSealed(f"a reference to {uri!r} is not supported")
    element = root if uri == "" else _by_id(root, uri[1:])
    content = _transformed(root, signature, element, reference)
    name = _digest_name(reference)
    if not hmac.compare_digest(hashlib.new(name, content).digest(), _value(reference)):
        raise NotSealed(f"the digest of {uri or 'the document'} does not match")
    return element


def _by_id(root: etree._Element, name: str) -> etree._Element:
    found = [each for each in root.iter(etree.Element) if each.get("Id") == name]
    if len(found) != 1:
        raise NotSealed(f"{len(found)} elements have the id {name!r}")
    return found[0]


def _transformed(
    root: etree._Element,
    signature: etree._Element,
    element: etree._Element,
    reference: etree._Element,
) -> bytes:
    """The bytes that are digested."""
    method, without = None, False
    for transform in reference.iterfind(f"{_ds('Transforms')}/{_ds('Transform')}"):
        algorithm = transform.get("Algorithm", "")
        if algorithm in _WITHOUT_SIGNATURE:
            _check_expression(transform, _WITHOUT_SIGNATURE[algorithm])
            without = True
        elif algorithm in _FORMS:
            method = transform
        else:
            raise NotSealed(f"the transform {algorithm!r} is not supported")
    if element is not root:
        return _canonical(element, method)
    document = _unsigned(root, signature) if without else root
    return _canonical(document.getroottree(), method)


def _check_expression(transform: etree._Element, expected: str | None) -> None:
    if expected is None:
        return
    (expression,) = transform.iterchildren(etree.Element) if len(transform) == 1 else (None,)
    text = "" if expression is None else "".join((expression.text or "").split())
    if text != expected:
        raise NotSealed(f"the expression {text!r} of a transform is not supported")


def _unsigned(root: etree._Element, signature: etree._Element) -> etree._Element:
    """A copy of the document without its signature; the text behind that stays."""
    path = root.getroottree().getelementpath(signature)
    copy = deepcopy(root)
    found = copy.find(path)
    assert found is not None  # noqa: S101 - it is a copy
    parent, before = found.getparent(), found.getprevious()
    assert parent is not None  # noqa: S101 - the signature is not the root
    if found.tail and before is not None:
        before.tail = (before.tail or "") + found.tail
    elif found.tail:
        parent.text = (parent.text or "") + found.tail
    parent.remove(found)
    return copy


def _canonical(node: etree._Element | etree._ElementTree, method: etree._Element | None) -> bytes:
    algorithm = _C14N if method is None else method.get("Algorithm", "")
    if algorithm not in _FORMS:
        raise NotSealed(f"the canonical form {algorithm!r} is not supported")
    is_exclusive, has_comments = _FORMS[algorithm]
    named = None if method is None else method.find(f"{{{_EXCLUSIVE}}}InclusiveNamespaces")
    prefixes = None if named is None else (named.get("PrefixList") or "").split()
    xml.know_prefixes(prefixes or ())
    return etree.tostring(
        node,
        method="c14n",
        exclusive=is_exclusive,
        with_comments=has_comments,
        inclusive_ns_prefixes=prefixes,
    )


def _digest_name(parent: etree._Element) -> str:
    algorithm = _only(parent, _ds("DigestMethod")).get("Algorithm", "")
    if algorithm not in _DIGESTS:
        raise NotSealed(f"the digest {algorithm!r} is not supported")
    return _DIGESTS[algorithm]


def _value(parent: etree._Element, name: str = "DigestValue") -> bytes:
    try:
        return base64.b64decode(_only(parent, _ds(name)).text or "")
    except binascii.Error as fault:
        raise NotSealed(f"{name} is not in base64") from fault


# -- certificate and value -------------------------------------------------------------------------


def _certificate(signature: etree._Element) -> x509.Certificate:
    """The first certificate of KeyInfo; further ones are those of its issuers."""
    data = _only(signature, f"{_ds('KeyInfo')}/{_ds('X509Data')}")
    found = data.findtext(_ds("X509Certificate"))
    try:
        return x509.load_der_x509_certificate(base64.b64decode(found or ""))
    except ValueError as fault:
        raise NotSealed("its certificate cannot be read") from fault


def _check_certificate(properties: etree._Element, certificate: x509.Certificate) -> None:
    """The certificate is one that the signed properties name by its digest."""
    for digest in properties.iter(_xades("CertDigest")):
        if certificate.fingerprint(_HASHES[_digest_name(digest)]) == _value(digest):
            return
    raise NotSealed("the signed properties name another certificate")


def _is_of(certificate: x509.Certificate, signer: x509.Certificate) -> bool:
    """Whether a certificate is that of a signer, or was issued by it."""
    if certificate == signer:
        return True
    try:
        certificate.verify_directly_issued_by(signer)
    except (InvalidSignature, TypeError, ValueError):
        return False
    return True


def _check_value(
    signature: etree._Element, info: etree._Element, certificate: x509.Certificate
) -> None:
    content = _canonical(info, _only(info, _ds("CanonicalizationMethod")))
    method = _only(info, _ds("SignatureMethod")).get("Algorithm", "")
    value, key = _value(signature, "SignatureValue"), certificate.public_key()
    try:
        if isinstance(key, rsa.RSAPublicKey):
            _verify_rsa(key, method, value, content)
        elif isinstance(key, ec.EllipticCurvePublicKey):
            _verify_elliptic(key, method, value, content)
        else:
            raise NotSealed("its key is neither RSA nor elliptic")
    except InvalidSignature as fault:
        raise NotSealed("the value of the signature does not match") from fault


def _verify_rsa(key: rsa.RSAPublicKey, method: str, value: bytes, content: bytes) -> None:
    if key.key_size < _MIN_RSA_BITS:
        raise NotSealed(f"its key has {key.key_size} bits")
    for name, algorithm in _HASHES.items():
        if method == f"{_MORE}rsa-{name}":
            return key.verify(value, content, padding.PKCS1v15(), algorithm)
        if method == f"{_PSS}{name}-rsa-MGF1":
            pss = padding.PSS(padding.MGF1(algorithm), algorithm.digest_size)
            return key.verify(value, content, pss, algorithm)
    raise NotSealed(f"the signature method {method!r} is not supported")


def _verify_elliptic(
    key: ec.EllipticCurvePublicKey, method: str, value: bytes, content: bytes
) -> None:
    """The value is R and S, each as long as the order of the curve."""
    size = (key.key_size + 7) // 8
    algorithms = {f"{_MORE}ecdsa-{name}": each for name, each in _HASHES.items()}
    if method not in algorithms:
        raise NotSealed(f"the signature method {method!r} is not supported")
    if len(value) != 2 * size:
        raise NotSealed("the value of the signature has another length")
    r, s = (int.from_bytes(part, "big") for part in (value[:size], value[size:]))
    key.verify(encode_dss_signature(r, s), content, ec.ECDSA(algorithms[method]))
