"""Received documents: storing each message once, reading them, marking them as processed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from sqlalchemy import exists, null, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.domain.trace import Trace
from einvoice.store import db, responses
from einvoice.store.new_documents import Addressing, DocumentContent, columns, insert, rows_of
from einvoice.store.records import RecordColumns
from einvoice.store.responses import ResponseRecord
from einvoice.store.tables import Invoice, Received, Transmission


@dataclass(frozen=True, slots=True)
class MessageKey:
    """The identity of a message; participants in canonical spelling."""

    access_point: str
    instance_id: str
    sender: str
    receiver: str


@dataclass(frozen=True, slots=True)
class NewReceived:
    """The rows of one received document, except artefacts and event.

    syntax  ubl, cii or None if it was not recognised
    sha256  of the document as received
    connection_id  of the mailbox that it was fetched from
    trace   of the request that handed it over
    inbound_state  of the Inbound; None if its access point does not follow the document
    """

    invoice_id: str
    transmission_id: str
    tenant_id: str
    environment: str
    head: InvoiceHead
    addressing: Addressing
    content: DocumentContent
    key: MessageKey
    syntax: str | None
    sha256: str
    receipt: bytes | None
    supplier_id: str | None
    gl_account_code: str | None
    customer_id: str | None
    created_at: datetime
    inbound_state: Mapping[str, str] | None = None
    connection_id: str | None = None
    trace: Trace | None = None


def add(connection: Connection, new: NewReceived) -> bool:
    """Store a document inside the caller's transaction; False if the message is known.

    Of two concurrent calls the second waits here for the first one's commit. A received document
    has one transmission, which is settled from the start.
    """
    values = columns(new.head, new.addressing, new.content) | columns(new)
    if not _insert_message(connection, new.key, values):
        return False
    invoice = values | {"id": new.invoice_id, "direction": "received"}
    transmission = values | {
        "id": new.transmission_id,
        "status": NetworkStatus.RECEIVED.value,
        "phase": Phase.DONE.value,
        "message_id": new.key.instance_id,
        "retry_until": new.created_at,
        "listed_at": new.created_at,
    }
    insert(connection, Invoice, [invoice])
    insert(connection, Transmission, [transmission])
    return True


def _insert_message(connection: Connection, key: MessageKey, values: Mapping[str, Any]) -> bool:
    dialect = postgresql if connection.dialect.name == "postgresql" else sqlite
    once = dialect.insert(Received).on_conflict_do_nothing().returning(Received.invoice_id)
    [row] = rows_of(Received, [{**values, **columns(key)}])
    return connection.execute(once, row).one_or_none() is not None


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A message that was received before."""

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


def instance_id(invoice_id: str, tenant_id: str) -> str | None:
    """The network's id of the message with which an invoice of the tenant came."""
    query = select(Received.instance_id).where(
        Received.invoice_id == invoice_id, Received.tenant_id == tenant_id
    )
    with db.reading() as connection:
        return connection.execute(query).scalar_one_or_none()


def has_number(tenant_id: str, environment: str, sender: str, number: str) -> bool:
    """Whether a document with this number was received from this sender before."""
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
    """The tenant of the transmission, if it was sent in the environment."""
    query = select(Transmission.tenant_id).where(
        Transmission.id == transmission_id, Transmission.environment == environment
    )
    with db.reading() as connection:
        found: str | None = connection.execute(query).scalar()
    return found


@dataclass(frozen=True, slots=True)
class BillRecord:
    """A received document with the tenant's processing of it."""

    invoice_id: str
    document_type: str
    syntax: str | None
    supplier_id: str | None
    gl_account_code: str | None
    customer_id: str | None
    processed_at: datetime | None
    processed_by: str | None
    response: ResponseRecord | None = None  # the newest


_BILL = RecordColumns(BillRecord, Received, response=null())


def bills(invoice_ids: Sequence[str]) -> dict[str, BillRecord]:
    """Those of the invoices that were received. The caller has checked the tenant."""
    if not invoice_ids:
        return {}
    query = _BILL.select().where(Received.invoice_id.in_(invoice_ids))
    with db.reading_by_key() as connection:
        found = _BILL.all(connection.execute(query))
    newest = responses.newest([bill.invoice_id for bill in found])
    return {bill.invoice_id: replace(bill, response=newest.get(bill.invoice_id)) for bill in found}


def bill(invoice_id: str) -> BillRecord | None:
    """The bill; None if the invoice was sent. The caller has checked the tenant."""
    return bills([invoice_id]).get(invoice_id)


def move_bills(connection: Connection, tenant_id: str, supplier_id: str, to: str) -> int:
    """Move the bills of one supplier to another; returns their number. Reads the tenant's bills."""
    moved = connection.execute(
        update(Received)
        .where(Received.tenant_id == tenant_id, Received.supplier_id == supplier_id)
        .values(supplier_id=to)
    )
    return moved.rowcount


def move_self_billed(connection: Connection, tenant_id: str, customer_id: str, to: str) -> None:
    """Move the self-billed invoices of one customer to another. Reads the tenant's documents."""
    connection.execute(
        update(Received)
        .where(Received.tenant_id == tenant_id, Received.customer_id == customer_id)
        .values(customer_id=to)
    )


def assign_bills(
    connection: Connection,
    tenant_id: str,
    sender: str,
    supplier_id: str,
    gl_account_code: str | None,
) -> int:
    """Give the bills of a sender that have no supplier this one; returns their number."""
    assigned = connection.execute(
        update(Received)
        .where(
            Received.tenant_id == tenant_id,
            Received.sender == sender,
            Received.supplier_id.is_(None),
        )
        .values(supplier_id=supplier_id, gl_account_code=gl_account_code)
    )
    return assigned.rowcount


def mark_processed(
    connection: Connection, invoice_id: str, tenant_id: str, at: datetime | None, by: str | None
) -> bool:
    """Mark as processed at a time, or as open (None); False if nothing changed."""
    was = Received.processed_at.is_(None) if at else Received.processed_at.is_not(None)
    changed = connection.execute(
        update(Received)
        .where(Received.invoice_id == invoice_id, Received.tenant_id == tenant_id, was)
        .values(processed_at=at, processed_by=by)
    )
    return bool(changed.rowcount)
