"""Reports of periods as their tenant sees them: what was reported, is due, and is left out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Final

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.access_points import AccessPoints
from einvoice.network.period_reports import ReportsPeriods
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.account import audit
from einvoice.services.connections import sealing
from einvoice.services.principal import Reader
from einvoice.services.reporting import rounds
from einvoice.store import outbox
from einvoice.store.connections import connections
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.core import db
from einvoice.store.invoices import period_reports as stored
from einvoice.store.invoices.period_reports import PeriodReportRecord as PeriodReportRecord

log = logging.get(__name__)

DUE_SOON, MAX_DUE = timedelta(days=11), 100
LOOKED_AT: Final = timedelta(days=31)  # ends of periods whose reports may leave out documents
MAX_ASKED: Final = 20  # connections that are looked at for each that may be named


def page(
    tenant_id: str, environments: Sequence[str], after: tuple[date, str] | None, limit: int
) -> list[PeriodReportRecord]:
    """The tenant's reports in these environments, the newest period first."""
    return stored.page(tenant_id, environments, after, limit)


def get(report_id: str, reader: Reader) -> PeriodReportRecord:
    """A report with its document. Raises NotFound."""
    found = stored.find(report_id, reader.tenant_id, reader.environments)
    if found is None:
        raise NotFound(f"There is no report {report_id[:40]!r}.")
    return found


def document_of(report_id: str, reader: Reader) -> bytes:
    """The document of a report that was sent. Raises NotFound, Conflict."""
    found = get(report_id, reader)
    if found.document is None:
        raise Conflict(f"The report is not sent yet. It is due on {found.due_on}.")
    return found.document


def repeat(report_id: str, reader: Reader) -> PeriodReportRecord:
    """Send a refused report again, with what is known now.

    Repeating it changes nothing. Raises NotFound, and Conflict for one that was not refused.
    """
    found = get(report_id, reader)
    if found.status != "refused":
        raise Conflict("Only a refused report is sent again.")
    now = clock.now()
    with db.writing() as connection:
        stored.ask_again(connection, found.id, found.tenant_id, now)
        outbox.make_due(connection, rounds.PREFIX + found.connection_id, now)
        audit.record(
            connection, found.tenant_id, reader, "periodReport.resent", found.id,
            {"kind": found.kind, "start": str(found.starts_on)},
        )  # fmt: skip
    log.info("report to be sent again", report=found.id)
    return get(report_id, reader)


def is_offered(points: AccessPoints) -> bool:
    """Whether there is an access point that reports periods."""
    return any(isinstance(each, ReportsPeriods) for each in points)


# -- for operators ---------------------------------------------------------------------------------


def unfinished(today: date, limit: int) -> list[PeriodReportRecord]:
    """Reports of all tenants that are due by tomorrow or late, and not accepted."""
    return stored.unfinished(today + timedelta(days=2), limit)


def due_soon() -> list[PeriodReportRecord]:
    """Reports of all tenants that are due within ten days or late, and not accepted."""
    return stored.unfinished(clock.today() + DUE_SOON, MAX_DUE)


def incomplete(today: date, limit: int) -> list[PeriodReportRecord]:
    """Reports of all tenants about the last periods that leave out documents."""
    return stored.with_left_out(today - LOOKED_AT, limit)


def gaps(
    points: AccessPoints, settings: Settings, today: date, limit: int
) -> Iterator[tuple[ConnectionRecord, str]]:
    """Connections by which a company soon has to report and cannot, with what is missing."""
    for point in points:
        if not isinstance(point, ReportsPeriods):
            continue
        for record in connections.of_access_point(point.name, limit * MAX_ASKED):
            sealed = connections.for_sending(record.id)
            if sealed is None:
                continue
            with suppress(SealBroken):
                gap = point.reporting_gap(sealing.opened(sealed, settings), today)
                if gap is not None:
                    yield record, gap
