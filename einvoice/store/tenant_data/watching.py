"""Triggers that note each change of a moving tenant, and refuse changes once it is sealed.

They are there while a tenant moves, on the tables of its export, and are about its rows only. A
transaction that changes a row locks the row of the move until its end: the one that seals it waits
for all of them, and finds whatever comes later refused. So what the last file has is all there is.

Why not by the versions of rows (xmin), or a slot of replication: the first has no index, so it
reads the whole tenant while it is closed, and deletions need lists of all ids; the second needs
another `wal_level`, and neither is there on SQLite.
"""

from __future__ import annotations

import hashlib
import re
import time
from collections.abc import Iterator

import sqlalchemy as sa
from sqlalchemy.exc import OperationalError

from einvoice.domain.errors import Conflict
from einvoice.store.core import db
from einvoice.store.tenant_data import tenant_data
from einvoice.store.tenant_data.tenant_data import Family

LOCK_TIMEOUT, TRIES, PAUSE_SECONDS = "2s", 30, 0.5
_NAME = re.compile(r"[A-Za-z0-9_-]{1,40}")
_SEALED = "the tenant moves to another installation"

# Rows that say what happened: they are added only, and refused never.
_ADDED_ONLY = frozenset({"events", "audit_entries"})
# Rows that background work may change at any time.
_NEVER_REFUSED = _ADDED_ONLY | {"registrations"}
# Columns whose changes are not worth a file.
_UNNOTED = frozenset({"network_status", "network_checked_at"})


def watch(tenant_id: str) -> None:
    """Note the changes of the tenant from now on. Repeating it changes nothing.

    A table that is in use is tried again. Raises Conflict if it stays so.
    """
    there = _triggers()
    for family in tenant_data.WATCHED:
        if not _names(family, tenant_id) <= there:
            dropped = _dropped(family, tenant_id) if _names(family, tenant_id) & there else []
            _patiently(family, [*dropped, *_created(family, tenant_id)])


def unwatch(tenant_id: str) -> None:
    """Note nothing any more. Repeating it changes nothing. Raises Conflict."""
    there = _triggers()
    for family in tenant_data.WATCHED:
        if _names(family, tenant_id) & there:
            _patiently(family, _dropped(family, tenant_id))


def is_watched(tenant_id: str) -> bool:
    """Whether all changes of the tenant are noted. An upgrade on SQLite copies tables without
    their triggers."""
    wanted = (_names(family, tenant_id) for family in tenant_data.WATCHED)
    return set[str]().union(*wanted) <= _triggers()


def _triggers() -> set[str]:
    """The names of all triggers of the database."""
    if db.is_postgresql():
        query = "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal"
    else:
        query = "SELECT name FROM sqlite_master WHERE type = 'trigger'"
    with db.reading() as connection:
        return set(connection.execute(sa.text(query)).scalars())


def _names(family: Family, tenant_id: str) -> set[str]:
    return {_name(family, tenant_id, event) for event, _ in _events(family)}


def _patiently(family: Family, statements: list[str]) -> None:
    """Run the statements in one transaction, which waits for a lock only so long that nobody who
    waits behind it notices."""
    for _ in range(TRIES):
        try:
            with db.writing() as connection:
                if connection.dialect.name == "postgresql":
                    connection.execute(sa.text(f"SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'"))
                for statement in statements:
                    connection.exec_driver_sql(statement)
        except OperationalError:
            time.sleep(PAUSE_SECONDS)
        else:
            return
    raise Conflict(f"The table {family.name} stays in use: try again, or end what uses it so long.")


def _created(family: Family, tenant_id: str) -> Iterator[str]:
    owner = _literal(tenant_id)
    if db.is_postgresql():
        yield _function(family, tenant_id)
        for event, row in _events(family):
            yield (
                f"CREATE TRIGGER {_name(family, tenant_id, event)} AFTER {event} ON {family.name} "
                f"FOR EACH ROW WHEN ({_condition(family, row, owner)}) "
                f"EXECUTE FUNCTION {_name(family, tenant_id)}()"
            )
        return
    for event, row in _events(family):
        yield (
            f"CREATE TRIGGER {_name(family, tenant_id, event)} AFTER {event} ON {family.name} "
            f"FOR EACH ROW WHEN {_condition(family, row, owner)} BEGIN "
            f"{_refusal(family, event, owner)} {_note(family, row, owner, 'json_array')}; END"
        )


def _dropped(family: Family, tenant_id: str) -> list[str]:
    names = sorted(_names(family, tenant_id))
    if not db.is_postgresql():
        return [f"DROP TRIGGER IF EXISTS {name}" for name in names]
    return [
        *(f"DROP TRIGGER IF EXISTS {name} ON {family.name}" for name in names),
        f"DROP FUNCTION IF EXISTS {_name(family, tenant_id)}()",
    ]


def _events(family: Family) -> Iterator[tuple[str, str]]:
    """The events of a family, each with the row that a trigger of it is about."""
    yield "INSERT", "NEW"
    if family.name in _ADDED_ONLY:
        return
    noted = [column.name for column in family.columns if column.name not in _UNNOTED]
    yield f"UPDATE OF {', '.join(noted)}", "NEW"
    yield "DELETE", "OLD"


def _condition(family: Family, row: str, owner: str) -> str:
    documents = f" AND {row}.invoice_id IS NOT NULL" if family is tenant_data.TRANSMISSIONS else ""
    return f"{row}.tenant_id = {owner}{documents}"


def _function(family: Family, tenant_id: str) -> str:
    owner = _literal(tenant_id)
    refuse = "" if family.name in _NEVER_REFUSED else (
        f"PERFORM 1 FROM tenant_moves WHERE tenant_id = {owner} AND sealed_at IS NULL FOR SHARE; "
        f"IF NOT FOUND THEN RAISE EXCEPTION '{_SEALED}' USING ERRCODE = '55000'; END IF; "
    )  # fmt: skip
    changed = _note(family, "NEW", owner, "json_build_array")
    deleted = _note(family, "OLD", owner, "json_build_array")
    return (
        f"CREATE OR REPLACE FUNCTION {_name(family, tenant_id)}() RETURNS trigger "
        "LANGUAGE plpgsql AS $$ BEGIN "
        f"IF TG_OP = 'DELETE' THEN {deleted}; ELSE {refuse}{changed}; END IF; RETURN NULL; END $$"
    )


def _refusal(family: Family, event: str, owner: str) -> str:
    """The statement of SQLite that refuses a change of a sealed tenant."""
    if family.name in _NEVER_REFUSED or event == "DELETE":
        return ""
    open_move = f"SELECT 1 FROM tenant_moves WHERE tenant_id = {owner} AND sealed_at IS NULL"  # noqa: S608 - the same
    return f"SELECT RAISE(ABORT, '{_SEALED}') WHERE NOT EXISTS ({open_move});"


def _note(family: Family, row: str, owner: str, array: str) -> str:
    keys = ", ".join(f"{row}.{column.name}" for column in family.table.primary_key.columns)
    return (
        "INSERT INTO tenant_changes (tenant_id, family, key) "  # noqa: S608 - the same
        f"VALUES ({owner}, '{family.name}', {array}({keys}))"
    )


def _name(family: Family, tenant_id: str, event: str = "") -> str:
    """The name of a function, or with an event of a trigger."""
    tenant = hashlib.sha256(tenant_id.encode()).hexdigest()[:16]
    end = f"_{event.split()[0].lower()}" if event else ""
    return f"moving_{tenant}_{family.name}{end}"


def _literal(tenant_id: str) -> str:
    if not _NAME.fullmatch(tenant_id):
        raise ValueError(f"{tenant_id[:40]!r} is no id of a tenant")
    return f"'{tenant_id}'"
