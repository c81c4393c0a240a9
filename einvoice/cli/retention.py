"""`einvoice retention`: delete rows past their retention."""

from __future__ import annotations

import click

from einvoice.cli.application import require_believed_clock, with_app
from einvoice.services import retention as service


@click.group()
def retention() -> None:
    """Delete rows past their retention, as the relay does every hour."""


@retention.command()
@with_app
def run() -> None:
    """Delete rows past their retention now, and print how many.

    After 30 days idempotency keys, webhook log records, events and batches; after 1,100 days
    records and settled messages of plugins; drafts 90 days after their last change.
    """
    require_believed_clock()
    dropped = service.sweep_all()
    click.echo(
        f"{dropped.keys} idempotency keys, {dropped.deliveries} webhook log records, "
        f"{dropped.events} events, {dropped.batches} batches, {dropped.records} records of "
        f"plugins, {dropped.messages} messages, {dropped.drafts} drafts, "
        f"{dropped.files} files of identifications"
    )
