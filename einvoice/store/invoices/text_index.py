"""The index by which PostgreSQL finds invoices by a part of their number or of a party's name.

It has the trigrams of these texts (pg_trgm) beside the tenant (btree_gin), so that a word which is
frequent among the invoices of others costs nothing. A database where the extensions may not be
created has no index; neither has SQLite. Then a search examines invoices in their order (lists).

New entries are appended to a list of the index and merged by the relay (`merge`), which costs a
send 10 us in PostgreSQL; merged by the sends themselves they cost twice as much, and some sends
waited 30 ms (measured with 1.25 million invoices).
"""

from __future__ import annotations

import re

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from sqlalchemy.schema import CreateIndex

from einvoice.store.core import db
from einvoice.store.tables import TEXT_INDEX, Invoice

EXTENSIONS = ("pg_trgm", "btree_gin")
# In one line, because scripts of `--sql` are split at the ends of lines. Both are trusted: the
# owner of the database may create them. Without the package or the right there is no index.
CREATE_EXTENSIONS = (
    "DO $$ BEGIN "
    + " ".join(f"CREATE EXTENSION IF NOT EXISTS {name};" for name in EXTENSIONS)
    + " EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR undefined_file"
    " THEN NULL; END $$"
)
# Their operators, where statements without a schema find them.
_INDEXABLE = sa.text(
    "SELECT count(*) = 2 FROM pg_opclass JOIN pg_am ON pg_am.oid = opcmethod "
    "WHERE amname = 'gin' AND opcname IN ('gin_trgm_ops', 'text_ops') "
    "AND pg_opclass_is_visible(pg_opclass.oid)"
)
_STATE = sa.text(
    "SELECT indisvalid, (SELECT datctype IN ('C', 'POSIX') FROM pg_database "
    "WHERE datname = current_database()) AS ascii "
    "FROM pg_index WHERE indexrelid = to_regclass(:name)"
).bindparams(name=TEXT_INDEX.name)
# Only the owner of an index may merge its list.
_MERGE = sa.text(
    "SELECT gin_clean_pending_list(oid) FROM pg_class "
    "WHERE oid = to_regclass(:name) AND pg_has_role(relowner, 'USAGE')"
).bindparams(name=TEXT_INDEX.name)


def is_indexable(connection: Connection) -> bool:
    """Whether the extensions are there."""
    return bool(connection.execute(_INDEXABLE).scalar())


def is_there(connection: Connection) -> bool:
    """Whether the index is complete."""
    state = connection.execute(_STATE).one_or_none()
    return state is not None and bool(state.indisvalid)


def finds(connection: Connection, text: str) -> bool:
    """Whether the index finds this text: it needs three letters or digits in a row.

    In a database with the locale C these are those of ASCII.
    """
    if connection.dialect.name != "postgresql":
        return False
    state = connection.execute(_STATE).one_or_none()
    if state is None or not state.indisvalid:
        return False
    return re.search(r"[^\W_]{3}", text, re.ASCII if state.ascii else re.UNICODE) is not None


def merge() -> int:
    """Merge what was appended since the last time; the number of its pages, 0 without an index."""
    if not db.is_postgresql():
        return 0
    with db.reading() as connection:
        return connection.execute(_MERGE).scalar() or 0


def build() -> bool:
    """Build the index beside the running service; False if the extensions cannot be created.

    What is left of a build that was interrupted is dropped first.
    """
    with db.reading() as connection:
        connection.exec_driver_sql(CREATE_EXTENSIONS)
        if not is_indexable(connection):
            return False
        if not is_there(connection):
            connection.exec_driver_sql(f"DROP INDEX CONCURRENTLY IF EXISTS {TEXT_INDEX.name}")
            statement = str(CreateIndex(TEXT_INDEX).compile(connection))
            connection.exec_driver_sql(
                statement.replace("CREATE INDEX", "CREATE INDEX CONCURRENTLY", 1)
            )
            # Of its texts the planner has no statistics before that (lists.MAX_EXPECTED).
            connection.exec_driver_sql(f"ANALYZE {Invoice.__tablename__}")
        return True
