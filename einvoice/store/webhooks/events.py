"""Events, and their deliveries: one for each subscribed endpoint.

For a tenant without endpoints an event costs one insert, however many come at once; the insert
itself answers which tenants have any.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import CTE, exists, func, select, tuple_
from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.events import ALL_TYPES, DEFAULT_TYPES, WEBHOOK_TEST
from einvoice.store.core import rows
from einvoice.store.tables import Event, Invoice, Transmission, WebhookDelivery, WebhookEndpoint

ACTIVE, DISABLED = "active", "disabled"  # statuses of an endpoint
PENDING, DELIVERED, FAILED = "pending", "delivered", "failed"
SCHEDULE, MANUAL, TEST = "schedule", "manual", "test"

# The trace of the request that caused the transmission of an event: the one that it names, or the
# newest one of its invoice. A subquery, which PostgreSQL answers by keys for each event.
_NEWEST_TRANSMISSION = (
    select(Invoice.transmission_id)
    .where(Invoice.id == Event.invoice_id)
    .correlate(Event)
    .scalar_subquery()
)
CAUSING_TRACE = (
    select(Transmission.trace)
    .where(
        Transmission.id
        == func.coalesce(
            Event.payload["transactionId"].as_string(),
            _NEWEST_TRANSMISSION,
        ),
        # That of a platform's event is its tenant's.
        Transmission.tenant_id
        == func.coalesce(Event.payload["tenantId"].as_string(), Event.tenant_id),
    )
    .correlate(Event)
    .scalar_subquery()
)


@dataclass(frozen=True, slots=True)
class NewEvent:
    """An event to store. `payload` holds the members of its type (decisions 4, catalogue)."""

    tenant_id: str
    environment: str
    type: str
    invoice_id: str | None
    payload: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """One event for one endpoint, due now."""

    tenant_id: str
    endpoint_id: str
    event_id: str
    event_type: str
    trigger: str = SCHEDULE


def emit(
    connection: Connection,
    *,
    tenant_id: str,
    environment: str,
    event_type: str,
    invoice_id: str | None,
    payload: Mapping[str, object],
) -> str:
    """Store one event and its deliveries inside the caller's transaction; returns its id."""
    event = NewEvent(tenant_id, environment, event_type, invoice_id, payload)
    return emit_many(connection, [event])[0]


def emit_many(connection: Connection, new: Sequence[NewEvent]) -> list[str]:
    """Store events and their deliveries; returns the ids in the order of the events."""
    if not new:
        return []
    now = clock.now()
    events = [(ids.event_id(now), event) for event in new]
    _emit(connection, events, now)
    return [event_id for event_id, _ in events]


def existing(connection: Connection, event_ids: Iterable[str]) -> set[str]:
    """The ids that events have among these."""
    query = select(Event.id).where(rows.in_values(Event.id, event_ids))
    return set(connection.execute(query).scalars())


def emit_once(connection: Connection, event_id: str, new: NewEvent) -> bool:
    """Store an event with this id, unless it exists. The caller holds a lock on its cause."""
    known = connection.execute(select(Event.id).where(Event.id == event_id)).scalar()
    if known is not None:
        return False
    _emit(connection, [(event_id, new)], clock.now())
    return True


def _emit(connection: Connection, events: Sequence[tuple[str, NewEvent]], now: datetime) -> None:
    """Store events with their deliveries, and each of a platform's tenant for the platform, too."""
    recorded = _record(connection, events, now)
    wanted = [(event_id, event) for event_id, event in events if recorded[event_id].is_heard]
    enqueue_deliveries(connection, _fan_out(connection, wanted), now)
    copies = [
        (ids.event_id(now), _of_platform(event, recorded[event_id]))
        for event_id, event in events
        if recorded[event_id].platform_id is not None
    ]
    if copies:
        _emit(connection, copies, now)


def _of_platform(event: NewEvent, recorded: _Recorded) -> NewEvent:
    """The event as its tenant's platform gets it: it says whose it is."""
    of = {"tenantId": event.tenant_id, "externalId": recorded.external_id}
    return replace(event, tenant_id=recorded.platform_id or "", payload={**event.payload, **of})


def record(connection: Connection, event: NewEvent, now: datetime) -> str:
    """Store an event without deliveries; returns its id."""
    event_id = ids.event_id(now)
    _record(connection, [(event_id, event)], now)
    return event_id


_RECORD = """
INSERT INTO events (id, tenant_id, environment, type, invoice_id, payload, created_at)
SELECT x.id, x.tenant_id, x.environment, x.type, x.invoice_id, x.payload, :now FROM {rows}
RETURNING events.id, EXISTS (
    SELECT 1 FROM webhook_endpoints AS listening WHERE listening.tenant_id = events.tenant_id
    AND listening.environment = events.environment AND listening.status = 'active'),
    (SELECT owned.platform_id FROM tenants AS owned WHERE owned.id = events.tenant_id),
    (SELECT owned.external_id FROM tenants AS owned WHERE owned.id = events.tenant_id)
"""


class _Recorded(NamedTuple):
    """Whether an endpoint of the tenant is active, and whose tenant it is."""

    is_heard: bool
    platform_id: str | None
    external_id: str | None


_EVENT_COLUMNS = {
    "id": rows.TEXT,
    "tenant_id": rows.TEXT,
    "environment": rows.TEXT,
    "type": rows.TEXT,
    "invoice_id": rows.TEXT,
    "payload": rows.JSON,
}


def _record(
    connection: Connection, events: Iterable[tuple[str, NewEvent]], now: datetime
) -> dict[str, _Recorded]:
    """Insert the events; returns the owners to notify, by id."""
    new = [_row(event_id, event) for event_id, event in events]
    found = rows.execute(connection, _RECORD, _EVENT_COLUMNS, new, now=now)
    return {one: _Recorded(bool(heard), *owner) for one, heard, *owner in map(tuple, found)}


def _row(event_id: str, event: NewEvent) -> dict[str, Any]:
    return {
        "id": event_id,
        "tenant_id": event.tenant_id,
        "environment": event.environment,
        "type": event.type,
        "invoice_id": event.invoice_id,
        "payload": dict(event.payload),
    }


def _fan_out(connection: Connection, events: Sequence[tuple[str, NewEvent]]) -> list[NewDelivery]:
    if not events:
        return []
    listening = _active_endpoints(connection, {(e.tenant_id, e.environment) for _, e in events})
    return [
        NewDelivery(event.tenant_id, endpoint_id, event_id, event.type)
        for event_id, event in events
        for endpoint_id, types in listening[event.tenant_id, event.environment]
        if wants(types, event.type)
    ]


def wants(event_types: Iterable[str], event_type: str) -> bool:
    """Whether an endpoint with these event types gets the event; no types means the defaults."""
    wanted = set(event_types) or DEFAULT_TYPES
    return ALL_TYPES in wanted or event_type in wanted


def _active_endpoints(
    connection: Connection, scopes: Iterable[tuple[str, str]]
) -> Mapping[tuple[str, str], list[tuple[str, list[str]]]]:
    """Active endpoints by tenant and environment, locked against deletion until the commit."""
    query = (
        select(
            WebhookEndpoint.tenant_id,
            WebhookEndpoint.environment,
            WebhookEndpoint.id,
            WebhookEndpoint.event_types,
        )
        .where(
            tuple_(WebhookEndpoint.tenant_id, WebhookEndpoint.environment).in_(sorted(scopes)),
            WebhookEndpoint.status == ACTIVE,
        )
        .with_for_update(read=True, key_share=True)
    )
    found = defaultdict(list)
    for tenant_id, environment, endpoint_id, types in connection.execute(query):
        found[tenant_id, environment].append((endpoint_id, types))
    return found


_DELIVERIES = """
INSERT INTO webhook_deliveries (id, tenant_id, endpoint_id, event_id, event_type, trigger,
    status, attempts, next_retry_at, created_at)
SELECT x.id, x.tenant_id, x.endpoint_id, x.event_id, x.event_type, x.trigger,
    'pending', 0, :now, :now FROM {rows}
"""
_ENQUEUE = """
INSERT INTO outbox (kind, lane, subject_id, tenant_id, endpoint_id, due_at)
SELECT 'webhook', 'webhooks', x.id, x.tenant_id, x.endpoint_id, :now FROM {rows}
"""
_DELIVERY_COLUMNS = {
    "id": rows.TEXT,
    "tenant_id": rows.TEXT,
    "endpoint_id": rows.TEXT,
    "event_id": rows.TEXT,
    "event_type": rows.TEXT,
    "trigger": rows.TEXT,
}


def enqueue_deliveries(
    connection: Connection, owed: Sequence[NewDelivery], now: datetime
) -> list[str]:
    """Insert deliveries and their outbox rows; returns the ids in the same order."""
    if not owed:
        return []
    new = [{"id": str(ids.time_ordered(now)), **asdict(one)} for one in owed]
    rows.execute(connection, _DELIVERIES, _DELIVERY_COLUMNS, new, now=now)
    rows.execute(connection, _ENQUEUE, _DELIVERY_COLUMNS, new, now=now)
    return [one["id"] for one in new]


def undelivered(
    connection: Connection,
    endpoint_id: str,
    scope: tuple[str, str],
    event_types: Iterable[str],
    since: datetime,
    until: datetime,
    after: int,
    limit: int,
) -> list[tuple[int, str, str]]:
    """(sequence, id, type) of events in [since, until) that are neither delivered to the endpoint
    nor pending, after the sequence `after`, oldest first. `scope` is tenant and environment.
    Tests are left out: each was for one endpoint, once."""
    reached = exists().where(
        WebhookDelivery.endpoint_id == endpoint_id,
        WebhookDelivery.event_id == Event.id,
        WebhookDelivery.status.in_((PENDING, DELIVERED)),
    )
    query = (
        select(Event.sequence, Event.id, Event.type)
        .where(
            Event.tenant_id == scope[0],
            Event.environment == scope[1],
            Event.sequence > after,
            Event.created_at >= since,
            Event.created_at < until,
            Event.type != WEBHOOK_TEST,
            ~reached,
        )
        .order_by(Event.sequence)
        .limit(limit)
    )
    wanted = set(event_types) or DEFAULT_TYPES
    if ALL_TYPES not in wanted:
        query = query.where(Event.type.in_(sorted(wanted)))
    return [(row.sequence, row.id, row.type) for row in connection.execute(query)]


def of_invoice(invoice_id: str) -> CTE:
    """The events of an invoice, of whatever tenant: its readers filter by tenant.

    Materialised, so that PostgreSQL reads them by their index and not, in the order of the feed,
    all events of the tenant.
    """
    query = select(Event).where(Event.invoice_id == invoice_id)
    return query.cte("of_invoice").prefix_with("MATERIALIZED")
