"""The private key and the certificate of a unit."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from einvoice_zatca.digests import hexadecimal


class UnusableIdentity(ValueError):
    """A key or certificate that cannot stamp documents."""


def new_key() -> ec.EllipticCurvePrivateKey:
    """A key on the curve that the security standard names."""
    return ec.generate_private_key(ec.SECP256K1())


def key_text(key: ec.EllipticCurvePrivateKey) -> str:
    """A key as it is stored among the credentials of a connection: DER in Base64."""
    der = key.private_bytes(
        serialization.Encoding.DER,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    return base64.b64encode(der).decode()


def key_of(text: str) -> ec.EllipticCurvePrivateKey:
    """The key of a stored text. Raises UnusableIdentity."""
    try:
        key = serialization.load_der_private_key(base64.b64decode(text), None)
    except (ValueError, binascii.Error):
        raise UnusableIdentity("the private key cannot be read") from None
    if not isinstance(key, ec.EllipticCurvePrivateKey) or not isinstance(key.curve, ec.SECP256K1):
        raise UnusableIdentity("the private key is not one on secp256k1")
    return key


@dataclass(frozen=True)
class Identity:
    """A key with its certificate, which documents have as the Base64 text of the DER."""

    key: ec.EllipticCurvePrivateKey = field(repr=False)
    certificate_text: str

    @classmethod
    def of(cls, key: ec.EllipticCurvePrivateKey, certificate_text: str) -> Identity:
        """An identity whose certificate is that of the key. Raises UnusableIdentity."""
        identity = cls(key, "".join(certificate_text.split()))
        if identity.public_key != public_bytes(key.public_key()):
            raise UnusableIdentity("the certificate is of another key")
        return identity

    @cached_property
    def certificate(self) -> x509.Certificate:
        return certificate_of(self.certificate_text)

    @cached_property
    def public_key(self) -> bytes:
        """The key as a QR code has it (tag 8)."""
        key = self.certificate.public_key()
        if not isinstance(key, ec.EllipticCurvePublicKey):
            raise UnusableIdentity("the certificate has no key on a curve")
        return public_bytes(key)

    @cached_property
    def issuer(self) -> str:
        return issuer_of(self.certificate)

    @cached_property
    def digest(self) -> str:
        return hexadecimal(self.certificate_text.encode())

    def signature(self, digest: bytes) -> bytes:
        """The signature of the 32 bytes of a hash, which the algorithm hashes again.

        It is the same each time (RFC 6979), so that a document that is prepared again is the same.
        """
        return self.key.sign(digest, ec.ECDSA(hashes.SHA256(), deterministic_signing=True))


def certificate_of(text: str) -> x509.Certificate:
    """The certificate of a Base64 text. Raises UnusableIdentity."""
    try:
        return x509.load_der_x509_certificate(base64.b64decode(text))
    except (ValueError, binascii.Error):
        raise UnusableIdentity("the certificate cannot be read") from None


def token_text(token: str) -> str:
    """The certificate's Base64 text in a security token. Raises UnusableIdentity."""
    try:
        return base64.b64decode(token, validate=True).decode("ascii")
    except (ValueError, binascii.Error):
        raise UnusableIdentity("the security token is no certificate") from None


def issuer_of(certificate: x509.Certificate) -> str:
    """The name of the issuer as signed properties have it."""
    return ", ".join(part.rfc4514_string() for part in reversed(list(certificate.issuer.rdns)))


def public_bytes(key: ec.EllipticCurvePublicKey) -> bytes:
    return key.public_bytes(
        serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
    )
