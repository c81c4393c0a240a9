"""Which periods a company reports, and what is missing before its first one."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from typing import Final

from einvoice.network.connections import Connection
from einvoice.network.period_reports import ReportPeriod
from einvoice_fr_ctc.reporting import company as companies
from einvoice_fr_ctc.reporting.company import ReportingCompany
from einvoice_fr_ctc.reporting.regimes import KINDS, periods

_NEAR: Final = timedelta(days=60)  # before the first day, in which a gap is named


def periods_of(connection: Connection, since: date, today: date) -> Iterator[ReportPeriod]:
    """The periods of a company that reports by this service."""
    company = ReportingCompany.of(connection)
    if company.regime is not None and len(company.platform) == companies.PLATFORM_LENGTH:
        for kind in KINDS:
            yield from periods(company.regime, kind, max(since, company.since), today)


def gap_of(connection: Connection, today: date) -> str | None:
    """Data that are missing for the first day of e-reporting, from two months before it on."""
    company = ReportingCompany.of(connection)
    if today < company.since - _NEAR:
        return None
    fault = next(companies.faults(connection), None)
    if fault is not None:
        return fault
    if company.regime is None:
        return (
            f"it reports from {company.since} on: give `{companies.REGIME}` and "
            f"`{companies.PLATFORM}` of the connection, unless its platform or another program "
            "reports"
        )
    if company.sells is None:
        return f"give `{companies.SELLS}`: what invoices are for that do not name their process"
    return None
