"""`einvoice transmissions`: list transmissions and messages that need an operator, settle them."""

from __future__ import annotations

from pathlib import Path

import click

from einvoice.cli.application import table, with_app
from einvoice.services.delivery import operations
from einvoice.store.sending.transmissions import Work
from einvoice.web.runtime import runtime


@click.group()
def transmissions() -> None:
    """List and settle transmissions, and messages (msg_…), with an unknown outcome."""


@transmissions.command()
@with_app
def attention() -> None:
    """List the transmissions and messages that need an operator."""
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
@with_app
def show(transmission: str) -> None:
    """Show the state of a transmission or message, and the request that caused it."""
    found = operations.find(transmission)
    for name, value in _facts(found).items():
        if value not in (None, ""):
            click.echo(f"{name:12}  {value}")


def _facts(found: Work) -> dict[str, object]:
    trace = found.trace
    return {
        "transmission": found.id,
        "invoice": found.invoice_id,
        "tenant": found.tenant_id,
        "environment": found.environment,
        "access point": found.access_point,
        "status": found.status,
        "phase": found.phase,
        "attempts": found.attempts,
        "created": found.created_at,
        "reason": found.reason,
        "request": trace.request_id if trace else None,
        "traceparent": trace.traceparent if trace else None,
    }


@transmissions.command()
@click.argument("connection", required=False)
@with_app
def parked(connection: str | None) -> None:
    """List the transmissions that wait for CONNECTION, or for any, until it can be used."""
    table(
        [
            (t.id, t.invoice_id, t.access_point, t.connection_id, t.paused_at, t.reason)
            for t in operations.parked(connection)
        ],
        "transmission",
        "invoice",
        "access point",
        "connection",
        "waits since",
        "reason",
    )


@transmissions.command()
@with_app
def sequences() -> None:
    """List the transmissions for which others of their sequence wait, the oldest first."""
    table(
        [
            (s.holder, s.connection_id, s.key, s.waiting, s.phase, s.attention, s.since, s.reason)
            for s in operations.blocking_sequences()
        ],
        "transmission",
        "connection",
        "key",
        "waiting",
        "phase",
        "needs an operator",
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
    content = evidence.read_bytes()
    points = runtime().access_points
    operations.resolve(transmission, outcome, content, evidence.name, reason, points)
    click.echo(f"{transmission} is {outcome}")


@transmissions.command()
@click.argument("transmission")
@with_app
def retry(transmission: str) -> None:
    """Make the next step of a transmission due at once."""
    operations.retry_now(transmission)
