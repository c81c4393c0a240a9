"""`einvoice retention`: drop what has been kept long enough."""

from __future__ import annotations

import click

from einvoice.cli.application import with_app
from einvoice.services import retention as service


@click.group()
def retention() -> None:
    """Drop what is kept for 30 days only; the relay does it every hour."""


@retention.command()
@with_app
def run() -> None:
    """Drop old idempotency keys, webhook log records, events and batches, and say how many."""
    dropped = service.sweep_all()
    click.echo(
        f"{dropped.keys} idempotency keys, {dropped.deliveries} webhook log records, "
        f"{dropped.events} events, {dropped.batches} batches"
    )
