"""`einvoice incidents`: what the page /status says of incidents."""

from __future__ import annotations

import click

from einvoice.cli.application import table, with_app
from einvoice.services.console import incidents as service
from einvoice.services.console.incidents import IncidentStatus

_STATUS = click.Choice([each.value for each in IncidentStatus])


@click.group()
def incidents() -> None:
    """Write, update and list the incidents of the page /status, which everybody reads."""


@incidents.command()
@click.argument("title")
@click.argument("text")
@click.option("--status", type=_STATUS, default=IncidentStatus.INVESTIGATING.value)
@with_app
def begin(title: str, text: str, status: str) -> None:
    """Write an incident, and print its id."""
    click.echo(service.begin(title, text, IncidentStatus(status)).id)


@incidents.command()
@click.argument("incident_id", metavar="INCIDENT_ID")
@click.argument("text")
@click.option("--status", type=_STATUS, required=True, help="resolved ends it.")
@with_app
def update(incident_id: str, text: str, status: str) -> None:
    """Add what is known now."""
    service.update(incident_id, text, IncidentStatus(status))


@incidents.command(name="list")
@with_app
def list_() -> None:
    """List the incidents: open ones first, then the newest first."""
    table(
        [
            (each.id, each.title, each.status.value, each.started_at, each.ended_at)
            for each in service.newest()
        ],
        "id", "title", "status", "began", "ended",
    )  # fmt: skip
