"""The migrations build what the code expects, and can be taken back."""

from __future__ import annotations

import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from flask import Flask

from einvoice.store import migrating
from einvoice.store.db import Base, db


def test_migrations_and_tables_agree(app: Flask) -> None:
    """Autogenerate finds nothing to do after an upgrade."""
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []


def test_every_migration_can_be_taken_back_and_done_again(app: Flask) -> None:
    migrating.downgrade("base")
    left = set(sa.inspect(db.engine).get_table_names()) - {"alembic_version"}
    migrating.upgrade()

    assert left == set()
    assert set(Base.metadata.tables) <= set(sa.inspect(db.engine).get_table_names())
