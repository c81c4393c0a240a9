"""Certificates of others, of which every part that is used can be read.

cryptography parses most of a certificate on first use, and raises exceptions of several trees then.
"""

from __future__ import annotations

from typing import Final

from cryptography import x509

MAX_BYTES: Final = 16 * 1024  # those of Peppol have about 1.5 KiB


class UnreadableCertificate(ValueError):
    """Bytes that are no certificate, or one with a part that cannot be read."""


def read(der: bytes) -> x509.Certificate:
    """A certificate in DER. Raises UnreadableCertificate."""
    if len(der) > MAX_BYTES:
        raise UnreadableCertificate(f"the certificate has more than {MAX_BYTES:,} bytes")
    try:
        certificate = x509.load_der_x509_certificate(der)
        _use(certificate)
    except Exception as fault:  # some, as UnsupportedAlgorithm, are of no common class
        raise UnreadableCertificate("the certificate cannot be read") from fault
    return certificate


def _use(certificate: x509.Certificate) -> None:
    """Parse what trust, revocation and signatures ask for."""
    certificate.public_key()
    _ = certificate.extensions, certificate.signature_hash_algorithm
    _ = certificate.signature_algorithm_parameters
    _ = certificate.not_valid_before_utc, certificate.not_valid_after_utc
    for name in (certificate.subject, certificate.issuer):
        name.rfc4514_string()
