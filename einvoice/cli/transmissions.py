"""`einvoice transmissions`: look at what needs a person, and settle it with evidence."""

from __future__ import annotations

from pathlib import Path

import click

from einvoice.cli.application import table, with_app
from einvoice.services.delivery import operations


@click.group()
def transmissions() -> None:
    """Transmissions whose outcome the network does not tell."""


@transmissions.command()
@with_app
def attention() -> None:
    """List transmissions that wait for a person."""
    table(
        [
            (t.id, t.invoice_id, t.access_point, t.phase, t.attempts, t.created_at, t.reason)
            for t in operations.needing_attention()
        ],
        "transmission",
        "invoice",
        "access point",
        "phase",
        "attempts",
        "created",
        "reason",
    )


@transmissions.command()
@click.argument("transmission")
@click.argument("outcome", type=click.Choice(["delivered", "failed"]))
@click.option(
    "--evidence",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    help="What proves it: kept as an artefact of the invoice.",
)
@click.option("--reason", help="Why it failed, in words for the tenant.")
@with_app
def resolve(transmission: str, outcome: str, evidence: Path, reason: str | None) -> None:
    """Settle an unknown outcome by hand."""
    operations.resolve(transmission, outcome, evidence.read_bytes(), evidence.name, reason)
    click.echo(f"{transmission} is {outcome}")


@transmissions.command()
@click.argument("transmission")
@with_app
def retry(transmission: str) -> None:
    """Make the next step of a transmission due at once."""
    operations.retry_now(transmission)
