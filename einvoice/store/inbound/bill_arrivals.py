"""Messages with a document that another network has brought before: one bill, two arrivals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.inbound.received import KnownMessage, MessageKey
from einvoice.store.invoices import blocks
from einvoice.store.invoices.blocks import Counted
from einvoice.store.tables import BillArrival, Invoice, Received, Transmission

_MOST = 2000  # bills that are compared at a time


@dataclass(frozen=True, slots=True)
class ArrivalRecord:
    """A further arrival of a bill. `replaced_id`: the bill that it was before."""

    id: str
    tenant_id: str
    environment: str
    invoice_id: str
    replaced_id: str | None
    access_point: str
    sender: str
    receiver: str
    instance_id: str
    sha256: str
    created_at: datetime


@dataclass(frozen=True, slots=True)
class Candidate:
    """A bill that may be the same document.

    is_followed  whether its access point gets notices about it
    """

    invoice_id: str
    transmission_id: str
    tenant_id: str
    environment: str
    access_point: str
    is_followed: bool
    number: str
    kind: str
    issue_date: date | None
    currency: str | None
    grand_total: Decimal | None
    supplier_tax_id: str | None
    supplier_id: str | None


_RECORD = RecordColumns(ArrivalRecord, BillArrival)
_CANDIDATE = RecordColumns(
    Candidate,
    Received,
    transmission_id=Transmission.id,
    is_followed=sa.or_(Received.inbound_state.is_not(None), Received.connection_id.is_(None)),
    number=Invoice.number,
    kind=Invoice.kind,
    issue_date=Invoice.issue_date,
    currency=Invoice.currency,
    grand_total=Invoice.grand_total,
    supplier_tax_id=Invoice.supplier_tax_id,
)


def candidates(tenant_ids: Sequence[str], numbers: Sequence[str]) -> list[Candidate]:
    """Listed bills of these tenants with these numbers, the newest first."""
    if not numbers:
        return []
    query = (
        _CANDIDATE.select()
        .join(Invoice, Invoice.id == Received.invoice_id)
        .join(Transmission, Transmission.id == Invoice.transmission_id)
        .where(
            rows.in_values(Invoice.tenant_id, sorted(set(tenant_ids))),
            Invoice.environment.in_(("live", "test")),
            rows.in_values(Invoice.number, sorted(set(numbers))),
            Invoice.direction == "received",
            Transmission.listed_at.is_not(None),
        )
        .order_by(Invoice.created_at.desc(), Invoice.id.desc())
        .limit(_MOST)
    )
    with db.reading_by_key() as connection:
        return _CANDIDATE.all(connection.execute(query))


def add(connection: Connection, record: ArrivalRecord) -> bool:
    """Store an arrival, once for each message; whether it was new."""
    values = {name: getattr(record, name) for name in ArrivalRecord.__slots__}
    added = upsert(connection, BillArrival).values(values).on_conflict_do_nothing()
    return bool(connection.execute(added.returning(BillArrival.id)).first())


def known(key: MessageKey) -> KnownMessage | None:
    """The bill of a message that was a further arrival of it."""
    query = select(BillArrival.invoice_id, BillArrival.sha256).where(
        BillArrival.access_point == key.access_point,
        BillArrival.instance_id == key.instance_id,
        BillArrival.sender == key.sender,
        BillArrival.receiver == key.receiver,
    )
    with db.reading_by_key() as connection:
        found = connection.execute(query).first()
    return None if found is None else KnownMessage(found.invoice_id, found.sha256, None)


def known_among(keys: Sequence[MessageKey]) -> dict[MessageKey, KnownMessage]:
    """The bills of the messages of these keys that were further arrivals of them."""
    if not keys:
        return {}
    columns = [getattr(BillArrival, name) for name in MessageKey.__slots__]
    query = select(*columns, BillArrival.invoice_id, BillArrival.sha256).where(
        rows.in_values(BillArrival.access_point, sorted({each.access_point for each in keys})),
        rows.in_values(BillArrival.instance_id, sorted({each.instance_id for each in keys})),
        rows.in_values(BillArrival.receiver, sorted({each.receiver for each in keys})),
    )
    with db.reading_by_key() as connection:
        found = {
            MessageKey(*key): KnownMessage(invoice_id, sha256, None)
            for *key, invoice_id, sha256 in connection.execute(query)
        }
    return {key: found[key] for key in keys if key in found}


def of_invoice(invoice_id: str, tenant_id: str) -> list[ArrivalRecord]:
    """The further arrivals of a bill of the tenant, the first one first."""
    query = _RECORD.select().where(
        BillArrival.invoice_id == invoice_id, BillArrival.tenant_id == tenant_id
    )
    with db.reading_by_key() as connection:
        ordered = query.order_by(BillArrival.created_at, BillArrival.id)
        return _RECORD.all(connection.execute(ordered))


def take_place(
    connection: Connection, old: Candidate, new_id: str, arrival_id: str, now: datetime
) -> None:
    """Let a bill that was just stored take the place of another in lists, with what its tenant has
    done with it, in the caller's transaction."""
    before = connection.execute(
        select(Received).where(
            Received.invoice_id == old.invoice_id, Received.tenant_id == old.tenant_id
        )
    ).one()
    hidden = update(Transmission).where(
        Transmission.id == old.transmission_id,
        Transmission.tenant_id == old.tenant_id,
        Transmission.listed_at.is_not(None),
    )
    if not connection.execute(hidden.values(listed_at=None)).rowcount:
        return
    created_at = select(Invoice.created_at).where(
        Invoice.id == old.invoice_id, Invoice.tenant_id == old.tenant_id
    )
    counted = Counted(old.tenant_id, old.environment)
    blocks.reopen(connection, counted, connection.execute(created_at).scalar_one())
    connection.execute(
        update(Received)
        .where(Received.invoice_id == new_id, Received.tenant_id == old.tenant_id)
        .values(
            processed_at=before.processed_at,
            processed_by=before.processed_by,
            gl_account_code=before.gl_account_code or Received.gl_account_code,
        )
    )
    add(
        connection,
        ArrivalRecord(
            id=arrival_id,
            tenant_id=old.tenant_id,
            environment=old.environment,
            invoice_id=new_id,
            replaced_id=old.invoice_id,
            access_point=before.access_point,
            sender=before.sender,
            receiver=before.receiver,
            instance_id=before.instance_id,
            sha256=before.sha256,
            created_at=before.created_at,
        ),
    )
