"""The certificate authority of the stand-in, on the curve of Fatoora."""

from __future__ import annotations

import base64
from datetime import timedelta
from functools import cached_property

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from einvoice import clock

TEMPLATE = x509.ObjectIdentifier("1.3.6.1.4.1.311.20.2")
VALID = timedelta(days=5 * 365)


class Issuer:
    """Issues certificates for requests."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256K1())
        self.name = x509.Name(
            [
                x509.NameAttribute(NameOID.DOMAIN_COMPONENT, "local"),
                x509.NameAttribute(NameOID.DOMAIN_COMPONENT, "stand-in"),
                x509.NameAttribute(NameOID.COMMON_NAME, "Stand-in, not ZATCA"),
            ]
        )

    @cached_property
    def certificate(self) -> x509.Certificate:
        """Its own, by which cleared documents are stamped."""
        now = clock.now()
        return (
            x509.CertificateBuilder()
            .subject_name(self.name)
            .issuer_name(self.name)
            .public_key(self.key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1))
            .not_valid_after(now + VALID)
            .sign(self.key, hashes.SHA256())
        )

    def token(self, request: x509.CertificateSigningRequest, valid: timedelta = VALID) -> str:
        """A certificate as a security token: Base64 of its Base64 text."""
        now = clock.now()
        builder = (
            x509.CertificateBuilder()
            .subject_name(request.subject)
            .issuer_name(self.name)
            .public_key(request.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(minutes=1))
            .not_valid_after(now + valid)
        )
        alternative = request.extensions.get_extension_for_class(x509.SubjectAlternativeName)
        made = builder.add_extension(alternative.value, critical=False).sign(
            self.key, hashes.SHA256()
        )
        return base64.b64encode(text_of(made).encode()).decode()


def text_of(certificate: x509.Certificate) -> str:
    return base64.b64encode(certificate.public_bytes(serialization.Encoding.DER)).decode()


def faults_of(request: x509.CertificateSigningRequest, template: str) -> list[str]:
    """What is wrong with a request."""
    key, faults = request.public_key(), []
    if not isinstance(key, ec.EllipticCurvePublicKey) or key.curve.name != "secp256k1":
        faults.append("the key is not on secp256k1")
    if not request.is_signature_valid:
        faults.append("the request is not signed by its key")
    named = request.extensions.get_extension_for_oid(TEMPLATE).value.public_bytes()
    if named[2:].decode() != template:
        faults.append(f"the template is not {template}")
    unit = described(request)
    number = unit.get("uid", "")
    if not (len(number) == 15 and number.isdecimal() and number[0] == number[-1] == "3"):
        faults.append("the VAT number is wrong")
    flags = unit.get("title", "")
    if len(flags) != 4 or flags.strip("01") or "1" not in flags:
        faults.append("the flags of documents are wrong")
    return faults


_OIDS = {"2.5.4.4": "serial", "0.9.2342.19200300.100.1.1": "uid", "2.5.4.12": "title"}


def described(request: x509.CertificateSigningRequest) -> dict[str, str]:
    """What a request says of its unit."""
    found = request.extensions.get_extension_for_class(x509.SubjectAlternativeName)
    (name,) = found.value.get_values_for_type(x509.DirectoryName)
    return {
        _OIDS[each.oid.dotted_string]: str(each.value)
        for each in name
        if each.oid.dotted_string in _OIDS
    }
