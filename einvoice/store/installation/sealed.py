"""The columns that hold encrypted secrets, by which keys they are sealed, and sealing them again.

Every column of bytes is in COLUMNS or known to be plain (tests/store/test_sealed.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa
from sqlalchemy import func, select, update
from sqlalchemy.engine import Connection

from einvoice.store import tables
from einvoice.store.core import db


@dataclass(frozen=True, slots=True)
class SealedColumn:
    """A column of secrets. `place` is the column that its context names (security/sealing)."""

    model: type[db.Base]
    column: str
    place: str

    @property
    def name(self) -> str:
        return f"{self.table.name}.{self.column}"

    @property
    def table(self) -> sa.Table:
        table = self.model.__table__
        assert isinstance(table, sa.Table)  # noqa: S101 - for the type checker
        return table

    @property
    def value(self) -> sa.Column[Any]:
        return self.table.c[self.column]

    def key_of(self, length: int) -> sa.Function[bytes]:
        """The first bytes of a secret, which name its key."""
        return func.substr(self.value, 1, length, type_=sa.LargeBinary())


@dataclass(frozen=True, slots=True)
class SealedValue:
    """A secret of a row. A session of a person may have no tenant."""

    id: str
    tenant_id: str | None
    sealed: bytes = field(repr=False)


_OF_ENDPOINT = tables.WebhookEndpoint
# A signing secret keeps its context when it becomes an old one.
COLUMNS = (
    SealedColumn(_OF_ENDPOINT, "secret", "secret"),
    SealedColumn(_OF_ENDPOINT, "signing_secret", "signing_secret"),
    SealedColumn(_OF_ENDPOINT, "old_signing_secret", "signing_secret"),
    SealedColumn(_OF_ENDPOINT, "older_signing_secret", "signing_secret"),
    SealedColumn(tables.Connection, "credentials", "credentials"),
    SealedColumn(tables.Connection, "plugin_state", "plugin_state"),
    SealedColumn(tables.SharedConsent, "credentials", "credentials"),
    SealedColumn(tables.WebSession, "secrets", "secrets"),
    SealedColumn(tables.MailDomain, "dkim_key", "dkim_key"),
    SealedColumn(tables.TenantMove, "transport_key", "transport_key"),
)
_PLACES = {(one.table.name, one.column): one.place for one in COLUMNS}


def place_of(table: str, column: str) -> str | None:
    """The column that the context of a secret names; None: the column is not sealed."""
    return _PLACES.get((table, column))


# Those that are lost with their key; people log in again, and the others are in the same rows.
_LASTING = frozenset(
    {
        "webhook_endpoints.signing_secret",
        "connections.credentials",
        "shared_consents.credentials",
        "mail_domains.dkim_key",
    }
)


def key_ids(connection: Connection, length: int) -> dict[bytes, int]:
    """The first bytes of the secrets of webhook endpoints, connections, consents and mail domains,
    which name their key, and how many begin with them."""
    lasting = [column for column in COLUMNS if column.name in _LASTING]
    found: dict[bytes, int] = {}
    for counts in key_ids_by_column(connection, length, lasting).values():
        for key_id, count in counts.items():
            found[key_id] = found.get(key_id, 0) + count
    return found


def key_ids_by_column(
    connection: Connection, length: int, columns: Iterable[SealedColumn] = COLUMNS
) -> Mapping[str, Mapping[bytes, int]]:
    """The first bytes of the secrets by the name of their column, and how many begin with them."""
    found = {}
    for column in columns:
        start = column.key_of(length)
        query = select(start, func.count()).where(column.value.is_not(None)).group_by(start)
        found[column.name] = {bytes(key): count for key, count in connection.execute(query)}
    return found


def of_other_keys(
    connection: Connection, column: SealedColumn, key_id: bytes, after: str, limit: int
) -> list[SealedValue]:
    """Secrets that another key has sealed, in the order of their ids after `after`.

    The rows are locked; those that another transaction has locked are left out.
    """
    table = column.table
    query = (
        select(table.c.id, table.c.tenant_id, column.value)
        .where(column.value.is_not(None), column.key_of(len(key_id)) != key_id)
        .where(table.c.id > after)
        .order_by(table.c.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    return [SealedValue(i, tenant, bytes(v)) for i, tenant, v in connection.execute(query)]


def replace(connection: Connection, column: SealedColumn, old: SealedValue, new: bytes) -> bool:
    """Compare-and-set of one secret; whether it was still the old one."""
    changed = (
        update(column.table)
        .where(column.table.c.id == old.id, column.value == old.sealed)
        .values({column.column: new})
    )
    return connection.execute(changed).rowcount == 1
