"""The certificate and the private key of an access point."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.padding import AsymmetricPadding
from cryptography.hazmat.primitives.hashes import HashAlgorithm
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice_peppol import trust


class KeyUnavailable(Exception):
    """A private key that cannot be used now: its token does not answer. The message says why."""


class PrivateKey(Protocol):
    """An RSA key: an RSAPrivateKey, or one in a token. Both may raise KeyUnavailable."""

    def sign(self, data: bytes, padding: AsymmetricPadding, algorithm: HashAlgorithm) -> bytes:
        """The signature of the data."""
        ...

    def decrypt(self, ciphertext: bytes, padding: AsymmetricPadding) -> bytes:
        """The plain bytes that were encrypted for the key. Raises ValueError."""
        ...


@dataclass(frozen=True)
class Identity:
    """An own certificate with its key, which its repr does not show."""

    certificate: x509.Certificate
    key: PrivateKey = field(repr=False)

    @cached_property
    def seat(self) -> str:
        """The seat id, for example POP000001."""
        return trust.seat_id(self.certificate)

    @cached_property
    def der(self) -> bytes:
        """The certificate in DER."""
        return self.certificate.public_bytes(Encoding.DER)
