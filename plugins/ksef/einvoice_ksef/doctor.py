"""The checks of `einvoice doctor` for KSeF, from its clock to the mailboxes of accounts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from typing import Final

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits
from einvoice.network.checks import Check, CheckResult, error, good, warning
from einvoice.network.common_checks import clock_beside, signers_valid
from einvoice.network.plugin_store import PluginStore
from einvoice_ksef.accounts import logged_in
from einvoice_ksef.configuration import API_VERSION, Provider, Side
from einvoice_ksef.limits import WATCHED, Group, LimitsOf
from einvoice_ksef.mailbox_faults import SHOWN_FOR, open_faults
from einvoice_ksef.moments import moment_or_none
from einvoice_ksef.warnings import Warnings

CLOCK_TOLERANCE = timedelta(seconds=20)
ENDING_DAYS: Final = 30  # before the end of a certificate or token
WARNINGS: Final = timedelta(days=30)
USED_PERCENT: Final = 80
_LIMITS: Final = Limits(connect=3.0, read=4.0, total=5.0, answer_bytes=64 << 10)
_VERSION: Final = re.compile(rb"Wersja API:[* ]*(\d+)\.(\d+)\.(\d+)")


def checks(side: Side, store: PluginStore) -> Iterator[Check]:
    """The checks of one environment."""
    doctor = _Doctor(side, store)
    yield Check(f"{side.environment}-clock", doctor.clock)
    yield Check(f"{side.environment}-accounts", doctor.accounts)
    yield Check(f"{side.environment}-offline", doctor.offline)
    yield Check(f"{side.environment}-limits", doctor.limits)
    yield Check(f"{side.environment}-version", doctor.version)
    yield Check(f"{side.environment}-signers", doctor.signers)
    yield Check(f"{side.environment}-warnings", doctor.warnings)
    yield Check(f"{side.environment}-mailboxes", doctor.mailboxes)
    if side.provider is not None:
        yield Check(f"{side.environment}-provider", partial(doctor.provider, side.provider))


class _Doctor:
    def __init__(self, side: Side, store: PluginStore) -> None:
        self._side, self._store = side, store
        self._http = Client(side.policy, limits=_LIMITS)

    def clock(self) -> CheckResult:
        """Whether KSeF answers, and the clock of this machine beside its own."""
        url = f"{self._side.url}/security/public-key-certificates"
        try:
            response = self._http.send("GET", url, excerpt=True)
        except HttpFault as fault:
            return error(f"{self._side.url} does not answer: {fault}")
        consequence = "limits are counted wrongly"
        return clock_beside(response, "KSeF", consequence, tolerance=CLOCK_TOLERANCE)

    def accounts(self) -> CheckResult:
        """The accounts that have logged in, and which certificates and tokens end soon."""
        known = logged_in(self._store, self._side.name)
        ends = {nip: moment_or_none(values.get("ends")) for nip, values in known.items()}
        soon = clock.now() + timedelta(days=ENDING_DAYS)
        ending = sorted((end, nip) for nip, end in ends.items() if end is not None and end < soon)
        ways = [values.get("way") for values in known.values()]
        words = f"{ways.count('certificate')} by certificate, {ways.count('token')} by token"
        if not ending:
            return good(f"accounts: {words}")
        end, nip = ending[0]
        left = max(0, (end - clock.now()).days)
        return warning(
            f"accounts: {words}; {len(ending)} of them end within {ENDING_DAYS} days, "
            f"that of {nip} in {left} days. Ask their tenants for new credentials."
        )

    def offline(self) -> CheckResult:
        """Which Offline certificates end soon. Without one invoices are sent all the same."""
        known = logged_in(self._store, self._side.name)
        ends = ((moment_or_none(each.get("offlineEnds")), nip) for nip, each in known.items())
        found = sorted((end, nip) for end, nip in ends if end is not None)
        words = f"Offline certificates: {len(found)}"
        if not found or found[0][0] - clock.now() > timedelta(days=ENDING_DAYS):
            return good(words)
        end, nip = found[0]
        return warning(
            f"{words}, that of {nip} ends on {end:%Y-%m-%d}: invoices issued offline have no codes "
            "after it. Ask the tenant for a new one."
        )

    def limits(self) -> CheckResult:
        """The calls of the last hour beside the limits, of the account that uses most."""
        found = []
        for nip in logged_in(self._store, self._side.name):
            limits = LimitsOf(self._store, self._side.name, nip)
            for group in WATCHED:
                used, most = limits.used(group)
                found.append((100 * used // most, f"{nip} has used {used} of {most} {group}"))
        if not found:
            return good("no account has made calls")
        percent, words = max(found)
        if percent >= USED_PERCENT:
            return warning(f"{words} of this hour: further documents go as packages, or wait")
        return good(f"{words} of this hour, and no account more")

    def provider(self, provider: Provider) -> CheckResult:
        """When the certificate of the provider of Peppol services ends, and its calls."""
        left = (provider.identity.ends - clock.now()).days
        used, most = LimitsOf(self._store, self._side.name, provider.id).used(Group.SEND)
        words = f"{provider.id} has sent {used} of {most} PEF of this hour; its certificate "
        if left < 0:
            return error(f"{words}has ended: no PEF can be sent. Set the next one.")
        words = f"{words}ends in {left} days"
        return warning(f"{words}: get the next one") if left < ENDING_DAYS else good(words)

    def version(self) -> CheckResult:
        """The version of the API beside that for which the plugin is written."""
        url = f"{self._side.url.removesuffix('/v2')}/docs/v2/openapi.json"
        try:
            found = _VERSION.search(self._http.send("GET", url, excerpt=True).body)
        except HttpFault as fault:
            return warning(f"{url} does not answer: {fault}")
        if found is None:
            return warning(f"{url} does not say the version of the API")
        seen = ".".join(part.decode() for part in found.groups())
        words = f"KSeF has API {seen}, the plugin is written for {API_VERSION}"
        return warning(f"{words}: read its change log") if _is_newer(seen) else good(words)

    def signers(self) -> CheckResult:
        """Whether the certificates are known with which UPO are sealed, and still valid."""
        missing = (
            "EINVOICE_KSEF_SIGNERS names no certificate: the seal of a UPO shows that it is "
            "unchanged, and not that the ministry has made it"
        )
        return signers_valid(self._side.signers, missing, "UPO")

    def warnings(self) -> CheckResult:
        """The announcements of KSeF in answers (X-System-Warning)."""
        noted = Warnings(self._store, self._side.name).noted()
        if noted.at is None:
            return good("KSeF has sent no warning")
        words = (
            f"warnings of KSeF: {noted.count}, the last one on {noted.at:%Y-%m-%d}: {noted.last}"
        )
        return warning(words) if clock.now() - noted.at < WARNINGS else good(words)

    def mailboxes(self) -> CheckResult:
        """Received invoices that cannot be fetched, and packages that KSeF did not build."""
        found = open_faults(self._store, self._side.name)
        if not found:
            return good("every listed invoice was fetched")
        last = found[-1]
        accounts = len({each.nip for each in found})
        return warning(
            f"{len(found)} faults of mailboxes of {accounts} accounts in {SHOWN_FOR.days} days, "
            f"which are tried again by themselves; the last one on {last.at:%Y-%m-%d} of NIP "
            f"{last.nip}: {last.subject}: {last.reason}"
        )


def _is_newer(seen: str) -> bool:
    """Whether a version is a later minor release, which may have other rules."""
    theirs, ours = (tuple(map(int, text.split("."))) for text in (seen, API_VERSION))
    return theirs[:2] > ours[:2]
