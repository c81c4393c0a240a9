"""`einvoice keys`: the API keys of a tenant."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click

from einvoice.cli import grants
from einvoice.cli.application import table, with_app
from einvoice.domain.environments import Environment
from einvoice.security import api_keys
from einvoice.services.account import keys as service
from einvoice.services.account import tenants
from einvoice.store import api_keys as stored


@click.group()
def keys() -> None:
    """Create, list, limit, rotate and revoke API keys."""


@keys.command()
@click.argument("tenant")
@grants.rights("key")
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help="Last day, UTC.")
@with_app
def add(
    tenant: str,
    name: str,
    environment: str,
    scopes: tuple[str, ...],
    expires: datetime | None,
    ips: tuple[str, ...],
    receivers: tuple[str, ...],
) -> None:
    """Create a key and print it. It is shown only once."""
    made = service.create(
        tenant,
        name,
        Environment(environment),
        scopes=scopes or api_keys.DEFAULT_SCOPES,
        expires_at=_end_of(expires) if expires else None,
        allowed_ips=ips,
        allowed_receivers=receivers,
    )
    click.echo(made.key)


def _end_of(day: datetime) -> datetime:
    """The end of the day: the key still works on its last day."""
    return day.replace(tzinfo=UTC) + timedelta(days=1)


@keys.command(name="list")
@click.argument("tenant")
@with_app
def list_(tenant: str) -> None:
    """List a tenant's keys, without the secrets, which are not stored."""
    tenants.get(tenant)
    table(
        [
            (
                k.id,
                k.name,
                f"{k.prefix}…{k.last4}",
                k.get_per_minute or "default",
                k.post_per_minute or "default",
                k.created_at,
                k.expires_at,
                k.revoked_at,
            )
            for k in stored.of_tenant(tenant)
        ],
        "id",
        "name",
        "key",
        "get/min",
        "post/min",
        "created",
        "expires",
        "revoked",
    )


@keys.command()
@click.argument("tenant")
@click.argument("key_id")
@grants.grace("key")
@with_app
def rotate(tenant: str, key_id: str, grace: int) -> None:
    """Replace KEY_ID: print a new key with the same grants; the old one expires."""
    click.echo(service.rotate(tenant, key_id, grace).key)


@keys.command()
@click.argument("tenant")
@click.argument("key_id")
@with_app
def revoke(tenant: str, key_id: str) -> None:
    """Revoke a key. It is invalid within a second."""
    service.revoke(tenant, key_id)


@keys.command()
@click.argument("tenant")
@click.argument("key_id")
@grants.budgets
@with_app
def limit(tenant: str, key_id: str, get: int | None, post: int | None) -> None:
    """Set the requests a minute of a key; an omitted option restores the default."""
    service.limit(tenant, key_id, get, post)
