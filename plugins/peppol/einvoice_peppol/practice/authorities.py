"""Certificate authorities of a practice network, their certificates and revocation lists.

Keys are RSA-2048, which is fast to make and what Peppol uses.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from einvoice import clock

DAY = timedelta(days=1)
USAGES = ("digital_signature", "key_encipherment", "data_encipherment", "key_agreement")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A certificate that is no authority's, with its key."""

    certificate: x509.Certificate
    key: rsa.RSAPrivateKey

    @property
    def der(self) -> bytes:
        """The certificate in DER."""
        return self.certificate.public_bytes(Encoding.DER)


def name(common_name: str, unit: str | None = None) -> x509.Name:
    """The subject of a certificate."""
    parts = [(NameOID.COUNTRY_NAME, "BE"), (NameOID.ORGANIZATION_NAME, "Throw-away")]
    parts += [(NameOID.ORGANIZATIONAL_UNIT_NAME, unit)] if unit else []
    parts.append((NameOID.COMMON_NAME, common_name))
    return x509.Name([x509.NameAttribute(oid, value) for oid, value in parts])


def key_usage(*wanted: str) -> x509.KeyUsage:
    """The extension that allows exactly these uses of a key."""
    every = (*USAGES, "content_commitment", "key_cert_sign", "crl_sign")
    fields = {each: each in wanted for each in every}
    return x509.KeyUsage(**fields, encipher_only=False, decipher_only=False)


class Authority:
    """A certificate authority; without a parent, a root. `days`: for how long it is valid."""

    def __init__(
        self, common_name: str, parent: Authority | None = None, *, days: int = 5000
    ) -> None:
        self.key = rsa.generate_private_key(65537, 2048)
        self.subject = name(common_name)
        signer = parent or self
        self.certificate = (
            _builder(
                self.subject,
                signer.subject,
                self.key,
                signer.key,
                _now() - 5000 * DAY,
                _now() + days * DAY,
            )
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .add_extension(key_usage("key_cert_sign", "crl_sign"), critical=True)
            .sign(signer.key, hashes.SHA256())
        )

    def leaf(
        self,
        common_name: str,
        *,
        start: datetime | None = None,
        end: datetime | None = None,
        crl: str | None = None,
        usages: tuple[str, ...] = USAGES,
        extended: Any = ExtendedKeyUsageOID.CLIENT_AUTH,
        ca: bool = False,
        key: rsa.RSAPrivateKey | None = None,
    ) -> Leaf:
        """A certificate with its key, a new one if none is given. `crl`: address of the list.

        It is valid from yesterday on for 700 days if no dates are given.
        """
        key = key or rsa.generate_private_key(65537, 2048)
        builder = (
            _builder(
                name(common_name),
                self.subject,
                key,
                self.key,
                start or _now() - DAY,
                end or _now() + 700 * DAY,
            )
            .add_extension(x509.BasicConstraints(ca=ca, path_length=None), critical=True)
            .add_extension(key_usage(*usages), critical=True)
            .add_extension(x509.ExtendedKeyUsage([extended]), critical=False)
        )
        if crl is not None:
            place = [x509.UniformResourceIdentifier(crl)]
            point = x509.DistributionPoint(place, None, None, None)
            builder = builder.add_extension(x509.CRLDistributionPoints([point]), critical=False)
        return Leaf(builder.sign(self.key, hashes.SHA256()), key)

    def crl(self, *revoked: x509.Certificate, end: datetime | None = None) -> bytes:
        """The revocation list in DER, which names these certificates; valid for 30 days."""
        until = end or _now() + 30 * DAY
        builder = (
            x509.CertificateRevocationListBuilder()
            .issuer_name(self.subject)
            .last_update(min(_now(), until) - DAY)
            .next_update(until)
        )
        for each in revoked:
            entry = x509.RevokedCertificateBuilder().serial_number(each.serial_number)
            builder = builder.add_revoked_certificate(entry.revocation_date(_now() - DAY).build())
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


def _now() -> datetime:
    return clock.now().replace(microsecond=0)
