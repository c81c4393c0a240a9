"""The migrations build what the code expects, and can be taken back."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext
from flask import Flask

from einvoice import clock
from einvoice.store.core.db import Base, db, writing
from einvoice.store.core.types import Moment
from einvoice.store.installation import schema_revisions
from einvoice.store.sending.new_sends import NewSend
from einvoice.store.tables import (
    Artefact,
    Attempt,
    IdempotencyKey,
    Invoice,
    Outbox,
    Participant,
    Tenant,
    Transmission,
)
from tests.builders import accepted


# SQLAlchemy reads no index of an expression from SQLite.
@pytest.mark.filterwarnings("ignore:Skipped unsupported reflection")
@pytest.mark.filterwarnings("ignore:autogenerate skipping metadata-specified expression-based")
def test_migrations_and_tables_agree(app: Flask) -> None:
    """Autogenerate finds nothing to do after an upgrade."""
    with db.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": False})
        assert compare_metadata(context, Base.metadata) == []


def test_every_migration_can_be_taken_back_and_done_again(app: Flask) -> None:
    schema_revisions.downgrade("base")
    left = set(sa.inspect(db.engine).get_table_names()) - {"alembic_version"}
    schema_revisions.upgrade()

    assert left == set()
    assert set(Base.metadata.tables) <= set(sa.inspect(db.engine).get_table_names())


def test_a_database_in_use_goes_back_and_forth_and_keeps_its_rows(app: Flask, tenant: str) -> None:
    """As an operator has it: rows that refer to each other, in every table a send touches."""
    sent = accepted(tenant, number="N", key="k")
    _settle(sent, tenant)
    before = _rows()
    schema_revisions.downgrade("0001")
    schema_revisions.upgrade()

    assert _rows() == before
    assert all(before.values())


_OF_A_SEND = (Tenant, Invoice, Transmission, Attempt, Artefact, IdempotencyKey, Outbox)


def _rows() -> dict[str, int]:
    with db.engine.connect() as connection:
        return {
            table.__tablename__: connection.execute(
                sa.select(sa.func.count()).select_from(table)
            ).scalar_one()
            for table in _OF_A_SEND
        }


def _settle(sent: NewSend, tenant: str) -> None:
    """What a worker adds: an attempt and its evidence."""
    now = clock.now()
    attempt = {"transmission_id": sent.transmission_id, "number": 1, "started_at": now,
               "ended_at": now, "outcome": "Delivered"}  # fmt: skip
    artefact = {"id": "a", "tenant_id": tenant, "invoice_id": sent.invoice_id, "kind": "RECEIPT",
                "name": "r.xml", "content_type": "application/xml", "sha256": "0" * 64, "size": 1,
                "created_at": now, "content": b"x"}  # fmt: skip
    with writing() as connection:
        connection.execute(sa.insert(Attempt), attempt)
        connection.execute(sa.insert(Artefact), artefact)


def test_participant_ids_from_before_the_claims_are_verified(app: Flask, tenant: str) -> None:
    """A downgrade keeps them, and drops claims that are not verified."""
    schema_revisions.downgrade("0021")
    old = {"id": "p1", "tenant_id": tenant, "environment": "live", "participant": "0208:1",
           "created_at": clock.now()}  # fmt: skip
    kinds = {"created_at": Moment()}
    columns = sa.table("participants", *(sa.column(name, kinds.get(name)) for name in old))
    with writing() as connection:
        connection.execute(sa.insert(columns).values(**old))
    schema_revisions.upgrade()
    with db.engine.connect() as connection:
        statuses = connection.execute(sa.select(Participant.id, Participant.status)).all()
    with writing() as connection:
        claim = sa.insert(Participant).values(**old | {"id": "p2", "participant": "0208:2"})
        connection.execute(claim.values(status="pending"))
    schema_revisions.downgrade("0021")
    with db.engine.connect() as connection:
        left = connection.execute(sa.select(columns.c.id)).scalars().all()
    schema_revisions.upgrade()

    assert list(map(tuple, statuses)) == [("p1", "verified")]
    assert left == ["p1"]
