"""Keys of the stand-in: for encryption by callers, with rotation, and its own seal."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import padding, rsa
from cryptography.x509.oid import NameOID

from tests.networks.ksef.answers import Refused, shown

TOKENS: Final = "KsefTokenEncryption"
SYMMETRIC: Final = "SymmetricKeyEncryption"
OAEP: Final = padding.OAEP(padding.MGF1(hashes.SHA256()), hashes.SHA256(), None)


def digest(content: bytes) -> str:
    """SHA-256 in base64, as the API has it."""
    return base64.b64encode(hashlib.sha256(content).digest()).decode()


@cache
def private_key(number: int) -> rsa.RSAPrivateKey:
    """The private key with this number; each is made once in a process."""
    return rsa.generate_private_key(public_exponent=65537, key_size=2048)


def certificate(
    key: rsa.RSAPrivateKey, name: str, since: datetime, days: int = 730
) -> x509.Certificate:
    subject = x509.Name(
        [
            x509.NameAttribute(NameOID.COUNTRY_NAME, "PL"),
            x509.NameAttribute(NameOID.ORGANIZATION_NAME, "Ministerstwo Finansów"),
            x509.NameAttribute(NameOID.COMMON_NAME, name),
        ]
    )
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(since)
        .not_valid_after(since + timedelta(days=days))
        .sign(key, hashes.SHA256())
    )


@dataclass
class EncryptionKey:
    """A published key with its certificate."""

    usage: str
    key: rsa.RSAPrivateKey
    certificate: x509.Certificate

    @property
    def id(self) -> str:
        public = self.key.public_key().public_bytes(
            serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
        )
        return digest(public)

    def shown(self) -> dict[str, object]:
        der = self.certificate.public_bytes(serialization.Encoding.DER)
        return {
            "certificate": base64.b64encode(der).decode(),
            "certificateId": digest(der),
            "publicKeyId": self.id,
            "validFrom": shown(self.certificate.not_valid_before_utc),
            "validTo": shown(self.certificate.not_valid_after_utc),
            "usage": [self.usage],
        }

    def is_valid(self, now: datetime) -> bool:
        made = self.certificate
        return made.not_valid_before_utc <= now <= made.not_valid_after_utc


class Keys:
    """The keys that are published now; one of each usage at the beginning."""

    def __init__(self, now: datetime) -> None:
        self._made = 0
        self.published: list[EncryptionKey] = []
        for usage in (TOKENS, SYMMETRIC):
            self.add(usage, now - timedelta(days=30))

    def add(self, usage: str, since: datetime) -> EncryptionKey:
        """A planned change: a further key, valid from then."""
        self._made += 1
        key = private_key(self._made)
        made = EncryptionKey(usage, key, certificate(key, "KSeF", since))
        self.published.append(made)
        return made

    def replace(self, usage: str, now: datetime) -> EncryptionKey:
        """An emergency: the keys are withdrawn at once, a new one is published."""
        self.published = [each for each in self.published if each.usage != usage]
        return self.add(usage, now - timedelta(minutes=1))

    def certify_again(self, usage: str, now: datetime) -> None:
        """The same keys get new certificates."""
        for each in self.published:
            if each.usage == usage:
                each.certificate = certificate(each.key, "KSeF", now)

    def unwrap(self, usage: str, wrapped: bytes, key_id: str | None, now: datetime) -> bytes:
        """What was encrypted. Raises Refused (of the id), and ValueError."""
        usable = [each for each in self.published if each.usage == usage and each.is_valid(now)]
        if key_id is not None:
            usable = [each for each in usable if each.id == key_id]
            if not usable:
                raise Refused(21470, f"Klucz o identyfikatorze {key_id} nie jest wspierany.")
        for each in usable:
            try:
                return each.key.decrypt(wrapped, OAEP)
            except ValueError:
                continue
        raise ValueError("it cannot be decrypted")
