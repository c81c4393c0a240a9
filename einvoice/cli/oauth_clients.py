"""`einvoice oauth-clients`: the OAuth clients of a tenant."""

from __future__ import annotations

import click

from einvoice.cli import grants
from einvoice.cli.application import table, with_app
from einvoice.domain.environments import Environment
from einvoice.security import api_keys
from einvoice.services.account import oauth_clients as service
from einvoice.services.account import tenants
from einvoice.services.account.oauth_clients import NewClient


@click.group()
def oauth_clients() -> None:
    """Create, list, limit, rotate and revoke OAuth clients."""


@oauth_clients.command()
@click.argument("tenant")
@grants.rights("client")
@with_app
def add(
    tenant: str,
    name: str,
    environment: str,
    scopes: tuple[str, ...],
    ips: tuple[str, ...],
    receivers: tuple[str, ...],
) -> None:
    """Create a client and print its id and secret. The secret is shown only once."""
    _show(
        service.create(
            tenant,
            name,
            Environment(environment),
            scopes=scopes or api_keys.DEFAULT_SCOPES,
            allowed_ips=ips,
            allowed_receivers=receivers,
        )
    )


@oauth_clients.command(name="list")
@click.argument("tenant")
@with_app
def list_(tenant: str) -> None:
    """List a tenant's clients, without the secrets, which are not stored."""
    tenants.get(tenant)
    table(
        [
            (
                client.id,
                client.name,
                f"…{client.last4}",
                client.get_per_minute or "default",
                client.post_per_minute or "default",
                client.created_at,
                client.last_used_at,
                client.revoked_at,
            )
            for client in service.of_tenant(tenant)
        ],
        "client", "name", "secret", "get/min", "post/min", "created", "last used", "revoked",
    )  # fmt: skip


@oauth_clients.command()
@click.argument("tenant")
@click.argument("client_id")
@grants.grace("secret")
@with_app
def rotate(tenant: str, client_id: str, grace: int) -> None:
    """Print a new secret of CLIENT_ID; the old one stays valid for the grace period."""
    _show(service.rotate(tenant, client_id, grace))


@oauth_clients.command()
@click.argument("tenant")
@click.argument("client_id")
@with_app
def revoke(tenant: str, client_id: str) -> None:
    """Revoke a client. Its tokens are invalid within a second."""
    service.revoke(tenant, client_id)


@oauth_clients.command()
@click.argument("tenant")
@click.argument("client_id")
@grants.budgets
@with_app
def limit(tenant: str, client_id: str, get: int | None, post: int | None) -> None:
    """Set the requests a minute of a client; an omitted option restores the default."""
    service.limit(tenant, client_id, get, post)


def _show(made: NewClient) -> None:
    click.echo(made.record.id)
    click.echo(made.secret)
