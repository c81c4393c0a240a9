"""The certificate and the private key of an access point."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice_peppol import trust


@dataclass(frozen=True)
class Identity:
    """An own certificate with its key, which its repr does not show."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey = field(repr=False)

    @cached_property
    def seat(self) -> str:
        """The seat id, for example POP000001."""
        return trust.seat_id(self.certificate)

    @cached_property
    def der(self) -> bytes:
        """The certificate in DER."""
        return self.certificate.public_bytes(Encoding.DER)
