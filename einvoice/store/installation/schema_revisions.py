"""Bring the database from one revision to another. Imported by commands only: Alembic is heavy."""

from __future__ import annotations

import io
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass

import alembic.command
import flask_migrate
import psycopg
from alembic.script import ScriptDirectory
from flask import Flask, current_app
from sqlalchemy.engine import Connection
from sqlalchemy.exc import OperationalError

from einvoice import clock
from einvoice.observability import logging
from einvoice.store.core.db import db, is_postgresql, reading, writing
from einvoice.store.installation import online_schema, schema, service_states
from einvoice.store.installation.online_schema import Locking
from einvoice.store.installation.schema import MIGRATIONS as MIGRATIONS
from einvoice.store.installation.schema import Releases, SchemaState

log = logging.get(__name__)

LOCK_DEADLINE_SECONDS = 3600.0  # for all waits for locks of one upgrade
MAX_PAUSE_SECONDS = 15.0


class TablesInUse(Exception):
    """A transaction holds a table for so long that the upgrade gave up; it may be repeated."""


class NewerRelease(Exception):
    """A newer release has upgraded the database, so this one cannot do what is asked."""


class UnknownRevision(Exception):
    """The database is at a revision that no release of this service has."""


@dataclass(frozen=True, slots=True)
class Step:
    """A revision that the database does not have yet, and what its statements lock."""

    revision: str
    title: str
    locks: tuple[Locking, ...]


def upgrade(revision: str = "head", *, sql: bool = False) -> None:
    """Go up to the revision, or print the SQL that would.

    Each revision is committed by itself. One that meets a locked table gives way and is repeated.
    A database of a newer release stays as it is, since the release before runs beside it
    (`is_newer`). Raises TablesInUse, NewerRelease and UnknownRevision.
    """
    _known()
    if sql:
        flask_migrate.upgrade(revision=revision, sql=True)
        return
    with _alone():
        if not is_newer():
            before = current()[0]
            _upgrade_repeatedly(revision)
            _note_releases(before)


def _note_releases(before: str | None) -> None:
    """Note that this release and the one before run on the tables, once all revisions are there."""
    applied, newest = current()
    if applied is None or applied != newest:
        return
    with writing() as connection:
        noted = schema.releases_of(connection)
        if noted is None or noted.newest != newest:
            _write_releases(connection, newest, noted.newest if noted else before or newest)


def _write_releases(connection: Connection, newest: str, oldest: str) -> None:
    releases = asdict(Releases(newest, oldest))
    service_states.write(connection, schema.NOTE, clock.now(), releases)


def is_newer() -> bool:
    """Whether the next release has upgraded the database, beside which this one runs.

    Raises NewerRelease if it was a later one, and UnknownRevision.
    """
    with reading() as connection:
        applied, newest = schema.place(connection)
        state = schema.beside(connection, applied)
    if state is SchemaState.INCOMPATIBLE:
        raise NewerRelease(
            f"The database is at {applied}, of a release that is more than one ahead of this one "
            f"({newest}), which cannot run on it: install the release before that one."
        )
    if state is SchemaState.UNKNOWN:
        raise UnknownRevision(
            f"The database is at the revision {applied}, which is none of this service "
            f"(the newest here is {newest}): check EINVOICE_DATABASE_URL."
        )
    return state is SchemaState.NEWER


def _alone() -> AbstractContextManager[None]:
    """SQLite has one writer at a time; a second upgrade finds nothing to do."""
    return online_schema.alone(db.engine) if is_postgresql() else nullcontext()


def _upgrade_repeatedly(revision: str) -> None:
    deadline = clock.monotonic() + LOCK_DEADLINE_SECONDS
    for pause in _pauses():
        try:
            flask_migrate.upgrade(revision=revision)
        except OperationalError as fault:
            if not isinstance(fault.orig, psycopg.errors.LockNotAvailable):
                raise
            applied = current()[0]
            if clock.monotonic() > deadline:
                waited = f"{LOCK_DEADLINE_SECONDS:.0f} seconds"
                message = (
                    f"The upgrade from {applied} waited {waited} for a table in use: {fault.orig}"
                )
                raise TablesInUse(message) from fault
            log.info("a table is in use: the revision is repeated", after=applied, seconds=pause)
            time.sleep(pause)
        else:
            return


def _pauses() -> Iterator[float]:
    """Seconds between attempts, so that what waited behind one gets through."""
    pause = 0.5
    while True:
        yield pause
        pause = min(2 * pause, MAX_PAUSE_SECONDS)


def steps() -> list[Step]:
    """The revisions that `upgrade` would run, in order. Reads the database, changes nothing.

    Raises UnknownRevision.
    """
    _known()
    applied, newest = current()
    scripts = ScriptDirectory(str(MIGRATIONS))
    if applied == newest or is_newer():
        return []
    pending = reversed(list(scripts.iterate_revisions(newest, applied)))
    return [
        Step(one.revision, one.doc, tuple(_locks(str(one.down_revision or "base"), one.revision)))
        for one in pending
    ]


def _locks(before: str, revision: str) -> list[Locking]:
    if not is_postgresql():
        return []  # one writer at a time: everything waits
    config = flask_migrate.Migrate(_app(), db).get_config(str(MIGRATIONS))
    config.output_buffer = io.StringIO()
    alembic.command.upgrade(config, f"{before}:{revision}", sql=True)
    return online_schema.locking(config.output_buffer.getvalue())


def downgrade(revision: str = "-1") -> None:
    """Go back to the revision. Raises NewerRelease and UnknownRevision."""
    _known()
    if is_newer():
        applied, newest = current()
        raise NewerRelease(
            f"The database is at {applied}, of a newer release than this one ({newest}): only that "
            "release can take its revisions back."
        )
    flask_migrate.downgrade(revision=revision)
    with writing() as connection:
        applied, _ = schema.place(connection)
        noted = schema.releases_of(connection)
        if noted is not None and applied is not None:
            _write_releases(connection, applied, min(noted.oldest, applied))


def current() -> tuple[str | None, str]:
    """The revision the database is at, and the newest there is."""
    with reading() as connection:
        return schema.place(connection)


def _known() -> None:
    app = _app()
    if "migrate" not in app.extensions:
        flask_migrate.Migrate(app, db, directory=str(MIGRATIONS))


def _app() -> Flask:
    app: Flask = current_app._get_current_object()  # type: ignore[attr-defined]  # noqa: SLF001
    return app
