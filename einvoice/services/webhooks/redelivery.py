"""The webhook log and redelivery: reading it, test events, sending again, recovery."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound, Phrase
from einvoice.domain.events import WEBHOOK_TEST
from einvoice.services.account import audit
from einvoice.services.principal import Reader
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.tables import WebhookEndpoint
from einvoice.store.webhooks import events, feed, webhook_endpoints, webhook_queue
from einvoice.store.webhooks import webhooks as stored
from einvoice.store.webhooks.events import DELIVERED, FAILED, PENDING, NewDelivery, NewEvent
from einvoice.store.webhooks.webhook_endpoints import EndpointRecord
from einvoice.store.webhooks.webhooks import DeliveryRecord as DeliveryRecord
from einvoice.store.webhooks.webhooks import EventDelivery as EventDelivery
from einvoice.store.webhooks.webhooks import LogFilter
from einvoice.webhooks import schedule

STATUSES = (PENDING, DELIVERED, FAILED)  # of a delivery
HEALTH_HOURS, MAX_COUNTED = 24, 1_000
MAX_PER_TRANSACTION = 500  # deliveries of one transaction


def send_test(
    tenant_id: str,
    endpoint_id: str,
    environment: Environment | None = None,
    by: Reader | None = None,
) -> str:
    """Post a webhook.test event to the endpoint, also if it is disabled; the delivery's id.

    It is attempted once. Raises NotFound.
    """
    now = clock.now()
    with db.writing_session() as database:
        endpoint = endpoints.find_in(database, tenant_id, endpoint_id, environment)
        connection = database.connection()
        payload = {"webhookId": endpoint_id, "message": "This is a test: nothing has happened."}
        event = NewEvent(tenant_id, endpoint.environment, WEBHOOK_TEST, None, payload)
        event_id = events.record(connection, event, now)
        owed = NewDelivery(tenant_id, endpoint_id, event_id, WEBHOOK_TEST, events.TEST)
        audit.record(database, tenant_id, by, "webhook.tested", endpoint_id)
        (delivery_id,) = events.enqueue_deliveries(connection, [owed], now)
        webhook_queue.move_to_front(connection, delivery_id, endpoint_id)
        endpoint.backoff_until = None
        return delivery_id


def deliveries(
    tenant_id: str,
    endpoint_id: str,
    *,
    environment: Environment | None = None,
    limit: int = 50,
    before: tuple[datetime, str] | None = None,
    status: str | None = None,
    event_id: str | None = None,
    invoice_id: str | None = None,
) -> Sequence[DeliveryRecord]:
    """The log, newest first; `before` is (created_at, id) of the last one seen. Raises NotFound."""
    endpoints.get(tenant_id, endpoint_id, environment)
    wanted = LogFilter(tenant_id, endpoint_id, status, event_id, invoice_id)
    return stored.page_of_deliveries(wanted, limit=limit, before=before)


@dataclass(frozen=True, slots=True)
class EndpointHealth:
    """The deliveries of the last HEALTH_HOURS hours by status, at most MAX_COUNTED of them.

    next_attempt  when the next one of the pending ones is due
    """

    delivered: int
    failed: int
    pending: int
    next_attempt: datetime | None

    @property
    def total(self) -> int:
        return self.delivered + self.failed + self.pending


def health(tenant_id: str, endpoint_id: str) -> EndpointHealth:
    """How the deliveries of an endpoint went lately."""
    since = clock.now() - timedelta(hours=HEALTH_HOURS)
    found = {
        each.status: each
        for each in stored.newest_counts(tenant_id, endpoint_id, since, MAX_COUNTED)
    }
    counts = [found[status].deliveries if status in found else 0 for status in STATUSES]
    pending, delivered, failed = counts
    return EndpointHealth(
        delivered, failed, pending, found[PENDING].next_retry_at if PENDING in found else None
    )


def of_events(tenant_id: str, event_ids: Collection[str]) -> Mapping[str, Sequence[EventDelivery]]:
    """The deliveries of these events of the tenant, by event."""
    found = defaultdict(list)
    for each in stored.deliveries_of_events(tenant_id, event_ids):
        found[each.event_id].append(each)
    return found


def documents_of(
    tenant_id: str, deliveries: Collection[DeliveryRecord]
) -> Mapping[str, tuple[str, str]]:
    """Id and number of the document of each event that is delivered, where there is one."""
    return stored.documents_of_events(tenant_id, {each.event_id for each in deliveries})


def delivery(
    tenant_id: str, endpoint_id: str, delivery_id: str, environment: Environment | None = None
) -> DeliveryRecord:
    """One record of the log. Raises NotFound."""
    endpoints.get(tenant_id, endpoint_id, environment)
    with db.reading() as connection:
        record = stored.find_delivery(connection, tenant_id, endpoint_id, delivery_id)
    if record is None:
        raise NotFound(f"There is no delivery {delivery_id} of webhook {endpoint_id}.")
    return record


def redeliver(
    tenant_id: str,
    endpoint_id: str,
    delivery_id: str,
    environment: Environment | None = None,
    by: Reader | None = None,
) -> str:
    """Deliver the event again with the same webhook-id; returns the new delivery's id.

    Raises NotFound, Conflict (the endpoint is disabled).
    """
    again = delivery(tenant_id, endpoint_id, delivery_id, environment)
    with db.writing_session() as database:
        endpoint = endpoints.find_in(database, tenant_id, endpoint_id, environment)
        _require_active(endpoint)
        owed = NewDelivery(tenant_id, endpoint_id, again.event_id, again.event_type, events.MANUAL)
        detail = {"deliveryId": delivery_id, "eventId": again.event_id}
        endpoint.backoff_until = None
        audit.record(database, tenant_id, by, "webhook.redelivered", endpoint_id, detail)
        return events.enqueue_deliveries(database.connection(), [owed], clock.now())[0]


def recover(
    tenant_id: str,
    endpoint_id: str,
    *,
    since: datetime,
    until: datetime | None = None,
    environment: Environment | None = None,
    by: Reader | None = None,
) -> int:
    """Deliver the events in [since, until) that were not delivered here; returns their number.

    Events from before the endpoint was created were never due to it and are left out. A second call
    adds nothing, also at the same time. Raises NotFound, Conflict, InvalidField.
    """
    now = clock.now()
    until = min(until or now, now)
    _check_period(since, until, now)
    with db.writing_session() as database:
        endpoint = endpoints.find_in(database, tenant_id, endpoint_id, environment)
        _require_active(endpoint)
        detail = {"since": clock.timestamp(since), "until": clock.timestamp(until)}
        endpoint.backoff_until = None
        audit.record(database, tenant_id, by, "webhook.recovered", endpoint_id, detail)
        since = max(since, endpoint.created_at)
    count, after = 0, feed.place_before(since)
    while True:
        ids, after = _recover_chunk(tenant_id, endpoint_id, environment, since, until, after)
        count += len(ids)
        if len(ids) < MAX_PER_TRANSACTION:
            return count


def _recover_chunk(
    tenant_id: str,
    endpoint_id: str,
    environment: Environment | None,
    since: datetime,
    until: datetime,
    after: int,
) -> tuple[list[str], int]:
    endpoint = endpoints.get(tenant_id, endpoint_id, environment)
    _require_active(endpoint)
    with db.writing_by_key() as connection:
        webhook_endpoints.lock(connection, endpoint_id)
        missed = events.undelivered(
            connection,
            endpoint_id,
            (tenant_id, endpoint.environment),
            endpoint.event_types,
            since,
            until,
            after,
            MAX_PER_TRANSACTION,
        )
        owed = [
            NewDelivery(tenant_id, endpoint_id, i, kind, events.MANUAL) for _, i, kind in missed
        ]
        ids = events.enqueue_deliveries(connection, owed, clock.now())
    return ids, missed[-1][0] if missed else after


def _require_active(endpoint: EndpointRecord | WebhookEndpoint) -> None:
    if endpoint.status != stored.ACTIVE:
        raise Conflict(f"The webhook {endpoint.id} is disabled: enable it first.")


def _check_period(since: datetime, until: datetime, now: datetime) -> None:
    if since >= until:
        message = "must be before until" if until < now else "must be in the past"
        phrase = Phrase("passed") if until >= now else None
        raise InvalidField([FieldError("/since", "empty-period", message, phrase)])
    if since < now - schedule.KEEP_LOG:
        message = f"must be at most {schedule.KEEP_LOG.days} days ago"
        phrase = Phrase("old", {"days": schedule.KEEP_LOG.days})
        raise InvalidField([FieldError("/since", "too-old", message, phrase)])
