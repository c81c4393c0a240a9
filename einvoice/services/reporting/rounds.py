"""Reports of periods: collected for, made, sent once, and corrected where the data change.

Each connection of an access point that `ReportsPeriods` has an outbox row of the lane `chores`,
which the relay inserts. A round collects the documents that are new, and then looks at each period
of the last months. While a period is open, its row in `period_reports` says what would be reported
now, so that people see what is left out before it is due. The report and the message that sends it
are stored in one transaction, and a period has one report of each number: however often a round is
repeated, a report is sent once.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from datetime import timedelta
from random import uniform
from typing import Any, Final

from einvoice import clock
from einvoice.domain import events
from einvoice.domain.connections import USABLE, State
from einvoice.network.access_points import AccessPoints
from einvoice.network.connections import Connection
from einvoice.network.period_reports import (
    MAX_DOCUMENTS,
    LeftOut,
    PeriodContent,
    PeriodReport,
    ReportPeriod,
    ReportsPeriods,
    TradePayment,
)
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services.connections import sealing
from einvoice.services.delivery import messages
from einvoice.services.reporting import collection
from einvoice.services.runtime import Runtime
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.account import tenants
from einvoice.store.connections import connections
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.core import db
from einvoice.store.invoices import period_reports as stored
from einvoice.store.invoices.period_reports import PeriodReportRecord, Place

log = logging.get(__name__)

PREFIX: Final = "rep-"  # with an id of 36 characters, as long as a subject may be
EVERY, SOON, AFTER_FAULT = timedelta(hours=6), timedelta(minutes=1), timedelta(hours=1)
MAX_SCHEDULED: Final = 500
LOOKED_BACK: Final = timedelta(days=400)  # in which reports are corrected
LEASE_SECONDS: Final = 300.0
MAX_LEFT_OUT: Final = 200  # that a report names
_UNREADABLE: Final = "its bytes cannot be read, or are not kept any more"


def schedule(runtime: Runtime) -> bool:
    """Insert the missing rows; whether there may be more."""
    names = [each.name for each in runtime.access_points if isinstance(each, ReportsPeriods)]
    missing = connections.without_row(PREFIX, MAX_SCHEDULED, names) if names else []
    now = clock.now()
    with db.writing() as connection:
        for one in missing:
            outbox.enqueue(
                connection,
                kind=outbox.REPORT,
                lane=outbox.CHORES,
                subject_id=PREFIX + one.id,
                tenant_id=one.tenant_id,
                due_at=now,
            )
    return len(missing) == MAX_SCHEDULED


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Make a round for each connection of these rows, and say when the next one is due."""
    for row_id, subject in outbox.subjects(outbox_ids, token):
        found = connections.by_id(subject.removeprefix(PREFIX))
        if found is None or found.state == State.REVOKED:
            with db.writing() as connection:
                outbox.complete(connection, [row_id], token)
            continue
        if not outbox.extend_from_now(row_id, token, LEASE_SECONDS):
            continue
        pause = _round_of(found, runtime)
        with db.writing() as connection:
            due = clock.now() + pause * uniform(0.9, 1.1)
            outbox.reschedule(connection, [(row_id, outbox.CHORES, due)], token)


def _round_of(found: ConnectionRecord, runtime: Runtime) -> timedelta:
    """A round of one connection; the time until the next one. A fault is one of this connection."""
    point = _point(found.access_point, runtime.access_points)
    sealed = connections.for_sending(found.id)
    if point is None or sealed is None or State(found.state) not in USABLE:
        return EVERY
    try:
        account = sealing.opened(sealed, runtime.settings)
        return SOON if Round(found, account, point, runtime).made() else EVERY
    except SealBroken:
        return EVERY
    except Exception:
        log.exception("reports not made", connection=found.id)
        return AFTER_FAULT


def _point(name: str, points: AccessPoints) -> ReportsPeriods | None:
    point = points.get(name)
    return point if isinstance(point, ReportsPeriods) else None


class Round:
    """A round of one connection."""

    def __init__(
        self, record: ConnectionRecord, account: Connection, point: ReportsPeriods, runtime: Runtime
    ) -> None:
        self._record, self._account, self._point = record, account, point
        self._runtime = runtime
        self._place = Place(record.tenant_id, record.environment, record.access_point)
        self._today = clock.today()
        self._company_name, self._is_only = _name_of(record), _is_only(record)

    def made(self) -> bool:
        """Collect, and report; whether more is to be collected at once."""
        since = self._today - LOOKED_BACK
        more = collection.collect(self._place, self._point.reporting_country, since, self._runtime)
        for period in self._point.report_periods(self._account, since, self._today):
            self._look_at(period)
        return more

    # -- one period --------------------------------------------------------------------------------

    def _look_at(self, period: ReportPeriod) -> None:
        earlier = [self._settled(each) for each in self._reports(period)]
        last = earlier[-1] if earlier else None
        if last is not None and last.status in ("sending", "unknown"):
            return
        is_open = last is None or last.message_id is None
        number = last.number + (not is_open) if last else 0
        corrects = any(each.status == "accepted" for each in earlier)
        report = self._report(period, number, corrects=corrects)
        if last is not None and not is_open:
            if (report.digest == last.sha256 and not last.again) or report.message is None:
                return
            self._store(period, number, report, corrects=corrects, sends=True)
        elif report.documents or report.left_out or period.end >= self._today:
            sends = self._today >= period.send_on
            self._store(period, number, report, corrects=corrects, sends=sends)
        elif last is not None:
            stored.remove_open(last.id)

    def _reports(self, period: ReportPeriod) -> list[PeriodReportRecord]:
        return stored.of_period(self._place, self._record.account, period.kind, period.start)

    def _settled(self, report: PeriodReportRecord) -> PeriodReportRecord:
        """Note the outcome of a report whose message has ended; the tenant gets an event of one
        that was refused."""
        if report.outcome is None and report.status in ("accepted", "refused"):
            with db.writing() as connection:
                noted = stored.settle(
                    connection, report.id, report.status, report.sent_reason, clock.now()
                )
                if noted and report.status == "refused":
                    deliveries.emit_many(connection, [_refusal(report)])
        return report

    # -- its content -------------------------------------------------------------------------------

    def _report(self, period: ReportPeriod, number: int, *, corrects: bool) -> PeriodReport:
        unread: list[LeftOut] = []
        documents = []
        found = stored.collected(self._place, period.start, period.end, MAX_DOCUMENTS + 1)
        for id_, data in found:
            if data is None:
                unread.append(LeftOut(id_, "", _UNREADABLE))
            else:
                documents.append(collection.document_of(id_, data))
        paid = stored.payments(self._place, period.start, period.end, MAX_DOCUMENTS + 1)
        if len(found) > MAX_DOCUMENTS or len(paid) > MAX_DOCUMENTS:
            reason = f"the period has more than {MAX_DOCUMENTS:,} documents or payments"
            return PeriodReport("", 0, (LeftOut("", "", reason),))
        payments = tuple(
            TradePayment(each.id, collection.document_of("", each.content), each.amount,
                         each.paid_on)
            for each in paid if each.content is not None
        )  # fmt: skip
        content = PeriodContent(
            connection=self._account,
            period=period,
            company_name=self._company_name,
            at=clock.now(),
            number=number,
            corrects=corrects,
            is_only=self._is_only,
            documents=tuple(documents),
            payments=payments,
        )
        made = self._point.period_report(content)
        return PeriodReport(made.digest, made.documents, (*unread, *made.left_out), made.message)

    # -- storing -----------------------------------------------------------------------------------

    def _store(
        self,
        period: ReportPeriod,
        number: int,
        report: PeriodReport,
        *,
        corrects: bool,
        sends: bool,
    ) -> None:
        """Store the report, and the message that sends it if it is due, in one transaction."""
        message = report.message if sends else None
        now = clock.now()
        with db.writing() as connection:
            message_id = None
            if message is not None:
                message_id = messages.add(connection, self._record.access_point, message)
            values: dict[str, Any] = {
                "id": str(uuid.uuid4()),
                "tenant_id": self._record.tenant_id,
                "environment": self._record.environment,
                "access_point": self._record.access_point,
                "connection_id": self._record.id,
                "account": self._record.account,
                "kind": period.kind,
                "starts_on": period.start,
                "ends_on": period.end,
                "due_on": period.due_on,
                "number": number,
                "corrects": corrects,
                "sha256": report.digest,
                "documents": report.documents,
                "left_out": [_left_out(each) for each in report.left_out[:MAX_LEFT_OUT]],
                "document": message.document if message else None,
                "message_id": message_id,
                "again": False,
                "created_at": now,
                "updated_at": now,
            }
            stored.put(connection, values)
        if message_id is not None:
            log.info("report queued", connection=self._record.id, kind=period.kind,
                     start=str(period.start), number=number)  # fmt: skip


def _refusal(report: PeriodReportRecord) -> deliveries.NewEvent:
    return deliveries.NewEvent(
        tenant_id=report.tenant_id,
        environment=report.environment,
        type=events.PERIOD_REPORT_REFUSED,
        invoice_id=None,
        payload={
            "reportId": report.id,
            "name": f"{report.kind} {report.starts_on} – {report.ends_on}, {report.account}",
            "kind": report.kind,
            "account": report.account,
            "startsOn": report.starts_on.isoformat(),
            "endsOn": report.ends_on.isoformat(),
            "dueOn": report.due_on.isoformat(),
            "reason": report.sent_reason,
        },
    )


def _name_of(record: ConnectionRecord) -> str:
    """The name of the company: of the connection, else of the tenant."""
    tenant = tenants.find(record.tenant_id)
    return record.name if record.name != record.account or tenant is None else tenant.name


def _is_only(record: ConnectionRecord) -> bool:
    """Whether the tenant has no other company at the access point."""
    opened = connections.open_at(record.tenant_id, record.environment, record.access_point)
    return all(each.account == record.account for each in opened)


def _left_out(one: LeftOut) -> dict[str, str]:
    return {"invoiceId": one.document_id, "number": one.number, "reason": one.reason}
