"""The request for tokens, AuthTokenRequest 2.1, signed in XAdES-BASELINE-B.

The signature is enveloped, with two references: the document and the signed properties. Their
canonical form is C14N 1.0 (inclusive). Exclusive C14N is not used: the form of the properties would
have to be named in a transform, and validators refuse signatures without it (EU DSS: HASH_FAILURE).
Texts are written in canonical form, so that each digest is that of a text.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Final
from xml.sax.saxutils import escape

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from einvoice_ksef.identity import Identity, PrivateKey

NAMESPACE: Final = "http://ksef.mf.gov.pl/auth/token/2.1"
DS: Final = "http://www.w3.org/2000/09/xmldsig#"
XADES: Final = "http://uri.etsi.org/01903/v1.3.2#"
C14N: Final = "http://www.w3.org/TR/2001/REC-xml-c14n-20010315"
ENVELOPED: Final = f"{DS}enveloped-signature"
SHA256: Final = "http://www.w3.org/2001/04/xmlenc#sha256"
_MORE: Final = "http://www.w3.org/2001/04/xmldsig-more#"
_PROPERTIES_TYPE: Final = "http://uri.etsi.org/01903#SignedProperties"
_RSA: Final = f"{_MORE}rsa-sha256"
_SCOPE: Final = f' xmlns="{NAMESPACE}" xmlns:ds="{DS}"'  # of what is inside ds:Signature
_DECLARATION: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'


class Context(StrEnum):
    """The kinds of identifiers for whom tokens are requested."""

    NIP = "Nip"
    INTERNAL_ID = "InternalId"
    NIP_VAT_UE = "NipVatUe"
    PEPPOL_ID = "PeppolId"


class Subject(StrEnum):
    """By what the network knows the signer."""

    CERTIFICATE_SUBJECT = "certificateSubject"
    FINGERPRINT = "certificateFingerprint"


def request(
    challenge: str,
    context: tuple[Context, str],
    subject: Subject = Subject.CERTIFICATE_SUBJECT,
) -> str:
    """The request without a signature, in canonical form."""
    kind, value = context
    return (
        f'<AuthTokenRequest xmlns="{NAMESPACE}"><Challenge>{escape(challenge)}</Challenge>'
        f"<ContextIdentifier><{kind}>{escape(value)}</{kind}></ContextIdentifier>"
        f"<SubjectIdentifierType>{subject}</SubjectIdentifierType></AuthTokenRequest>"
    )


def signed(document: str, identity: Identity, now: datetime) -> bytes:
    """The request (in canonical form) with a signature as last child of its root."""
    algorithm, sign = _signer(identity.key)
    properties = _properties(identity, now)
    info = _signed_info(algorithm, _digest(document), _digest(properties(f"{_SCOPE}{_XADES}")))
    value = base64.b64encode(sign(info(_SCOPE).encode())).decode()
    certificate = base64.b64encode(identity.der).decode()
    signature = (
        f'<ds:Signature xmlns:ds="{DS}" Id="signature">{info("")}'
        f'<ds:SignatureValue Id="signature-value">{value}</ds:SignatureValue>'
        f"<ds:KeyInfo><ds:X509Data><ds:X509Certificate>{certificate}</ds:X509Certificate>"
        f'</ds:X509Data></ds:KeyInfo><ds:Object><xades:QualifyingProperties xmlns:xades="{XADES}"'
        f' Target="#signature">{properties("")}</xades:QualifyingProperties></ds:Object>'
        "</ds:Signature>"
    )
    head, end, _ = document.rpartition("</AuthTokenRequest>")
    return f"{_DECLARATION}{head}{signature}{end}".encode()


_XADES: Final = f' xmlns:xades="{XADES}"'
_Text = Callable[[str], str]  # of the namespaces that its element declares


def _properties(identity: Identity, now: datetime) -> _Text:
    fingerprint = base64.b64encode(hashlib.sha256(identity.der).digest()).decode()
    inner = (
        "<xades:SignedSignatureProperties>"
        f"<xades:SigningTime>{now:%Y-%m-%dT%H:%M:%SZ}</xades:SigningTime>"
        "<xades:SigningCertificateV2><xades:Cert><xades:CertDigest>"
        f'<ds:DigestMethod Algorithm="{SHA256}"></ds:DigestMethod>'
        f"<ds:DigestValue>{fingerprint}</ds:DigestValue>"
        "</xades:CertDigest></xades:Cert></xades:SigningCertificateV2>"
        "</xades:SignedSignatureProperties><xades:SignedDataObjectProperties>"
        '<xades:DataObjectFormat ObjectReference="#document">'
        "<xades:MimeType>text/xml</xades:MimeType></xades:DataObjectFormat>"
        "</xades:SignedDataObjectProperties></xades:SignedProperties>"
    )
    return lambda scope: f'<xades:SignedProperties{scope} Id="signed-properties">{inner}'


def _signed_info(algorithm: str, document: str, properties: str) -> _Text:
    inner = (
        f'<ds:CanonicalizationMethod Algorithm="{C14N}"></ds:CanonicalizationMethod>'
        f'<ds:SignatureMethod Algorithm="{algorithm}"></ds:SignatureMethod>'
        '<ds:Reference Id="document" URI=""><ds:Transforms>'
        f'<ds:Transform Algorithm="{ENVELOPED}"></ds:Transform>'
        f'<ds:Transform Algorithm="{C14N}"></ds:Transform></ds:Transforms>'
        f"{_digest_elements(document)}</ds:Reference>"
        f'<ds:Reference Type="{_PROPERTIES_TYPE}" URI="#signed-properties"><ds:Transforms>'
        f'<ds:Transform Algorithm="{C14N}"></ds:Transform></ds:Transforms>'
        f"{_digest_elements(properties)}</ds:Reference></ds:SignedInfo>"
    )
    return lambda scope: f"<ds:SignedInfo{scope}>{inner}"


def _digest_elements(value: str) -> str:
    return (
        f'<ds:DigestMethod Algorithm="{SHA256}"></ds:DigestMethod>'
        f"<ds:DigestValue>{value}</ds:DigestValue>"
    )


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _signer(key: PrivateKey) -> tuple[str, Callable[[bytes], bytes]]:
    """The algorithm for a key, and its function; EC signatures are R and S, of equal length."""
    if not isinstance(key, ec.EllipticCurvePrivateKey):
        return _RSA, lambda content: key.sign(content, padding.PKCS1v15(), hashes.SHA256())
    length = (key.key_size + 7) // 8
    name, digest = _EC_DIGESTS.get(key.key_size, ("sha256", hashes.SHA256()))

    def sign(content: bytes) -> bytes:
        r, s = decode_dss_signature(key.sign(content, ec.ECDSA(digest)))
        return r.to_bytes(length, "big") + s.to_bytes(length, "big")

    return f"{_MORE}ecdsa-{name}", sign


_EC_DIGESTS: Final[dict[int, tuple[str, hashes.HashAlgorithm]]] = {
    384: ("sha384", hashes.SHA384()),
    521: ("sha512", hashes.SHA512()),
}
