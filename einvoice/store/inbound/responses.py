"""Responses of tenants to bills: storing, settling and reading them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.store.account.idempotency import KeyScope
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.core.upserts import upsert
from einvoice.store.tables import BillResponse, IdempotencyKey, Received


@dataclass(frozen=True, slots=True)
class ResponseRecord:
    """A response and how far its delivery has got."""

    id: str
    tenant_id: str
    environment: str
    invoice_id: str
    message_id: str
    code: str
    content: Mapping[str, Any]
    status: str
    reason: str | None
    created_by: str
    created_at: datetime
    settled_at: datetime | None


_RECORD = RecordColumns(ResponseRecord, BillResponse)


def lock_bill(connection: Connection, invoice_id: str, tenant_id: str) -> int:
    """Lock a bill until the commit; the number of its responses."""
    locked = select(Received.invoice_id).where(
        Received.invoice_id == invoice_id, Received.tenant_id == tenant_id
    )
    connection.execute(locked.with_for_update())
    counted = select(sa.func.count()).where(BillResponse.invoice_id == invoice_id)
    return int(connection.execute(counted).scalar_one())


def take_key(
    connection: Connection, scope: KeyScope, fingerprint: str, response: ResponseRecord
) -> bool:
    """Take an Idempotency-Key for a response; False if it is taken."""
    values = {name: getattr(scope, name) for name in KeyScope.__slots__} | {
        "fingerprint": fingerprint,
        "invoice_id": response.invoice_id,
        "transmission_id": response.id,
        "created_at": response.created_at,
    }
    once = upsert(connection, IdempotencyKey).values(values).on_conflict_do_nothing()
    return connection.execute(once.returning(IdempotencyKey.key)).one_or_none() is not None


def add(connection: Connection, response: ResponseRecord) -> None:
    """Store a response inside the caller's transaction."""
    values = {field.name: getattr(response, field.name) for field in fields(ResponseRecord)}
    connection.execute(sa.insert(BillResponse).values(values))


def settle(
    connection: Connection, message_id: str, status: str, reason: str | None, at: datetime
) -> ResponseRecord | None:
    """Store the outcome of the response of a message, once; None if the message has no response,
    or it was settled before."""
    settled = (
        update(BillResponse)
        .where(
            BillResponse.message_id == message_id,
            BillResponse.status == NetworkStatus.PROCESSING.value,
        )
        .values(status=status, reason=reason, settled_at=at)
        .returning(*_RECORD.returning())
    )
    return _RECORD.one_or_none(connection.execute(settled))


def find(response_id: str, tenant_id: str) -> ResponseRecord | None:
    """The tenant's response with this id."""
    query = _RECORD.select().where(
        BillResponse.id == response_id, BillResponse.tenant_id == tenant_id
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def of_invoice(invoice_id: str) -> list[ResponseRecord]:
    """The responses to a bill, oldest first. The caller has checked the tenant."""
    query = _RECORD.select().where(BillResponse.invoice_id == invoice_id)
    ordered = query.order_by(BillResponse.created_at, BillResponse.id)
    with db.reading_by_key() as connection:
        return _RECORD.all(connection.execute(ordered))


def newest(invoice_ids: Sequence[str]) -> dict[str, ResponseRecord]:
    """The newest response of each bill that has one. The caller has checked the tenant."""
    if not invoice_ids:
        return {}
    query = _RECORD.select().where(BillResponse.invoice_id.in_(invoice_ids))
    ordered = query.order_by(BillResponse.created_at, BillResponse.id)
    with db.reading_by_key() as connection:
        found = _RECORD.all(connection.execute(ordered))
    return {response.invoice_id: response for response in found}
