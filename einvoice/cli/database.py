"""`einvoice db`: migrate the schema of the database."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from einvoice.cli.application import with_app
from einvoice.services import operator_notes
from einvoice.store.core import db as database
from einvoice.store.installation import schema, schema_revisions
from einvoice.store.installation.schema import SchemaState
from einvoice.store.invoices import text_index


@click.group()
def db() -> None:
    """Create and migrate the database."""


@db.command()
@click.option("--sql", is_flag=True, help="Print the SQL instead of running it.")
@click.option("--check", is_flag=True, help="Print what each step locks instead of running it.")
@click.argument("revision", default="head")
@with_app
def upgrade(sql: bool, check: bool, revision: str) -> None:
    """Upgrade the database to REVISION, the newest by default. The service may run.

    Each step is committed by itself. One that waits for a table in use gives way to the service
    after two seconds and is repeated, for an hour at most. A database of a newer release stays as
    it is: the release before runs beside it.
    """
    with _explained():
        if check:
            _print_steps()
        else:
            schema_revisions.upgrade(revision, sql=sql)
        if not sql and schema_revisions.is_newer():
            click.echo(f"The database {_newer(*schema_revisions.current())}: nothing to do.")


@contextmanager
def _explained() -> Iterator[None]:
    """Faults of migrations as one line."""
    try:
        yield
    except (
        schema_revisions.TablesInUse,
        schema_revisions.NewerRelease,
        schema_revisions.UnknownRevision,
    ) as fault:
        raise click.ClickException(str(fault)) from None


def _newer(applied: str | None, newest: str | None) -> str:
    return f"is at {applied}, of a newer release than this one ({newest})"


def _print_steps() -> None:
    steps = schema_revisions.steps()
    if not steps and not schema_revisions.is_newer():
        click.echo("The database has the newest schema.")
    for step in steps:
        click.echo(f"{step.revision}  {step.title}")
        for lock in step.locks:
            click.echo(f"      {lock.effect}: {_shortened(lock.statement)}")


def _shortened(statement: str) -> str:
    return statement if len(statement) <= 100 else statement[:97] + "…"


@db.command("note-backup")
@click.option(
    "--restored",
    is_flag=True,
    help="Note that the newest was restored elsewhere and read: run it after each such check.",
)
@with_app
def note_backup(*, restored: bool) -> None:
    """Note that a backup has succeeded: run it after each, for the alert on its age."""
    if restored:
        operator_notes.note_restored()
    else:
        operator_notes.note_backup()


@db.command()
@click.argument("revision", default="-1")
@with_app
def downgrade(revision: str) -> None:
    """Downgrade by one revision (`-- -1`), or to REVISION."""
    with _explained():
        schema_revisions.downgrade(revision)


@db.command()
@with_app
def current() -> None:
    """Show the revision of the database."""
    here, newest = schema_revisions.current()
    if here == newest:
        click.echo(f"{here} (newest)")
    elif schema.compare(here) is SchemaState.NEWER:
        click.echo(f"{here}: the database {_newer(here, newest)}")
    else:
        click.echo(f"{here or 'none'} (newest: {newest}): run einvoice db upgrade")


@db.command("text-index")
@with_app
def build_text_index() -> None:
    """Build the index of the text search (PostgreSQL), where an upgrade could not.

    The service may run. It needs the extensions pg_trgm and btree_gin.
    """
    if not database.is_postgresql():
        raise click.ClickException("Only PostgreSQL has this index.")
    if not text_index.build():
        names = " and ".join(text_index.EXTENSIONS)
        raise click.ClickException(f"The extensions {names} cannot be created in this database.")
    click.echo("The index of the text search is complete.")
