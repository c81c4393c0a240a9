"""Webhook endpoints as their owners administer them: models in Flask-SQLAlchemy's session.

What deliveries record of an endpoint is in store/webhooks/webhooks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import delete, func, select, update
from sqlalchemy.engine import Connection
from sqlalchemy.orm import Session

from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Outbox, WebhookDelivery, WebhookEndpoint
from einvoice.store.webhooks.events import ACTIVE, DISABLED
from einvoice.store.webhooks.webhook_queue import BY_SERVICE


@dataclass(frozen=True, slots=True)
class EndpointRecord:
    """An endpoint as its owner sees it, without its secrets."""

    id: str
    tenant_id: str
    environment: str
    url: str
    description: str | None
    event_types: Sequence[str]
    status: str
    disabled_reason: str | None
    backoff_until: datetime | None
    failing_since: datetime | None
    created_at: datetime
    updated_at: datetime


_RECORD = RecordColumns(EndpointRecord, WebhookEndpoint)


def record(endpoint: WebhookEndpoint) -> EndpointRecord:
    """The record of a model."""
    return _RECORD.of(endpoint)


def lock(connection: Connection, endpoint_id: str) -> None:
    """Serialise recoveries of an endpoint until the commit; new events do not wait for it."""
    query = select(WebhookEndpoint.id).where(WebhookEndpoint.id == endpoint_id)
    connection.execute(query.with_for_update(key_share=True))


def find(
    session: Session, tenant_id: str, endpoint_id: str, *, locked: bool = False
) -> WebhookEndpoint | None:
    """The tenant's endpoint of either environment; `locked` until the end of the transaction."""
    query = select(WebhookEndpoint).where(
        WebhookEndpoint.tenant_id == tenant_id, WebhookEndpoint.id == endpoint_id
    )
    return session.scalar(query.with_for_update() if locked else query)


def count(session: Session, tenant_id: str, environment: str) -> int:
    """How many endpoints the tenant has in the environment."""
    query = select(func.count()).where(
        WebhookEndpoint.tenant_id == tenant_id, WebhookEndpoint.environment == environment
    )
    return session.execute(query).scalar_one()


def of_tenant(tenant_id: str, environment: str | None) -> list[EndpointRecord]:
    """The tenant's endpoints, oldest first; of both environments when none is given."""
    query = select(WebhookEndpoint).where(WebhookEndpoint.tenant_id == tenant_id)
    if environment is not None:
        query = query.where(WebhookEndpoint.environment == environment)
    with db.reading_session() as session:
        found = session.scalars(query.order_by(WebhookEndpoint.created_at, WebhookEndpoint.id))
        return [record(endpoint) for endpoint in found]


def disabled_by_service(limit: int) -> list[EndpointRecord]:
    """Endpoints of all tenants whose receivers are gone or failed, the newest of them first."""
    query = select(WebhookEndpoint).where(WebhookEndpoint.status == DISABLED, BY_SERVICE)
    newest = query.order_by(WebhookEndpoint.updated_at.desc(), WebhookEndpoint.id).limit(limit)
    with db.reading_session() as session:
        return [record(endpoint) for endpoint in session.scalars(newest)]


def disable_all(session: Session, tenant_id: str, reason: str, now: datetime) -> None:
    """Disable the tenant's endpoints in both environments."""
    session.execute(
        update(WebhookEndpoint)
        .where(WebhookEndpoint.tenant_id == tenant_id, WebhookEndpoint.status == ACTIVE)
        .values(status=DISABLED, disabled_reason=reason, updated_at=now)
        .execution_options(synchronize_session=False)
    )


def remove(session: Session, endpoint: WebhookEndpoint) -> None:
    """Delete the endpoint, its log and its deliveries that are due. It is locked."""
    its_log = WebhookDelivery.endpoint_id == endpoint.id
    deliveries = select(WebhookDelivery.id).where(its_log)
    session.execute(delete(Outbox).where(rows.in_subquery(Outbox.subject_id, deliveries)))
    session.execute(delete(WebhookDelivery).where(its_log))
    session.delete(endpoint)
