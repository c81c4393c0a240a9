"""The deliveries of webhooks: what is due, the log, and what attempts say of their endpoints."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import and_, delete, exists, func, select, tuple_, update
from sqlalchemy.engine import Connection
from sqlalchemy.orm import aliased

from einvoice.domain.trace import Trace
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Event, Invoice, Outbox, WebhookDelivery, WebhookEndpoint
from einvoice.store.webhooks import events
from einvoice.store.webhooks.events import ACTIVE as ACTIVE
from einvoice.store.webhooks.events import DISABLED as DISABLED


@dataclass(frozen=True, slots=True)
class DeliveryRecord:
    """The log record of decisions 4."""

    id: str
    endpoint_id: str
    event_id: str
    event_type: str
    status: str
    trigger: str
    attempts: int
    status_code: int | None
    last_error: str | None
    duration_ms: int | None
    response_excerpt: str | None
    next_retry_at: datetime | None
    delivered_at: datetime | None
    created_at: datetime


_DELIVERY = RecordColumns(DeliveryRecord, WebhookDelivery)


# -- endpoints -------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EndpointState:
    """The result of a group of attempts for an endpoint. `working` None: they do not count."""

    id: str
    working: bool | None
    responsive: bool
    timeouts: int
    backoff_until: datetime | None


_KEEP = (
    select(WebhookEndpoint.id)
    .where(rows.in_parameter(WebhookEndpoint.id, "ids"))
    .order_by(WebhookEndpoint.id)
    .with_for_update(read=True, key_share=True)
)


def keep_endpoints(connection: Connection, endpoint_ids: Collection[str]) -> None:
    """Let no endpoint be deleted until the end of the transaction.

    Deleting one locks it first, then its outbox rows and deliveries; who changes these first and
    the endpoint afterwards would wait for each other. Claiming deliveries is not delayed.
    """
    connection.execute(_KEEP, {"ids": sorted(endpoint_ids)})


_NOTE = """
UPDATE webhook_endpoints SET
    failing_since = CASE WHEN x.working IS NULL THEN failing_since WHEN x.working THEN NULL
        ELSE coalesce(failing_since, :now) END,
    responsive = x.responsive, timeouts = x.timeouts, backoff_until = x.backoff_until
FROM {rows} WHERE webhook_endpoints.id = x.id AND (
    webhook_endpoints.responsive IS NULL OR webhook_endpoints.responsive <> x.responsive
    OR coalesce(webhook_endpoints.timeouts, 0) <> x.timeouts OR x.timeouts > 0
    OR (x.working IS NOT NULL AND x.working <> (webhook_endpoints.failing_since IS NULL)))
"""
_STATE_COLUMNS = {
    "id": rows.TEXT,
    "working": rows.BOOL,
    "responsive": rows.BOOL,
    "timeouts": rows.INT,
    "backoff_until": rows.MOMENT,
}


def note_states(connection: Connection, states: Iterable[EndpointState], now: datetime) -> None:
    """Record the states that differ from what is stored; `now` begins a run of failures."""
    given = [asdict(one) for one in sorted(states, key=lambda one: one.id)]
    if given:
        rows.execute(connection, _NOTE, _STATE_COLUMNS, given, now=now)


def disable(
    connection: Connection,
    endpoint_ids: Collection[str],
    *,
    reason: str,
    now: datetime,
    failing_before: datetime | None = None,
) -> list[tuple[str, str, str]]:
    """Switch active endpoints off (only those failing since `failing_before`, where given).

    Answers (id, tenant id, environment) of those that were switched off by this.
    """
    if not endpoint_ids:
        return []
    which = WebhookEndpoint.status == ACTIVE
    if failing_before is not None:
        which = and_(which, WebhookEndpoint.failing_since <= failing_before)
    found = connection.execute(
        update(WebhookEndpoint)
        .where(WebhookEndpoint.id.in_(sorted(endpoint_ids)), which)
        .values(status=DISABLED, disabled_reason=reason, updated_at=now)
        .returning(WebhookEndpoint.id, WebhookEndpoint.tenant_id, WebhookEndpoint.environment)
    )
    return [(row.id, row.tenant_id, row.environment) for row in found]


# -- deliveries ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DueDelivery:
    """A delivery in a worker's hands, with all that one attempt needs."""

    outbox_id: int
    id: str
    attempts: int
    trigger: str
    event_id: str
    event_type: str
    invoice_id: str | None
    payload: Mapping[str, Any]
    metadata: Mapping[str, str | None] | None
    trace: Trace | None
    event_at: datetime
    endpoint_id: str
    environment: str
    url: str
    endpoint_status: str
    timeouts: int | None
    token: str
    lease_until: datetime
    secret: bytes
    signing_secret: bytes
    old_signing_secret: bytes | None
    old_signing_until: datetime | None
    older_signing_secret: bytes | None
    older_signing_until: datetime | None


_DUE = RecordColumns(
    DueDelivery,
    WebhookEndpoint,
    outbox_id=Outbox.id,
    id=WebhookDelivery.id,
    attempts=WebhookDelivery.attempts,
    trigger=WebhookDelivery.trigger,
    event_id=Event.id,
    event_type=Event.type,
    invoice_id=Event.invoice_id,
    payload=Event.payload,
    # A subquery, not a join: PostgreSQL reads one invoice by its key for each delivery.
    metadata=select(Invoice.sender_metadata)
    .where(Invoice.id == Event.invoice_id)
    .scalar_subquery(),
    trace=events.CAUSING_TRACE,
    event_at=Event.created_at,
    endpoint_id=WebhookEndpoint.id,
    endpoint_status=WebhookEndpoint.status,
    token=Outbox.token,
    lease_until=Outbox.lease_until,
)
_SELECT_DUE = (
    _DUE.select()
    .select_from(Outbox)
    .join(WebhookDelivery, WebhookDelivery.id == Outbox.subject_id)
    .join(WebhookEndpoint, WebhookEndpoint.id == WebhookDelivery.endpoint_id)
    .join(Event, Event.id == WebhookDelivery.event_id)
)


def due(outbox_ids: Sequence[int], token: str, now: datetime) -> list[DueDelivery]:
    """The deliveries that the holder of the token may attempt, longest owed first."""
    query = _SELECT_DUE.where(
        rows.in_values(Outbox.id, outbox_ids), Outbox.token == token, Outbox.lease_until > now
    ).order_by(Outbox.id)
    with db.reading() as connection:
        return _DUE.all(connection.execute(query))


def drop_orphans(outbox_ids: Sequence[int], token: str) -> int:
    """Forget work whose delivery or event is gone; how many rows that were."""
    still = (
        exists()
        .where(WebhookDelivery.id == Outbox.subject_id, Event.id == WebhookDelivery.event_id)
        .correlate(Outbox)
    )
    with db.writing() as connection:
        gone = delete(Outbox).where(
            rows.in_values(Outbox.id, outbox_ids), Outbox.token == token, ~still
        )
        return connection.execute(gone).rowcount


@dataclass(frozen=True, slots=True)
class DeliveryAttempt:
    """The columns of the log after an attempt."""

    id: str
    status: str
    attempts: int
    status_code: int | None
    last_error: str | None
    duration_ms: int | None
    response_excerpt: str | None
    next_retry_at: datetime | None
    delivered_at: datetime | None


_LOG_ATTEMPTS = """
UPDATE webhook_deliveries SET status = x.status, attempts = x.attempts,
    status_code = x.status_code, last_error = x.last_error, duration_ms = x.duration_ms,
    response_excerpt = x.response_excerpt, next_retry_at = x.next_retry_at,
    delivered_at = x.delivered_at
FROM {rows} WHERE webhook_deliveries.id = x.id
"""
_ATTEMPT_COLUMNS = {
    "id": rows.TEXT,
    "status": rows.TEXT,
    "attempts": rows.INT,
    "status_code": rows.INT,
    "last_error": rows.TEXT,
    "duration_ms": rows.INT,
    "response_excerpt": rows.TEXT,
    "next_retry_at": rows.MOMENT,
    "delivered_at": rows.MOMENT,
}


def log_attempts(connection: Connection, attempted: Iterable[DeliveryAttempt]) -> None:
    """Store the results of attempts."""
    made = [{name: getattr(a, name) for name in _ATTEMPT_COLUMNS} for a in attempted]
    if made:
        rows.execute(connection, _LOG_ATTEMPTS, _ATTEMPT_COLUMNS, made)


def find_delivery(
    connection: Connection, tenant_id: str, endpoint_id: str, delivery_id: str
) -> DeliveryRecord | None:
    """A delivery of an endpoint of the tenant."""
    query = _DELIVERY.select().where(
        WebhookDelivery.endpoint_id == endpoint_id,
        WebhookDelivery.id == delivery_id,
        WebhookDelivery.tenant_id == tenant_id,
    )
    return _DELIVERY.one_or_none(connection.execute(query))


@dataclass(frozen=True, slots=True)
class EventDelivery:
    """The state of one event at one endpoint."""

    event_id: str
    endpoint_id: str
    url: str
    status: str
    attempts: int
    status_code: int | None


def deliveries_of_events(tenant_id: str, event_ids: Collection[str]) -> list[EventDelivery]:
    """The deliveries of these events of the tenant to the endpoints that it has, oldest first."""
    if not event_ids:
        return []
    query = (
        select(
            WebhookDelivery.event_id,
            WebhookDelivery.endpoint_id,
            WebhookEndpoint.url,
            WebhookDelivery.status,
            WebhookDelivery.attempts,
            WebhookDelivery.status_code,
        )
        .join(WebhookEndpoint, WebhookEndpoint.id == WebhookDelivery.endpoint_id)
        .where(
            rows.in_values(WebhookDelivery.event_id, sorted(event_ids)),
            WebhookDelivery.tenant_id == tenant_id,
        )
        .order_by(WebhookDelivery.created_at, WebhookDelivery.id)
    )
    with db.reading_by_key() as connection:
        return [EventDelivery(*row) for row in connection.execute(query)]


def documents_of_events(tenant_id: str, event_ids: Collection[str]) -> dict[str, tuple[str, str]]:
    """Id and number of the document of each of these events that is still stored and has one."""
    query = (
        select(Event.id, Event.invoice_id, Invoice.number)
        .join(Invoice, Invoice.id == Event.invoice_id)
        .where(rows.in_values(Event.id, sorted(event_ids)), Event.tenant_id == tenant_id)
    )
    with db.reading_by_key() as connection:
        found = connection.execute(query).all() if event_ids else []
    return {event: (invoice, number or "") for event, invoice, number in found if invoice}


@dataclass(frozen=True, slots=True)
class LogFilter:
    """Which deliveries of an endpoint are listed; None means any."""

    tenant_id: str
    endpoint_id: str
    status: str | None = None
    event_id: str | None = None
    invoice_id: str | None = None


def page_of_deliveries(
    wanted: LogFilter, *, limit: int, before: tuple[datetime, str] | None
) -> list[DeliveryRecord]:
    """The log, newest first; `before` is (created_at, id) of the last one seen."""
    delivery = _logged(wanted)
    query = (
        RecordColumns(DeliveryRecord, delivery)
        .select()
        .where(delivery.endpoint_id == wanted.endpoint_id, delivery.tenant_id == wanted.tenant_id)
    )
    if wanted.status is not None:
        query = query.where(delivery.status == wanted.status)
    if before is not None:
        query = query.where(tuple_(delivery.created_at, delivery.id) < before)
    newest = query.order_by(delivery.created_at.desc(), delivery.id.desc()).limit(limit)
    with db.reading_by_key() as connection:
        return _DELIVERY.all(connection.execute(newest))


@dataclass(frozen=True, slots=True)
class DeliveryCount:
    """The newest deliveries of an endpoint with this status, and the next attempt among them."""

    status: str
    deliveries: int
    next_retry_at: datetime | None


def newest_counts(
    tenant_id: str, endpoint_id: str, since: datetime, most: int
) -> list[DeliveryCount]:
    """The counts by status of the newest `most` deliveries that were begun since then."""
    newest = (
        select(WebhookDelivery.status, WebhookDelivery.next_retry_at)
        .where(
            WebhookDelivery.endpoint_id == endpoint_id,
            WebhookDelivery.tenant_id == tenant_id,
            WebhookDelivery.created_at >= since,
        )
        .order_by(WebhookDelivery.created_at.desc())
        .limit(most)
        .subquery()
    )
    query = select(newest.c.status, func.count(), func.min(newest.c.next_retry_at)).group_by(
        newest.c.status
    )
    with db.reading_by_key() as connection:
        return [DeliveryCount(*row) for row in connection.execute(query)]


def _logged(wanted: LogFilter) -> Any:
    """The deliveries to choose from: all, or of an event or an invoice, found by its index.

    Materialised, so that PostgreSQL does not read the whole log of the endpoint in its order.
    """
    conditions = []
    if wanted.event_id is not None:
        conditions.append(WebhookDelivery.event_id == wanted.event_id)
    if wanted.invoice_id is not None:
        event = events.of_invoice(wanted.invoice_id)
        its_events = select(event.c.id).where(event.c.tenant_id == wanted.tenant_id)
        conditions.append(rows.in_subquery(WebhookDelivery.event_id, its_events))
    if not conditions:
        return WebhookDelivery
    found = select(WebhookDelivery).where(*conditions).cte("found")
    return aliased(WebhookDelivery, found.prefix_with("MATERIALIZED"))


def forget_before(connection: Connection, moment: datetime, pending: str, limit: int) -> int:
    """Delete up to `limit` log records made before the moment that are not `pending`."""
    old = (
        select(WebhookDelivery.id)
        .where(WebhookDelivery.created_at < moment, WebhookDelivery.status != pending)
        .order_by(WebhookDelivery.created_at)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(delete(WebhookDelivery).where(WebhookDelivery.id.in_(old))).rowcount
