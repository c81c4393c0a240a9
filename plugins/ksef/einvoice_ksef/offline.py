"""KSeF certificates of the type Offline, and QR code II, by which an invoice's issuer is verified.

Source: the ministry's guides kody-qr.md (form of the link and its signature) and
certyfikaty-KSeF.md (key usages of the two types).
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from collections.abc import Mapping
from datetime import datetime
from functools import lru_cache
from typing import Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, padding
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature

from einvoice.domain.artefacts import ArtefactKind
from einvoice.network.connections import MAX_FILE_BYTES, ConnectionField, FieldKind
from einvoice_ksef.identity import Identity, InvalidIdentity, PrivateKey, loaded

CERTIFICATE, KEY, PASSWORD, USE = (
    "offlineCertificate",
    "offlineKey",
    "offlinePassword",
    "offlineUse",
)
ALWAYS, NEEDED = "always", "needed"  # values of USE; empty is as NEEDED
# The addresses in QR codes I and II, each in a line, also for who prints invoices otherwise.
OFFLINE_CODES: Final = ArtefactKind("OFFLINE_CODES", "text/uri-list", "offline-codes-{number}.txt")
FIELDS: Final = (
    ConnectionField(
        CERTIFICATE,
        "Offline certificate",
        FieldKind.FILE,
        required=False,
        max_size=MAX_FILE_BYTES,
        hint="PKCS#12 or PEM: a KSeF certificate of the type Offline, for QR code II",
    ),
    ConnectionField(
        KEY,
        "Private key of the Offline certificate",
        FieldKind.FILE,
        required=False,
        max_size=MAX_FILE_BYTES,
        hint="PEM, where it is a file of its own",
    ),
    ConnectionField(
        PASSWORD, "Password of the key of the Offline certificate", FieldKind.SECRET, required=False
    ),
    ConnectionField(
        USE,
        "Issue offline",
        required=False,
        max_size=len(ALWAYS),
        hint="always: all invoices; needed: those that cannot be sent at once or on their day",
    ),
)
_ORGANIZATION: Final = x509.ObjectIdentifier("2.5.4.97")  # organizationIdentifier
_NIP_PREFIX: Final = "VATPL-"
_SALT_BYTES: Final = 32
_P256_BYTES: Final = 32  # of each half of a signature
_SERIAL_DIGITS: Final = 16


def checked(given: Mapping[str, str], nip: str, now: datetime) -> Identity | None:
    """The Offline certificate in credentials; None without one.

    Raises InvalidIdentity for one of the type Authentication, one that is not valid now, and the
    seal of another NIP. A person's certificate may name any number: the person has rights.
    """
    if given.get(USE, "") not in ("", ALWAYS, NEEDED):
        raise InvalidIdentity(f"“Issue offline” is {ALWAYS!r}, {NEEDED!r} or empty.")
    if not given.get(CERTIFICATE):
        if given.get(KEY) or given.get(USE) == ALWAYS:
            raise InvalidIdentity("Give the Offline certificate, too.")
        return None
    try:
        identity = _loaded(given[CERTIFICATE], given.get(KEY, ""), given.get(PASSWORD, ""))
    except InvalidIdentity as fault:
        raise InvalidIdentity(f"Offline certificate: {fault}") from fault
    if fault_ := _fault(identity, nip, now):
        raise InvalidIdentity(f"The Offline certificate {fault_}.")
    return identity


def usable(given: Mapping[str, str], nip: str, now: datetime) -> Identity | None:
    """The Offline certificate, if there is one that can be used."""
    try:
        return checked(given, nip, now)
    except InvalidIdentity:
        return None


def end_of(given: Mapping[str, str]) -> datetime | None:
    """When the Offline certificate in credentials ends; None without one."""
    if not given.get(CERTIFICATE):
        return None
    try:
        return _loaded(given[CERTIFICATE], given.get(KEY, ""), given.get(PASSWORD, "")).ends
    except InvalidIdentity:
        return None


@lru_cache(maxsize=256)
def _loaded(certificate: str, key: str, password: str) -> Identity:
    """`identity.loaded`; opening an encrypted key takes up to a tenth of a second."""
    return loaded(certificate, key, password)


def _fault(identity: Identity, nip: str, now: datetime) -> str:
    certificate, key = identity.certificate, identity.key
    if not _is_for_offline(certificate):
        return "is not of the type Offline (key usage Non-Repudiation)"
    if isinstance(key, ec.EllipticCurvePrivateKey) and key.curve.name != "secp256r1":
        return "has another curve than P-256"
    if not certificate.not_valid_before_utc <= now < certificate.not_valid_after_utc:
        since, until = certificate.not_valid_before_utc, certificate.not_valid_after_utc
        return f"is valid from {since:%Y-%m-%d} to {until:%Y-%m-%d}"
    other = _organization(certificate)
    if other.startswith(_NIP_PREFIX) and other != f"{_NIP_PREFIX}{nip}":
        return f"is that of the NIP {other.removeprefix(_NIP_PREFIX)}"
    return ""


def _is_for_offline(certificate: x509.Certificate) -> bool:
    try:
        usage = certificate.extensions.get_extension_for_class(x509.KeyUsage).value
    except x509.ExtensionNotFound:
        return False
    return usage.content_commitment and not usage.digital_signature


def _organization(certificate: x509.Certificate) -> str:
    named = certificate.subject.get_attributes_for_oid(_ORGANIZATION)
    return str(named[0].value) if named else ""


# -- QR code II ------------------------------------------------------------------------------------


def certificate_url(
    host: str, context: tuple[str, str], seller: str, identity: Identity, digest: str
) -> str:
    """The address in QR code II.

    host     such as qr.ksef.mf.gov.pl
    context  kind and value of the account that sends: Nip, InternalId, NipVatUe or PeppolId
    seller   the NIP of the seller of the invoice
    digest   of the document (`numbers.hash_of`)
    """
    path = signed_path(host, context, seller, serial_of(identity.certificate), digest)
    return f"https://{path}/{_base64url(signature(identity.key, path.encode('ascii')))}"


def signed_path(host: str, context: tuple[str, str], seller: str, serial: str, digest: str) -> str:
    """The signed text: the address without the protocol, and without a slash at the end.

    >>> signed_path("qr.example", ("Nip", "1111111111"), "1111111111", "01F20A5D352AE590", "UtQp")
    'qr.example/certificate/Nip/1111111111/1111111111/01F20A5D352AE590/UtQp'
    """
    return "/".join((host, "certificate", *context, seller, serial, digest))


def serial_of(certificate: x509.Certificate) -> str:
    """The serial number of a certificate as KSeF writes it: hexadecimal, 16 digits."""
    return f"{certificate.serial_number:0{_SERIAL_DIGITS}X}"


def signature(key: PrivateKey, text: bytes) -> bytes:
    """RSASSA-PSS with a salt of 32 bytes, or ECDSA as R||S (IEEE P1363); both with SHA-256."""
    if isinstance(key, RSAPrivateKey):
        pss = padding.PSS(padding.MGF1(hashes.SHA256()), _SALT_BYTES)
        return key.sign(text, pss, hashes.SHA256())
    r, s = decode_dss_signature(key.sign(text, ec.ECDSA(hashes.SHA256())))
    return r.to_bytes(_P256_BYTES, "big") + s.to_bytes(_P256_BYTES, "big")


def _base64url(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode("ascii")
