"""`einvoice sessions`: end the sessions of people and programs (decisions 20.11)."""

from __future__ import annotations

import click

from einvoice import clock
from einvoice.cli.application import Name, with_app
from einvoice.services.account import session_ends
from einvoice.services.caches import Caches


@click.group()
def sessions() -> None:
    """End the sessions of a tenant's people and OAuth clients."""


@sessions.command()
@click.argument("tenant")
@click.option(
    "--subject",
    type=Name(255),
    help="Only those of this person (claim sub) or OAuth client; default: of everyone.",
)
@with_app
def end(tenant: str, subject: str | None) -> None:
    """Refuse session and access tokens that were issued before now, within a second.

    API keys are not affected: revoke them by `einvoice keys revoke`.
    """
    moment = session_ends.end(tenant, subject, Caches())
    click.echo(clock.timestamp(moment))
