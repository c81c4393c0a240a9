"""The checks of `einvoice doctor` for Fatoora: its clock, and documents that are not reported."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from einvoice import clock
from einvoice.http import Client, HttpFault, Limits
from einvoice.network.checks import Check, CheckResult, error, good, warning
from einvoice.network.common_checks import clock_beside
from einvoice.network.plugin_store import PluginStore
from einvoice_zatca.configuration import Side
from einvoice_zatca.unreported import REPORTED_WITHIN, Unreported

CLOCK_TOLERANCE: Final = timedelta(seconds=20)
_WARNED_BEFORE: Final = timedelta(hours=6)
_LIMITS: Final = Limits(connect=3.0, read=4.0, total=5.0)


def checks(side: Side, store: PluginStore) -> Iterator[Check]:
    """The checks of one environment."""
    doctor = _Doctor(side, store)
    yield Check(f"{side.name}-clock", doctor.clock)
    yield Check(f"{side.name}-unreported", doctor.unreported)


class _Doctor:
    def __init__(self, side: Side, store: PluginStore) -> None:
        self._side, self._store = side, store

    def clock(self) -> CheckResult:
        """Whether Fatoora answers, and the clock of this machine beside its own."""
        try:
            response = Client(self._side.policy, limits=_LIMITS).send("GET", self._side.url)
        except HttpFault as fault:
            return error(f"{self._side.url} does not answer: {fault}")
        return clock_beside(
            response, "Fatoora", "documents have a wrong time of issue", tolerance=CLOCK_TOLERANCE
        )

    def unreported(self) -> CheckResult:
        """How long simplified documents wait."""
        found = Unreported(self._store, self._side.name).since()
        if not found:
            return good("all simplified documents that were sent are reported")
        age = clock.now() - found[0]
        message = (
            f"{len(found)} simplified documents are not reported, the oldest since "
            f"{found[0]:%Y-%m-%d %H:%M} UTC; the law asks for it within 24 hours"
        )
        if age > REPORTED_WITHIN:
            return error(f"{message}. They are sent again; see why Fatoora does not answer.")
        near = age > REPORTED_WITHIN - _WARNED_BEFORE
        return warning(f"{message}. See why Fatoora does not answer.") if near else good(message)
