"""`einvoice tenants move`: a tenant leaves this installation for another one, or comes to it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import click

from einvoice import clock
from einvoice.cli.application import table, with_app
from einvoice.cli.new_file import NEW_FILE
from einvoice.cli.progress import progress
from einvoice.config import SettingsFault
from einvoice.security import sealing
from einvoice.security.sealing import Keyring
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import move_source, move_target
from einvoice.services.tenant_data.export_reader import ExportBroken
from einvoice.services.tenant_data.tenant_export import Exported
from einvoice.web.runtime import runtime

MAX_ADDRESS = 200  # characters

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


def _address(context: click.Context, parameter: click.Parameter, text: str | None) -> str | None:
    """A base URL, without a slash at its end."""
    if text is None:
        return None
    parts = urlsplit(text)
    if parts.scheme not in ("http", "https") or not parts.hostname or len(text) > MAX_ADDRESS:
        raise click.BadParameter("is no base URL, such as https://eu2.example.com")
    return text.rstrip("/")


@click.group()
def move() -> None:
    """Move a tenant to another installation, while it goes on."""


# -- here, where it leaves -------------------------------------------------------------------------


@move.command()
@click.argument("tenant")
@click.argument("file", type=NEW_FILE)
@with_app
def begin(tenant: str, file: Path) -> None:
    """Write all of a tenant into FILE, and note what changes from now on. The tenant goes on."""
    _write(file, lambda: move_source.begin(tenant, file, runtime().settings, progress("written")))


@move.command()
@click.argument("tenant")
@click.argument("file", type=NEW_FILE)
@with_app
def changes(tenant: str, file: Path) -> None:
    """Write what has changed since the file before into FILE. The tenant goes on.

    Repeat it until a file takes seconds: the last one takes about as long.
    """
    done = progress("written", "changes")
    _write(file, lambda: move_source.changes(tenant, file, runtime().settings, done))


@move.command()
@click.argument("tenant")
@click.argument("file", type=NEW_FILE)
@click.option(
    "--wait",
    type=click.FloatRange(0),
    default=20.0,
    show_default=True,
    help="Seconds for documents that are due; later ones are sent by the other installation.",
)
@with_app
def finish(tenant: str, file: Path, wait: float) -> None:
    """Hold the tenant and write the last changes into FILE, with its credentials.

    From now on it reads here, and what would change something is 503 with Retry-After, until it is
    open at the other installation, or the move is cancelled.
    """
    done = progress("written", "changes")
    _write(
        file,
        lambda: move_source.finish(
            tenant, file, runtime().settings, Caches(), seconds=wait, progress=done
        ),
    )


@move.command()
@click.argument("tenant")
@click.argument("key", type=NEW_FILE)
@with_app
def release(tenant: str, key: Path) -> None:
    """Give the tenant up here: write the key of the last file into KEY, which only you can read.

    The other installation opens the tenant with it, so it does not go on here any more. Take it
    there by another way than the files. Repeating this writes the same key.
    """
    text = move_source.release(tenant, runtime().settings)
    try:
        with os.fdopen(os.open(key, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
            out.write(f"{text}\n")
    except OSError as fault:
        raise click.ClickException(f"{key}: {fault.strerror or fault}") from fault


@move.command()
@click.argument("tenant")
@click.option("--to", "moved_to", callback=_address, help="Base URL of the other installation.")
@click.confirmation_option(prompt="Is it open at the other installation?")
@with_app
def leave(tenant: str, moved_to: str | None) -> None:
    """Close the tenant here, after the other installation has opened it.

    With --to its keys get 410 tenant-moved with the new address. `tenants export` and `tenants
    purge --contract` delete what it has left here.
    """
    click.echo(clock.timestamp(move_source.leave(tenant, Caches(), moved_to=moved_to)))


@move.command()
@click.argument("tenant")
@click.option(
    "--discarded",
    is_flag=True,
    help="`discard` has deleted it at the other installation: needed after `release`.",
)
@with_app
def cancel(tenant: str, *, discarded: bool) -> None:
    """Let the tenant go on here, with everything that waited."""
    move_source.cancel(tenant, Caches(), discarded=discarded)


@move.command()
@click.argument("tenant")
@with_app
def status(tenant: str) -> None:
    """Show how many files are written, and how many rows have changed since."""
    found = move_source.standing(tenant)
    table(
        [(found.move.begun_at, found.move.files, found.changes, found.held_at or "",
          found.move.sealed_at or "", found.move.released_at or "")],
        "begun at", "files", "changes since", "held at", "sealed at", "released at",
    )  # fmt: skip


# -- here, where it comes to -----------------------------------------------------------------------


@move.command()
@click.argument("file", type=_FILE)
@click.option("--manifest", metavar="SHA256", help="What the other installation printed.")
@click.option("--key", "key_file", type=_FILE, help="What `release` wrote: of the last file.")
@with_app
def receive(file: Path, manifest: str | None, key_file: Path | None) -> None:
    """Read FILE, one of a move, and print the id of the tenant.

    Files are read in their order. The tenant is closed here until the last one, which opens it. A
    file that was interrupted goes on with the same command.
    """
    try:
        made = move_target.receive(
            file, runtime().settings, progress("stored", "parts"), manifest=manifest,
            transport=_transport(key_file),
        )  # fmt: skip
    except ExportBroken as fault:
        raise click.ClickException(str(fault)) from fault
    state = "the tenant is open" if made.is_open else "the next file follows"
    click.echo(f"{made.imported.documents} documents; {state}", err=True)
    if made.imported.lost:
        click.echo(f"{made.imported.lost} files could not be read there: they are empty", err=True)
    click.echo(made.imported.tenant_id)


@move.command()
@click.argument("tenant")
@click.confirmation_option(prompt="All that was received of it is deleted. Discard it?")
@with_app
def discard(tenant: str) -> None:
    """Delete what was received of a tenant that is not open here yet.

    Its files are not received here again.
    """
    move_target.discard(tenant)


def _transport(key_file: Path | None) -> Keyring | None:
    if key_file is None:
        return None
    try:
        return sealing.of_text(key_file.read_text())
    except (SettingsFault, UnicodeDecodeError):
        raise click.ClickException(f"{key_file}: this is no key of a move") from None


def _write(file: Path, write: Callable[[], Exported]) -> None:
    """Write a file, and print its documents, its size and the SHA-256 of its manifest."""
    started = clock.monotonic()
    try:
        made = write()
    except OSError as fault:
        raise click.ClickException(f"{file}: {fault.strerror or fault}") from fault
    seconds = clock.monotonic() - started
    click.echo(f"{made.documents} documents, {made.size:,} bytes, {seconds:.1f} s", err=True)
    click.echo(made.manifest)
