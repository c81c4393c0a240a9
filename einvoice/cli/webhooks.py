"""`einvoice webhooks`: the webhook endpoints of tenants, and their log of deliveries."""

from __future__ import annotations

from datetime import UTC, datetime

import click

from einvoice.cli.application import ENVIRONMENT, table, with_app
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.services.account import tenants
from einvoice.services.webhooks import endpoints as service
from einvoice.services.webhooks import redelivery
from einvoice.services.webhooks.endpoints import EndpointWithSecrets
from einvoice.web.runtime import runtime

_MOMENT = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"])


@click.group()
def webhooks() -> None:
    """Register endpoints, show their log, deliver again."""


@webhooks.command()
@click.argument("tenant")
@click.argument("url")
@click.option("--environment", type=ENVIRONMENT, default="test")
@click.option(
    "--event",
    "event_types",
    multiple=True,
    help="May be repeated; * is all; default: the three of the contract.",
)
@click.option("--description")
@with_app
def add(
    tenant: str, url: str, environment: str, event_types: tuple[str, ...], description: str | None
) -> None:
    """Register URL and print its secrets. They are shown only once."""
    made = service.create(
        tenant,
        Environment(environment),
        url=url,
        description=description,
        event_types=event_types,
        settings=_settings(),
    )
    _show(made)


@webhooks.command(name="list")
@click.argument("tenant", required=False)
@with_app
def list_(tenant: str | None) -> None:
    """List the endpoints of TENANT, or those of all tenants that the service has disabled, as their
    receivers are gone or failed for days."""
    if tenant is not None:
        tenants.get(tenant)
    table(
        [
            (e.id, e.tenant_id, e.environment, e.status, e.url,
             " ".join(e.event_types) or "default", e.disabled_reason, e.backoff_until)
            for e in (service.disabled() if tenant is None else service.of_tenant(tenant))
        ],
        "id",
        "tenant",
        "environment",
        "status",
        "url",
        "events",
        "disabled",
        "backoff until",
    )  # fmt: skip


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@with_app
def disable(tenant: str, webhook: str) -> None:
    """Disable an endpoint: nothing is posted until it is enabled."""
    service.change(tenant, webhook, {"status": "disabled"}, settings=_settings())


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@with_app
def enable(tenant: str, webhook: str) -> None:
    """Enable an endpoint; `recover` sends the events that it missed."""
    service.change(tenant, webhook, {"status": "active"}, settings=_settings())


@webhooks.command(name="rotate-secret")
@click.argument("tenant")
@click.argument("webhook")
@with_app
def rotate_secret(tenant: str, webhook: str) -> None:
    """Replace the secrets and print them; the old one signs too for a day."""
    _show(service.rotate(tenant, webhook, settings=_settings()))


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@with_app
def remove(tenant: str, webhook: str) -> None:
    """Delete an endpoint, its log and its pending deliveries."""
    service.remove(tenant, webhook)


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@with_app
def test(tenant: str, webhook: str) -> None:
    """Post one webhook.test event; print the delivery's id."""
    click.echo(redelivery.send_test(tenant, webhook))


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@click.option("--status", type=click.Choice(["pending", "delivered", "failed"]))
@click.option("--event", help="Only those of the event with this id.")
@click.option("--invoice", help="Only those of events of the invoice with this id.")
@click.option("--limit", type=click.IntRange(1, 1000), default=20)
@with_app
def deliveries(
    tenant: str,
    webhook: str,
    status: str | None,
    event: str | None,
    invoice: str | None,
    limit: int,
) -> None:
    """Show the deliveries of an endpoint, newest first."""
    found = redelivery.deliveries(
        tenant, webhook, limit=limit, status=status, event_id=event, invoice_id=invoice
    )
    table(
        [
            (d.id, d.event_type, d.trigger, d.status, d.attempts, d.status_code, d.last_error,
             d.next_retry_at, d.created_at)
            for d in found
        ],
        "delivery",
        "event",
        "trigger",
        "status",
        "attempts",
        "code",
        "error",
        "next",
        "created",
    )  # fmt: skip


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@click.argument("delivery")
@with_app
def redeliver(tenant: str, webhook: str, delivery: str) -> None:
    """Deliver an event again with the same webhook-id; print the new delivery's id."""
    click.echo(redelivery.redeliver(tenant, webhook, delivery))


@webhooks.command()
@click.argument("tenant")
@click.argument("webhook")
@click.option("--since", type=_MOMENT, required=True, help="UTC.")
@click.option("--until", type=_MOMENT, help="UTC; default: now.")
@with_app
def recover(tenant: str, webhook: str, since: datetime, until: datetime | None) -> None:
    """Send the events of a period that the endpoint missed; print their number.

    Events from before its registration are left out.
    """
    count = redelivery.recover(
        tenant,
        webhook,
        since=since.replace(tzinfo=UTC),
        until=until.replace(tzinfo=UTC) if until else None,
    )
    click.echo(count)


def _show(made: EndpointWithSecrets) -> None:
    click.echo(f"webhookId      {made.endpoint.id}")
    click.echo(f"secret         {made.secret}")
    click.echo(f"signingSecret  {made.signing_secret}")


def _settings() -> Settings:
    return runtime().settings
