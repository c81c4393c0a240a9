"""Resending a failed invoice: a new transmission takes the place of the failed one.

Key, transmission, outbox row and the invoice's `transmission_id` are written together or not at
all. `transmission_id` changes by compare-and-set, so one of several concurrent resends is made.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import insert, literal, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.responses import ResponseStatus
from einvoice.domain.trace import Trace
from einvoice.store import outbox
from einvoice.store.account import idempotency
from einvoice.store.account.idempotency import AcceptedKey, KeyScope
from einvoice.store.core import db
from einvoice.store.core.upserts import upsert
from einvoice.store.invoices import blocks
from einvoice.store.invoices.blocks import Counted
from einvoice.store.sending import sequences
from einvoice.store.sending.new_sends import Accepted, Duplicate
from einvoice.store.sending.sequences import Place
from einvoice.store.tables import IdempotencyKey, Invoice, Transmission


@dataclass(frozen=True, slots=True)
class Resend:
    """Everything that one resend writes; `failed_id` is the transmission it replaces.

    receiver_email  another address than the first one's: also of a document that came back from it
    """

    invoice_id: str
    failed_id: str
    transmission_id: str
    tenant_id: str
    environment: str
    access_point: str
    answered: str | None
    answer_by: datetime | None
    retry_until: datetime
    lane: str
    created_at: datetime
    key: KeyScope | None = None
    fingerprint: str = ""
    reject_duplicates: bool = False
    connection_id: str | None = None
    sequence_key: str | None = None
    trace: Trace | None = None
    receiver_email: str | None = None


class NotFailed(Exception):
    """The invoice has a newer transmission, or its transmission is not Failed, and has not come
    back where there is another address. Nothing stored."""


class _KeyTaken(Exception):
    """Rolls the transaction back: an earlier request has the key."""


class _Refused(Exception):
    def __init__(self, duplicate: Duplicate) -> None:
        self.duplicate = duplicate


def resend(
    new: Resend, also: Callable[[Connection], None] = lambda _: None
) -> Accepted | AcceptedKey | Duplicate:
    """Store the new transmission, once per idempotency key. Raises NotFailed.

    `also` is called in the same transaction, after the rows are written.
    """
    while True:
        try:
            with db.writing_by_key() as connection:
                written = _write(connection, new)
                also(connection)
                return written
        except _Refused as refused:
            return refused.duplicate
        except _KeyTaken:
            taken = idempotency.find(new.key) if new.key else None
            if taken is not None:
                return taken  # None: it has been released since


def _write(connection: Connection, new: Resend) -> Accepted:
    if new.key is not None:
        _take_key(connection, new, new.key)
    _replace_transmission(connection, new)
    other = _sent_under_another_id(connection, new)
    if other is not None and new.reject_duplicates:
        raise _Refused(Duplicate(other))
    connection.execute(_new_transmission(new))
    waits = sequences.join(connection, _places(new), new.created_at)
    outbox.enqueue(
        connection,
        kind=outbox.TRANSMISSION,
        lane=new.lane,
        subject_id=new.transmission_id,
        tenant_id=new.tenant_id,
        due_at=new.created_at,
        access_point=new.access_point,
        connection_id=new.connection_id,
        waits_for=waits.get(new.transmission_id),
    )
    return Accepted(other)


def _places(new: Resend) -> list[Place]:
    """Its place in the sequence, if it is sent after others."""
    key, by = new.sequence_key, new.connection_id
    if key is None or by is None:
        return []
    return [Place(new.transmission_id, new.tenant_id, new.access_point, by, key)]


def _take_key(connection: Connection, new: Resend, key: KeyScope) -> None:
    values = {
        "tenant_id": key.tenant_id,
        "environment": key.environment,
        "space": key.space,
        "key": key.key,
        "fingerprint": new.fingerprint,
        "invoice_id": new.invoice_id,
        "transmission_id": new.transmission_id,
        "created_at": new.created_at,
    }
    taken = connection.execute(
        upsert(connection, IdempotencyKey)
        .values(values)
        .on_conflict_do_nothing()
        .returning(IdempotencyKey.key)
    )
    if taken.one_or_none() is None:
        raise _KeyTaken


def _replace_transmission(connection: Connection, new: Resend) -> None:
    """Point the invoice to the new transmission, and remove the failed one from lists."""
    is_over = Transmission.status == NetworkStatus.FAILED.value
    if new.receiver_email is not None:
        is_over |= Transmission.response_status == ResponseStatus.UNDELIVERABLE.value
    failed = select(Transmission.id).where(Transmission.id == new.failed_id, is_over)
    moved = connection.execute(
        update(Invoice)
        .where(
            Invoice.id == new.invoice_id,
            Invoice.tenant_id == new.tenant_id,
            Invoice.environment == new.environment,
            Invoice.transmission_id == new.failed_id,
            failed.exists(),
        )
        .values(transmission_id=new.transmission_id)
    )
    if not moved.rowcount:
        raise NotFailed
    connection.execute(
        update(Transmission).where(Transmission.id == new.failed_id).values(listed_at=None)
    )
    created_at = select(Invoice.created_at).where(Invoice.id == new.invoice_id)
    blocks.reopen(
        connection,
        Counted(new.tenant_id, new.environment),
        connection.execute(created_at).scalar_one(),
    )


def _year(day: Any) -> sa.ColumnElement[int]:
    return sa.extract("year", day)


def _sent_under_another_id(connection: Connection, new: Resend) -> str | None:
    """The id of another invoice of this number, sender, kind and year that has not failed."""
    identity = Invoice.number, Invoice.sender, Invoice.kind, Invoice.issue_date
    this = select(*identity).where(Invoice.id == new.invoice_id).subquery()
    query = (
        select(Invoice.id)
        .join(this, sa.and_(Invoice.number == this.c.number, Invoice.sender == this.c.sender))
        .where(Invoice.kind == this.c.kind, _year(Invoice.issue_date) == _year(this.c.issue_date))
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            Invoice.tenant_id == new.tenant_id,
            Invoice.environment == new.environment,
            Invoice.direction == "sent",
            Invoice.id != new.invoice_id,
            Transmission.status != NetworkStatus.FAILED.value,
        )
        .order_by(Invoice.created_at)
        .limit(1)
    )
    found: str | None = connection.execute(query).scalar()
    return found


def _new_transmission(new: Resend) -> sa.Insert:
    """The insert of a transmission addressed like the failed one, in its initial state."""
    values: dict[str, Any] = {
        "id": new.transmission_id,
        "access_point": new.access_point,
        "connection_id": new.connection_id,
        "sequence_key": new.sequence_key,
        "status": NetworkStatus.PROCESSING.value,
        "phase": Phase.QUEUED.value,
        "answered": new.answered,
        "answer_by": new.answer_by,
        "attempts": 0,
        "fence": 0,
        "retry_until": new.retry_until,
        "attention": False,
        "rejected": False,
        "created_at": new.created_at,
        "trace": new.trace,
    }
    if new.receiver_email is not None:
        values["receiver_email"] = new.receiver_email
    table = Transmission.__table__
    fresh = [literal(value, table.c[name].type).label(name) for name, value in values.items()]
    names = [name for name in _ADDRESS if name not in values]
    kept = [table.c[name] for name in names]
    listed = Invoice.created_at.label("listed_at")
    source = (
        select(*fresh, *kept, listed)
        .join(Invoice, Invoice.id == Transmission.invoice_id)
        .where(Transmission.id == new.failed_id)
    )
    return insert(Transmission).from_select([*values, *names, "listed_at"], source)


_ADDRESS = (
    "invoice_id", "tenant_id", "environment", "registration_id", "document_type", "process",
    "profile", "sender_country", "receiver_country", "receiver_email",
)  # fmt: skip
