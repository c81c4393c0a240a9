"""Documents that came in: each stored once, found by its invoice, marked as processed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exists, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.store import db
from einvoice.store.records import RecordColumns
from einvoice.store.tables import Invoice, Received, Transmission


@dataclass(frozen=True, slots=True)
class MessageKey:
    """Which message this is; participants in canonical spelling."""

    access_point: str
    instance_id: str
    sender: str
    receiver: str


@dataclass(frozen=True, slots=True)
class NewReceived:
    """All that one received document writes but artefacts and event."""

    invoice_id: str
    transmission_id: str
    key: MessageKey
    tenant_id: str
    environment: str
    kind: str
    number: str | None
    issue_date: date | None
    due_date: date | None
    currency: str | None
    subtotal: Decimal | None
    tax_amount: Decimal | None
    grand_total: Decimal | None
    payable: Decimal | None
    supplier_name: str | None
    buyer_name: str | None
    sender: str
    receiver: str
    rule_pack: str
    findings: Sequence[Mapping[str, object]]
    warnings: Sequence[Mapping[str, object]]
    original_type: str
    original: bytes
    document: bytes
    document_type: str
    process: str
    sender_country: str | None
    receiver_country: str | None
    syntax: str | None
    sha256: str
    receipt: bytes | None
    supplier_id: str | None
    gl_account_code: str | None
    supplier_tax_id: str | None
    supplier_country: str | None
    buyer_tax_id: str | None
    buyer_country: str | None
    created_at: datetime


def add(connection: Connection, new: NewReceived) -> bool:
    """Write a document down inside the caller's transaction; False where the message is known.

    Of two at once the second waits here for the first one's commit. A received document has one
    transmission, which came to its end with the document.
    """
    values: dict[str, Any] = {name: getattr(new, name) for name in NewReceived.__slots__}
    del values["key"]
    if not _insert_message(connection, new, values):
        return False
    invoice = values | {"id": new.invoice_id, "direction": "received"}
    sending = values | {
        "id": new.transmission_id,
        "access_point": new.key.access_point,
        "status": NetworkStatus.RECEIVED.value,
        "phase": Phase.DONE.value,
        "message_id": new.key.instance_id,
        "retry_until": new.created_at,
        "listed_at": new.created_at,
    }
    for table, row in ((Invoice, invoice), (Transmission, sending)):
        wanted = {name: row[name] for name in _columns(table) if name in row}
        connection.execute(sa.insert(table), wanted)
    return True


def _insert_message(connection: Connection, new: NewReceived, values: Mapping[str, Any]) -> bool:
    insert = postgresql.insert if connection.dialect.name == "postgresql" else sqlite.insert
    row = {
        **{name: values[name] for name in _columns(Received) if name in values},
        "access_point": new.key.access_point,
        "instance_id": new.key.instance_id,
        "sender": new.key.sender,
        "receiver": new.key.receiver,
    }
    once = insert(Received).on_conflict_do_nothing().returning(Received.invoice_id)
    return connection.execute(once, row).one_or_none() is not None


def _columns(table: type[db.Base]) -> list[str]:
    return [column.name for column in table.__table__.columns]


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A message that was taken in before."""

    invoice_id: str
    sha256: str
    receipt: bytes | None


_KNOWN = RecordColumns(KnownMessage, Received)


def known(key: MessageKey) -> KnownMessage | None:
    query = _KNOWN.select().where(
        Received.access_point == key.access_point,
        Received.instance_id == key.instance_id,
        Received.sender == key.sender,
        Received.receiver == key.receiver,
    )
    with db.reading() as connection:
        return _KNOWN.one_or_none(connection.execute(query))


def has_number(tenant_id: str, environment: str, sender: str, number: str) -> bool:
    """Whether a document of this number came from this sender before."""
    query = select(
        exists().where(
            Invoice.tenant_id == tenant_id,
            Invoice.environment == environment,
            Invoice.number == number,
            Invoice.sender == sender,
            Invoice.direction == "received",
        )
    )
    with db.reading() as connection:
        return bool(connection.execute(query).scalar())


def sender_of(transmission_id: str, environment: str) -> str | None:
    """The tenant that sent the transmission in the environment."""
    query = select(Transmission.tenant_id).where(
        Transmission.id == transmission_id, Transmission.environment == environment
    )
    with db.reading() as connection:
        found: str | None = connection.execute(query).scalar()
    return found


@dataclass(frozen=True, slots=True)
class BillRecord:
    """A received document as its tenant handled it."""

    invoice_id: str
    document_type: str
    syntax: str | None
    supplier_id: str | None
    gl_account_code: str | None
    processed_at: datetime | None
    processed_by: str | None


_BILL = RecordColumns(BillRecord, Received)


def bills(invoice_ids: Sequence[str]) -> dict[str, BillRecord]:
    """Those of the invoices that were received. The caller has checked whose they are."""
    if not invoice_ids:
        return {}
    query = _BILL.select().where(Received.invoice_id.in_(invoice_ids))
    with db.reading() as connection:
        return {bill.invoice_id: bill for bill in _BILL.all(connection.execute(query))}


def bill(invoice_id: str) -> BillRecord | None:
    """None where the invoice was sent. The caller has checked whose it is."""
    return bills([invoice_id]).get(invoice_id)


def mark_processed(
    connection: Connection, invoice_id: str, tenant_id: str, at: datetime | None, by: str | None
) -> bool:
    """Mark as processed, or (None) as open again; False where that is what it was."""
    was = Received.processed_at.is_(None) if at else Received.processed_at.is_not(None)
    changed = connection.execute(
        update(Received)
        .where(Received.invoice_id == invoice_id, Received.tenant_id == tenant_id, was)
        .values(processed_at=at, processed_by=by)
    )
    return bool(changed.rowcount)
