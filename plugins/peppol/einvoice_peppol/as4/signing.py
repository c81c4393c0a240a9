"""Signatures of WS-Security: references, SignedInfo, and the certificate as a token."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from einvoice_peppol.as4.canonical import attribute, base64, digest
from einvoice_peppol.as4.names import (
    ATTACHMENT,
    BASE64,
    DS,
    EC,
    EXCLUSIVE,
    RSA_SHA256,
    S12,
    SHA256,
    WSSE,
    WSU,
    X509V3,
)
from einvoice_peppol.as4.user_message import MESSAGING_ID
from einvoice_peppol.identity import Identity

BODY_ID: Final = "body"
SIGNER_ID: Final = "signer"
BODY: Final = (
    f'<S12:Body xmlns:S12="{S12}" xmlns:wsu="{WSU}" wsu:Id="{BODY_ID}"></S12:Body>'  # canonical
)


@dataclass(frozen=True, slots=True)
class Reference:
    """One ds:Reference: a part of the message and its digest.

    uri       #id of an element, or cid: and the id of a MIME part
    transform algorithm of the only transform
    digest    SHA-256 in base64
    prefixes  PrefixList of InclusiveNamespaces, which we read and repeat, but do not write
    """

    uri: str
    transform: str
    digest: str
    prefixes: str | None = None


def references(messaging: str, attachment: tuple[str, bytes] | None = None) -> list[Reference]:
    """The references to eb:Messaging, the body, and a MIME part of this id and content."""
    found = [
        Reference(f"#{MESSAGING_ID}", EXCLUSIVE, digest(messaging.encode())),
        Reference(f"#{BODY_ID}", EXCLUSIVE, _BODY_DIGEST),
    ]
    if attachment is not None:
        content_id, content = attachment
        found.append(Reference(f"cid:{content_id}", ATTACHMENT, digest(content)))
    return found


def reference(one: Reference, *, declared: bool = False) -> str:
    """The canonical text of a ds:Reference; `declared`: an ancestor declares its prefix."""
    namespace = "" if declared else f' xmlns:ds="{DS}"'
    inclusive = ""
    if one.prefixes is not None:
        inclusive = (
            f'<ec:InclusiveNamespaces xmlns:ec="{EC}" PrefixList="{attribute(one.prefixes)}">'
            "</ec:InclusiveNamespaces>"
        )
    return (
        f'<ds:Reference{namespace} URI="{attribute(one.uri)}"><ds:Transforms>'
        f'<ds:Transform Algorithm="{attribute(one.transform)}">{inclusive}</ds:Transform>'
        f'</ds:Transforms><ds:DigestMethod Algorithm="{SHA256}"></ds:DigestMethod>'
        f"<ds:DigestValue>{one.digest}</ds:DigestValue></ds:Reference>"
    )


def signature(identity: Identity, signed: list[Reference]) -> str:
    """The token of the signer and its signature over the references, for wsse:Security."""
    info = (
        f'<ds:SignedInfo xmlns:ds="{DS}">'
        f'<ds:CanonicalizationMethod Algorithm="{EXCLUSIVE}"></ds:CanonicalizationMethod>'
        f'<ds:SignatureMethod Algorithm="{RSA_SHA256}"></ds:SignatureMethod>'
        f"{''.join(reference(one, declared=True) for one in signed)}</ds:SignedInfo>"
    )
    value = identity.key.sign(info.encode(), padding.PKCS1v15(), hashes.SHA256())
    return (
        f'{token(identity.der, SIGNER_ID)}<ds:Signature xmlns:ds="{DS}" Id="signature">{info}'
        f"<ds:SignatureValue>{base64(value)}</ds:SignatureValue>"
        f"<ds:KeyInfo>{token_reference(SIGNER_ID)}</ds:KeyInfo></ds:Signature>"
    )


def token(der: bytes, token_id: str) -> str:
    """A certificate as wsse:BinarySecurityToken."""
    return (
        f'<wsse:BinarySecurityToken EncodingType="{BASE64}" ValueType="{X509V3}" '
        f'wsu:Id="{token_id}">{base64(der)}</wsse:BinarySecurityToken>'
    )


def token_reference(token_id: str) -> str:
    """A direct reference to a token; receivers refuse other kinds."""
    return (
        "<wsse:SecurityTokenReference>"
        f'<wsse:Reference URI="#{token_id}" ValueType="{X509V3}"></wsse:Reference>'
        "</wsse:SecurityTokenReference>"
    )


def envelope(messaging: str, security: str) -> bytes:
    """The SOAP message with an empty body; `security` is the content of wsse:Security."""
    header = "" if not security else _SECURITY.format(security)
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<S12:Envelope xmlns:S12="{S12}"><S12:Header>'
        f"{messaging}{header}</S12:Header>{BODY}</S12:Envelope>"
    ).encode()


_SECURITY: Final = (
    f'<wsse:Security xmlns:wsse="{WSSE}" xmlns:wsu="{WSU}" S12:mustUnderstand="true">'
    "{}</wsse:Security>"
)
_BODY_DIGEST: Final = digest(BODY.encode())
