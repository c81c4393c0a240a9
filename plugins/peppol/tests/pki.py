"""A closed network at a fixed time, whose leaves share a few keys: they are made quickly."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID
from throwaway_pki import USAGES, Authority, Leaf

from einvoice_peppol.practice.authorities import name
from einvoice_peppol.trust import Anchors

NOW = datetime(2026, 11, 22, 12, 0, tzinfo=UTC)


@cache
def _key(number: int) -> rsa.RSAPrivateKey:
    """One of a few keys, made once in a run."""
    return rsa.generate_private_key(65537, 2048)


def leaf(
    issuer: Authority,
    common: str = "POP000001",
    *,
    number: int = 10,
    since: timedelta = timedelta(days=-30),
    until: timedelta = timedelta(days=300),
    key_encipherment: bool = True,
    usages: tuple[str, ...] | None = None,
    client_auth: bool = True,
    bits: int | None = None,
    **options: Any,
) -> Leaf:
    """A certificate of an access point or SMP, from NOW + since to NOW + until."""
    return issuer.leaf(
        common,
        start=NOW + since,
        end=NOW + until,
        usages=usages or (USAGES if key_encipherment else ("digital_signature",)),
        extended=_PURPOSES[client_auth],
        key=rsa.generate_private_key(65537, bits) if bits else _key(number),
        **options,
    )


def bare(issuer: Authority, public_key: Any, *extensions: x509.ExtensionType) -> x509.Certificate:
    """A certificate with these extensions and no others."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(name("POP000009"))
        .issuer_name(issuer.subject)
        .public_key(public_key)
        .serial_number(9)
        .not_valid_before(NOW - timedelta(days=1))
        .not_valid_after(NOW + timedelta(days=1))
    )
    for each in extensions:
        builder = builder.add_extension(each, critical=False)
    return builder.sign(issuer.key, hashes.SHA256())


_PURPOSES = {True: ExtendedKeyUsageOID.CLIENT_AUTH, False: ExtendedKeyUsageOID.SERVER_AUTH}


def revocation_list(
    issuer: Authority,
    *revoked: Leaf,
    made: timedelta = timedelta(hours=-1),
    until: timedelta = timedelta(days=1),
    signer: Authority | None = None,
) -> x509.CertificateRevocationList:
    """A list of the issuer with these certificates, signed by it or by another one."""
    builder = (
        x509.CertificateRevocationListBuilder()
        .issuer_name(issuer.subject)
        .last_update(NOW + made)
        .next_update(NOW + until)
    )
    for each in revoked:
        entry = x509.RevokedCertificateBuilder().serial_number(each.certificate.serial_number)
        day = NOW - timedelta(days=1)
        builder = builder.add_revoked_certificate(entry.revocation_date(day).build())
    return builder.sign((signer or issuer).key, hashes.SHA256())


ROOT = Authority("CLOSED ROOT TEST CA")
ACCESS_POINTS = Authority("CLOSED ACCESS POINT TEST CA", ROOT)
SMPS = Authority("CLOSED SERVICE METADATA PUBLISHER TEST CA", ROOT)
FOREIGN_ROOT = Authority("FOREIGN ROOT TEST CA")
FOREIGN = Authority("CLOSED ACCESS POINT TEST CA", FOREIGN_ROOT)
LIVE_ROOT = Authority("PEPPOL Root CA - X")
LIVE_CA = Authority("PEPPOL ACCESS POINT CA - X", LIVE_ROOT)


def anchors(issuer: Authority, root: Authority = ROOT) -> Anchors:
    return Anchors((issuer.certificate,), (root.certificate,))
