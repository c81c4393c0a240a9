"""The checks of `einvoice doctor` for a Peppol network: certificate, endpoint, clock."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits, Policy
from einvoice.network.checks import Check, CheckResult, error, good, warning
from einvoice.network.common_checks import clock_beside
from einvoice.network.types import DirectoryUnavailable
from einvoice_peppol import mls, trust
from einvoice_peppol.configuration import Network
from einvoice_peppol.smp_documents import Endpoint
from einvoice_peppol.trust import RevocationUnknown, Untrusted

WARNING_DAYS: Final = 60  # before the end of a certificate without a successor
CLOCK_TOLERANCE = timedelta(seconds=30)
_LIMITS: Final = Limits(connect=3.0, read=3.0, total=4.0)


def checks(own: Network) -> Iterator[Check]:
    """The checks of a network."""
    doctor = _Doctor(own)
    name = own.stage.name
    yield Check(f"{name}-certificate", doctor.certificate)
    yield Check(f"{name}-key-files", doctor.key_files)
    yield Check(f"{name}-endpoint", doctor.endpoint)
    yield Check(f"{name}-clock", doctor.clock)


class _Doctor:
    def __init__(self, own: Network) -> None:
        self._own = own
        # Our own address may be a private one, seen from inside.
        policy = Policy(https_only=own.policy.https_only, allow_private=True)
        self._http = Client(policy, limits=_LIMITS, ca_file=own.tls_roots)

    def certificate(self) -> CheckResult:
        """Subject, network and days left; revoked or expired is an error."""
        now = clock.now()
        newest = max(self._own.identities, key=lambda each: each.certificate.not_valid_after_utc)
        ends = newest.certificate.not_valid_after_utc
        left = (ends - now).days
        words = (
            f"{trust.subject(self._own.identity.certificate)}, {self._own.stage.environment} "
            f"network, {left} days left"
        )
        try:
            self._own.trust.check_access_point(self._own.identity.certificate, now)
        except RevocationUnknown as fault:
            return warning(f"{words}; {fault}", ends)
        except Untrusted as fault:
            return error(f"{words}; it is refused by all others: {fault}. Renew it.", ends)
        if left < WARNING_DAYS:
            return warning(f"{words}. Apply for a new one, and give it as NEXT_KEYS.", ends)
        if len(self._own.identities) > 1:
            return good(f"{words}, with a successor or predecessor in use", ends)
        return good(words, ends)

    def key_files(self) -> CheckResult:
        """Whether others may read the private keys."""
        open_ones = [path for path in self._own.key_files if path.stat().st_mode & 0o077]
        if open_ones:
            names = ", ".join(str(path) for path in open_ones)
            return warning(f"other users of this machine may read {names}: chmod 600")
        return good("only the service may read the private keys")

    def endpoint(self) -> CheckResult:
        """Whether the SMP names our endpoint, with our certificate, and it answers there."""
        spid = mls.spid_of(self._own.seat)
        try:
            found = self._own.directory.endpoint(spid, mls.DOCUMENT_TYPE, mls.PROCESS)
        except DirectoryUnavailable as fault:
            return warning(f"the directory does not answer for {spid}: {fault}")
        if not isinstance(found, Endpoint):
            return warning(
                f"{spid} is not registered for Message Level Statuses: "
                "register it at the SMP, so that other providers can send them"
            )
        return self._registered(found) or self._answers(found.address)

    def _registered(self, found: Endpoint) -> CheckResult | None:
        """The faults of our registration."""
        if all(each.certificate != found.certificate for each in self._own.identities):
            words = f"the SMP names the certificate {trust.subject(found.certificate)}"
            return error(f"{words}, for which there is no key here: messages cannot be opened")
        own = self._own.own_address
        if own is not None and own.rstrip("/") != found.address.rstrip("/"):
            return error(f"the SMP names the endpoint {found.address}, and the settings {own}")
        return None

    def _answers(self, address: str) -> CheckResult:
        try:
            response = self._http.send("GET", address)
        except HttpFault as fault:
            return error(f"our endpoint {address} cannot be reached from here: {fault}")
        if response.status != 405:  # it takes POST only
            return error(f"at {address} there is another server: HTTP status {response.status}")
        return good(f"{address} answers, and is registered with our certificate")

    def clock(self) -> CheckResult:
        """The clock of this machine beside that of another server."""
        address = self._own.own_address or self._own.stage.directory
        try:
            response = self._http.send("HEAD", address)
        except HttpFault as fault:
            return warning(f"the clock cannot be compared with {address}: {fault}")
        consequence = "messages will be refused"
        return clock_beside(response, address, consequence, tolerance=CLOCK_TOLERANCE)
