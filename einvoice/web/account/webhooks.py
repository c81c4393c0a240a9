"""Webhook endpoints, their log of deliveries, and redelivery.

For people at the dashboard, who see both environments, and for keys with the scope
webhooks:manage, which see their own.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flask import Response, request

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, FieldError, InvalidField
from einvoice.domain.roles import Role
from einvoice.services.principal import Principal, Reader
from einvoice.services.webhooks import endpoints, redelivery
from einvoice.services.webhooks.endpoints import EndpointRecord
from einvoice.services.webhooks.redelivery import DeliveryRecord
from einvoice.web import answered_posts, bodies, credentials, paging
from einvoice.web.account import webhook_schemas as schemas
from einvoice.web.api import Family, View, for_platform
from einvoice.web.paging import Page
from einvoice.web.responses import (
    created_response,
    documented_body,
    json_response,
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
platform_family = Family(
    "platform_webhooks",
    __name__,
    url_prefix="/api/platform/webhooks",
    credential=credentials.platform,
    tag="Platforms",
)

_NEW, _CHANGES, _RECOVERY = (
    schemas.NewWebhook(),
    schemas.WebhookChanges(),
    schemas.RecoveryRequest(),
)
_RECORD, _WITH_SECRETS = schemas.WebhookResponse(), schemas.WebhookWithSecrets()
_SECRETS = ("secret", "signingSecret")
_QUERY, _DELIVERIES = schemas.WebhookQuery(), schemas.DeliveryQuery()


def _route(rule: str, *, least: Role, **options: Any) -> Callable[[View], View]:
    """A route for an account, and the same for what concerns a platform (`platform_family`)."""

    def add(view: View) -> View:
        twin = for_platform(view)
        platform_family.route(rule, **options)(twin)
        return family.route(rule, least=least, **options)(view)

    return add


def _manager() -> tuple[Reader, Environment | None]:
    """The caller, and the environment whose webhooks it may manage; None: both."""
    credentials.require("webhooks:manage")
    principal = credentials.reader()
    return principal, principal.environment if isinstance(principal, Principal) else None


@_route("", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.WebhookQuery}])
@family.response(200, schemas.WebhookList())
def list_webhooks() -> Page[EndpointRecord]:
    """List the webhooks, without their secrets."""
    principal, environment = _manager()
    query = paging.read_query(_QUERY)
    found = [
        endpoint
        for endpoint in endpoints.of_tenant(principal.tenant_id, environment)
        if query.get("environment") in (None, endpoint.environment)
    ]
    return paging.part_of(found, _place, query, principal)


@_route("/addresses", least=Role.ADMIN)
@family.response(200, schemas.EventAddresses())
def list_event_addresses() -> list[str]:
    """List the addresses from which events are posted, for your firewall.

    Empty where the operator has not stated them.
    """
    _manager()
    return list(runtime().settings.event_sources)


def _place(record: EndpointRecord | DeliveryRecord) -> list[Any]:
    """Its place in a list."""
    return [clock.timestamp(record.created_at), record.id]


@_route("", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.NewWebhook))
@family.refuses(Conflict)
@family.response(201, _WITH_SECRETS)
def create_webhook() -> Response:
    """Register a webhook, at most 20 per environment. Only this response contains the secrets."""
    principal, environment = _manager()
    asked = bodies.read_body(_NEW, bodies.received())
    made = endpoints.create(
        principal.tenant_id,
        _wanted(asked.get("environment"), environment),
        url=asked["url"],
        description=asked.get("description"),
        event_types=asked.get("eventTypes", ()),
        settings=runtime().settings,
        by=principal,
    )
    response = created_response(_WITH_SECRETS.dump(made), f"{request.path}/{made.endpoint.id}")
    return answered_posts.shown_once(response, *_SECRETS)


@_route("/<webhook_id>", least=Role.ADMIN)
@family.response(200, schemas.WebhookResponse())
def get_webhook(webhook_id: str) -> EndpointRecord:
    """Get a webhook, without its secrets."""
    principal, environment = _manager()
    return endpoints.get(principal.tenant_id, webhook_id, environment)


@_route("/<webhook_id>", methods=["PATCH"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.WebhookChanges))
@family.response(200, schemas.WebhookResponse())
def update_webhook(webhook_id: str) -> EndpointRecord:
    """Change URL, event types or status. Enabling it resets its failures."""
    principal, environment = _manager()
    record = _RECORD.dump(endpoints.get(principal.tenant_id, webhook_id, environment))
    asked = bodies.read_patch(_CHANGES, bodies.received(), schemas.REMOVABLE, record)
    return endpoints.change(
        principal.tenant_id,
        webhook_id,
        {schemas.COLUMNS[name]: value for name, value in asked.items()},
        environment=environment,
        settings=runtime().settings,
        by=principal,
    )


@_route("/<webhook_id>", methods=["DELETE"], least=Role.ADMIN)
@family.response(204)
def delete_webhook(webhook_id: str) -> Response:
    """Remove a webhook, its log and its pending deliveries."""
    principal, environment = _manager()
    endpoints.remove(principal.tenant_id, webhook_id, environment, principal)
    return Response(status=204)


@_route("/<webhook_id>/rotate-secret", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, _WITH_SECRETS)
def rotate_webhook_secret(webhook_id: str) -> Response:
    """Replace the secrets. The old signing secret signs too for another day."""
    principal, environment = _manager()
    read_empty_body()
    settings = runtime().settings
    made = endpoints.rotate(
        principal.tenant_id, webhook_id, environment=environment, settings=settings, by=principal
    )
    return answered_posts.shown_once(json_response(_WITH_SECRETS.dump(made)), *_SECRETS)


@_route("/<webhook_id>/test", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.response(202, schemas.WebhookDeliveryResponse())
def test_webhook(webhook_id: str) -> DeliveryRecord:
    """Post one webhook.test event, also to a disabled webhook; the log has the result."""
    principal, environment = _manager()
    read_empty_body()
    owed = redelivery.send_test(principal.tenant_id, webhook_id, environment, principal)
    return redelivery.delivery(principal.tenant_id, webhook_id, owed)


@_route("/<webhook_id>/deliveries", least=Role.ADMIN)
@family.doc(parameters=[{"in": "query", "schema": schemas.DeliveryQuery}])
@family.response(200, schemas.WebhookDeliveryList())
def list_webhook_deliveries(webhook_id: str) -> Page[DeliveryRecord]:
    """List the deliveries of the last 30 days, newest first, with the receiver's responses."""
    principal, environment = _manager()
    query = paging.read_query(_DELIVERIES)
    limit = query.get("limit", paging.DEFAULT_PAGE_SIZE)
    after = paging.position(query, principal)
    found = redelivery.deliveries(
        principal.tenant_id,
        webhook_id,
        environment=environment,
        limit=limit + 1,
        before=None if after is None else (after.at, after.invoice_id),
        status=query.get("status"),
        event_id=query.get("eventId"),
        invoice_id=query.get("invoiceId"),
    )
    return paging.closed_page(found, _place, query, principal)


@_route("/<webhook_id>/deliveries/<delivery_id>/redeliver", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(202, schemas.WebhookDeliveryResponse())
def redeliver_event(webhook_id: str, delivery_id: str) -> DeliveryRecord:
    """Deliver the event again, with the same webhook-id; 409 if the webhook is disabled."""
    principal, environment = _manager()
    read_empty_body()
    owed = redelivery.redeliver(
        principal.tenant_id, webhook_id, delivery_id, environment, principal
    )
    return redelivery.delivery(principal.tenant_id, webhook_id, owed)


@_route("/<webhook_id>/recover", methods=["POST"], least=Role.ADMIN)
@family.doc(requestBody=documented_body(schemas.RecoveryRequest))
@family.refuses(Conflict)
@family.response(202, schemas.RecoveryResult())
def recover_events(webhook_id: str) -> int:
    """Deliver the events of a period that this webhook missed. A repeated request sends none twice.

    Events from before the webhook was registered are left out; GET /api/events lists them.
    """
    principal, environment = _manager()
    asked = bodies.read_body(_RECOVERY, bodies.received())
    return redelivery.recover(
        principal.tenant_id,
        webhook_id,
        since=asked["since"],
        until=asked.get("until"),
        environment=environment,
        by=principal,
    )


def _wanted(asked: str | None, own: Environment | None) -> Environment:
    """The environment of a new webhook: the key's, else the given one."""
    if asked is None and own is None:
        raise InvalidField([FieldError("/environment", "required", "is required: test or live")])
    if asked is not None and own is not None and asked != own:
        message = f"this is a {own} key: it manages webhooks of its environment"
        raise InvalidField([FieldError("/environment", "other-environment", message)])
    return own or Environment(asked or "")
