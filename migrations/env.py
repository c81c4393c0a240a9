"""Alembic's environment: the application's engine, batch mode for SQLite."""

from __future__ import annotations

from typing import Any

from alembic import context
from flask import current_app

from einvoice.store import tables  # noqa: F401 - fills the metadata
from einvoice.store.db import Base, Moment, Money

migrate = current_app.extensions["migrate"]


def _render(kind: str, item: Any, autogenerate: Any) -> str | bool:
    """Our own column types by their names."""
    if kind == "type" and isinstance(item, Moment | Money):
        autogenerate.imports.add("from einvoice.store.db import Moment, Money")
        return f"{type(item).__name__}()"
    return False


def run_offline() -> None:
    """Write the SQL instead of running it: `einvoice db upgrade --sql`."""
    url = migrate.db.engine.url.render_as_string(hide_password=False)
    context.configure(url=url, target_metadata=Base.metadata, literal_binds=True)
    with context.begin_transaction():
        context.run_migrations()


def run_online() -> None:
    with migrate.db.engine.begin() as connection:
        context.configure(
            connection=connection,
            target_metadata=Base.metadata,
            render_as_batch=True,
            compare_type=True,
            render_item=_render,
        )
        with context.begin_transaction():
            context.run_migrations()


if context.is_offline_mode():
    run_offline()
else:
    run_online()
