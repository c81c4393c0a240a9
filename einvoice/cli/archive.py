"""`einvoice archive`: what lies outside of the database, moving and verifying it."""

from __future__ import annotations

import sys

import click

from einvoice.archive.objects import StoreFault
from einvoice.cli.application import Name, require_believed_clock, table, with_app
from einvoice.services.archive import disposal, holds, transfer, upkeep
from einvoice.store.core.resources import resources
from einvoice.web.runtime import runtime

MAX_SECONDS = 7 * 24 * 3600


@click.group()
def archive() -> None:
    """Documents and evidence in a directory or bucket (EINVOICE_ARCHIVE_STORE)."""


@archive.command()
@with_app
def status() -> None:
    """Print where content is written, and the objects by store and state."""
    written = resources().archive.written
    click.echo(f"written to: {written.name if written else 'the database'}")
    found = upkeep.status()
    table(
        [(one.store, one.state, one.objects, one.size, one.stored_size) for one in found.figures],
        "store", "state", "objects", "bytes", "stored bytes",
    )  # fmt: skip
    click.echo(f"invoices to look at again: {found.put_off}")


@archive.command()
@click.option(
    "--seconds",
    type=click.IntRange(1, MAX_SECONDS),
    default=MAX_SECONDS,
    show_default=True,
    help="Stop after so many seconds; the next run goes on where this one stopped.",
)
@with_app
def move(seconds: int) -> None:
    """Move what is old or large enough now, as a worker does every ten minutes."""
    if resources().archive.written is None:
        raise click.ClickException("EINVOICE_ARCHIVE_STORE is database: nothing is moved")
    try:
        moved, left = transfer.move(runtime().settings, seconds=seconds)
    except StoreFault as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(
        f"{moved.invoices} invoices, {moved.parts} parts, {moved.size} bytes moved; "
        f"{moved.put_off} put off" + ("; more is left" if left else "")
    )


@archive.command()
@click.option("--limit", type=click.IntRange(1), help="Read at most so many objects.")
@with_app
def verify(limit: int | None) -> None:
    """Read all objects and compare them with their SHA-256; exit with 1 if one fails."""
    try:
        done = upkeep.verify(lambda key, fault: click.echo(f"{key}: {fault}"), limit)
    except StoreFault as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(f"{done.objects} objects, {done.size} bytes, {done.faults} faults")
    if done.faults:
        sys.exit(1)


@archive.command()
@with_app
def drop() -> None:
    """Drop what is past its retention now, as a worker does; EINVOICE_ARCHIVE_DROP must be on.

    A worker looks at each invoice once a year; this looks at all of them again.
    """
    if not runtime().settings.archive_drop:
        raise click.ClickException("EINVOICE_ARCHIVE_DROP is off: nothing is dropped")
    require_believed_clock()
    disposal.look_again()
    try:
        count, _ = disposal.drop(runtime().settings, seconds=MAX_SECONDS)
    except StoreFault as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(f"{count} parts dropped; their digests are kept")


@archive.command()
@click.argument("tenant")
@click.option("--invoice", help="Only this invoice; default: everything of the tenant.")
@click.option("--reason", type=Name(500), required=True, help="Such as a file number of a court.")
@with_app
def hold(tenant: str, invoice: str | None, reason: str) -> None:
    """Place a legal hold: nothing that it covers is dropped. Prints its id."""
    click.echo(holds.place(tenant, invoice, reason).id)


@archive.command("release")
@click.argument("hold_id", metavar="HOLD")
@with_app
def release(hold_id: str) -> None:
    """End a legal hold."""
    found = holds.release(hold_id)
    click.echo(f"released: {found.invoice_id or found.tenant_id}")


@archive.command("holds")
@click.argument("tenant")
@with_app
def list_holds(tenant: str) -> None:
    """List the legal holds of a tenant, also those that were released."""
    table(
        [
            (one.id, one.invoice_id or "all", one.placed_at.date(),
             one.released_at.date() if one.released_at else None, one.reason)
            for one in holds.of_tenant(tenant)
        ],
        "hold", "invoice", "since", "released", "reason",
    )  # fmt: skip
