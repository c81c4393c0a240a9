"""The settings of a connection for its company's e-reporting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from einvoice.network.connections import Connection, ConnectionField
from einvoice_fr_ctc.companies import siren_of
from einvoice_fr_ctc.reporting.regimes import Regime

REGIME, PLATFORM, SINCE, SELLS, BUYS = (
    "vatRegime", "platformNumber", "reportsFrom", "sells", "buys",
)  # fmt: skip
PLATFORM_LENGTH: Final = 4
# Small companies report from then on, large and middle-sized ones a year earlier.
FROM: Final = date(2027, 9, 1)
FIRST: Final = date(2026, 9, 1)
# What an invoice is for that does not name its process (BT-23).
PROCESSES: Final = {"goods": "B1", "services": "S1", "both": "M1"}
FIELDS: Final = (
    ConnectionField(
        REGIME,
        "VAT regime, if e-reports are sent by this service",
        hint="normal-monthly, normal-quarterly, simplified or exempt; empty: no e-reports",
        required=False,
        max_size=20,
    ),
    ConnectionField(
        PLATFORM, "Number of the platform (matricule), for e-reports", hint="4 characters",
        required=False, max_size=4,
    ),
    ConnectionField(
        SINCE, "First day of e-reporting", hint="2027-09-01; of large companies 2026-09-01",
        required=False, max_size=10,
    ),
    ConnectionField(
        SELLS, "What it sells, for invoices that do not say it",
        hint="goods, services or both", required=False, max_size=10,
    ),
    ConnectionField(
        BUYS, "What it buys abroad", hint="goods, services or both", required=False, max_size=10
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class ReportingCompany:
    """A company that reports.

    regime    None: it does not report by this service
    platform  the number of its platform, which sends the reports; "" if it is not given
    sells, buys  the process of documents that name none; None: not known
    """

    siren: str
    regime: Regime | None
    platform: str
    since: date
    sells: str | None
    buys: str | None

    @classmethod
    def of(cls, connection: Connection) -> ReportingCompany:
        """The settings; what is no value of its field counts as empty."""
        given = connection.credentials
        regime = given.get(REGIME, "").strip()
        return cls(
            siren_of(connection.account) or "",
            Regime(regime) if regime in [*Regime] else None,
            given.get(PLATFORM, "").strip(),
            max(_day(given.get(SINCE, "")) or FROM, FIRST),
            PROCESSES.get(given.get(SELLS, "").strip()),
            PROCESSES.get(given.get(BUYS, "").strip()),
        )


def faults(connection: Connection) -> Iterator[str]:
    """The faults of the values of a connection."""
    given = {name: connection.credentials.get(name, "").strip() for name in _NAMES}
    if given[REGIME] and given[REGIME] not in [*Regime]:
        yield f"{REGIME} is one of {', '.join(Regime)}."
    if given[REGIME] and not given[PLATFORM]:
        yield f"{PLATFORM} is needed for e-reports: the 4 characters of the platform's matricule."
    if given[PLATFORM] and len(given[PLATFORM]) != PLATFORM_LENGTH:
        yield f"{PLATFORM} has {PLATFORM_LENGTH} characters."
    if given[SINCE] and _day(given[SINCE]) is None:
        yield f"{SINCE} is a day, as in {FROM}."
    for name in (SELLS, BUYS):
        if given[name] and given[name] not in PROCESSES:
            yield f"{name} is one of {', '.join(PROCESSES)}."


_NAMES: Final = tuple(each.name for each in FIELDS)


def _day(text: str) -> date | None:
    try:
        return date.fromisoformat(text.strip())
    except ValueError:
        return None
