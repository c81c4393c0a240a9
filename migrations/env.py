"""Alembic's environment: the application's engine, with batch mode for SQLite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from alembic import context
from flask import current_app
from sqlalchemy.engine import Connection

from einvoice.store.core.db import Base
from einvoice.store.core.types import Moment, Money
from einvoice.store.installation import online_schema

migrate = current_app.extensions["migrate"]


def _render(kind: str, item: Any, autogenerate: Any) -> str | bool:
    """Render our own column types by name."""
    if kind == "type" and isinstance(item, Moment | Money):
        autogenerate.imports.add("from einvoice.store.core.types import Moment, Money")
        return f"{type(item).__name__}()"
    return False


def run_offline() -> None:
    """Write the SQL instead of running it: `einvoice db upgrade --sql`."""
    url = migrate.db.engine.url.render_as_string(hide_password=False)
    context.configure(
        url=url,
        target_metadata=Base.metadata,
        literal_binds=True,
        render_as_batch=True,
        transaction_per_migration=True,
    )
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    """Run each revision in a transaction of its own: what is done is not repeated after a fault."""
    engine = migrate.db.engine
    with engine.connect() as connection, _prepared(connection):
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_as_batch=True,
            compare_type=True,
            render_item=_render,
            transaction_per_migration=True,
        )
        with context.begin_transaction():
            context.run_migrations()


@contextmanager
def _prepared(connection: Connection) -> Iterator[None]:
    if connection.dialect.name == "postgresql":
        with online_schema.session(connection):
            yield
        return
    with _tables_replaceable(connection):
        yield


@contextmanager
def _tables_replaceable(connection: Connection) -> Iterator[None]:
    """Switch off SQLite's foreign keys: it changes a table by copying it and dropping the old one.

    The pragma has no effect inside a transaction, hence the driver's own connection.
    """
    driver = connection.connection.driver_connection
    driver.execute("PRAGMA foreign_keys=OFF")
    try:
        yield
    finally:
        driver.execute("PRAGMA foreign_keys=ON")


online_schema.install()
if context.is_offline_mode():
    run_offline()
else:
    run_online()
