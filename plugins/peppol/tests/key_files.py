"""Key files of access points, as operators have them."""

from __future__ import annotations

from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    pkcs12,
)

from einvoice_peppol.practice.network import anchors, certificates_pem

__all__ = ["anchors", "as_pem", "as_pkcs12", "certificates_pem", "key_pem"]


def as_pkcs12(identity, password="secret", chain=()):
    others = [each.certificate for each in chain]
    encryption = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    return pkcs12.serialize_key_and_certificates(
        b"ap", identity.key, identity.certificate, others, encryption
    )


def as_pem(identity, password=None, chain=()):
    return key_pem(identity, password) + certificates_pem(identity, *chain)


def key_pem(identity, password=None):
    encryption = BestAvailableEncryption(password.encode()) if password else NoEncryption()
    return identity.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption)
