"""Who calls: contexts, subjects, their permissions, and the tokens that they hold."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import re
import secrets
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.x509.oid import NameOID

from tests.networks.ksef.numbers import reference

NIP: Final = re.compile(r"[1-9]((\d[1-9])|([1-9]\d))\d{7}", re.ASCII)
PEPPOL: Final = re.compile(r"P[A-Z]{2}[0-9]{6}", re.ASCII)
CONTEXTS: Final = {
    "Nip": NIP,
    "InternalId": re.compile(NIP.pattern + r"-\d{5}", re.ASCII),
    "NipVatUe": re.compile(NIP.pattern + r"-[A-Z]{2}[A-Z0-9+*]{2,12}", re.ASCII),
    "PeppolId": PEPPOL,
}
PERMISSIONS: Final = (
    "InvoiceRead",
    "InvoiceWrite",
    "CredentialsRead",
    "CredentialsManage",
    "SubunitManage",
    "EnforcementOperations",
    "Introspection",
    "CollectiveIdentifierManage",
)
_ORGANISATION: Final = x509.ObjectIdentifier("2.5.4.97")
_PATTERNS: Final = (
    ("Nip", _ORGANISATION, re.compile(r"VATPL.*?(\d{10})", re.ASCII)),
    ("Pesel", NameOID.SERIAL_NUMBER, re.compile(r"(?:PNOPL|PESEL).*?(\d{11})", re.ASCII)),
    ("Nip", NameOID.SERIAL_NUMBER, re.compile(r"(?:TINPL|NIP).*?(\d{10})", re.ASCII)),
)

Identifier = tuple[str, str]  # type and value

LIFETIMES: Final = {
    "authentication": timedelta(minutes=45),
    "access": timedelta(minutes=15),
    "refresh": timedelta(days=7),
}


def subject_of(certificate: x509.Certificate) -> Identifier | None:
    """The tax number or person that the subject of a certificate names."""
    for kind, name, pattern in _PATTERNS:
        for each in certificate.subject.get_attributes_for_oid(name):
            if found := pattern.search(str(each.value)):
                return kind, found[1]
    names = {
        str(each.value)
        for name in (NameOID.ORGANIZATION_NAME, NameOID.COMMON_NAME)
        for each in certificate.subject.get_attributes_for_oid(name)
    }
    provider = names.pop() if len(names) == 1 else ""
    return ("PeppolId", provider) if PEPPOL.fullmatch(provider) else None


def fingerprint(certificate: x509.Certificate) -> str:
    return certificate.fingerprint(hashes.SHA256()).hex().upper()


@dataclass
class KsefToken:
    """A token that a subject has made for a context."""

    reference: str
    text: str
    context: Identifier
    subject: Identifier
    permissions: frozenset[str]
    description: str
    created: datetime
    status: str = "Active"
    used: datetime | None = None


@dataclass
class Login:
    """A login, from its request until it is revoked."""

    reference: str
    context: Identifier
    subject: Identifier
    method: str
    permissions: frozenset[str]
    started: datetime
    proof: str  # digest of the signed document, or the reference number of the token
    code: int = 100
    details: tuple[str, ...] = ()
    decided: tuple[int, tuple[str, ...]] = (200, ())
    redeemed: bool = False
    refresh_until: datetime | None = None
    refreshed: datetime | None = None
    allowed: tuple[str, ...] = ()


@dataclass
class Tokens:
    """Bearer tokens: what kind each is, of which login, and until when."""

    issued: dict[str, tuple[str, Login, datetime]] = field(default_factory=dict)
    _secret: bytes = field(default_factory=lambda: secrets.token_bytes(32))

    def issue(self, kind: str, login: Login, now: datetime) -> tuple[str, datetime]:
        until = now + LIFETIMES[kind]
        claims = {
            "typ": kind,
            "ref": login.reference,
            "per": sorted(login.permissions),
            "jti": secrets.token_hex(8),
            "exp": int(until.timestamp()),
        }
        start = ".".join(_encoded(json.dumps(each).encode()) for each in ({"alg": "HS256"}, claims))
        mac = hmac.new(self._secret, start.encode(), hashlib.sha256).digest()
        token = f"{start}.{_encoded(mac)}"
        self.issued[token] = kind, login, until
        return token, until

    def login(self, token: str, kind: str, now: datetime) -> Login | None:
        """The login of a token of this kind that has not ended."""
        issued, login, until = self.issued.get(token, ("", None, now))
        return login if issued == kind and until > now else None


def _encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def new_token(
    context: Identifier,
    subject: Identifier,
    permissions: frozenset[str],
    description: str,
    now: datetime,
) -> KsefToken:
    number = reference("EC", now)
    text = f"{number}|{context[0].lower()}-{context[1]}|{secrets.token_hex(32)}"
    return KsefToken(number, text, context, subject, permissions, description, now)
