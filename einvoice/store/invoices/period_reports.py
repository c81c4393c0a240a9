"""Reports of periods, and the documents that are collected for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import and_, or_, select, tuple_, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import (
    IS_SOLD,
    CollectedDocument,
    Invoice,
    Payment,
    PeriodReport,
    Transmission,
)

# -- documents -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Place:
    """Whose documents: of a tenant in an environment, for a reporting access point."""

    tenant_id: str
    environment: str
    access_point: str


@dataclass(frozen=True, slots=True)
class NewDocument:
    """A document that may have to be reported, and is not collected yet.

    bought  whether the company is its buyer
    """

    id: str
    bought: bool
    issue_date: date


def not_collected(place: Place, country: str, since: date, limit: int) -> list[NewDocument]:
    """Documents of a company of the country that it sold to consumers or abroad, or bought abroad,
    by another access point, whoever has issued them. Sent ones are delivered."""
    collected = select(CollectedDocument.invoice_id).where(
        CollectedDocument.invoice_id == Invoice.id,
        CollectedDocument.access_point == place.access_point,
    )
    is_sale = and_(
        IS_SOLD,
        Invoice.supplier_country == country,
        or_(
            Invoice.buyer_country.is_(None),
            Invoice.buyer_country != country,
            Invoice.buyer_tax_id.is_(None),
        ),
    )
    is_purchase = and_(
        sa.not_(IS_SOLD),
        Invoice.buyer_country == country,
        Invoice.supplier_country != country,
    )
    query = (
        select(Invoice.id, sa.case((is_purchase, True), else_=False), Invoice.issue_date)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == place.tenant_id,
            Invoice.environment == place.environment,
            Invoice.issue_date >= since,
            Invoice.number.is_not(None),
            Transmission.access_point != place.access_point,
            or_(
                Invoice.direction == "received",
                Transmission.status == NetworkStatus.DELIVERED.value,
            ),
            or_(is_sale, is_purchase),
            ~collected.exists(),
        )
        .order_by(Invoice.issue_date, Invoice.id)
        .limit(limit)
    )
    with db.reading() as connection:
        found = connection.execute(query).all()
    return [NewDocument(id_, bool(bought), day) for id_, bought, day in found if day]


def collect(
    connection: Connection,
    place: Place,
    found: Sequence[tuple[NewDocument, Mapping[str, Any] | None]],
    now: datetime,
) -> None:
    """Keep the data of documents; None of one that cannot be read. Repeating it changes nothing."""
    values = [
        {
            "invoice_id": document.id,
            "access_point": place.access_point,
            "tenant_id": place.tenant_id,
            "environment": place.environment,
            "issue_date": document.issue_date,
            "content": content,
            "created_at": now,
        }
        for document, content in found
    ]
    if values:
        connection.execute(upsert(connection, CollectedDocument).on_conflict_do_nothing(), values)


def collected(place: Place, start: date, end: date, limit: int) -> list[tuple[str, Any]]:
    """The collected documents that were issued in these days: id and data."""
    query = (
        select(CollectedDocument.invoice_id, CollectedDocument.content)
        .where(*_of_place(place), CollectedDocument.issue_date.between(start, end))
        .order_by(CollectedDocument.issue_date, CollectedDocument.invoice_id)
        .limit(limit)
    )
    with db.reading() as connection:
        return [(id_, content) for id_, content in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class CollectedPayment:
    """A payment of a collected document."""

    id: str
    amount: Decimal
    paid_on: date
    content: Any


def payments(place: Place, start: date, end: date, limit: int) -> list[CollectedPayment]:
    """The payments of collected documents that were made in these days."""
    query = (
        select(Payment.id, Payment.amount, Payment.paid_on, CollectedDocument.content)
        .join(Payment, Payment.invoice_id == CollectedDocument.invoice_id)
        .where(
            *_of_place(place),
            Payment.tenant_id == place.tenant_id,
            Payment.paid_on.between(start, end),
        )
        .order_by(Payment.paid_on, Payment.id)
        .limit(limit)
    )
    with db.reading() as connection:
        return [CollectedPayment(*row) for row in connection.execute(query)]


def _of_place(place: Place) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        CollectedDocument.tenant_id == place.tenant_id,
        CollectedDocument.environment == place.environment,
        CollectedDocument.access_point == place.access_point,
    )


# -- reports ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PeriodReportRecord:
    """A report of a period, and how far its message is. `sent_status`: None without a message."""

    id: str
    tenant_id: str
    environment: str
    access_point: str
    connection_id: str
    account: str
    kind: str
    starts_on: date
    ends_on: date
    due_on: date
    number: int
    corrects: bool
    sha256: str
    documents: int
    left_out: Sequence[Mapping[str, str]]
    message_id: str | None
    outcome: str | None
    reason: str | None
    again: bool
    created_at: datetime
    updated_at: datetime
    sent_status: str | None = None
    sent_reason: str | None = None
    settled_at: datetime | None = None
    document: bytes | None = field(default=None, repr=False)

    @property
    def status(self) -> str:
        """open, sending, accepted, refused; unknown where the message is not here any more."""
        if self.message_id is None:
            return "open"
        return self.outcome or _STATUSES.get(self.sent_status or "", "unknown")

    @property
    def fault(self) -> str | None:
        """Why it was refused."""
        return self.reason or (self.sent_reason if self.status == "refused" else None)


_STATUSES = {
    NetworkStatus.PROCESSING.value: "sending",
    NetworkStatus.DELIVERED.value: "accepted",
    NetworkStatus.FAILED.value: "refused",
}
_RECORD = RecordColumns(
    PeriodReportRecord,
    PeriodReport,
    sent_status=Transmission.status,
    sent_reason=Transmission.reason,
    settled_at=Transmission.settled_at,
    document=sa.null(),
)
_SELECT = _RECORD.select().outerjoin(Transmission, Transmission.id == PeriodReport.message_id)


_IS_DELIVERED = (
    select(Transmission.id)
    .where(
        Transmission.id == PeriodReport.message_id,
        Transmission.status == NetworkStatus.DELIVERED.value,
    )
    .correlate(PeriodReport)
    .exists()
)


def of_period(place: Place, account: str, kind: str, starts_on: date) -> list[PeriodReportRecord]:
    """The reports of a period, the first one first."""
    query = _SELECT.where(
        PeriodReport.tenant_id == place.tenant_id,
        PeriodReport.environment == place.environment,
        PeriodReport.access_point == place.access_point,
        PeriodReport.account == account,
        PeriodReport.kind == kind,
        PeriodReport.starts_on == starts_on,
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(PeriodReport.number)))


def put(connection: Connection, values: Mapping[str, Any]) -> bool:
    """Store a report, or what would be in it, in place of an open one of its number; False if it
    was sent meanwhile."""
    insert = upsert(connection, PeriodReport).values(**values)
    changed = {name: insert.excluded[name] for name in values if name not in _FIXED}
    stored = insert.on_conflict_do_update(
        index_elements=list(_NUMBER), set_=changed, where=PeriodReport.message_id.is_(None)
    )
    return connection.execute(stored.returning(PeriodReport.id)).scalar_one_or_none() is not None


_NUMBER = (
    "tenant_id", "environment", "access_point", "account", "kind", "starts_on", "number",
)  # fmt: skip
_FIXED = {*_NUMBER, "id", "created_at"}


def remove_open(report_id: str) -> None:
    """Delete a report that was not sent."""
    with db.writing() as connection:
        connection.execute(
            sa.delete(PeriodReport).where(
                PeriodReport.id == report_id, PeriodReport.message_id.is_(None)
            )
        )


def settle(
    connection: Connection, report_id: str, outcome: str, reason: str | None, now: datetime
) -> bool:
    """Note the final outcome of its message; False if it was noted before."""
    noted = connection.execute(
        update(PeriodReport)
        .where(PeriodReport.id == report_id, PeriodReport.outcome.is_(None))
        .values(outcome=outcome, reason=reason, updated_at=now)
    )
    return bool(noted.rowcount)


def ask_again(connection: Connection, report_id: str, tenant_id: str, now: datetime) -> None:
    """Note that a person wants a refused report to be sent again."""
    connection.execute(
        update(PeriodReport)
        .where(PeriodReport.id == report_id, PeriodReport.tenant_id == tenant_id)
        .values(again=True, updated_at=now)
    )


def find(report_id: str, tenant_id: str, environments: Sequence[str]) -> PeriodReportRecord | None:
    """The report with its document, if it is of the tenant."""
    whole = RecordColumns(
        PeriodReportRecord,
        PeriodReport,
        sent_status=Transmission.status,
        sent_reason=Transmission.reason,
        settled_at=Transmission.settled_at,
    )
    query = (
        whole.select()
        .outerjoin(Transmission, Transmission.id == PeriodReport.message_id)
        .where(
            PeriodReport.id == report_id,
            PeriodReport.tenant_id == tenant_id,
            PeriodReport.environment.in_(list(environments)),
        )
    )
    with db.reading() as connection:
        return whole.one_or_none(connection.execute(query))


def page(
    tenant_id: str,
    environments: Sequence[str],
    after: tuple[date, str] | None,
    limit: int,
) -> list[PeriodReportRecord]:
    """The tenant's reports, the newest period first."""
    query = _SELECT.where(
        PeriodReport.tenant_id == tenant_id, PeriodReport.environment.in_(list(environments))
    )
    if after is not None:
        query = query.where(tuple_(PeriodReport.starts_on, PeriodReport.id) < after)
    order = PeriodReport.starts_on.desc(), PeriodReport.id.desc()
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(*order).limit(limit)))


def unfinished(due_before: date, limit: int) -> list[PeriodReportRecord]:
    """Reports of all tenants that are due before that day and not accepted, the oldest first.

    Of a period only the last one counts; one with nothing to say is not due.
    """
    later = sa.orm.aliased(PeriodReport)
    newer = sa.exists().where(
        *(getattr(later, name) == getattr(PeriodReport, name) for name in _NUMBER[:-1]),
        later.number > PeriodReport.number,
    )
    says_accepted = sa.func.coalesce(PeriodReport.outcome, "") == "accepted"
    not_accepted = ~or_(says_accepted, _IS_DELIVERED)
    says = or_(PeriodReport.documents > 0, PeriodReport.message_id.is_not(None))
    query = _SELECT.where(PeriodReport.due_on < due_before, not_accepted, says, ~newer)
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(PeriodReport.due_on).limit(limit)))


def with_left_out(since: date, limit: int) -> list[PeriodReportRecord]:
    """The last reports of periods that end since then and leave out documents, of all tenants."""
    query = _SELECT.where(
        PeriodReport.ends_on >= since, sa.cast(PeriodReport.left_out, sa.String) != "[]"
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query.order_by(PeriodReport.due_on).limit(limit)))
