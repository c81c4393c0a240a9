"""`einvoice db`: migrate the schema of the database."""

from __future__ import annotations

import click

from einvoice.cli.application import with_app
from einvoice.store import migrating


@click.group()
def db() -> None:
    """Create and migrate the database."""


@db.command()
@click.option("--sql", is_flag=True, help="Print the SQL instead of running it.")
@click.argument("revision", default="head")
@with_app
def upgrade(sql: bool, revision: str) -> None:
    """Upgrade the database to REVISION, the newest by default."""
    migrating.upgrade(revision, sql=sql)


@db.command()
@click.argument("revision", default="-1")
@with_app
def downgrade(revision: str) -> None:
    """Downgrade by one revision (`-- -1`), or to REVISION."""
    migrating.downgrade(revision)


@db.command()
@with_app
def current() -> None:
    """Show the revision of the database."""
    here, newest = migrating.current()
    if here == newest:
        click.echo(f"{here} (newest)")
    else:
        click.echo(f"{here or 'none'} (newest: {newest}): run einvoice db upgrade")
