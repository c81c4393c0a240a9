"""Which certificates are trusted: access points and publishers (SMPs) of one Peppol network.

Both kinds are issued by certificate authorities of their own, and one is never accepted in place of
the other. The authorities are pinned: a certificate must be issued by one of those given, not by
just any that its root has issued. TLS certificates are not checked here; they are of public
authorities (Peppol Policy for Transport Security).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import files
from pathlib import Path
from threading import Lock
from typing import Final, Protocol, TypeVar

from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from einvoice.domain.environments import Environment

MIN_RSA_BITS: Final = 2048
_MAX_KNOWN: Final = 4096  # certificates whose chain was verified, per purpose
Kind = TypeVar("Kind", bound=x509.ExtensionType)
_HASHES: Final = (hashes.SHA256, hashes.SHA384, hashes.SHA512)


class Untrusted(Exception):
    """A certificate that is refused. The message says why, for people."""


class RevocationUnknown(Untrusted):
    """Whether the certificate is revoked cannot be found out now: it may be accepted later."""


class MissingAnchors(Exception):
    """A directory of anchors lacks a file. The message names it."""


class ChecksRevocation(Protocol):
    """Finds out whether a certificate is revoked."""

    def check(self, certificate: x509.Certificate, issuer: x509.Certificate, now: datetime) -> None:
        """Raises Untrusted if it is revoked, RevocationUnknown if that cannot be found out."""
        ...


@dataclass(frozen=True, slots=True)
class Anchors:
    """The authorities that issue the certificates of one purpose, and the roots above them."""

    issuers: tuple[x509.Certificate, ...]
    roots: tuple[x509.Certificate, ...]


class Trust:
    """The trust of one network. Safe to share between threads.

    access_point_anchors, smp_anchors  the authorities of each purpose
    stage       TEST refuses certificates of the production network, and LIVE those of the test one
    revocation  None: certificates are not checked for revocation (closed networks)
    """

    def __init__(
        self,
        access_point_anchors: Anchors,
        smp_anchors: Anchors,
        stage: Environment,
        revocation: ChecksRevocation | None = None,
    ) -> None:
        self._access_point = _Purpose("an access point", access_point_anchors, _check_access_point)
        self._smp = _Purpose("a publisher (SMP)", smp_anchors, _check_smp)
        self.stage = stage
        self._revocation = revocation

    def check_access_point(self, certificate: x509.Certificate, now: datetime) -> None:
        """Check the certificate of an access point. Raises Untrusted, or RevocationUnknown."""
        self._check(self._access_point, certificate, now)

    def check_smp(self, certificate: x509.Certificate, now: datetime) -> None:
        """Check the certificate of a publisher. Raises Untrusted, or RevocationUnknown."""
        self._check(self._smp, certificate, now)

    def check_access_point_at(self, certificate: x509.Certificate, moment: datetime) -> None:
        """Check the certificate of an access point as of a moment of the past. Raises Untrusted.

        Whether it was revoked by then is not checked: lists of the past cannot be fetched.
        """
        self._check_dates(self._access_point, certificate, moment)

    def check_own(self, certificate: x509.Certificate) -> None:
        """Check that the own certificate is one of an access point of this network.

        Neither its dates nor its revocation are checked. Raises Untrusted.
        """
        _check_stage(certificate, self.stage)
        self._access_point.chain(certificate)

    def check_own_smp(self, certificate: x509.Certificate) -> None:
        """Check that the own certificate is one of a publisher of this network, as `check_own`.

        Raises Untrusted.
        """
        _check_stage(certificate, self.stage)
        self._smp.chain(certificate)

    def _check(self, purpose: _Purpose, certificate: x509.Certificate, now: datetime) -> None:
        issuer = self._check_dates(purpose, certificate, now)
        if self._revocation is not None:
            self._revocation.check(certificate, issuer, now)

    def _check_dates(
        self, purpose: _Purpose, certificate: x509.Certificate, now: datetime
    ) -> x509.Certificate:
        """Check stage, chain and dates; the authority that issued the certificate."""
        _check_stage(certificate, self.stage)
        chain = purpose.chain(certificate)
        for each in (certificate, *chain):
            _check_dates(each, now)
        return chain[0]


class _Purpose:
    """One purpose: its anchors, and the certificates whose chain was verified (bounded)."""

    def __init__(self, name: str, anchors: Anchors, check: _Check) -> None:
        self._name, self._anchors, self._check = name, anchors, check
        self._known: OrderedDict[bytes, tuple[x509.Certificate, ...]] = OrderedDict()
        self._lock = Lock()

    def chain(self, certificate: x509.Certificate) -> tuple[x509.Certificate, ...]:
        """The authorities above the certificate, up to a root. Raises Untrusted."""
        key = hashlib.sha256(certificate.public_bytes(Encoding.DER)).digest()
        with self._lock:
            if known := self._known.get(key):
                self._known.move_to_end(key)
                return known
        self._check(certificate)
        found = self._verified(certificate)
        with self._lock:
            self._known[key] = found
            if len(self._known) > _MAX_KNOWN:
                self._known.popitem(last=False)
        return found

    def _verified(self, certificate: x509.Certificate) -> tuple[x509.Certificate, ...]:
        issuer = _issuer(certificate, self._anchors.issuers)
        if issuer is None:
            words = certificate.issuer.rfc4514_string()[:200]
            raise Untrusted(f"not issued by an authority for {self._name}, but by {words}")
        root = _issuer(issuer, self._anchors.roots)
        if root is None:
            raise Untrusted(f"the authority for {self._name} is not below a trusted root")
        return issuer, root


class _Check(Protocol):
    def __call__(self, certificate: x509.Certificate) -> None: ...


def _issuer(
    certificate: x509.Certificate, among: Iterable[x509.Certificate]
) -> x509.Certificate | None:
    return next((each for each in among if _is_issued_by(certificate, each)), None)


def _is_issued_by(certificate: x509.Certificate, issuer: x509.Certificate) -> bool:
    try:
        certificate.verify_directly_issued_by(issuer)
    except (ValueError, TypeError, InvalidSignature):
        return False
    return True


def _check_dates(certificate: x509.Certificate, now: datetime) -> None:
    if now < certificate.not_valid_before_utc:
        raise Untrusted(f"{subject(certificate)} is not valid yet")
    if now > certificate.not_valid_after_utc:
        day = certificate.not_valid_after_utc.date()
        raise Untrusted(f"{subject(certificate)} expired on {day}")


def _check_stage(certificate: x509.Certificate, stage: Environment) -> None:
    """Refuse a certificate of the other network with words that say so."""
    issued_for = stage_of(certificate)
    if issued_for is not None and issued_for is not stage:
        names = {Environment.TEST: "test", Environment.LIVE: "production"}
        raise Untrusted(
            f"{subject(certificate)} is a certificate of the {names[issued_for]} network, "
            f"and this is the {names[stage]} network"
        )


def stage_of(certificate: x509.Certificate) -> Environment | None:
    """The network of a certificate by the name of its issuer; None for those of closed networks."""
    words = _common_name(certificate.issuer).split()
    if "TEST" in words:
        return Environment.TEST
    return Environment.LIVE if words[:1] == ["PEPPOL"] else None


def _check_access_point(certificate: x509.Certificate) -> None:
    _check_leaf(certificate)
    usage = _usage(certificate)
    if not (usage and usage.digital_signature and usage.key_encipherment):
        raise Untrusted("its key may not be used for signatures and key encipherment")
    extended = _extension(certificate, x509.ExtendedKeyUsage)
    if extended is None or ExtendedKeyUsageOID.CLIENT_AUTH not in extended:
        raise Untrusted("it lacks the extended key usage clientAuth")


def _check_smp(certificate: x509.Certificate) -> None:
    _check_leaf(certificate)
    usage = _usage(certificate)
    if usage and not usage.digital_signature:
        raise Untrusted("its key may not be used for signatures")


def _check_leaf(certificate: x509.Certificate) -> None:
    try:
        constraints = _extension(certificate, x509.BasicConstraints)
        key = certificate.public_key()
    except (ValueError, TypeError) as fault:  # cryptography parses both on first use
        raise Untrusted("the certificate is malformed") from fault
    if constraints is not None and constraints.ca:
        raise Untrusted("it is the certificate of an authority")
    if not isinstance(key, rsa.RSAPublicKey) or key.key_size < MIN_RSA_BITS:
        raise Untrusted(f"its key is not RSA of at least {MIN_RSA_BITS} bits")
    if not isinstance(certificate.signature_hash_algorithm, _HASHES):
        raise Untrusted("it is not signed with SHA-256 or stronger")


def _usage(certificate: x509.Certificate) -> x509.KeyUsage | None:
    return _extension(certificate, x509.KeyUsage)


def _extension(certificate: x509.Certificate, kind: type[Kind]) -> Kind | None:
    try:
        return certificate.extensions.get_extension_for_class(kind).value
    except x509.ExtensionNotFound:
        return None


def subject(certificate: x509.Certificate) -> str:
    """The subject for people, as CN=POP000001,O=…,C=BE."""
    return certificate.subject.rfc4514_string()[:200]


def seat_id(certificate: x509.Certificate) -> str:
    """The common name: the seat id of an access point or SMP, for example POP000001."""
    return _common_name(certificate.subject)


def _common_name(name: x509.Name) -> str:
    values = [each.value for each in name.get_attributes_for_oid(NameOID.COMMON_NAME)]
    return values[0] if len(values) == 1 and isinstance(values[0], str) else ""


# -- anchors -------------------------------------------------------------------------------------


@cache
def published(stage: Environment) -> tuple[Anchors, Anchors]:
    """The authorities of OpenPeppol, generation G3, valid to January 2035: of APs and of SMPs."""
    folder = files("einvoice_peppol") / "anchors" / stage
    read = {
        name: tuple(x509.load_pem_x509_certificates((folder / f"{name}.pem").read_bytes()))
        for name in ("access-point", "smp", "root")
    }
    return Anchors(read["access-point"], read["root"]), Anchors(read["smp"], read["root"])


def from_directory(folder: Path) -> tuple[Anchors, Anchors]:
    """The authorities in access-point.pem, smp.pem and root.pem: of APs and of SMPs.

    Each file holds one or more certificates. Raises MissingAnchors.
    """
    access_points, smps, roots = (
        _certificates(folder / f"{name}.pem") for name in ("access-point", "smp", "root")
    )
    return Anchors(access_points, roots), Anchors(smps, roots)


def _certificates(path: Path) -> tuple[x509.Certificate, ...]:
    try:
        return tuple(x509.load_pem_x509_certificates(path.read_bytes()))
    except (OSError, ValueError) as fault:
        raise MissingAnchors(f"{path} holds no PEM certificates ({fault})") from fault
