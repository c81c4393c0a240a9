"""Code shared by commands: the application, errors as one line, tables of text."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable
from contextlib import suppress
from typing import Any, ParamSpec, TypeVar

import click
from flask import Flask
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from einvoice.app import create_app
from einvoice.config import SettingsFault, user_of_command
from einvoice.domain.environments import Environment
from einvoice.domain.errors import InvalidField, RequestRefused
from einvoice.network.registry import PluginFault
from einvoice.observability import metrics, span_export
from einvoice.services import believed_clock
from einvoice.services.account import audit
from einvoice.services.principal import Operator
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.core.postgresql import PoolerFound
from einvoice.store.installation import schema
from einvoice.store.installation.schema import SchemaState
from einvoice.web.runtime import runtime_of

# The options of commands for the fields of the API.
_OPTIONS = {
    "allowedIps": "--ip",
    "allowedReceivers": "--receiver",
    "eventTypes": "--event",
    "expiresAt": "--expires",
    "gracePeriodSeconds": "--grace",
    "scopes": "--scope",
    "url": "URL",
}

ENVIRONMENT = click.Choice([each.value for each in Environment])

_COLLECT_AFTER = 5_000  # new objects
_UPGRADE = "The database has not the tables of this release: run einvoice db upgrade"
_OTHER_SCHEMA = {
    SchemaState.MISSING: _UPGRADE,
    SchemaState.OLDER: _UPGRADE,
    SchemaState.INCOMPATIBLE: "The database is of a release that this one cannot run beside",
    SchemaState.UNKNOWN: "The database has a schema that is none of this service",
}

P = ParamSpec("P")
R = TypeVar("R")


def application() -> Flask:
    """The application with the settings of the environment; a fault ends the command."""
    try:
        return create_app()
    except (SettingsFault, PluginFault) as fault:
        raise click.ClickException(str(fault)) from fault


def long_running_application() -> Flask:
    """The application for a process that runs until it is stopped.

    Its objects live as long as the process, so they are excluded from garbage collection: a full
    collection would pause every request for 140 ms. What requests make is freed by its reference
    counts, so cycles are looked for less often than by default (after 700 new objects).
    """
    app = application()
    refuse_unknown_pooler(app)
    parts = runtime_of(app)
    span_export.start(parts.settings)
    metrics.start_at_zero({point.name for point in parts.access_points}, outbox.LANES)
    gc.collect()
    gc.freeze()
    gc.set_threshold(_COLLECT_AFTER)
    return app


def refuse_unknown_pooler(app: Flask) -> None:
    """End the command if the database is behind a pooler that the settings do not name.

    A database that does not respond is no reason: it may come back.
    """
    with app.app_context(), suppress(SQLAlchemyError):
        try:
            with db.reading():
                pass
        except DBAPIError as fault:
            if isinstance(fault.orig, PoolerFound):
                raise click.ClickException(str(fault.orig)) from None


def refuse_other_schema(app: Flask) -> None:
    """End the command if this release cannot work on the tables of the database.

    A relay or worker of a release whose upgrade has failed would fail documents; whatever started
    it leaves those of the release before running. A database that does not respond is no reason.
    """
    with app.app_context(), suppress(SQLAlchemyError):
        with db.reading() as connection:
            found = schema.state(connection)
        if (reason := _OTHER_SCHEMA.get(found)) is not None:
            raise click.ClickException(f"{reason} ({found}).")


def with_app(command: Callable[P, R]) -> Callable[P, R]:
    """Run the command in the application context; print errors as one line on stderr.

    What it changes is the operator's action in the audit log.
    """

    @functools.wraps(command)
    def _run(*args: P.args, **kwargs: P.kwargs) -> R:
        app = application()
        name = user_of_command(runtime_of(app).settings)
        with app.app_context(), audit.of_operator(Operator(name, name)):
            try:
                return command(*args, **kwargs)
            except InvalidField as refusal:
                raise click.ClickException(_wrong(refusal)) from refusal
            except RequestRefused as refusal:
                raise click.ClickException(refusal.detail) from refusal
            except SettingsFault as fault:
                raise click.ClickException(str(fault)) from fault
            except DBAPIError as fault:
                raise click.ClickException(_why(fault)) from fault

    return _run


def require_believed_clock() -> None:
    """End the command if the clock is not to be believed: it would delete what is not old."""
    if (reason := believed_clock.fault()) is not None:
        raise click.ClickException(f"Nothing is deleted: {reason}.")


def _wrong(refusal: InvalidField) -> str:
    """The messages of all invalid fields, each with the name of its option."""
    fields = [(error.pointer.split("/")[1], error.message) for error in refusal.errors]
    return "; ".join(f"{_OPTIONS.get(name, f'--{name}')}: {message}" for name, message in fields)


class Name(click.ParamType[str]):
    """A display name: not blank, printable, and not longer than `longest`."""

    name = "name"

    def __init__(self, longest: int) -> None:
        self.longest = longest

    def convert(self, value: str, param: object, ctx: object) -> str:
        text = value.strip()
        if not text or not text.isprintable() or len(text) > self.longest:
            raise click.BadParameter(f"a name has 1 to {self.longest} printable characters")
        return text


def _why(fault: DBAPIError) -> str:
    message = str(fault.orig).partition("\n")[0]
    if where := _empty_database():
        return (
            f"Database error: {where} has no tables: set EINVOICE_DATA_DIR or "
            "EINVOICE_DATABASE_URL as for the running service, or run einvoice db upgrade"
        )
    return f"Database error: {message} (einvoice doctor checks the database and its schema)"


def _empty_database() -> str | None:
    """URL of the database, if it answers and was never upgraded to a schema; no password."""
    with suppress(SQLAlchemyError), db.reading() as connection:
        if schema.place(connection)[0] is None:
            return connection.engine.url.render_as_string()
    return None


def table(rows: list[tuple[Any, ...]], *titles: str) -> None:
    """Print the rows in columns below the titles; "none" if there are no rows."""
    if not rows:
        click.echo("none")
        return
    lines = [titles, *(tuple("" if v is None else str(v) for v in row) for row in rows)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(titles))]
    for line in lines:
        cells = (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
        click.echo("  ".join(cells).rstrip())
