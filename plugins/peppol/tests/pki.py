"""A throw-away PKI in the shape of Peppol's: a root, a CA of access points, a CA of publishers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from einvoice_peppol.trust import Anchors

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@dataclass(frozen=True)
class Identity:
    """A certificate with its key."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey


@cache
def _key(number: int) -> rsa.RSAPrivateKey:
    """One of a few keys, made once in a run."""
    return rsa.generate_private_key(65537, 2048)


def name(common: str, unit: str | None = None) -> x509.Name:
    parts = [(NameOID.COUNTRY_NAME, "BE"), (NameOID.ORGANIZATION_NAME, "Test")]
    parts += [(NameOID.ORGANIZATIONAL_UNIT_NAME, unit)] if unit else []
    return x509.Name([x509.NameAttribute(*p) for p in [*parts, (NameOID.COMMON_NAME, common)]])


def authority(common: str, number: int, above: Identity | None = None) -> Identity:
    """A CA, signed by the one above it or by itself."""
    key = _key(number)
    subject = name(common)
    signer = above or Identity(None, key)  # type: ignore[arg-type]
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(above.certificate.subject if above else subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW - timedelta(days=400))
        .not_valid_after(NOW + timedelta(days=3650))
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    )
    return Identity(builder.sign(signer.key, hashes.SHA256()), key)


def leaf(
    issuer: Identity,
    common: str = "POP000001",
    *,
    number: int = 10,
    since: timedelta = timedelta(days=-30),
    until: timedelta = timedelta(days=300),
    crl: str | None = None,
    client_auth: bool = True,
    key_encipherment: bool = True,
    ca: bool = False,
    bits: int | None = None,
) -> Identity:
    """A certificate of an access point or SMP; `crl` is the address of its revocation list."""
    key = rsa.generate_private_key(65537, bits) if bits else _key(number)
    usage = x509.KeyUsage(True, False, key_encipherment, False, False, False, False, False, False)
    purpose = ExtendedKeyUsageOID.CLIENT_AUTH if client_auth else ExtendedKeyUsageOID.SERVER_AUTH
    builder = (
        x509.CertificateBuilder()
        .subject_name(name(common))
        .issuer_name(issuer.certificate.subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(NOW + since)
        .not_valid_after(NOW + until)
        .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
        .add_extension(usage, critical=True)
        .add_extension(x509.ExtendedKeyUsage([purpose]), critical=False)
    )
    if crl:
        point = x509.DistributionPoint([x509.UniformResourceIdentifier(crl)], None, None, None)
        builder = builder.add_extension(x509.CRLDistributionPoints([point]), critical=False)
    return Identity(builder.sign(issuer.key, hashes.SHA256()), key)


def revocation_list(
    issuer: Identity,
    *revoked: Identity,
    since: timedelta = timedelta(hours=-1),
    until: timedelta = timedelta(days=1),
    signer: Identity | None = None,
) -> x509.CertificateRevocationList:
    """A list of the issuer with these certificates."""
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(issuer.certificate.subject)
        .last_update(NOW + since)
        .next_update(NOW + until)
    )
    for each in revoked:
        entry = x509.RevokedCertificateBuilder().serial_number(each.certificate.serial_number)
        builder = builder.add_revoked_certificate(
            entry.revocation_date(NOW - timedelta(days=1)).build()
        )
    return builder.sign((signer or issuer).key, hashes.SHA256())


ROOT = authority("CLOSED ROOT TEST CA", 0)
ACCESS_POINTS = authority("CLOSED ACCESS POINT TEST CA", 1, ROOT)
SMPS = authority("CLOSED SERVICE METADATA PUBLISHER TEST CA", 2, ROOT)
FOREIGN_ROOT = authority("FOREIGN ROOT TEST CA", 3)
FOREIGN = authority("CLOSED ACCESS POINT TEST CA", 4, FOREIGN_ROOT)
LIVE_ROOT = authority("PEPPOL Root CA - X", 5)
LIVE_CA = authority("PEPPOL ACCESS POINT CA - X", 6, LIVE_ROOT)


def anchors(issuer: Identity, root: Identity = ROOT) -> Anchors:
    return Anchors((issuer.certificate,), (root.certificate,))
