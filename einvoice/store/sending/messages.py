"""Messages without an invoice: queueing each once, and the steps of its delivery.

The steps are those of transmissions, with the same fence and the same outcomes, on rows of this
table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.store import outbox
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.sending.transmissions import PreparedTransmission, Settlement, Work
from einvoice.store.tables import Connection as ConnectionTable
from einvoice.store.tables import Message, Outbox, Received, Transmission

NO_TENANT = "plugins"  # of the outbox rows of messages that answer no document


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


def add(connection: Connection, new: NewMessage) -> str:
    """Queue a message in the caller's transaction; its id, or that of the first with its key."""
    values = {name: getattr(new, name) for name in NewMessage.__slots__}
    values |= {"status": NetworkStatus.PROCESSING.value, "phase": Phase.QUEUED.value}
    values |= {"attempts": 0, "fence": 0, "attention": False}
    once = upsert(connection, Message).values(values).on_conflict_do_nothing().returning(Message.id)
    if connection.execute(once).scalar_one_or_none() is None:
        return _id_of(connection, new.access_point, new.key)
    outbox.enqueue(
        connection,
        kind=outbox.MESSAGE,
        lane=outbox.CHORES,
        subject_id=new.id,
        tenant_id=new.tenant_id or NO_TENANT,
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


def owner_of_document(
    connection: Connection, invoice_id: str, access_point: str
) -> MessageOwner | None:
    """Of a document that the access point handed over; None if there is no such."""
    query = _OWNER.select().where(
        Received.invoice_id == invoice_id, Received.access_point == access_point
    )
    return _OWNER.one_or_none(connection.execute(query))


def tenant_of_connection(
    connection: Connection, connection_id: str, access_point: str
) -> str | None:
    """The tenant of a connection at the access point; None if there is no such."""
    query = select(ConnectionTable.tenant_id).where(
        ConnectionTable.id == connection_id, ConnectionTable.access_point == access_point
    )
    found: str | None = connection.execute(query).scalar()
    return found


# -- the steps of a delivery -----------------------------------------------------------------------


def _select(outbox_id: Any, paused_at: Any = None, due_at: Any = None) -> sa.Select[Any]:
    return select(
        outbox_id.label("outbox_id"),
        (sa.null() if paused_at is None else paused_at).label("paused_at"),
        (sa.null() if due_at is None else due_at).label("due_at"),
        *Message.__table__.columns,
    )


def _work(row: Any) -> Work:
    return Work(
        outbox_id=row.outbox_id,
        id=row.id,
        invoice_id=row.invoice_id or "",
        tenant_id=row.tenant_id or "",
        environment=row.environment,
        access_point=row.access_point,
        document_type=row.document_type,
        process=row.process,
        profile="",
        sender_country=row.sender_country,
        receiver_country=row.receiver_country,
        status=row.status,
        phase=row.phase,
        attempts=row.attempts,
        fence=row.fence,
        retry_until=row.retry_until,
        message_id=row.message_id,
        prepared=row.prepared,
        prepared_state=row.prepared_state,
        pending=row.pending,
        created_at=row.created_at,
        reason=row.reason,
        registration_id=None,
        registration_checked_at=None,
        number=row.key,
        sender=row.sender,
        receiver=row.receiver,
        document=row.document,
        connection_id=row.connection_id,
        paused_at=row.paused_at,
        due_at=row.due_at,
    )


def held(outbox_ids: Sequence[int], token: str, now: datetime) -> list[Work]:
    """The messages of the rows that the token leases, in the order of the rows."""
    query = _select(Outbox.id, Outbox.paused_at, Outbox.due_at).join(
        Outbox, Outbox.subject_id == Message.id
    )
    leased = query.where(
        rows.in_values(Outbox.id, outbox_ids), Outbox.token == token, Outbox.lease_until > now
    )
    with db.reading() as connection:
        return [_work(row) for row in connection.execute(leased.order_by(Outbox.id))]


def find(message_id: str) -> Work | None:
    """A message by its id."""
    with db.reading() as connection:
        row = connection.execute(
            _select(sa.literal(0)).where(Message.id == message_id)
        ).one_or_none()
    return None if row is None else _work(row)


def fence(
    connection: Connection, ready: Sequence[PreparedTransmission], now: datetime
) -> dict[str, tuple[int, int]]:
    """Pass the fence, as `transmissions.fence` does: {id: (attempt, fence)}."""
    passed: dict[str, tuple[int, int]] = {}
    for item in ready:
        row = connection.execute(_fence_of(item)).one_or_none()
        if row is not None:
            passed[item.work.id] = (row.attempts, row.fence)
    return passed


def _fence_of(item: PreparedTransmission) -> Any:
    return (
        update(Message)
        .where(
            Message.id == item.work.id,
            Message.status == NetworkStatus.PROCESSING.value,
            Message.phase == Phase.QUEUED.value,
        )
        .values(
            phase=Phase.SUBMITTING.value,
            attempts=Message.attempts + 1,
            fence=Message.fence + 1,
            message_id=item.message_id,
            prepared=sa.func.coalesce(Message.prepared, item.content),
            prepared_state=dict(item.state),
        )
        .returning(Message.attempts, Message.fence)
    )


def settle(connection: Connection, settlement: Settlement) -> bool:
    """Store an outcome, as `transmissions.settle` does; whether this settled it."""
    changed = connection.execute(
        update(Message)
        .where(
            Message.id == settlement.id,
            Message.fence == settlement.fence,
            Message.status == NetworkStatus.PROCESSING.value,
        )
        .values(
            status=settlement.status.value,
            phase=settlement.phase.value,
            settled_at=settlement.settled_at,
            reason=settlement.reason,
            error_code=settlement.error_code,
            attention=settlement.attention,
            pending=settlement.pending,
        )
    )
    return bool(changed.rowcount)


def set_attention(connection: Connection, message_id: str, needed: bool) -> bool:
    """Set whether an operator has to look at a message; whether that was otherwise before."""
    changed = connection.execute(
        update(Message)
        .where(Message.id == message_id, Message.attention.is_(not needed))
        .values(attention=needed)
    )
    return bool(changed.rowcount)


def extend_retries(connection: Connection, until: Mapping[str, datetime]) -> None:
    """Set until when each of the messages is submitted again."""
    for message_id, moment in until.items():
        connection.execute(
            update(Message).where(Message.id == message_id).values(retry_until=moment)
        )


def set_follow_up(
    connection: Connection, message_id: str, pending: Mapping[str, object] | None
) -> None:
    """Store how to poll for later evidence of a delivered message."""
    connection.execute(update(Message).where(Message.id == message_id).values(pending=pending))


# -- reading ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MessageRecord:
    """A message as operators and its access point see it, and the transmission of the document
    that it answers."""

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
    transmission_id: str | None
    answered_at: datetime | None  # arrival of the document


_RECORD = RecordColumns(
    MessageRecord, Message, transmission_id=Transmission.id, answered_at=Transmission.created_at
)
_SELECT_RECORD = _RECORD.select().outerjoin(
    Transmission, Transmission.invoice_id == Message.invoice_id
)


def record(connection: Connection, message_id: str) -> MessageRecord | None:
    """The message, inside the caller's transaction."""
    return _RECORD.one_or_none(connection.execute(_SELECT_RECORD.where(Message.id == message_id)))


def needing_attention(limit: int) -> list[Work]:
    """Messages that need an operator, oldest first."""
    waiting = _select(sa.literal(0)).where(Message.attention).order_by(Message.created_at)
    with db.reading() as connection:
        return [_work(row) for row in connection.execute(waiting.limit(limit))]


def delete_settled_before(connection: Connection, before: datetime, at_most: int) -> int:
    """Delete messages that were settled before then; how many."""
    old = (
        select(Message.id)
        .where(Message.settled_at < before)
        .order_by(Message.settled_at)
        .limit(at_most)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(delete(Message).where(rows.in_subquery(Message.id, old))).rowcount
