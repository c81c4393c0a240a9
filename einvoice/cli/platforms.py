"""`einvoice platforms`: accounts that own tenants, and act for them."""

from __future__ import annotations

import click

from einvoice.cli.application import Name, table, with_app
from einvoice.cli.credentials import CommandTexts, CredentialCommands
from einvoice.domain.credentials import PLATFORM_CLIENT, PLATFORM_KEY
from einvoice.domain.platforms import is_external_id
from einvoice.services.account import platforms as service
from einvoice.services.account.credentials import NewCredential


@click.group()
def platforms() -> None:
    """Add and list platforms, their keys and OAuth clients, and give them tenants."""


@platforms.command()
@click.argument("name", type=Name(200))
@with_app
def create(name: str) -> None:
    """Add a platform and print its id."""
    click.echo(service.create(name))


@platforms.command(name="list")
@with_app
def list_() -> None:
    """List the platforms with the number of their tenants."""
    table(
        [
            (one.id, one.name, tenants, one.verifies_numbers, one.created_at, one.closed_at or "")
            for one, tenants in service.page()
        ],
        "id", "name", "tenants", "verifies numbers", "created", "closed at",
    )  # fmt: skip


@platforms.command()
@click.argument("platform")
@click.option("--verifies-numbers/--no-verifies-numbers", required=True)
@with_app
def change(platform: str, verifies_numbers: bool) -> None:
    """Say whether the numbers of its identifications are verified by its word."""
    service.set_verifies_numbers(platform, verifies=verifies_numbers)


@platforms.command()
@click.argument("platform")
@click.argument("tenant")
@click.argument("external_id")
@with_app
def adopt(platform: str, tenant: str, external_id: str) -> None:
    """Make a TENANT of yours one of the platform's, which calls it EXTERNAL_ID."""
    if not is_external_id(external_id):
        message = "1 to 100 letters, digits and . _ : @ + -, with a letter or digit first"
        raise click.BadParameter(message, param_hint="EXTERNAL_ID")
    service.adopt(platform, tenant, external_id)


def _show(made: NewCredential) -> None:
    click.echo(made.record.id)
    click.echo(made.secret)


platforms.add_command(
    CredentialCommands(
        PLATFORM_KEY,
        CommandTexts(
            noun="key",
            rotated="key",
            argument="KEY_ID",
            group="Create, list, limit, rotate and revoke keys of a platform (TENANT is its id).",
            add="Create a key and print it. It is shown only once.",
            list="List a platform's keys, without the secrets, which are not stored.",
            rotate="Replace KEY_ID: print a new key with the same grants; the old one expires.",
            revoke="Revoke a key. It is invalid within a second.",
        ),
        show=lambda made: click.echo(made.secret),
        columns={
            "id": lambda key: key.id,
            "name": lambda key: key.name,
            "key": lambda key: f"{key.prefix}…{key.last4}",
            "get/min": lambda key: key.get_per_minute or "default",
            "post/min": lambda key: key.post_per_minute or "default",
            "created": lambda key: key.created_at,
            "expires": lambda key: key.expires_at,
            "revoked": lambda key: key.revoked_at,
        },
    ).group("keys")
)
platforms.add_command(
    CredentialCommands(
        PLATFORM_CLIENT,
        CommandTexts(
            noun="client",
            rotated="secret",
            argument="CLIENT_ID",
            group="Create, list, limit, rotate and revoke OAuth clients of a platform.",
            add="Create a client and print its id and secret. The secret is shown only once.",
            list="List a platform's clients, without the secrets, which are not stored.",
            rotate="Print a new secret of CLIENT_ID; the old one stays valid for the grace period.",
            revoke="Revoke a client. Its tokens are invalid within a second.",
        ),
        show=_show,
        columns={
            "client": lambda client: client.id,
            "name": lambda client: client.name,
            "secret": lambda client: f"…{client.last4}",
            "created": lambda client: client.created_at,
            "last used": lambda client: client.last_used_at,
            "revoked": lambda client: client.revoked_at,
        },
    ).group("oauth-clients")
)
