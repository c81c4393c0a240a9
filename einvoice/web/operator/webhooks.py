"""/api/operator/tenants/{tenant}/webhooks: endpoints of a tenant, their log, and redelivery."""

from __future__ import annotations

from typing import Any

from flask import Response

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccountClosed, Conflict, FieldError, InvalidField, Phrase
from einvoice.domain.operators import MANAGE, READ
from einvoice.services.console import access as service
from einvoice.services.console.access import EndpointRecord
from einvoice.services.webhooks import endpoints, redelivery
from einvoice.services.webhooks.endpoints import EndpointWithSecrets
from einvoice.services.webhooks.redelivery import DeliveryRecord
from einvoice.web import bodies, paging
from einvoice.web.account import webhook_schemas
from einvoice.web.operator import access_schemas as schemas
from einvoice.web.operator.api import PREFIX, OperatorFamily, operator
from einvoice.web.paging import Page
from einvoice.web.response_schema import Written, created
from einvoice.web.responses import documented_body
from einvoice.web.runtime import runtime
from einvoice.web.shared.empty_body import EMPTY_BODY, read_empty_body

family = OperatorFamily("operator_webhooks", __name__, "/tenants/<tenant>/webhooks")

NEW, RECOVERY = webhook_schemas.NewWebhook(), webhook_schemas.RecoveryRequest()
_DELIVERIES = webhook_schemas.DeliveryQuery()


@family.scoped("", READ)
@family.response(200, schemas.OperatorWebhookList())
def list_tenant_webhooks(tenant: str) -> list[EndpointRecord]:
    """List the webhooks of a tenant, without their secrets."""
    return service.webhooks(tenant)


@family.scoped("", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(webhook_schemas.NewWebhook))
@family.refuses(AccountClosed, Conflict)
@family.response(201, webhook_schemas.WebhookWithSecrets())
def create_tenant_webhook(tenant: str) -> Written[EndpointWithSecrets]:
    """Register a webhook for a tenant. Only this response contains the secrets."""
    made = create(tenant, bodies.read_body(NEW, bodies.received()))
    return created(made, f"{PREFIX}/tenants/{tenant}/webhooks")


def create(tenant: str, asked: dict[str, Any]) -> EndpointWithSecrets:
    """Register what the body asks for. Raises InvalidField, NotFound, AccountClosed, Conflict."""
    if asked.get("environment") is None:
        message = "is required: test or live"
        raise InvalidField([FieldError("/environment", "required", message, Phrase("required"))])
    return endpoints.create(
        tenant,
        Environment(asked["environment"]),
        url=asked["url"],
        description=asked.get("description"),
        event_types=asked.get("eventTypes", ()),
        settings=runtime().settings,
    )


@family.scoped("/<webhook_id>", MANAGE, methods=["DELETE"])
@family.response(204)
def delete_tenant_webhook(tenant: str, webhook_id: str) -> Response:
    """Remove a webhook, its log and its pending deliveries."""
    endpoints.remove(tenant, webhook_id)
    return Response(status=204)


@family.scoped("/<webhook_id>/enable", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.response(200, schemas.OperatorWebhookResponse())
def enable_tenant_webhook(tenant: str, webhook_id: str) -> EndpointRecord:
    """Enable a webhook; its failures are forgotten."""
    read_empty_body()
    return service.switch_webhook(tenant, webhook_id, runtime().settings, enabled=True)


@family.scoped("/<webhook_id>/disable", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.response(200, schemas.OperatorWebhookResponse())
def disable_tenant_webhook(tenant: str, webhook_id: str) -> EndpointRecord:
    """Disable a webhook: nothing is posted until it is enabled."""
    read_empty_body()
    return service.switch_webhook(tenant, webhook_id, runtime().settings, enabled=False)


@family.scoped("/<webhook_id>/rotate-secret", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, webhook_schemas.WebhookWithSecrets())
def rotate_tenant_webhook_secret(tenant: str, webhook_id: str) -> EndpointWithSecrets:
    """Replace the secrets of a webhook; the old signing secret signs too for another day."""
    read_empty_body()
    return endpoints.rotate(tenant, webhook_id, settings=runtime().settings)


@family.scoped("/<webhook_id>/test", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(200, schemas.SentTestResponse())
def test_tenant_webhook(tenant: str, webhook_id: str) -> schemas.SentTest:
    """Post one event webhook.test."""
    read_empty_body()
    return schemas.SentTest(redelivery.send_test(tenant, webhook_id))


@family.scoped("/<webhook_id>/deliveries", READ)
@family.doc(parameters=[{"in": "query", "schema": webhook_schemas.DeliveryQuery}])
@family.response(200, webhook_schemas.WebhookDeliveryList())
def list_tenant_webhook_deliveries(tenant: str, webhook_id: str) -> Page[DeliveryRecord]:
    """List the deliveries of a webhook in the last 30 days, newest first."""
    return log(tenant, webhook_id, paging.read_query(_DELIVERIES))


def log(tenant: str, webhook_id: str, query: dict[str, Any]) -> Page[DeliveryRecord]:
    """The page of the log that a query asks for. Raises NotFound, InvalidField."""
    by = operator()
    found = redelivery.deliveries(
        tenant,
        webhook_id,
        limit=query.get("limit", paging.DEFAULT_PAGE_SIZE) + 1,
        before=paging.marked_moment(query, by),
        status=query.get("status"),
        event_id=query.get("eventId"),
        invoice_id=query.get("invoiceId"),
    )
    return paging.closed_page(found, _place, query, by)


def _place(record: DeliveryRecord) -> list[Any]:
    return [record.created_at.isoformat(), record.id]


@family.scoped("/<webhook_id>/deliveries/<delivery_id>/redeliver", MANAGE, methods=["POST"])
@family.doc(requestBody=EMPTY_BODY)
@family.refuses(Conflict)
@family.response(202, webhook_schemas.WebhookDeliveryResponse())
def redeliver_tenant_event(tenant: str, webhook_id: str, delivery_id: str) -> DeliveryRecord:
    """Deliver the event again, with the same webhook-id; 409 if the webhook is disabled."""
    read_empty_body()
    owed = redelivery.redeliver(tenant, webhook_id, delivery_id)
    return redelivery.delivery(tenant, webhook_id, owed)


@family.scoped("/<webhook_id>/recover", MANAGE, methods=["POST"])
@family.doc(requestBody=documented_body(webhook_schemas.RecoveryRequest))
@family.refuses(Conflict)
@family.response(202, webhook_schemas.RecoveryResult())
def recover_tenant_events(tenant: str, webhook_id: str) -> int:
    """Deliver the events of a period that a webhook missed; a repetition sends none twice."""
    asked = bodies.read_body(RECOVERY, bodies.received())
    return redelivery.recover(tenant, webhook_id, since=asked["since"], until=asked.get("until"))
