"""The archive's work is one outbox row, which a worker carries out and reschedules."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.archive.objects import StoreFault
from einvoice.services.archive import transfer, work
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tables import Outbox
from einvoice.web.runtime import runtime
from tests.services.archive.conftest import in_row, old


def rows() -> list[tuple[str, float]]:
    """Kind of each open row of the archive, and in how many minutes it is due."""
    query = sa.select(Outbox.kind, Outbox.due_at).where(Outbox.subject_id == work.SUBJECT)
    now = clock.now()
    with db.reading() as connection:
        found = connection.execute(query).all()
    return [(kind, round((at - now).total_seconds() / 60)) for kind, at in found]


def schedule() -> None:
    work.schedule(runtime().settings)


def run() -> None:
    claimed = outbox.claim(
        outbox.CHORES, work.TENANT, 9, token="t", now=clock.now(), lease=timedelta(minutes=1)
    )
    work.run([row.id for row in claimed], "t", runtime())


def test_there_is_one_row_while_a_store_is_set(app):
    schedule()
    schedule()

    assert rows() == [("archive", 0)]


def test_there_is_one_while_a_store_is_only_read(make_app, tmp_path):
    """Objects of purged tenants are deleted from it."""
    with make_app(archive_directory=str(tmp_path)).app_context():
        schedule()

        assert rows() == [("archive", 0)]


def test_without_a_store_there_is_none(make_app):
    with make_app().app_context():
        schedule()

        assert rows() == []


def test_a_run_moves_and_is_due_again_in_ten_minutes(app, tenant):
    sent = old(tenant)
    schedule()
    run()

    assert in_row(sent)[:2] == (b"", b"")
    assert rows() == [("archive", 10)]


@pytest.mark.parametrize(("outcome", "minutes"), [(True, 0), (False, 10), (StoreFault("away"), 1)])
def test_the_pause_depends_on_what_is_left(app, monkeypatch, outcome, minutes):
    def move(*_, **__):
        if isinstance(outcome, Exception):
            raise outcome
        return transfer.Moved(), outcome

    monkeypatch.setattr(transfer, "move", move)
    schedule()
    run()

    assert rows() == [("archive", minutes)]


def test_a_row_whose_lease_has_ended_is_left_to_the_next_worker(app, tenant):
    sent = old(tenant)
    schedule()
    work.run([1], "another token", runtime())

    assert in_row(sent)[2] is None
