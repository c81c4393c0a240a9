"""A certificate with its key, as a tenant gives it: PKCS#12, or PEM files."""

from __future__ import annotations

import base64
import binascii
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from cryptography import x509
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import EllipticCurvePrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    PublicFormat,
    load_pem_private_key,
    pkcs12,
)

MIN_RSA_BITS: Final = 2048
MIN_EC_BITS: Final = 256
_PEM: Final = b"-----BEGIN "
_PASSWORD_FAULTS: Final = (ValueError, TypeError, UnsupportedAlgorithm)

PrivateKey = RSAPrivateKey | EllipticCurvePrivateKey


class InvalidIdentity(ValueError):
    """The files are not a certificate with its key. The message is for the tenant."""


@dataclass(frozen=True, slots=True)
class Identity:
    """A certificate and its private key."""

    certificate: x509.Certificate
    key: PrivateKey = field(repr=False)

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)

    @property
    def ends(self) -> datetime:
        return self.certificate.not_valid_after_utc


def loaded(certificate: str, key: str = "", password: str = "") -> Identity:
    """The identity in files, each in base64; `key` may be part of the first one.

    Raises InvalidIdentity.
    """
    content, secret = _decoded(certificate), password.encode() or None
    if _PEM in content:
        return _from_pem(content, _decoded(key) if key else content, secret)
    try:
        found, cert, _ = pkcs12.load_key_and_certificates(content, secret)
    except _PASSWORD_FAULTS as fault:
        raise InvalidIdentity(
            "The certificate is neither PEM nor PKCS#12, or the password is wrong."
        ) from fault
    if cert is None or found is None:
        raise InvalidIdentity("The PKCS#12 file needs a certificate and its private key.")
    return _matching(cert, found)


def _from_pem(certificate: bytes, key: bytes, password: bytes | None) -> Identity:
    try:
        cert = x509.load_pem_x509_certificates(certificate)[0]
    except ValueError as fault:
        raise InvalidIdentity("The PEM file has no certificate that can be read.") from fault
    try:
        found = load_pem_private_key(_without_certificates(key), password)
    except TypeError:  # a password for a key that is not encrypted, or none for one that is
        if password is None:
            raise InvalidIdentity("The private key is encrypted: give its password.") from None
        return _from_pem(certificate, key, None)
    except _PASSWORD_FAULTS as fault:
        raise InvalidIdentity(
            "The private key cannot be read, or the password is wrong."
        ) from fault
    return _matching(cert, found)


def _without_certificates(content: bytes) -> bytes:
    """The part of a PEM file from its private key on."""
    parts = content.split(_PEM)
    return b"".join(_PEM + part for part in parts[1:] if b"PRIVATE KEY" in part.split(b"\n", 1)[0])


def _matching(certificate: x509.Certificate, key: object) -> Identity:
    if not isinstance(key, RSAPrivateKey | EllipticCurvePrivateKey):
        raise InvalidIdentity("The private key is neither RSA nor EC.")
    if key.key_size < (MIN_RSA_BITS if isinstance(key, RSAPrivateKey) else MIN_EC_BITS):
        raise InvalidIdentity(
            f"The key is too short: RSA from {MIN_RSA_BITS} bits, EC from {MIN_EC_BITS}."
        )
    form = Encoding.DER, PublicFormat.SubjectPublicKeyInfo
    if key.public_key().public_bytes(*form) != certificate.public_key().public_bytes(*form):
        raise InvalidIdentity("The private key is not that of the certificate.")
    return Identity(certificate, key)


def _decoded(file: str) -> bytes:
    try:
        return base64.b64decode(file, validate=True)
    except (binascii.Error, ValueError) as fault:
        raise InvalidIdentity("The file is not in base64.") from fault
