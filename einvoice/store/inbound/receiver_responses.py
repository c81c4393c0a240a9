"""Responses of receivers to sent invoices: storing, reading, and what a person has done with them.

Each response is a row. The one that counts is named by the transmission (`response_id`), with its
status and whether a person has to see it, so that lists find them by one index.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa
from sqlalchemy import select, update
from sqlalchemy.engine import Connection

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import ReceiverResponse, Transmission


@dataclass(frozen=True, slots=True)
class ReceiverResponseRecord:
    """A response of the receiver.

    status      one of domain/responses.ResponseStatus
    at          when the receiver said it; `created_at`: when it arrived
    done_at     when a person has said that nothing is left to do about it
    """

    id: str
    tenant_id: str
    environment: str
    invoice_id: str
    transmission_id: str
    status: str
    at: datetime
    by: str | None
    reasons: Sequence[str]
    text: str | None
    created_at: datetime
    done_at: datetime | None = None
    done_by: str | None = None


_RECORD = RecordColumns(ReceiverResponseRecord, ReceiverResponse)


def lock(connection: Connection, transmission_id: str) -> None:
    """Lock the transmission until the commit: its responses are stored one after the other."""
    locked = select(Transmission.id).where(Transmission.id == transmission_id)
    connection.execute(locked.with_for_update())


def current(connection: Connection, transmission_id: str) -> ReceiverResponseRecord | None:
    """The response of a transmission that counts."""
    query = _RECORD.select().join(Transmission, Transmission.response_id == ReceiverResponse.id)
    return _RECORD.one_or_none(connection.execute(query.where(Transmission.id == transmission_id)))


def add(
    connection: Connection, response: ReceiverResponseRecord, *, counts: bool, needs_person: bool
) -> None:
    """Store a response; `counts`: as the response of its transmission."""
    values = {name: getattr(response, name) for name in ReceiverResponseRecord.__slots__}
    connection.execute(sa.insert(ReceiverResponse).values(values))
    if not counts:
        return
    changes: dict[str, object] = {"response_id": response.id, "response_status": response.status}
    if needs_person:
        changes["response_attention"] = True
    connection.execute(
        update(Transmission).where(Transmission.id == response.transmission_id).values(changes)
    )


def of_invoice(invoice_id: str, tenant_id: str) -> list[ReceiverResponseRecord]:
    """The responses to an invoice of the tenant, in the order of their arrival."""
    query = _RECORD.select().where(
        ReceiverResponse.invoice_id == invoice_id, ReceiverResponse.tenant_id == tenant_id
    )
    with db.reading() as connection:
        ordered = query.order_by(ReceiverResponse.created_at, ReceiverResponse.id)
        return _RECORD.all(connection.execute(ordered))


def by_id(ids: Collection[str], tenant_id: str) -> Mapping[str, ReceiverResponseRecord]:
    """The tenant's responses with these ids, by the invoice."""
    if not ids:
        return {}
    query = _RECORD.select().where(
        ReceiverResponse.tenant_id == tenant_id, rows.in_values(ReceiverResponse.id, sorted(ids))
    )
    with db.reading_by_key() as connection:
        return {found.invoice_id: found for found in _RECORD.all(connection.execute(query))}


def end_attention(
    connection: Connection, transmission_id: str, tenant_id: str, at: datetime, by: str
) -> bool:
    """Store that a person has done what the responses need; False if it is stored already."""
    ended = (
        update(Transmission)
        .where(
            Transmission.id == transmission_id,
            Transmission.tenant_id == tenant_id,
            Transmission.response_attention.is_(True),
        )
        .values(response_attention=False)
    )
    if not connection.execute(ended).rowcount:
        return False
    connection.execute(
        update(ReceiverResponse)
        .where(
            ReceiverResponse.id == _current_id(transmission_id),
            ReceiverResponse.tenant_id == tenant_id,
        )
        .values(done_at=at, done_by=by)
    )
    return True


def _current_id(transmission_id: str) -> sa.ScalarSelect[str | None]:
    named = select(Transmission.response_id).where(Transmission.id == transmission_id)
    return named.scalar_subquery()
