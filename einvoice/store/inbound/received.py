"""Received documents: storing each message once, reading them, marking them as processed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa
from sqlalchemy import Integer, column, null, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import Connection
from sqlalchemy.sql.dml import Insert

from einvoice.domain.delivery import NetworkStatus, Phase
from einvoice.domain.invoice_head import InvoiceHead
from einvoice.domain.trace import Trace
from einvoice.store import outbox
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.inbound import responses
from einvoice.store.inbound.responses import ResponseRecord
from einvoice.store.sending.new_documents import (
    Addressing,
    DocumentContent,
    columns,
    columns_of,
    insert,
    rows_of,
)
from einvoice.store.tables import Invoice, Outbox, Received, Transmission
from einvoice.store.tables.received import SENDERS_ID


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
    reused_id      the sender's id, if it had used it for another document before; `key` has an own
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
    reused_id: str | None = None


def add_many(connection: Connection, new: Sequence[NewReceived]) -> set[str]:
    """Store documents inside the caller's transaction; invoice ids of those whose message is new.

    Of two concurrent calls with a message the second waits here for the first one's commit. A
    received document has one transmission, which is settled from the start.
    """
    values = {one.invoice_id: _values(one) for one in new}
    first = _insert_messages(connection, list(values.values()))
    added = [row for invoice_id, row in values.items() if invoice_id in first]
    insert(connection, Invoice, [row | {"id": row["invoice_id"]} for row in added])
    insert(connection, Transmission, [row | {"id": row["transmission_id"]} for row in added])
    return first


def _values(new: NewReceived) -> dict[str, Any]:
    """The values of all rows of a document, by column; `sender` and `receiver` as displayed."""
    return {
        **columns(new.head, new.addressing, new.content),
        **columns(new),
        "direction": "received",
        "status": NetworkStatus.RECEIVED.value,
        "phase": Phase.DONE.value,
        "message_id": new.reused_id or new.key.instance_id,
        "retry_until": new.created_at,
        "listed_at": new.created_at,
    }


def _insert_messages(connection: Connection, values: Sequence[Mapping[str, Any]]) -> set[str]:
    """Insert the messages that are not known, in the order of their keys: transactions that insert
    the same ones wait for each other in one direction. The invoice ids of those inserted."""
    keyed = sorted(values, key=lambda row: astuple(row["key"]))
    new = rows_of(Received, [{**row, **columns(row["key"])} for row in keyed])
    connection.execute(_once(connection.dialect.name), new)
    inserted = connection.execute(_INSERTED, {"ids": [row["invoice_id"] for row in new]})
    return set(inserted.scalars())


@cache
def _once(dialect: str) -> Insert:
    """The statement that inserts messages unless they are known.

    Without RETURNING, so that one statement is prepared for any number of messages.
    """
    of_dialect: Any = postgresql if dialect == "postgresql" else sqlite
    once: Insert = of_dialect.insert(Received).on_conflict_do_nothing()
    return once


_INSERTED = select(Received.invoice_id).where(rows.in_parameter(Received.invoice_id, "ids"))


@dataclass(frozen=True, slots=True)
class KnownMessage:
    """A message that was received before."""

    invoice_id: str
    sha256: str
    receipt: bytes | None


_KNOWN = RecordColumns(KnownMessage, Received)
_POSITION = column("n", Integer)  # of a row in the parameter of a statement


def known(key: MessageKey) -> KnownMessage | None:
    query = _KNOWN.select().where(
        Received.access_point == key.access_point,
        Received.instance_id == key.instance_id,
        Received.sender == key.sender,
        Received.receiver == key.receiver,
    )
    with db.reading() as connection:
        return _KNOWN.one_or_none(connection.execute(query))


_KNOWN_AMONG = """
SELECT x.n, received.invoice_id, received.sha256, received.receipt FROM {rows}
JOIN received ON received.access_point = x.access_point AND received.instance_id = x.instance_id
AND received.sender = x.sender AND received.receiver = x.receiver
"""
_KEY_COLUMNS = {"n": rows.INT} | dict.fromkeys(MessageKey.__slots__, rows.TEXT)


def known_among(keys: Sequence[MessageKey]) -> dict[MessageKey, KnownMessage]:
    """The messages of these keys that were received before."""
    asked = [{"n": n, **columns(key)} for n, key in enumerate(keys)]
    with db.reading_by_key() as connection:
        found = rows.execute(
            connection, _KNOWN_AMONG, _KEY_COLUMNS, asked, [_POSITION, *_KNOWN.returning()]
        )
        return {keys[n]: _KNOWN.of_values(values) for n, *values in map(tuple, found)}


def instance_id(invoice_id: str, tenant_id: str) -> str | None:
    """The network's id of the message with which an invoice of the tenant came."""
    query = select(SENDERS_ID).where(
        Received.invoice_id == invoice_id, Received.tenant_id == tenant_id
    )
    with db.reading() as connection:
        return connection.execute(query).scalar_one_or_none()


class SenderNumber(NamedTuple):
    """The condition of a possible duplicate, of another document than `besides`.

    `year` of its date of issue; None: it is not known, and any year counts.
    """

    tenant_id: str
    environment: str
    sender: str
    number: str
    kind: str
    year: int | None
    besides: str = ""


_NUMBERS_AMONG = """
SELECT x.n FROM {rows} WHERE EXISTS (
    SELECT 1 FROM invoices WHERE invoices.tenant_id = x.tenant_id
    AND invoices.environment = x.environment AND invoices.number = x.number
    AND invoices.sender = x.sender AND invoices.direction = 'received'
    AND invoices.kind = x.kind
    AND (invoices.issue_date IS NULL OR x.year IS NULL
         OR invoices.issue_date BETWEEN x.begin_of_year AND x.end_of_year)
    AND invoices.id <> x.besides)
"""
_NUMBER_COLUMNS = dict.fromkeys(SenderNumber._fields, rows.TEXT) | {
    "n": rows.INT, "year": rows.INT, "begin_of_year": rows.DATE, "end_of_year": rows.DATE,
}  # fmt: skip


def numbers_among(numbers: Sequence[SenderNumber]) -> set[SenderNumber]:
    """Those with which a document was received before."""
    if not numbers:
        return set()
    asked = [
        {
            "n": n,
            **number._asdict(),
            "begin_of_year": f"{number.year or 1:04}-01-01",
            "end_of_year": f"{number.year or 1:04}-12-31",
        }
        for n, number in enumerate(numbers)
    ]
    with db.reading_by_key() as connection:
        found = rows.execute(connection, _NUMBERS_AMONG, _NUMBER_COLUMNS, asked)
        return {numbers[n] for n in found.scalars()}


def sender_of(transmission_id: str, environment: str) -> str | None:
    """The tenant of the transmission, if it was sent in the environment."""
    query = select(Transmission.tenant_id).where(
        Transmission.id == transmission_id, Transmission.environment == environment
    )
    with db.reading() as connection:
        found: str | None = connection.execute(query).scalar()
    return found


@dataclass(frozen=True, slots=True)
class UnjudgedDocument:
    """A received document that was stored unread, and what its message says.

    sender, receiver          as displayed
    sender_key, receiver_key  in canonical spelling
    number to supplier_country  as the list of a mailbox states them
    warnings  in the form in which they are stored
    """

    invoice_id: str
    tenant_id: str
    environment: str
    access_point: str
    instance_id: str
    sender_key: str
    receiver_key: str
    sender: str
    receiver: str | None
    document_type: str
    process: str
    original: bytes
    connection_id: str | None
    inbound_state: dict[str, str] | None
    created_at: datetime
    reused_id: str | None
    warnings: list[dict[str, Any]]
    number: str | None
    issue_date: date | None
    currency: str | None
    subtotal: Decimal | None
    tax_amount: Decimal | None
    grand_total: Decimal | None
    supplier_name: str | None
    supplier_tax_id: str | None
    supplier_country: str | None


_UNJUDGED = RecordColumns(
    UnjudgedDocument,
    Received,
    sender_key=Received.sender,
    receiver_key=Received.receiver,
    sender=Invoice.sender,
    receiver=Invoice.receiver,
    original=Invoice.original,
    warnings=Invoice.warnings,
    number=Invoice.number,
    issue_date=Invoice.issue_date,
    currency=Invoice.currency,
    subtotal=Invoice.subtotal,
    tax_amount=Invoice.tax_amount,
    grand_total=Invoice.grand_total,
    supplier_name=Invoice.supplier_name,
    supplier_tax_id=Invoice.supplier_tax_id,
    supplier_country=Invoice.supplier_country,
)
# What is found out by reading a document; the rest of a row is from its message.
_READ = (
    (
        Invoice,
        sa.and_(Invoice.id == sa.bindparam("of"), Invoice.tenant_id == sa.bindparam("owner")),
        {*columns_of(InvoiceHead), *columns_of(DocumentContent)} - {"original"},
    ),
    (
        Transmission,
        sa.and_(
            Transmission.invoice_id == sa.bindparam("of"),
            Transmission.tenant_id == sa.bindparam("owner"),
        ),
        {"sender_country", "receiver_country"},
    ),
    (
        Received,
        sa.and_(
            Received.invoice_id == sa.bindparam("of"), Received.tenant_id == sa.bindparam("owner")
        ),
        {"syntax", "supplier_id", "gl_account_code", "customer_id"},
    ),
)


def unjudged(invoice_id: str) -> UnjudgedDocument | None:
    """A document of any tenant, for workers."""
    query = _UNJUDGED.select().join(Invoice, Invoice.id == Received.invoice_id)
    with db.reading() as connection:
        return _UNJUDGED.one_or_none(
            connection.execute(query.where(Received.invoice_id == invoice_id))
        )


def is_to_be_judged(invoice_id: str) -> bool:
    """Whether a worker is to judge the document, which was stored unread."""
    query = select(Outbox.id).where(
        Outbox.subject_id == invoice_id, Outbox.kind == outbox.JUDGEMENT
    )
    with db.reading() as connection:
        return connection.execute(query.limit(1)).first() is not None


def judge(connection: Connection, invoice_id: str, new: NewReceived) -> None:
    """Write what was found out by reading a stored document, in the caller's transaction.

    The account to which its tenant has booked it meanwhile stays.
    """
    account = sa.func.coalesce(Received.gl_account_code, new.gl_account_code)
    values = _values(new) | {"gl_account_code": account}
    for table, is_its_row, names in _READ:
        written = {name: values[name] for name in names if name in table.__table__.columns}
        its = {"of": invoice_id, "owner": new.tenant_id}
        connection.execute(update(table).where(is_its_row).values(written), its)


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
    """The bills among the invoices. The caller has checked the tenant."""
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


def set_account(
    connection: Connection, invoice_id: str, tenant_id: str, gl_account_code: str | None
) -> bool:
    """Book the bill to another account; False if it is booked to it already."""
    changed = connection.execute(
        update(Received)
        .where(
            Received.invoice_id == invoice_id,
            Received.tenant_id == tenant_id,
            Received.gl_account_code.is_distinct_from(gl_account_code),
        )
        .values(gl_account_code=gl_account_code)
    )
    return bool(changed.rowcount)


def used_accounts(tenant_id: str, environment: str, sender: str | None, most: int) -> list[str]:
    """The GL accounts of the newest `most` bills that are booked, the newest first, each once.

    sender  of which they are; None: of any
    """
    query = (
        select(Received.gl_account_code)
        .where(Received.tenant_id == tenant_id, Received.environment == environment)
        .order_by(Received.created_at.desc(), Received.invoice_id.desc())
        .limit(most)
    )
    if sender is None:
        query = query.where(Received.processed_at.is_not(None))
    else:
        its = (Invoice.id == Received.invoice_id) & (Invoice.sender == sender)
        own = (Invoice.tenant_id == tenant_id) & (Invoice.environment == environment)
        query = query.join(Invoice, its & own)
    with db.reading() as connection:
        found = connection.execute(query).scalars()
        return list(dict.fromkeys(code for code in found if code))


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
