"""What `einvoice doctor` checks of RO e-Factura: client, clock, signers, calls, files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Final

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits, Response
from einvoice.network.checks import Check, CheckResult, error, good, warning
from einvoice.network.plugin_store import PluginStore
from einvoice_anaf import polling
from einvoice_anaf.configuration import Side
from einvoice_anaf.quota import Budget

CLOCK_WARNING, CLOCK_ERROR = timedelta(seconds=20), timedelta(minutes=5)
SIGNER_DAYS: Final = 30  # before the end of the last certificate
FILE_DAYS: Final = 30
_LIMITS: Final = Limits(connect=3.0, read=4.0, total=5.0)


def checks(side: Side, store: PluginStore) -> Iterator[Check]:
    """The checks of one environment."""
    doctor = _Doctor(side, store)
    yield Check(f"{side.environment}-clock", doctor.clock)
    yield Check(f"{side.environment}-signers", doctor.signers)
    yield Check(f"{side.environment}-calls", doctor.calls)
    yield Check(f"{side.environment}-files", doctor.files)


class _Doctor:
    def __init__(self, side: Side, store: PluginStore) -> None:
        self._side, self._store = side, store
        self._http = Client(side.policy, limits=_LIMITS)

    def clock(self) -> CheckResult:
        """Whether ANAF answers, and the clock of this machine beside its own."""
        try:
            theirs = _date(self._http.send("GET", self._side.url))
        except HttpFault as fault:
            return error(f"{self._side.url} does not answer: {fault}")
        client = f"client {self._side.client_id}"
        if theirs is None:
            return warning(f"{client}; ANAF does not say what time it is")
        wrong = abs(clock.now() - theirs)
        words = f"{client}; the clock differs by {wrong.total_seconds():.0f} s from that of ANAF"
        if wrong > CLOCK_ERROR:
            return error(f"{words}: lists are refused. Set it by NTP.")
        return warning(f"{words}: set it by NTP.") if wrong > CLOCK_WARNING else good(words)

    def signers(self) -> CheckResult:
        """Whether the certificates are known with which ANAF seals, and still valid."""
        known = self._side.signers
        if not known:
            return warning(
                "EINVOICE_ANAF_SIGNERS names no certificate: a seal shows that a file is "
                "unchanged, and not that ANAF has made it"
            )
        ends = max(each.not_valid_after_utc for each in known)
        words = f"{len(known)} certificates of signers, the last one until {ends:%Y-%m-%d}"
        if ends - clock.now() < timedelta(days=SIGNER_DAYS):
            return warning(f"{words}: add the next one, or files will not be trusted")
        return good(words)

    def calls(self) -> CheckResult:
        """How many calls were made today."""
        count = Budget(self._store, self._side.name).today()
        return good(f"at most {count:,} calls today (UTC), never more than 960 in a minute")

    def files(self) -> CheckResult:
        """Whether files had a wrong seal or another form."""
        now = clock.now()
        since = now - timedelta(days=FILE_DAYS)
        series = polling.untrusted_series(self._side.name)
        found = self._store.read(series, since, now + timedelta(minutes=1))
        if not found:
            return good(f"all files of {FILE_DAYS} days have a valid seal")
        return error(
            f"{len(found)} files of {FILE_DAYS} days are not trusted, the last one: "
            f"{found[-1].value!s}. Compare EINVOICE_ANAF_SIGNERS with the certificate in the file."
        )


def _date(response: Response) -> datetime | None:
    try:
        moment = parsedate_to_datetime(response.headers.get("date", ""))
    except (TypeError, ValueError):
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
