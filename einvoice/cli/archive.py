"""`einvoice archive`: what lies outside of the database, moving and verifying it."""

from __future__ import annotations

import sys

import click

from einvoice.archive.objects import StoreFault
from einvoice.cli.application import table, with_app
from einvoice.services.archive import moving, sweeping
from einvoice.store.resources import resources
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
    found = sweeping.status()
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
        moved, left = moving.move(runtime().settings, seconds=seconds)
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
        done = sweeping.verify(lambda key, fault: click.echo(f"{key}: {fault}"), limit)
    except StoreFault as fault:
        raise click.ClickException(str(fault)) from fault
    click.echo(f"{done.objects} objects, {done.size} bytes, {done.faults} faults")
    if done.faults:
        sys.exit(1)
