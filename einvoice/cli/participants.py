"""`einvoice participants`: the participant ids a tenant owns (decisions 19.7)."""

from __future__ import annotations

import click

from einvoice.cli.application import table, with_app
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.services.account import tenants as service
from einvoice.services.caches import Caches


@click.group()
def participants() -> None:
    """Assign participant ids to tenants, and release them."""


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=click.Choice(["test", "live"]), default="test")
@with_app
def add(tenant: str, participant: str, environment: str) -> None:
    """Assign PARTICIPANT (scheme:identifier) to a tenant; it has one owner per environment."""
    parsed = ParticipantId.parse(participant)
    service.own_participant(tenant, Environment(environment), parsed)


@participants.command(name="list")
@click.argument("tenant")
@with_app
def list_(tenant: str) -> None:
    """List the tenant's participant ids."""
    service.get(tenant)
    rows: list[tuple[str, ...]] = [(o.environment, o.participant) for o in service.owned(tenant)]
    table(rows, "environment", "participant")


@participants.command()
@click.argument("tenant")
@click.argument("participant")
@click.option("--environment", type=click.Choice(["test", "live"]), default="test")
@with_app
def remove(tenant: str, participant: str, environment: str) -> None:
    """Release PARTICIPANT of a tenant, also of a closed one; its invoices stay."""
    parsed = ParticipantId.parse(participant)
    service.disown_participant(tenant, Environment(environment), parsed, Caches())
