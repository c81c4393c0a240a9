"""`einvoice platforms`: accounts that own tenants, and act for them."""

from __future__ import annotations

from dataclasses import replace

import click

from einvoice.cli import keys, oauth_clients
from einvoice.cli.application import Name, table, with_app
from einvoice.domain.credentials import PLATFORM_CLIENT, PLATFORM_KEY
from einvoice.domain.platforms import is_external_id
from einvoice.services.account import platforms as service


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


_KEYS = replace(
    keys.COMMANDS,
    kind=PLATFORM_KEY,
    texts=replace(
        keys.COMMANDS.texts,
        group="Create, list, limit, rotate and revoke keys of a platform (TENANT is its id).",
        list="List a platform's keys, without the secrets, which are not stored.",
    ),
)
_CLIENTS = replace(
    oauth_clients.COMMANDS,
    kind=PLATFORM_CLIENT,
    texts=replace(
        oauth_clients.COMMANDS.texts,
        group="Create, list, limit, rotate and revoke OAuth clients of a platform.",
        list="List a platform's clients, without the secrets, which are not stored.",
    ),
)
platforms.add_command(_KEYS.group("keys"))
platforms.add_command(_CLIENTS.group("oauth-clients"))
