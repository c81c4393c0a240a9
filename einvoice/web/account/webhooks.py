"""Webhook endpoints, their log of deliveries, and redelivery.

For people at the dashboard, who see both environments, and for keys with the scope
webhooks:manage, which see their own.
"""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField
from einvoice.domain.roles import Role
from einvoice.services.invoices.lists import Position
from einvoice.services.principal import Principal, Reader
from einvoice.services.webhooks import endpoints, redelivery
from einvoice.services.webhooks.endpoints import EndpointRecord, EndpointWithSecrets
from einvoice.services.webhooks.redelivery import DeliveryRecord
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.account import webhook_schemas as schemas
from einvoice.web.api import Family
from einvoice.web.responses import (
    created_response,
    documented_body,
    iso_timestamp,
    json_response,
    provider,
)
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = Family(
    "webhooks",
    __name__,
    url_prefix="/api/webhooks",
    credential=credentials.key_or_session,
    tag="Webhooks",
)

_NEW, _CHANGES, _RECOVERY = (
    schemas.NewWebhook(),
    schemas.WebhookChanges(),
    schemas.RecoveryRequest(),
)
_SECRETS = ("secret", "signingSecret")
_QUERY, _DELIVERIES = schemas.WebhookQuery(), schemas.DeliveryQuery()


def _manager() -> tuple[Reader, Environment | None]:
    """The caller, and the environment whose webhooks it may manage; None: both."""
    credentials.require("webhooks:manage")
    who = credentials.reader()
    return who, who.environment if isinstance(who, Principal) else None


@family.route("", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.WebhookQuery}])
@family.response(200, schemas.WebhookList())
def list_webhooks() -> Response:
    """List the webhooks, without their secrets."""
    who, environment = _manager()
    query = paging.read_query(_QUERY)
    found = [
        endpoint
        for endpoint in endpoints.of_tenant(who.tenant_id, environment)
        if query.get("environment") in (None, endpoint.environment)
    ]
    shown, closing = paging.part_of(found, _place, query, who)
    items = [_members(endpoint) for endpoint in shown]
    return json_response({"items": items, **closing, "provider": provider()})


@family.route("/addresses", least=Role.ADMIN)
@family.response(200, schemas.EventAddresses())
def list_event_addresses() -> Response:
    """List the addresses from which events are posted, for your firewall.

    Empty where the operator has not stated them.
    """
    _manager()
    found = list(runtime().settings.event_sources)
    return json_response({"addresses": found, "provider": provider()})


def _place(endpoint: EndpointRecord) -> list[Any]:
    """Its place in the list."""
    return [clock.timestamp(endpoint.created_at), endpoint.id]


@family.route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewWebhook))
@family.refuses(Conflict)
@family.response(201, schemas.WebhookWithSecrets())
def create_webhook() -> Response:
    """Register a webhook, at most 20 per environment. Only this response contains the secrets."""
    who, environment = _manager()
    asked = bodies.read_body(_NEW, bodies.received())
    made = endpoints.create(
        who.tenant_id,
        _wanted(asked.get("environment"), environment),
        url=asked["url"],
        description=asked.get("description"),
        event_types=asked.get("eventTypes", ()),
        settings=runtime().settings,
        by=who,
    )
    response = created_response(_with_secrets(made), f"/api/webhooks/{made.endpoint.id}")
    return answered_posts.shown_once(response, *_SECRETS)


@family.route("/<webhook_id>", least=Role.ADMIN)
@family.response(200, schemas.WebhookResponse())
def get_webhook(webhook_id: str) -> Response:
    """Get a webhook, without its secrets."""
    who, environment = _manager()
    return _one(endpoints.get(who.tenant_id, webhook_id, environment))


@family.route("/<webhook_id>", methods=["PATCH"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.WebhookChanges))
@family.response(200, schemas.WebhookResponse())
def update_webhook(webhook_id: str) -> Response:
    """Change URL, event types or status. Enabling it resets its failures."""
    who, environment = _manager()
    asked = bodies.read_patch(_CHANGES, bodies.received(), schemas.REMOVABLE)
    changed = endpoints.change(
        who.tenant_id,
        webhook_id,
        {schemas.COLUMNS[name]: value for name, value in asked.items()},
        environment=environment,
        settings=runtime().settings,
        by=who,
    )
    return _one(changed)


@family.route("/<webhook_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def delete_webhook(webhook_id: str) -> Response:
    """Remove a webhook, its log and its pending deliveries."""
    who, environment = _manager()
    endpoints.remove(who.tenant_id, webhook_id, environment, who)
    return Response(status=204)


@family.route("/<webhook_id>/rotate-secret", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.response(200, schemas.WebhookWithSecrets())
def rotate_webhook_secret(webhook_id: str) -> Response:
    """Replace the secrets. The old signing secret signs too for another day."""
    who, environment = _manager()
    read_empty_body()
    settings = runtime().settings
    made = endpoints.rotate(
        who.tenant_id, webhook_id, environment=environment, settings=settings, by=who
    )
    return answered_posts.shown_once(json_response(_with_secrets(made)), *_SECRETS)


@family.route("/<webhook_id>/test", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.response(202, schemas.WebhookDeliveryResponse())
def test_webhook(webhook_id: str) -> Response:
    """Post one webhook.test event, also to a disabled webhook; the log has the result."""
    who, environment = _manager()
    read_empty_body()
    owed = redelivery.send_test(who.tenant_id, webhook_id, environment, who)
    return _owed(who, webhook_id, owed)


@family.route("/<webhook_id>/deliveries", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.DeliveryQuery}])
@family.response(200, schemas.WebhookDeliveryList())
def list_webhook_deliveries(webhook_id: str) -> Response:
    """List the deliveries of the last 30 days, newest first, with the receiver's responses."""
    who, environment = _manager()
    query = paging.read_query(_DELIVERIES)
    limit = query.get("limit", paging.DEFAULT_PAGE_SIZE)
    after = paging.position(query, who)
    found = redelivery.deliveries(
        who.tenant_id,
        webhook_id,
        environment=environment,
        limit=limit + 1,
        before=None if after is None else (after.at, after.invoice_id),
        status=query.get("status"),
        event_id=query.get("eventId"),
        invoice_id=query.get("invoiceId"),
    )
    shown, more = found[:limit], len(found) > limit
    end = Position(shown[-1].created_at, shown[-1].id) if more else None
    body = {
        "items": [_delivery(delivery) for delivery in shown],
        "nextCursor": None if end is None else paging.cursor(end, query, who),
        "hasMore": more,
        "provider": provider(),
    }
    return json_response(body)


@family.route(
    "/<webhook_id>/deliveries/<delivery_id>/redeliver", methods=["POST"], least=Role.ADMIN
)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(202, schemas.WebhookDeliveryResponse())
def redeliver_event(webhook_id: str, delivery_id: str) -> Response:
    """Deliver the event again, with the same webhook-id; 409 if the webhook is disabled."""
    who, environment = _manager()
    read_empty_body()
    owed = redelivery.redeliver(who.tenant_id, webhook_id, delivery_id, environment, who)
    return _owed(who, webhook_id, owed)


@family.route("/<webhook_id>/recover", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.RecoveryRequest))
@family.refuses(Conflict)
@family.response(202, schemas.RecoveryResult())
def recover_events(webhook_id: str) -> Response:
    """Deliver the events of a period that this webhook missed. A repeated request sends none twice.

    Events from before the webhook was registered are left out; GET /api/events lists them.
    """
    who, environment = _manager()
    asked = bodies.read_body(_RECOVERY, bodies.received())
    count = redelivery.recover(
        who.tenant_id,
        webhook_id,
        since=asked["since"],
        until=asked.get("until"),
        environment=environment,
        by=who,
    )
    return json_response({"recovered": count, "provider": provider()}, 202)


def _wanted(asked: str | None, own: Environment | None) -> Environment:
    """The environment of a new webhook: that of the key, else the given one."""
    if asked is None and own is None:
        raise InvalidField([FieldError("/environment", "required", "is required: test or live")])
    if asked is not None and own is not None and asked != own:
        words = f"this is a {own} key: it manages webhooks of its environment"
        raise InvalidField([FieldError("/environment", "other-environment", words)])
    return own or Environment(asked or "")


def _owed(who: Reader, webhook_id: str, delivery_id: str) -> Response:
    delivery = redelivery.delivery(who.tenant_id, webhook_id, delivery_id)
    return json_response({**_delivery(delivery), "provider": provider()}, 202)


def _one(endpoint: EndpointRecord) -> Response:
    return json_response({**_members(endpoint), "provider": provider()})


def _with_secrets(made: EndpointWithSecrets) -> dict[str, Any]:
    secrets = {"secret": made.secret, "signingSecret": made.signing_secret}
    return {**_members(made.endpoint), **secrets, "provider": provider()}


def _members(endpoint: EndpointRecord) -> dict[str, Any]:
    return {
        "webhookId": endpoint.id,
        "url": endpoint.url,
        "description": endpoint.description,
        "eventTypes": list(endpoint.event_types),
        "environment": endpoint.environment,
        "status": endpoint.status,
        "disabledReason": endpoint.disabled_reason,
        "backoffUntil": iso_timestamp(endpoint.backoff_until),
        "createdAt": iso_timestamp(endpoint.created_at),
        "updatedAt": iso_timestamp(endpoint.updated_at),
    }


def _delivery(delivery: DeliveryRecord) -> dict[str, Any]:
    return {
        "deliveryId": delivery.id,
        "eventId": delivery.event_id,
        "eventType": delivery.event_type,
        "status": delivery.status,
        "statusCode": delivery.status_code,
        "attempts": delivery.attempts,
        "lastError": delivery.last_error,
        "durationMs": delivery.duration_ms,
        "responseExcerpt": delivery.response_excerpt,
        "nextRetryAt": iso_timestamp(delivery.next_retry_at),
        "deliveredAt": iso_timestamp(delivery.delivered_at),
        "createdAt": iso_timestamp(delivery.created_at),
        "trigger": delivery.trigger,
    }
