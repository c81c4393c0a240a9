"""Messages: the content of transmissions without an invoice, queued once each.

A message is delivered as a document is (store/transmissions), by the transmission with its id.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import delete, select
from sqlalchemy.engine import Connection
from sqlalchemy.orm import aliased

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.store import outbox
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import Attempt, Invoice, Message, Received, Transmission
from einvoice.store.tables import Connection as ConnectionTable


@dataclass(frozen=True, slots=True)
class NewMessage:
    """The columns of a message to queue."""

    id: str
    access_point: str
    key: str
    environment: str
    tenant_id: str | None
    invoice_id: str | None
    connection_id: str | None
    kind: str
    content_type: str
    file_name: str
    sender: str
    receiver: str
    document_type: str
    process: str
    sender_country: str | None
    receiver_country: str | None
    document: bytes
    retry_until: datetime
    created_at: datetime
    reports_to: str | None = None
    due_at: datetime | None = None


# Columns of the transmission. The release before has them in `messages`; triggers copy what changes
# (migration 0055).
_OF_DELIVERY = (
    "status", "phase", "attempts", "fence", "attention", "retry_until", "access_point",
    "environment", "tenant_id", "connection_id", "document_type", "process", "sender_country",
    "receiver_country", "created_at",
)  # fmt: skip


def add(connection: Connection, new: NewMessage) -> str:
    """Queue a message in the caller's transaction; its id, or the id of the first with its key."""
    values = {name: getattr(new, name) for name in NewMessage.__slots__}
    values |= {"status": NetworkStatus.PROCESSING.value, "phase": Phase.QUEUED.value}
    values |= {"attempts": 0, "fence": 0, "attention": False}
    once = upsert(connection, Message).values(values).on_conflict_do_nothing().returning(Message.id)
    if connection.execute(once).scalar_one_or_none() is None:
        return _id_of(connection, new.access_point, new.key)
    delivery = {name: values[name] for name in ("id", *_OF_DELIVERY)} | {"rejected": False}
    # The trigger for the release before has inserted it, where there is one.
    connection.execute(upsert(connection, Transmission).values(delivery).on_conflict_do_nothing())
    outbox.enqueue(
        connection,
        kind=outbox.MESSAGE,
        lane=outbox.CHORES,
        subject_id=new.id,
        tenant_id=new.tenant_id or outbox.NO_TENANT,
        due_at=new.created_at,
        access_point=new.access_point,
        connection_id=new.connection_id,
    )
    return new.id


def _id_of(connection: Connection, access_point: str, key: str) -> str:
    query = select(Message.id).where(Message.access_point == access_point, Message.key == key)
    found: str = connection.execute(query).scalar_one()
    return found


@dataclass(frozen=True, slots=True)
class MessageOwner:
    """The tenant for whom a message is sent, and the connection by which."""

    tenant_id: str | None
    connection_id: str | None


_OWNER = RecordColumns(MessageOwner, Received)
_SENDER = RecordColumns(MessageOwner, Transmission)


def owner_of_document(
    connection: Connection, invoice_id: str, access_point: str
) -> MessageOwner | None:
    """The tenant of a document that the access point handed over, or was given to send; None if it
    had no such document."""
    query = _OWNER.select().where(
        Received.invoice_id == invoice_id, Received.access_point == access_point
    )
    found = _OWNER.one_or_none(connection.execute(query))
    if found is not None:
        return found
    sent = _SENDER.select().where(
        Transmission.invoice_id == invoice_id, Transmission.access_point == access_point
    )
    return _SENDER.one_or_none(connection.execute(sent.limit(1)))


def tenant_of_connection(
    connection: Connection, connection_id: str, access_point: str
) -> str | None:
    """The tenant of a connection at the access point; None without such a connection."""
    query = select(ConnectionTable.tenant_id).where(
        ConnectionTable.id == connection_id, ConnectionTable.access_point == access_point
    )
    found: str | None = connection.execute(query).scalar()
    return found


# -- reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """A message and its delivery, and the newest transmission of the document that it answers."""

    id: str
    access_point: str
    key: str
    environment: str
    tenant_id: str | None
    invoice_id: str | None
    kind: str
    content_type: str
    file_name: str
    status: str
    phase: str
    attempts: int
    attention: bool
    reason: str | None
    error_code: str | None
    created_at: datetime
    settled_at: datetime | None
    reports_to: str | None
    transmission_id: str | None
    answered_at: datetime | None  # arrival of the document


_Answered = aliased(Transmission)
_RECORD = RecordColumns(
    MessageRecord,
    Message,
    status=Transmission.status,
    phase=Transmission.phase,
    attempts=Transmission.attempts,
    attention=Transmission.attention,
    reason=Transmission.reason,
    error_code=Transmission.error_code,
    settled_at=Transmission.settled_at,
    transmission_id=_Answered.id,
    answered_at=_Answered.created_at,
)
_SELECT_RECORD = (
    _RECORD.select()
    .join(Transmission, Transmission.id == Message.id)
    .outerjoin(Invoice, Invoice.id == Message.invoice_id)
    .outerjoin(_Answered, _Answered.id == Invoice.transmission_id)
)


def record(connection: Connection, message_id: str) -> MessageRecord | None:
    """The message, inside the caller's transaction."""
    return _RECORD.one_or_none(connection.execute(_SELECT_RECORD.where(Message.id == message_id)))


def document(connection: Connection, message_id: str) -> bytes:
    """The content of a message that there is, inside the caller's transaction."""
    query = select(Message.document).where(Message.id == message_id)
    return bytes(connection.execute(query).scalar_one())


@dataclass(frozen=True, slots=True)
class ReportRecord:
    """A report of an invoice to an authority, and its delivery."""

    id: str
    reports_to: str
    kind: str
    status: str
    attention: bool
    reason: str | None
    error_code: str | None
    created_at: datetime
    due_at: datetime
    settled_at: datetime | None


_REPORT = RecordColumns(
    ReportRecord,
    Message,
    status=Transmission.status,
    attention=Transmission.attention,
    reason=Transmission.reason,
    error_code=Transmission.error_code,
    settled_at=Transmission.settled_at,
)


def reports_of(invoice_id: str, tenant_id: str) -> list[ReportRecord]:
    """The reports of an invoice, oldest first."""
    query = (
        _REPORT.select()
        .join(Transmission, Transmission.id == Message.id)
        .where(
            Message.invoice_id == invoice_id,
            Message.reports_to.is_not(None),
            Message.tenant_id == tenant_id,
        )
        .order_by(Message.created_at, Message.id)
    )
    with db.reading_by_key() as connection:
        return _REPORT.all(connection.execute(query))


def reports_among(connection: Connection, message_ids: Sequence[str]) -> dict[str, str]:
    """Of these messages, the country to which each report of a tenant's document goes, by id."""
    query = select(Message.id, Message.reports_to).where(
        rows.in_values(Message.id, message_ids),
        Message.reports_to.is_not(None),
        Message.tenant_id.is_not(None),
    )
    return {row.id: row.reports_to for row in connection.execute(query)}


@dataclass(frozen=True, slots=True)
class OpenReports:
    """The reports that an authority does not have, and the oldest of their documents.

    failed  how many of them were refused or given up, and wait for an operator
    """

    reports_to: str
    count: int
    failed: int
    oldest_id: str
    oldest_at: datetime


def open_reports() -> list[OpenReports]:
    """The reports that are not delivered, by country, the country of the oldest first."""
    at = sa.func.min(Message.created_at)
    failed = sa.func.sum(sa.case((Transmission.settled_at.is_not(None), 1), else_=0))
    query = (
        select(Message.reports_to, sa.func.count(), failed, sa.func.min(Message.id), at)
        .join(Transmission, Transmission.id == Message.id)
        .where(_IS_OPEN, Message.reports_to.is_not(None))
        .group_by(Message.reports_to)
        .order_by(at)
    )
    with db.reading() as connection:
        found = connection.execute(query).all()
    return [OpenReports(str(to), n, int(bad), first, when) for to, n, bad, first, when in found]


# Of messages: not settled, or failed and not seen by an operator.
_IS_OPEN = sa.and_(
    Transmission.invoice_id.is_(None),
    sa.or_(Transmission.settled_at.is_(None), Transmission.attention),
)


@dataclass(frozen=True, slots=True)
class OverdueReports:
    """The reports that an authority should have had, and since when the oldest of them."""

    reports_to: str
    count: int
    oldest_due_at: datetime


def overdue_reports(now: datetime) -> list[OverdueReports]:
    """The overdue reports by country, those that are late for longest first.

    A report that failed is one too, until an operator has dealt with it.
    """
    oldest = sa.func.min(Message.due_at)
    query = (
        select(Message.reports_to, sa.func.count(), oldest)
        .join(Transmission, Transmission.id == Message.id)
        .where(_IS_OPEN, Message.reports_to.is_not(None), Message.due_at < now)
        .group_by(Message.reports_to)
        .order_by(oldest)
    )
    with db.reading() as connection:
        found = connection.execute(query).all()
    return [OverdueReports(str(to), count, due) for to, count, due in found if due is not None]


def delete_settled_before(connection: Connection, before: datetime, at_most: int) -> int:
    """Delete messages that were settled before then, with their transmissions; how many."""
    old = (
        select(Transmission.id)
        .where(Transmission.invoice_id.is_(None), Transmission.settled_at < before)
        .order_by(Transmission.settled_at)
        .limit(at_most)
        .with_for_update(skip_locked=True)
    )
    ids = list(connection.execute(old).scalars())
    connection.execute(delete(Attempt).where(rows.in_values(Attempt.transmission_id, ids)))
    connection.execute(delete(Transmission).where(rows.in_values(Transmission.id, ids)))
    connection.execute(delete(Message).where(rows.in_values(Message.id, ids)))
    return len(ids)
