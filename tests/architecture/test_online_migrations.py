"""The schema of PostgreSQL changes while the service and backups use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from alembic.script import ScriptDirectory
from flask import Flask

from einvoice.store.core.db import db
from einvoice.store.installation import online_schema, schema_revisions
from einvoice.store.installation.schema_revisions import TablesInUse
from tests.waiting import until

BEFORE = "0021"  # the revision after it changes the table `participants`
DEADLINE_SECONDS = 300.0


on_postgresql = pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)


@pytest.fixture
def migrate(app: Flask) -> Iterator[Callable[[], Future[None]]]:
    """Start an upgrade in a thread."""

    def _upgrade() -> None:
        with app.app_context():
            schema_revisions.upgrade()

    with ThreadPoolExecutor(2) as threads:
        yield lambda: threads.submit(_upgrade)


@on_postgresql
def test_writers_go_on_while_an_upgrade_waits_for_a_long_reader(
    tenant: str, migrate: Callable[[], Future[None]]
) -> None:
    """The reader ends only after the writer has written: waiting behind it would not end."""
    schema_revisions.downgrade(BEFORE)
    with db.engine.connect() as backup:
        backup.execute(sa.text("SELECT * FROM participants"))
        upgrading = migrate()
        until(_upgrade_waits)
        for number in range(5):
            _insert_participant(tenant, str(number))
        backup.rollback()
    upgrading.result(DEADLINE_SECONDS)

    assert _is_newest()
    assert _count("participants") == 5


@on_postgresql
def test_an_upgrade_gives_up_when_a_table_stays_in_use(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema_revisions, "LOCK_DEADLINE_SECONDS", -1.0)
    schema_revisions.downgrade(BEFORE)
    with db.engine.connect() as backup:
        backup.execute(sa.text("SELECT * FROM participants"))
        with pytest.raises(TablesInUse, match="0021"):
            schema_revisions.upgrade()
        backup.rollback()
    schema_revisions.upgrade()

    assert _is_newest()


@on_postgresql
def test_two_upgrades_at_once_do_the_work_once(
    app: Flask, migrate: Callable[[], Future[None]]
) -> None:
    schema_revisions.downgrade("base")
    both = [migrate(), migrate()]
    for upgrading in both:
        upgrading.result(DEADLINE_SECONDS)

    assert _is_newest()


@on_postgresql
def test_a_revision_that_was_interrupted_can_be_repeated(app: Flask) -> None:
    """Its statements are committed one by one: all of them may be there without its number."""
    schema_revisions.downgrade("base")
    revisions = list(ScriptDirectory(str(schema_revisions.MIGRATIONS)).walk_revisions())[::-1]
    for one in revisions[1:]:
        schema_revisions.upgrade(one.revision)
        _write("UPDATE alembic_version SET version_num = :before", before=one.down_revision)
        schema_revisions.upgrade(one.revision)

    assert _is_newest()


@on_postgresql
def test_an_index_left_invalid_is_built_again(app: Flask) -> None:
    """The rest of a concurrent build that was killed would satisfy IF NOT EXISTS."""
    schema_revisions.downgrade(BEFORE)
    _write("CREATE INDEX ix_participants_rivals ON participants (id)")
    _write(
        "UPDATE pg_index SET indisvalid = false "
        "WHERE indexrelid = 'ix_participants_rivals'::regclass"
    )
    schema_revisions.upgrade()
    with db.engine.connect() as connection:
        made = connection.execute(
            sa.text("SELECT indexdef FROM pg_indexes WHERE indexname = 'ix_participants_rivals'")
        ).scalar_one()

    assert made.endswith("(environment, participant)")


@on_postgresql
def test_steps_name_the_locks_of_what_is_pending_only(app: Flask) -> None:
    none_pending = schema_revisions.steps()
    schema_revisions.downgrade(BEFORE)
    steps = schema_revisions.steps()
    first = steps[0]
    words = {lock.statement.split("(")[0].strip(): lock.effect for lock in first.locks}

    assert none_pending == []
    assert first.revision == "0022"
    assert all("alembic_version" not in lock.statement for lock in first.locks)
    assert "wait" in next(w for s, w in words.items() if s.startswith("ALTER TABLE participants"))
    concurrent = [w for s, w in words.items() if "INDEX CONCURRENTLY" in s]
    assert set(concurrent) == {"reads and writes go on"}


LOCKS = [
    ("ALTER TABLE a ADD COLUMN IF NOT EXISTS b INTEGER", "a", "wait"),
    ("CREATE INDEX CONCURRENTLY IF NOT EXISTS i ON a (b)", "a", "go on"),
    ("CREATE UNIQUE INDEX CONCURRENTLY i ON a (b)", "a", "go on"),
    ("CREATE TABLE IF NOT EXISTS a (b INTEGER)", "a", "nothing waits"),
    ("UPDATE a SET b = 1", "a", "changed rows"),
    ("DROP TABLE a", "a", "end"),
    ("VACUUM a", None, "read what it does"),
]


@pytest.mark.parametrize(("statement", "table", "words"), LOCKS, ids=[row[0] for row in LOCKS])
def test_each_statement_says_what_it_locks(statement: str, table: str | None, words: str) -> None:
    (found,) = online_schema.locking(f"BEGIN;\n\n-- a comment\n{statement};\n\nCOMMIT;\n")

    assert found.table == table
    assert words in found.effect


def test_revisions_are_numbered_in_their_order() -> None:
    revisions = list(ScriptDirectory(str(schema_revisions.MIGRATIONS)).walk_revisions())[::-1]

    assert [one.revision for one in revisions] == [
        f"{number:04d}" for number in range(1, len(revisions) + 1)
    ]


def _is_newest() -> bool:
    here, newest = schema_revisions.current()
    return here == newest


def _upgrade_waits() -> bool:
    with db.engine.connect() as connection:
        waiting = connection.execute(
            sa.text(
                "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "
                "AND datname = current_database() AND query LIKE 'ALTER TABLE%'"
            )
        )
        return bool(waiting.scalar())


def _insert_participant(tenant: str, number: str) -> None:
    _write(
        "INSERT INTO participants (id, tenant_id, environment, participant, created_at) "
        "VALUES (:id, :tenant, 'live', :participant, now())",
        id=number,
        tenant=tenant,
        participant=f"0208:{number}",
    )


def _write(statement: str, **values: object) -> None:
    with db.engine.begin() as connection:
        connection.execute(sa.text("SET LOCAL statement_timeout = '10s'"))
        connection.execute(sa.text(statement), values)


def _count(table: str) -> int:
    with db.engine.connect() as connection:
        return connection.execute(sa.text(f"SELECT count(*) FROM {table}")).scalar_one()
