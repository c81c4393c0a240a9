"""`einvoice operator-keys`: keys for programs of operators, at /api/operator."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import click

from einvoice.cli.application import Name, table, with_app
from einvoice.config import user_of_command
from einvoice.domain.operators import DEFAULT_SCOPES, SCOPES
from einvoice.services.account import operators as service
from einvoice.web.runtime import runtime


@click.group("operator-keys")
def operator_keys() -> None:
    """Create, list and revoke keys for programs of operators."""


@operator_keys.command()
@click.option("--name", type=Name(100), required=True, help="The audit log names it.")
@click.option(
    "--scope",
    "scopes",
    type=click.Choice(SCOPES),
    multiple=True,
    default=DEFAULT_SCOPES,
    show_default=True,
    help="May be repeated.",
)
@click.option("--expires", type=click.DateTime(["%Y-%m-%d"]), help="The last day (UTC).")
@with_app
def add(name: str, scopes: tuple[str, ...], expires: datetime | None) -> None:
    """Create a key and print it. It is shown only once."""
    end = None if expires is None else expires.replace(tzinfo=UTC) + timedelta(days=1)
    made = service.create_key(name, scopes, end, user_of_command(runtime().settings))
    click.echo(made.secret)


@operator_keys.command(name="list")
@with_app
def list_() -> None:
    """List the keys, without the secrets, which are not stored."""
    table(
        [
            (one.id, one.name, f"{one.prefix}…{one.last4}", " ".join(one.scopes), one.created_by,
             one.created_at, one.expires_at, one.revoked_at, one.last_used_at)
            for one in service.all_keys()
        ],
        "id", "name", "key", "scopes", "created by", "created", "expires", "revoked", "last used",
    )  # fmt: skip


@operator_keys.command()
@click.argument("key_id", metavar="KEY_ID")
@with_app
def revoke(key_id: str) -> None:
    """End a key at once."""
    service.revoke_key(key_id)
