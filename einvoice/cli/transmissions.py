"""`einvoice transmissions`: list transmissions that need an operator, and settle them."""

from __future__ import annotations

from pathlib import Path

import click

from einvoice.cli.application import table, with_app
from einvoice.services.delivery import operations


@click.group()
def transmissions() -> None:
    """List and settle transmissions with an unknown outcome."""


@transmissions.command()
@with_app
def attention() -> None:
    """List the transmissions that need an operator."""
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
    help="Proof of the outcome: stored as an artefact of the invoice.",
)
@click.option("--reason", help="Reason of the failure, for the tenant.")
@with_app
def resolve(transmission: str, outcome: str, evidence: Path, reason: str | None) -> None:
    """Record the outcome of a transmission with its evidence."""
    operations.resolve(transmission, outcome, evidence.read_bytes(), evidence.name, reason)
    click.echo(f"{transmission} is {outcome}")


@transmissions.command()
@click.argument("transmission")
@with_app
def retry(transmission: str) -> None:
    """Make the next step of a transmission due at once."""
    operations.retry_now(transmission)
