"""A PKI shaped like Peppol's, made in the run: root, authorities of access points and of SMPs.

`Pki("TEST")` names its authorities as the test network does, `Pki("LIVE")` as production does. Keys
are made when they are first used; they are RSA-2048, which is fast to make and what Peppol uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

NOW = datetime.now(UTC).replace(microsecond=0)
DAY = timedelta(days=1)
USAGES = ("digital_signature", "key_encipherment", "data_encipherment", "key_agreement")


@dataclass(frozen=True, slots=True)
class Leaf:
    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    @property
    def der(self) -> bytes:
        return self.certificate.public_bytes(Encoding.DER)


def name(common_name: str, unit: str | None = None) -> x509.Name:
    parts = [(NameOID.COUNTRY_NAME, "BE"), (NameOID.ORGANIZATION_NAME, "Throw-away")]
    parts += [(NameOID.ORGANIZATIONAL_UNIT_NAME, unit)] if unit else []
    parts.append((NameOID.COMMON_NAME, common_name))
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in parts])


def key_usage(*wanted: str) -> x509.KeyUsage:
    every = (*USAGES, "content_commitment", "key_cert_sign", "crl_sign")
    fields = {each: each in wanted for each in every}
    return x509.KeyUsage(**fields, encipher_only=False, decipher_only=False)


class Authority:
    """A certificate authority; without a parent, a root."""

    def __init__(self, common_name: str, parent: Authority | None = None) -> None:
        self.key = rsa.generate_private_key(65537, 2048)
        self.subject = name(common_name)
        signer = parent or self
        self.certificate = (
            _builder(
                self.subject,
                signer.subject,
                self.key,
                signer.key,
                NOW - 5000 * DAY,
                NOW + 5000 * DAY,
            )
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(key_usage("key_cert_sign", "crl_sign"), critical=True)
            .sign(signer.key, hashes.SHA256())
        )

    def leaf(
        self,
        common_name: str,
        *,
        start: datetime = NOW - DAY,
        end: datetime = NOW + 700 * DAY,
        crl: str | None = None,
        usages: tuple[str, ...] = USAGES,
        extended: Any = ExtendedKeyUsageOID.CLIENT_AUTH,
        ca: bool = False,
        key: rsa.RSAPrivateKey | None = None,
    ) -> Leaf:
        """A certificate with its key, a new one if none is given. `crl`: address of the list."""
        key = key or rsa.generate_private_key(65537, 2048)
        builder = (
            _builder(name(common_name), self.subject, key, self.key, start, end)
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(key_usage(*usages), critical=True)
            .add_extension(x509.ExtendedKeyUsage([extended]), critical=False)
        )
        if crl is not None:
            place = [x509.UniformResourceIdentifier(crl)]
            point = x509.DistributionPoint(place, None, None, None)
            builder = builder.add_extension(x509.CRLDistributionPoints([point]), critical=False)
        return Leaf(builder.sign(self.key, hashes.SHA256()), key)

    def crl(self, *revoked: x509.Certificate, end: datetime = NOW + 30 * DAY) -> bytes:
        """The revocation list in DER, which names these certificates."""
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self.subject)
            .last_update(min(NOW, end) - DAY)
            .next_update(end)
        )
        for each in revoked:
            entry = x509.RevokedCertificateBuilder().serial_number(each.serial_number)
            builder = builder.add_revoked_certificate(entry.revocation_date(NOW - DAY).build())
        return builder.sign(self.key, hashes.SHA256()).public_bytes(Encoding.DER)


def _builder(
    subject: x509.Name,
    issuer: x509.Name,
    key: rsa.RSAPrivateKey,
    signer: rsa.RSAPrivateKey,
    start: datetime,
    end: datetime,
) -> x509.CertificateBuilder:
    above = x509.AuthorityKeyIdentifier.from_issuer_public_key(signer.public_key())
    own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
        .add_extension(own, critical=False)
        .add_extension(above, critical=False)
    )


class Pki:
    """One network's authorities and some leaves: c2 sends, c3 receives, the others are refused."""

    def __init__(self, stage: str) -> None:
        self._infix = " TEST" if stage == "TEST" else ""

    @cached_property
    def root(self) -> Authority:
        return Authority(f"PEPPOL Root{self._infix} CA - G3")

    @cached_property
    def access_points(self) -> Authority:
        return Authority(f"PEPPOL ACCESS POINT{self._infix} CA - G3", self.root)

    @cached_property
    def publishers(self) -> Authority:
        title = f"PEPPOL SERVICE METADATA PUBLISHER{self._infix} CA - G3"
        return Authority(title, self.root)

    @cached_property
    def c2(self) -> Leaf:
        return self.access_points.leaf("POP000001")

    @cached_property
    def c3(self) -> Leaf:
        return self.access_points.leaf("POP000002")

    @cached_property
    def other(self) -> Leaf:
        return self.access_points.leaf("POP000003")

    @cached_property
    def expired(self) -> Leaf:
        return self.access_points.leaf("POP000004", start=NOW - 800 * DAY, end=NOW - DAY)

    @cached_property
    def revoked(self) -> Leaf:
        return self.access_points.leaf("POP000005")

    @cached_property
    def not_yet_valid(self) -> Leaf:
        return self.access_points.leaf("POP000007", start=NOW + DAY)

    @cached_property
    def smp(self) -> Leaf:
        return self.publishers.leaf("POP000010")

    @cached_property
    def smp_as_access_point(self) -> Leaf:
        """An access point's certificate that the wrong authority issued."""
        return self.publishers.leaf("POP000011")

    @cached_property
    def foreign(self) -> Leaf:
        """Issued by an authority of the same name below another root."""
        return Authority(self.access_points_name, Authority("FOREIGN ROOT")).leaf("POP000001")

    @property
    def access_points_name(self) -> str:
        return f"PEPPOL ACCESS POINT{self._infix} CA - G3"

    @cached_property
    def revocation_list(self) -> bytes:
        """The list of the access points' authority, in DER."""
        return self.access_points.crl(self.revoked.certificate)
