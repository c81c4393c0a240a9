"""Letters to people: written, sent once, and what they say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import case, delete, func, insert, literal_column, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.letters import TYPES, WEBHOOK_DOWN_AFTER
from einvoice.store.core import db
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import IS_SOLD, Event, Invoice, Letter, WebhookEndpoint

QUEUED, SENDING = "queued", "sending"
SENT, REFUSED, UNKNOWN, DROPPED = "sent", "refused", "unknown", "dropped"


@dataclass(frozen=True, slots=True)
class LetterRecord:
    """A letter about events in (after, until], and webhooks that went down in (down_after,
    down_until]."""

    id: str
    tenant_id: str
    preferences_id: str
    state: str
    after: int
    until: int
    down_after: datetime
    down_until: datetime
    attempts: int
    reason: str | None
    created_at: datetime
    settled_at: datetime | None


@dataclass(frozen=True, slots=True)
class News:
    """An event, with the document that it is about."""

    sequence: int
    environment: str
    type: str
    payload: Mapping[str, Any]
    invoice_id: str | None
    number: str | None
    party: str | None


@dataclass(frozen=True, slots=True)
class DownWebhook:
    """A webhook whose deliveries fail."""

    id: str
    environment: str
    url: str
    failing_since: datetime


_RECORD = RecordColumns(LetterRecord, Letter)
_NEWS = RecordColumns(
    News,
    Event,
    number=Invoice.number,
    party=case((IS_SOLD, Invoice.buyer_name), else_=Invoice.supplier_name),
)
_DOWN = RecordColumns(DownWebhook, WebhookEndpoint)
_SELDOM = Event.type != literal_column("'transaction.sent'")


def add(connection: Connection, record: Mapping[str, Any]) -> None:
    """Add a letter with these columns."""
    connection.execute(insert(Letter).values(record))


def count_since(connection: Connection, preferences_id: str, since: datetime) -> int:
    """How many letters were written to a person since then."""
    query = select(func.count()).where(
        Letter.preferences_id == preferences_id, Letter.created_at > since
    )
    return connection.execute(query).scalar_one()


def find(connection: Connection, letter_id: str) -> LetterRecord | None:
    """The letter with this id, locked until the commit."""
    query = _RECORD.select().where(Letter.id == letter_id).with_for_update()
    return _RECORD.one_or_none(connection.execute(query))


def change(connection: Connection, letter_id: str, values: Mapping[str, Any]) -> None:
    """Change columns of a letter."""
    connection.execute(update(Letter).where(Letter.id == letter_id).values(values))


def of_digest(digest: str) -> LetterRecord | None:
    """The letter whose link has a token with this digest."""
    with db.reading() as connection:
        query = _RECORD.select().where(Letter.digest == digest)
        return _RECORD.one_or_none(connection.execute(query))


def newest(tenant_id: str, preferences_id: str) -> LetterRecord | None:
    """The newest letter to a person that was sent, or could not be."""
    query = (
        _RECORD.select()
        .where(
            Letter.tenant_id == tenant_id,
            Letter.preferences_id == preferences_id,
            Letter.settled_at.is_not(None),
        )
        .order_by(Letter.created_at.desc(), Letter.id.desc())
        .limit(1)
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def news(
    connection: Connection,
    tenant_id: str,
    environment: str,
    after: int,
    until: int | datetime,
    limit: int,
) -> Sequence[News]:
    """The newest events of the account in (after, until] that need somebody, newest first."""
    query = (
        _NEWS.select()
        .join(Invoice, Invoice.id == Event.invoice_id, isouter=True)
        .where(
            Event.tenant_id == tenant_id,
            Event.environment == environment,
            Event.type.in_(sorted(TYPES)),
            _SELDOM,
            Event.sequence > after,
            Event.created_at <= until if isinstance(until, datetime) else Event.sequence <= until,
        )
        .order_by(Event.sequence.desc())
        .limit(limit)
    )
    return _NEWS.all(connection.execute(query))


def went_down(
    connection: Connection, tenant_id: str, after: datetime, until: datetime, limit: int
) -> Sequence[DownWebhook]:
    """Webhooks of the account that fail since a moment in (after, until]; those that work again
    are left out."""
    query = (
        _DOWN.select()
        .where(
            WebhookEndpoint.tenant_id == tenant_id,
            WebhookEndpoint.failing_since > after,
            WebhookEndpoint.failing_since <= until,
        )
        .order_by(WebhookEndpoint.failing_since, WebhookEndpoint.id)
        .limit(limit)
    )
    return _DOWN.all(connection.execute(query))


def last_down(now: datetime) -> datetime:
    """Webhooks that fail since then, or longer, are down."""
    return now - WEBHOOK_DOWN_AFTER


def delete_before(connection: Connection, before: datetime, limit: int) -> int:
    """Delete the oldest letters of before a moment; how many."""
    old = select(Letter.id).where(Letter.created_at < before).order_by(Letter.created_at)
    ids = list(connection.execute(old.limit(limit)).scalars())
    connection.execute(delete(Letter).where(Letter.id.in_(ids)))
    return len(ids)
