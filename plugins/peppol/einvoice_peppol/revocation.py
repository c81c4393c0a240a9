"""Revocation lists (CRLs) of the authorities, fetched from the address that a certificate names.

Policy: a list is fetched again after an hour, and used until its own end (nextUpdate) where it
cannot be fetched. Without a list that is in force the status is unknown: `strict` then refuses the
certificate for now, and otherwise it is accepted and logged. A failed fetch is repeated after a
minute at the earliest, so that an unreachable server does not delay each message.

Fetched lists are kept in files, for all processes of a machine and after a restart: an authority
that is away for days does not stop the service while its list is in force. What is read from a file
is verified as what was fetched.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from threading import Lock
from typing import Final

import structlog
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding

from einvoice.http import Client, HttpFault, Limits, Policy
from einvoice_peppol.trust import RevocationUnknown, Untrusted, subject

REFRESH_AFTER: Final = timedelta(hours=1)
RETRY_AFTER: Final = timedelta(minutes=1)
MAX_LIST_BYTES: Final = 10 * 1024 * 1024
MAX_LISTS: Final = 16  # authorities of a network; more addresses are refused
_LIMITS: Final = Limits(connect=3.0, read=5.0, total=8.0, answer_bytes=MAX_LIST_BYTES)
# Lists are signed, and their addresses are http:// ones.
PUBLIC_LISTS: Final = Policy(https_only=False, ports=(80, 443))

log = structlog.get_logger()


@dataclass(slots=True)
class _Known:
    """The known state of the list at an address. `tried`: when it was last fetched, or tried to."""

    revoked: x509.CertificateRevocationList | None
    tried: datetime
    fetched: bool


class RevocationLists:
    """Checks certificates by the lists of their authorities. Safe to share between threads.

    strict  refuse a certificate whose status is unknown
    given   lists of the operator, for authorities whose certificates name no address
    folder  where fetched lists are kept; None: in memory only
    """

    def __init__(
        self,
        *,
        strict: bool = True,
        given: Iterable[x509.CertificateRevocationList] = (),
        policy: Policy = PUBLIC_LISTS,
        folder: Path | None = None,
    ) -> None:
        self._strict = strict
        self._folder = folder
        self._given = tuple(given)
        self._http = Client(policy, limits=_LIMITS)
        self._known: dict[str, _Known] = {}
        self._locks: dict[str, Lock] = {}
        self._lock = Lock()

    def check(self, certificate: x509.Certificate, issuer: x509.Certificate, now: datetime) -> None:
        """Raises Untrusted if it is revoked, RevocationUnknown if that cannot be found out."""
        lists = self._lists(certificate, issuer, now)
        for each in lists:
            if each.get_revoked_certificate_by_serial_number(certificate.serial_number):
                raise Untrusted(f"{subject(certificate)} is revoked")
        if not lists:
            self._unknown(certificate)

    def _unknown(self, certificate: x509.Certificate) -> None:
        shown = subject(certificate)
        if self._strict:
            raise RevocationUnknown(f"no revocation list for {shown} can be had now")
        log.warning("revocation not checked", subject=shown)

    def _lists(
        self, certificate: x509.Certificate, issuer: x509.Certificate, now: datetime
    ) -> list[x509.CertificateRevocationList]:
        """The lists of the issuer that are in force; fetched ones only where none is given."""
        given = [each for each in self._given if _is_in_force(each, issuer, now)]
        if given:
            return given
        fetched = (self._at(address, issuer, now) for address in _addresses(certificate))
        return [each for each in fetched if each is not None and _is_in_force(each, issuer, now)][
            :1
        ]

    def _at(
        self, address: str, issuer: x509.Certificate, now: datetime
    ) -> x509.CertificateRevocationList | None:
        with self._lock_of(address):
            known = self._known.get(address)
            if known is None or _is_due(known, now):
                known = self._current(address, issuer, known, now)
                self._known[address] = known
            return known.revoked

    def _current(
        self, address: str, issuer: x509.Certificate, known: _Known | None, now: datetime
    ) -> _Known:
        """The list that another process has kept lately; else the newest that can be had."""
        kept = self._kept(address, issuer)
        if kept is not None and not _is_due(kept, now):
            return kept
        found = self._fetched(address, issuer, known, now)
        if kept is not None:
            found.revoked = _newest(found.revoked, kept.revoked)
        if found.fetched and found.revoked is not None:
            self._keep(address, found.revoked.public_bytes(Encoding.DER), now)
        return found

    def _path(self, address: str) -> Path | None:
        if self._folder is None:
            return None
        return self._folder / f"{hashlib.sha256(address.encode()).hexdigest()[:32]}.crl"

    def _kept(self, address: str, issuer: x509.Certificate) -> _Known | None:
        """The list in its file, if the authority signed it; fetched when the file was written."""
        path = self._path(address)
        try:
            if path is None or path.stat().st_size > MAX_LIST_BYTES:
                return None
            written = datetime.fromtimestamp(path.stat().st_mtime, UTC)
            return _Known(_verified(path.read_bytes(), issuer), written, fetched=True)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError) as fault:
            log.warning("kept revocation list not read", path=str(path), reason=str(fault)[:200])
            return None

    def _keep(self, address: str, content: bytes, now: datetime) -> None:
        """Write a list into its file, as a whole or not at all."""
        path = self._path(address)
        if path is None:
            return
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with NamedTemporaryFile(dir=path.parent, suffix=".new", delete=False) as file:
                file.write(content)
            os.utime(file.name, (now.timestamp(), now.timestamp()))
            Path(file.name).replace(path)
        except OSError as fault:
            log.warning("revocation list not kept", path=str(path), reason=str(fault)[:200])

    def _lock_of(self, address: str) -> Lock:
        """One fetch of an address at a time. Raises RevocationUnknown for too many addresses."""
        with self._lock:
            if address not in self._locks and len(self._locks) >= MAX_LISTS:
                raise RevocationUnknown("the certificates name too many revocation lists")
            return self._locks.setdefault(address, Lock())

    def _fetched(
        self, address: str, issuer: x509.Certificate, known: _Known | None, now: datetime
    ) -> _Known:
        try:
            response = self._http.send("GET", address)
            if response.status != 200:
                raise ValueError(f"HTTP status {response.status}")
            found = _verified(response.body, issuer)
            if not _is_in_force(found, issuer, now):
                raise ValueError("it is not in force any more, or of another authority")
        except (HttpFault, ValueError, TypeError) as fault:
            log.warning("revocation list not fetched", address=address, reason=str(fault)[:200])
            return _Known(known.revoked if known else None, now, fetched=False)
        return _Known(found, now, fetched=True)


def _is_due(known: _Known, now: datetime) -> bool:
    wait = REFRESH_AFTER if known.fetched else RETRY_AFTER
    return not timedelta(0) <= now - known.tried < wait


def _newest(
    one: x509.CertificateRevocationList | None, other: x509.CertificateRevocationList | None
) -> x509.CertificateRevocationList | None:
    """The list that was made last."""
    lists = [each for each in (one, other) if each is not None]
    return max(lists, key=lambda each: each.last_update_utc, default=None)


def _verified(content: bytes, issuer: x509.Certificate) -> x509.CertificateRevocationList:
    """The list, signed by the authority. Raises ValueError, TypeError."""
    found = _parsed(content)
    if not found.is_signature_valid(issuer.public_key()):  # type: ignore[arg-type]
        raise ValueError("it is not signed by the authority")
    return found


def _parsed(content: bytes) -> x509.CertificateRevocationList:
    if content.startswith(b"-----BEGIN"):
        return x509.load_pem_x509_crl(content)
    return x509.load_der_x509_crl(content)


def _is_in_force(
    revoked: x509.CertificateRevocationList, issuer: x509.Certificate, now: datetime
) -> bool:
    end = revoked.next_update_utc
    return revoked.issuer == issuer.subject and (end is None or now <= end)


def _addresses(certificate: x509.Certificate) -> list[str]:
    """The http addresses of the lists that the certificate names, at most three."""
    try:
        points = certificate.extensions.get_extension_for_class(x509.CRLDistributionPoints).value
    except x509.ExtensionNotFound:
        return []
    names = [name.value for point in points for name in point.full_name or ()]
    return [str(name) for name in names if str(name).startswith("http")][:3]


def given_lists(contents: Iterable[bytes]) -> tuple[x509.CertificateRevocationList, ...]:
    """Lists of the operator, in PEM or DER. Raises ValueError."""
    return tuple(_parsed(content) for content in contents)
