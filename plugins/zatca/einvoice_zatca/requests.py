"""Requests for certificates (CSR) of units.

The name of the template says for which environment a certificate is. The unit itself is described
in a directory name among the alternative names of the subject.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

TEMPLATE: Final = x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2")
MAX_NAME: Final = 64  # characters of a part of the subject
_PRINTABLE_STRING: Final = 0x13
_REGISTERED_ADDRESS: Final = x509.ObjectIdentifier("2.5.4.26")


class Template(StrEnum):
    """The template of certificates in each environment."""

    SANDBOX = "TSTZATCA-Code-Signing"
    SIMULATION = "PREZATCA-Code-Signing"
    PRODUCTION = "ZATCA-Code-Signing"


@dataclass(frozen=True, slots=True)
class Unit:
    """The description of a unit in a request.

    serial_number  vendor, model and serial number: `1-…|2-…|3-…`
    invoice_types  four flags: standard, simplified, and two for later use
    """

    common_name: str
    serial_number: str
    vat_number: str
    organization_unit: str
    organization: str
    invoice_types: str
    address: str
    business: str

    @property
    def is_standard(self) -> bool:
        return self.invoice_types.startswith("1")

    @property
    def is_simplified(self) -> bool:
        return self.invoice_types[1:2] == "1"


def certificate_request(unit: Unit, template: Template, key: ec.EllipticCurvePrivateKey) -> bytes:
    """The request for a certificate, as PEM. Raises ValueError for what a name cannot hold."""
    subject = (
        (NameOID.COUNTRY_NAME, "SA"),
        (NameOID.ORGANIZATIONAL_UNIT_NAME, unit.organization_unit),
        (NameOID.ORGANIZATION_NAME, unit.organization),
        (NameOID.COMMON_NAME, unit.common_name),
    )
    if too_long := [text for _, text in subject if len(text) > MAX_NAME]:
        raise ValueError(f"{too_long[0][:20]!r}… has more than {MAX_NAME} characters")
    described = (
        (NameOID.SURNAME, unit.serial_number),
        (NameOID.USER_ID, unit.vat_number),
        (NameOID.TITLE, unit.invoice_types),
        (_REGISTERED_ADDRESS, unit.address),
        (NameOID.BUSINESS_CATEGORY, unit.business),
    )
    alternative = x509.SubjectAlternativeName([x509.DirectoryName(_name(described))])
    request = (
        x509.CertificateSigningRequestBuilder()
        .subject_name(_name(subject))
        .add_extension(x509.UnrecognizedExtension(TEMPLATE, _printable(template)), critical=False)
        .add_extension(alternative, critical=False)
        .sign(key, hashes.SHA256())
    )
    return request.public_bytes(serialization.Encoding.PEM)


def _name(parts: tuple[tuple[x509.ObjectIdentifier, str], ...]) -> x509.Name:
    return x509.Name([x509.NameAttribute(oid, text) for oid, text in parts])


def _printable(text: str) -> bytes:
    return bytes((_PRINTABLE_STRING, len(text))) + text.encode("ascii")
