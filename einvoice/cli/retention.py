"""`einvoice retention`: delete rows past their retention."""

from __future__ import annotations

import click

from einvoice.cli.application import with_app
from einvoice.services import retention as service


@click.group()
def retention() -> None:
    """Delete rows past their retention of 30 days, as the relay does every hour."""


@retention.command()
@with_app
def run() -> None:
    """Delete old idempotency keys, webhook log records, events and batches; print the counts."""
    dropped = service.sweep_all()
    click.echo(
        f"{dropped.keys} idempotency keys, {dropped.deliveries} webhook log records, "
        f"{dropped.events} events, {dropped.batches} batches"
    )
