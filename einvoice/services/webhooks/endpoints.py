"""Webhook endpoints of a tenant: register, change, rotate their secrets, remove."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain import old_secrets
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound, Phrase
from einvoice.domain.events import ALL_TYPES, EVENT_TYPES
from einvoice.http import Blocked
from einvoice.security.sealing import context_of, keyring
from einvoice.services.account import audit, tenants
from einvoice.services.principal import Reader
from einvoice.store.core import db
from einvoice.store.tables import WebhookEndpoint
from einvoice.store.webhooks import webhook_endpoints as stored
from einvoice.store.webhooks.webhook_endpoints import EndpointRecord as EndpointRecord
from einvoice.store.webhooks.webhook_queue import BY_OWNER
from einvoice.store.webhooks.webhooks import ACTIVE, DISABLED
from einvoice.webhooks import schedule, sending, signing

MAX_ENDPOINTS = 20  # endpoints per tenant and environment
MAX_DISABLED = 1_000  # of all tenants, in a list
_URL, _DESCRIPTION = 2_000, 500  # characters


@dataclass(frozen=True, slots=True)
class EndpointWithSecrets:
    """An endpoint with its secrets in clear, returned once, on create and on rotate."""

    endpoint: EndpointRecord
    secret: str
    signing_secret: str


def create(
    tenant_id: str,
    environment: Environment,
    *,
    url: str,
    description: str | None = None,
    event_types: Sequence[str] = (),
    settings: Settings,
    by: Reader | None = None,
) -> EndpointWithSecrets:
    """Register an endpoint. Raises InvalidField, NotFound (no such tenant), Conflict (too many)."""
    _check_values(
        {"url": url, "description": description, "event_types": event_types}, environment, settings
    )
    endpoint_id, now = str(uuid.uuid4()), clock.now()
    secret, signing_secret = signing.new_secret(), signing.new_signing_secret()
    values = {
        "id": endpoint_id,
        "tenant_id": tenant_id,
        "environment": environment.value,
        "url": url,
        "description": description,
        "event_types": _distinct(event_types),
        "status": ACTIVE,
        "created_at": now,
        "updated_at": now,
        "secret": _sealed(endpoint_id, "secret", secret, settings),
        "signing_secret": _sealed(endpoint_id, "signing_secret", signing_secret, settings),
    }
    with db.writing_session() as database:
        tenants.locked(database, tenant_id)
        there = stored.count(database, tenant_id, environment.value)
        if there >= MAX_ENDPOINTS:
            raise Conflict(f"There are {there} webhooks in the {environment} environment already.")
        endpoint = WebhookEndpoint(**values)
        database.add(endpoint)
        detail = {"url": url, "environment": environment.value}
        audit.record(database, tenant_id, by, "webhook.created", endpoint_id, detail)
        return EndpointWithSecrets(stored.record(endpoint), secret, signing_secret)


def of_tenant(tenant_id: str, environment: Environment | None = None) -> list[EndpointRecord]:
    """The tenant's endpoints, oldest first; of both environments by default."""
    return stored.of_tenant(tenant_id, environment.value if environment else None)


def disabled() -> list[EndpointRecord]:
    """Those of all tenants that the service has disabled, the newest MAX_DISABLED."""
    return stored.disabled_by_service(MAX_DISABLED)


def failing(tenant_id: str, environment: Environment) -> list[EndpointRecord]:
    """Those whose deliveries fail, and those that are given up for it."""
    return [
        endpoint
        for endpoint in of_tenant(tenant_id, environment)
        if (endpoint.status == DISABLED and endpoint.disabled_reason != BY_OWNER)
        or (endpoint.status != DISABLED and endpoint.failing_since is not None)
    ]


def get(tenant_id: str, endpoint_id: str, environment: Environment | None = None) -> EndpointRecord:
    """One endpoint, optionally of the given environment only. Raises NotFound."""
    with db.reading_session() as database:
        return stored.record(find_in(database, tenant_id, endpoint_id, environment))


def find_in(
    database: DatabaseSession,
    tenant_id: str,
    endpoint_id: str,
    environment: Environment | None,
    *,
    locked: bool = False,
) -> WebhookEndpoint:
    """`get` inside the caller's transaction; `locked` until its end."""
    endpoint = stored.find(database, tenant_id, endpoint_id, locked=locked)
    if endpoint is None or (environment is not None and endpoint.environment != environment):
        raise NotFound(f"There is no webhook {endpoint_id}.")
    return endpoint


def change(
    tenant_id: str,
    endpoint_id: str,
    changes: Mapping[str, Any],
    *,
    environment: Environment | None = None,
    settings: Settings,
    by: Reader | None = None,
) -> EndpointRecord:
    """Change url, description, event_types or status (active, disabled).

    Enabling resets failures; a new url ends the backoff too.

    Raises NotFound, InvalidField.
    """
    with db.writing_session() as database:
        endpoint = find_in(database, tenant_id, endpoint_id, environment, locked=True)
        _check_values(changes, Environment(endpoint.environment), settings)
        _apply(endpoint, changes)
        audit.record(database, tenant_id, by, "webhook.changed", endpoint_id, changes)
        return stored.record(endpoint)


def _apply(endpoint: WebhookEndpoint, changes: Mapping[str, Any]) -> None:
    status = changes.get("status", endpoint.status)
    if status != endpoint.status:
        endpoint.disabled_reason = BY_OWNER if status == DISABLED else None
        endpoint.failing_since = None
    if status != endpoint.status or "url" in changes:
        endpoint.backoff_until = endpoint.timeouts = endpoint.responsive = None
    for name, value in changes.items():
        setattr(endpoint, name, _distinct(value) if name == "event_types" else value)
    endpoint.updated_at = clock.now()


def remove(
    tenant_id: str,
    endpoint_id: str,
    environment: Environment | None = None,
    by: Reader | None = None,
) -> None:
    """Delete the endpoint, its log and its pending deliveries. Raises NotFound."""
    with db.writing_session() as database:
        endpoint = find_in(database, tenant_id, endpoint_id, environment, locked=True)
        stored.remove(database, endpoint)
        detail = {"url": endpoint.url, "environment": endpoint.environment}
        audit.record(database, tenant_id, by, "webhook.removed", endpoint_id, detail)


def rotate(
    tenant_id: str,
    endpoint_id: str,
    *,
    environment: Environment | None = None,
    settings: Settings,
    by: Reader | None = None,
) -> EndpointWithSecrets:
    """Replace the secrets. The old signing secret signs too for a day, and so does the one before
    it to the end of its day; X-Webhook-Secret changes at once, and deliveries that a receiver
    refuses meanwhile are retried. An old secret whose key is lost signs nothing any more. Raises
    NotFound, Conflict (two old ones sign still)."""
    secret, signing_secret = signing.new_secret(), signing.new_signing_secret()
    now = clock.now()
    with db.writing_session() as database:
        endpoint = find_in(database, tenant_id, endpoint_id, environment, locked=True)
        _retire_signing_secret(endpoint, now, settings)
        endpoint.secret = _sealed(endpoint_id, "secret", secret, settings)
        endpoint.signing_secret = _sealed(endpoint_id, "signing_secret", signing_secret, settings)
        endpoint.updated_at = now
        audit.record(database, tenant_id, by, "webhook.secret-rotated", endpoint_id)
        return EndpointWithSecrets(stored.record(endpoint), secret, signing_secret)


def _retire_signing_secret(endpoint: WebhookEndpoint, now: datetime, settings: Settings) -> None:
    """Make the signing secret the old one, and the old one that before it. Raises Conflict."""
    ring = keyring(settings)
    earlier = (
        (endpoint.old_signing_secret, endpoint.old_signing_until),
        (endpoint.older_signing_secret, endpoint.older_signing_until),
    )
    readable = [(secret, until) for secret, until in earlier if secret and ring.knows(secret)]
    older = old_secrets.still_valid(readable, now)
    endpoint.older_signing_secret, endpoint.older_signing_until = older
    known = ring.knows(endpoint.signing_secret)
    endpoint.old_signing_secret = endpoint.signing_secret if known else None
    endpoint.old_signing_until = now + schedule.OLD_SECRET_SIGNS_FOR if known else None


def unknown_secrets(endpoint_id: str, settings: Settings) -> dict[str, bytes]:
    """New secrets that are not shown, by column: the endpoint works after `rotate`."""
    return {
        "secret": _sealed(endpoint_id, "secret", signing.new_secret(), settings),
        "signing_secret": _sealed(
            endpoint_id, "signing_secret", signing.new_signing_secret(), settings
        ),
    }


def seal_context(endpoint_id: str, column: str) -> str:
    """The context to which a sealed secret is bound."""
    return context_of("webhook_endpoints", endpoint_id, column)


def _sealed(endpoint_id: str, column: str, plain: str, settings: Settings) -> bytes:
    return keyring(settings).seal(plain.encode(), seal_context(endpoint_id, column))


def _check_values(changes: Mapping[str, Any], environment: Environment, settings: Settings) -> None:
    """Raise InvalidField with all errors."""
    errors = [
        *_url_errors(changes.get("url", ""), environment, settings)[: "url" in changes],
        *_type_errors(changes.get("event_types", ())),
    ]
    if len(changes.get("description") or "") > _DESCRIPTION:
        errors.append(_too_long("/description", _DESCRIPTION))
    if changes.get("status", ACTIVE) not in (ACTIVE, DISABLED):
        errors.append(FieldError("/status", "unknown-status", "write active or disabled"))
    if errors:
        raise InvalidField(errors)


def _url_errors(url: str, environment: Environment, settings: Settings) -> list[FieldError]:
    if len(url) > _URL:
        return [_too_long("/url", _URL)]
    live = environment is Environment.LIVE
    try:
        sending.policy(live=live, allow_private=settings.webhook_allow_private).check_url(url)
    except Blocked as fault:
        phrase = Phrase("address", {"why": str(fault)})
        return [FieldError("/url", "url-not-allowed", str(fault), phrase)]
    return []


def _too_long(pointer: str, most: int) -> FieldError:
    phrase = Phrase("longLabel", {"most": most})
    return FieldError(pointer, "too-long", f"at most {most} characters", phrase)


def _type_errors(event_types: Iterable[str]) -> list[FieldError]:
    known = ", ".join([ALL_TYPES, *sorted(EVENT_TYPES)])
    return [
        FieldError(f"/eventTypes/{n}", "unknown-event-type", f"{name!r} is none of {known}")
        for n, name in enumerate(event_types)
        if name not in EVENT_TYPES and name != ALL_TYPES
    ]


def _distinct(event_types: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(event_types))
