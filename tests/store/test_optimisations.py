"""Each optimisation of the store can be turned off, and changes no answer.

The other tests of this directory run with all of them and with none.
"""

from __future__ import annotations

from dataclasses import fields, replace
from datetime import timedelta
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.store import outbox
from einvoice.store.core import db, postgresql, rows
from einvoice.store.core.postgresql import ALL, NONE, Optimisations
from einvoice.store.invoices import artefacts
from einvoice.store.sending import acceptance_statement, transmissions
from tests.builders import a_receipt, accepted

SWITCHES = [field.name for field in fields(Optimisations)]


def test_all_and_none_are_complete():
    """A new switch is part of both."""
    assert all(getattr(ALL, name) for name in SWITCHES)
    assert not any(getattr(NONE, name) for name in SWITCHES)


def _accepts_in_one_statement(app, monkeypatch) -> bool:
    called = []
    original = acceptance_statement.accept
    monkeypatch.setattr(
        acceptance_statement, "accept", lambda send: called.append(send) or original(send)
    )
    accepted("tenant-1")
    return bool(called)


def _keeps_plans(app, monkeypatch) -> bool:
    monkeypatch.setattr(postgresql, "_KEEP_IF_GROWN", "SELECT set_config('work_mem', '7MB', false)")
    db.keep_plans(app)
    db.db.engine.dispose()
    with db.reading() as connection:
        return connection.execute(sa.text("SHOW work_mem")).scalar() == "7MB"


def _reads_documents_in_binary(app, monkeypatch) -> bool:
    formats = set()

    def _note(_: Any, cursor: Any, *__: Any) -> None:
        formats.add(cursor.format)

    sa.event.listen(db.db.engine, "before_cursor_execute", _note)
    transmissions.held([1], "token", clock.now())
    return formats == {psycopg.pq.Format.BINARY}


def _packs_artefacts(app, monkeypatch) -> bool:
    statements = []
    original = rows.execute
    monkeypatch.setattr(
        rows, "execute", lambda *a, **k: statements.append(a[1]) or original(*a, **k)
    )
    with db.writing() as connection:
        artefacts.add_missing(connection, [a_receipt(b"<Receipt/>")])
    return bool(statements)


def _pings_late(app, monkeypatch) -> bool:
    return not db.db.engine.pool._pre_ping


EFFECTS = {
    "accepting_statement": _accepts_in_one_statement,
    "kept_plans": _keeps_plans,
    "binary_documents": _reads_documents_in_binary,
    "packed_artefacts": _packs_artefacts,
    "late_ping": _pings_late,
}


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
@pytest.mark.parametrize("name", SWITCHES)
@pytest.mark.parametrize("store_optimisations", [*(replace(ALL, **{n: False}) for n in SWITCHES)])
def test_a_switch_turns_its_own_optimisation_off(app, monkeypatch, store_optimisations, name):
    """And no other."""
    assert EFFECTS[name](app, monkeypatch) == getattr(store_optimisations, name)


def test_held_documents_are_the_bytes_that_were_accepted(app, tenant):
    """In the binary form of PostgreSQL, in its text form, and on SQLite."""
    sent = accepted(tenant)
    now = clock.now()
    [claimed] = outbox.claim(sent.lane, tenant, 1, token="token", now=now, lease=timedelta(hours=1))

    [work] = transmissions.held([claimed.id], "token", now)
    assert work.document == sent.content.document
