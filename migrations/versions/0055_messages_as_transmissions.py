"""Messages are transmissions without an invoice.

Revision: 0055
Follows: 0054

A row of `messages` is the content of such a transmission, as one of `invoices` is of the others.
The release before delivers by the columns of `messages`, and may run beside this one or again:
triggers copy what one release changes to the columns of the other.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None

TABLE = "transmissions"
INDEX, WITHOUT_INVOICE = "ix_transmissions_without_invoice", sa.text("invoice_id IS NULL")
REFERENCE = "ix_transmissions_reference"
BATCH = 1_000  # messages copied with one commit

FIXED = (
    "id", "tenant_id", "environment", "access_point", "connection_id", "document_type", "process",
    "sender_country", "receiver_country", "created_at",
)  # fmt: skip
CHANGING = (
    "status", "phase", "attempts", "fence", "retry_until", "message_id", "prepared",
    "prepared_state", "pending", "attention", "reason", "error_code", "settled_at",
)  # fmt: skip
COLUMNS = FIXED + CHANGING
# `prepared` and `prepared_state` change with the fence. PostgreSQL does not compare JSON.
COMPARED = [name for name in CHANGING if not name.startswith("prepared")]
TRIGGERS = {"messages_to_transmissions": "messages", "transmissions_to_messages": TABLE,
            "messages_deleted": "messages"}  # fmt: skip


def upgrade() -> None:
    postgresql = op.get_context().dialect.name == "postgresql"
    _set_nullable(nullable=True, postgresql=postgresql)
    op.create_index(
        INDEX,
        TABLE,
        ["settled_at"],
        postgresql_where=WITHOUT_INVOICE,
        sqlite_where=WITHOUT_INVOICE,
    )
    for name, statements in _bodies(postgresql=postgresql).items():
        _create_trigger(name, statements, postgresql=postgresql)
    _copy(postgresql=postgresql)


def downgrade() -> None:
    """The columns of `messages` say how far each of them has got."""
    postgresql = op.get_context().dialect.name == "postgresql"
    for name, table in TRIGGERS.items():
        if postgresql:
            op.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}")
            op.execute(f"DROP FUNCTION IF EXISTS {name}()")
        for event in () if postgresql else _EVENTS[name][0]:
            op.execute(f"DROP TRIGGER IF EXISTS {name}_{event}")
    op.execute("DELETE FROM attempts WHERE transmission_id IN (SELECT id FROM messages)")
    op.execute(f"DELETE FROM {TABLE} WHERE invoice_id IS NULL")
    op.drop_index(INDEX, table_name=TABLE)
    _set_nullable(nullable=False, postgresql=postgresql)


def _set_nullable(*, nullable: bool, postgresql: bool) -> None:
    """SQLite copies the table, without indexes of expressions."""
    if not postgresql:
        op.drop_index(REFERENCE, table_name=TABLE)
    with op.batch_alter_table(TABLE) as batch_op:
        for name in ("invoice_id", "tenant_id"):
            batch_op.alter_column(name, existing_type=sa.String(40), nullable=nullable)
    if not postgresql:
        reference = sa.text("(pending ->> 'reference')")
        where = sa.text("pending IS NOT NULL")
        op.create_index(REFERENCE, TABLE, ["access_point", reference], sqlite_where=where)


def _bodies(*, postgresql: bool) -> dict[str, tuple[str, ...]]:
    """The statements of each trigger. What is equal is not written, so none causes the other."""
    changes = ", ".join(f"{name} = NEW.{name}" for name in CHANGING)
    as_text = "::text" if postgresql else ""
    differs = " OR ".join(
        f"{name}{as_text if name == 'pending' else ''} {'IS DISTINCT FROM' if postgresql else 'IS NOT'}"
        f" NEW.{name}{as_text if name == 'pending' else ''}"
        for name in COMPARED
    )
    values = ", ".join(f"NEW.{name}" for name in COLUMNS)
    return {
        "messages_to_transmissions": (
            f"INSERT INTO {TABLE} ({', '.join(COLUMNS)}, rejected) SELECT {values}, false"  # noqa: S608 - names of our own
            " WHERE true ON CONFLICT DO NOTHING",
            f"UPDATE {TABLE} SET {changes} WHERE id = NEW.id AND ({differs})",  # noqa: S608 - the same
        ),
        "transmissions_to_messages": (
            f"UPDATE messages SET {changes} WHERE id = NEW.id AND ({differs})",  # noqa: S608 - the same
        ),
        "messages_deleted": (
            "DELETE FROM attempts WHERE transmission_id = OLD.id",
            f"DELETE FROM {TABLE} WHERE id = OLD.id AND invoice_id IS NULL",  # noqa: S608 - the same
        ),
    }


_EVENTS = {
    "messages_to_transmissions": (("INSERT", "UPDATE"), ""),
    "transmissions_to_messages": (("UPDATE",), " WHEN (NEW.invoice_id IS NULL)"),
    "messages_deleted": (("DELETE",), ""),
}


def _create_trigger(name: str, statements: tuple[str, ...], *, postgresql: bool) -> None:
    events, when = _EVENTS[name]
    body = "; ".join(statements)
    if not postgresql:
        for event in events:
            made = f"CREATE TRIGGER {name}_{event} AFTER {event} ON {TRIGGERS[name]}"
            op.execute(f"{made} FOR EACH ROW{when} BEGIN {body}; END")
        return
    op.execute(
        f"CREATE OR REPLACE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS "
        f"$$ BEGIN {body}; RETURN NULL; END $$"
    )
    made = (
        f"CREATE TRIGGER {name} AFTER {' OR '.join(events)} ON {TRIGGERS[name]} "
        f"FOR EACH ROW{when} EXECUTE PROCEDURE {name}()"
    )
    once = f"tgname = '{name}' AND tgrelid = '{TRIGGERS[name]}'::regclass"
    op.execute(
        f"DO $$ BEGIN IF NOT EXISTS (SELECT 1 FROM pg_trigger WHERE {once}) "  # noqa: S608 - the same
        f"THEN {made}; END IF; END $$"
    )


def _copy(*, postgresql: bool) -> None:
    """Copy the messages. The triggers are there: what is changed meanwhile is copied by them."""
    names = ", ".join(COLUMNS)
    into = f"INSERT INTO {TABLE} ({names}, rejected) SELECT {names}, false FROM"  # noqa: S608 - the same
    context = op.get_context()
    if not postgresql or context.as_sql:
        op.execute(f"{into} messages WHERE true ON CONFLICT DO NOTHING")
        return
    batch = sa.text(
        f"WITH part AS (SELECT * FROM messages WHERE id > :after ORDER BY id LIMIT {BATCH}),"
        f" copied AS ({into} part ON CONFLICT DO NOTHING) SELECT max(id) FROM part"
    )
    with context.autocommit_block():
        after: str | None = ""
        while after is not None:
            after = op.get_bind().execute(batch, {"after": after}).scalar()
