"""The checks of `einvoice doctor` for RO e-Factura: client, clock, signers, calls, files."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits
from einvoice.network.checks import Check, CheckResult, error, good
from einvoice.network.common_checks import clock_beside, signers_valid
from einvoice.network.plugin_store import PluginStore
from einvoice_anaf import polling
from einvoice_anaf.configuration import Side
from einvoice_anaf.quota import Budget

CLOCK_TOLERANCE = timedelta(seconds=20)
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
            response = self._http.send("GET", self._side.url)
        except HttpFault as fault:
            return error(f"{self._side.url} does not answer: {fault}")
        client = f"client {self._side.client_id}; "
        return clock_beside(
            response, "ANAF", "lists are refused", tolerance=CLOCK_TOLERANCE, before=client
        )

    def signers(self) -> CheckResult:
        """Whether the certificates are known with which ANAF seals, and still valid."""
        missing = (
            "EINVOICE_ANAF_SIGNERS names no certificate: a seal shows that a file is "
            "unchanged, and not that ANAF has made it"
        )
        return signers_valid(self._side.signers, missing, "files")

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
