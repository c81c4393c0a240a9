"""The moments of a tenant's sandbox that its test clock pulls nearer, by their columns.

No clock shows another time: what is stored as due is due earlier. Each column with a moment to come
is pulled, or stays for a reason (tests/store/test_sandbox_clock.py compares them with the schema).
Each statement names the tenant and the environment, so that no other row changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy import ColumnElement, or_, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.delivery import NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.store import outbox, tables
from einvoice.store.core import db, rows
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Outbox, Transmission

SANDBOX = Environment.TEST.value
MAX_ROWS = 10_000  # open rows of the outbox that one step pulls


@dataclass(frozen=True, slots=True)
class Pulled:
    """A table, the columns that are pulled, and which of the tenant's rows are of the sandbox."""

    table: type[db.Base]
    columns: tuple[str, ...]
    where: ColumnElement[bool]


def _of_sandbox(table: type[db.Base], key: Any) -> ColumnElement[bool]:
    """Whether the row of the table that has the key as its id is of the sandbox."""
    columns = table.__table__.columns
    return sa.exists().where(columns["id"] == key, columns["environment"] == SANDBOX)


def _is_sandbox(table: type[db.Base]) -> ColumnElement[bool]:
    return table.__table__.columns["environment"] == SANDBOX


PULLED = (
    Pulled(tables.ApiKey, ("expires_at",), _is_sandbox(tables.ApiKey)),
    Pulled(tables.OAuthClient, ("old_until", "older_until"), _is_sandbox(tables.OAuthClient)),
    Pulled(
        tables.Connection,
        ("expires_at", "valid_until", "throttled_until"),
        _is_sandbox(tables.Connection),
    ),
    Pulled(tables.ConnectionLink, ("expires_at",), _is_sandbox(tables.ConnectionLink)),
    Pulled(
        tables.MailboxCursor,
        ("not_before",),
        _of_sandbox(tables.Connection, tables.MailboxCursor.connection_id),
    ),
    Pulled(
        tables.Participant,
        ("publication_due_at", "publication_doubted_at"),
        _is_sandbox(tables.Participant),
    ),
    Pulled(
        tables.WebhookEndpoint,
        ("old_signing_until", "older_signing_until", "failing_since", "backoff_until"),
        _is_sandbox(tables.WebhookEndpoint),
    ),
)
# Pulled with the open rows of the outbox, of which they are.
WITH_ROWS = {"outbox.due_at", "transmissions.retry_until", "webhook_deliveries.next_retry_at"}
# The columns that stay, and why.
STAYS: Mapping[str, str] = {
    "connections.lease_until": "a worker has it now",
    "outbox.lease_until": "a worker has it now",
    "participant_entries.lease_until": "a worker has it now",
    "shared_consents.lease_until": "a worker has it now",
    "archive_walks.lease_until": "a worker has it now",
    "participant_entries.failing_since": "read by operators only",
    "transmissions.answer_by": "a request waits now",
    "connection_consents.expires_at": "a person is at the network's page now",
    "web_sessions.expires_at": "people see both environments",
    "operator_keys.expires_at": "operators see all tenants",
    "tenant_exports.expires_at": "an export has both environments",
    "identification_files.keep_until": "a law says it",
    "archive_later.due_at": "the archive's own work",
    "messages.due_at": "a copy for the release before",
    "messages.retry_until": "a copy for the release before",
    "letters.down_until": "people see both environments",
    "invoice_blocks.until": "a boundary of counted documents",
}
# The kind of a row of the outbox → the table whose row says of which environment its subject is,
# and what precedes the id of that row in the subject.
_SUBJECTS: tuple[tuple[tuple[str, ...], type[db.Base], str], ...] = (
    (outbox.DELIVERIES, Transmission, ""),
    ((outbox.CONNECTION,), tables.Connection, "chk_"),
    ((outbox.MAILBOX,), tables.Connection, "mbx_"),
    ((outbox.ENTRY,), tables.ParticipantEntry, ""),
)
_LANES = (*outbox.LANES, outbox.PARKED, outbox.WAITING, outbox.PUSHED)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A document or message of an open row: what it waits for, as its access point returned it."""

    id: str
    access_point: str
    prepared_state: dict[str, str] | None
    pending: dict[str, Any] | None


_WAITING = RecordColumns(Waiting, Transmission)


def pull(connection: Connection, tenant_id: str, by: timedelta) -> int:
    """Pull the stored moments of the tenant's sandbox, except in its open work."""
    pulled = 0
    for each in PULLED:
        of_tenant = each.table.__table__.columns["tenant_id"] == tenant_id
        for name in each.columns:
            column = each.table.__table__.columns[name]
            earlier = {name: _earlier(connection, column, by)}
            rows_of = update(each.table).where(of_tenant, each.where, column.is_not(None))
            pulled += connection.execute(rows_of.values(earlier)).rowcount
    return pulled


def pull_open_rows(connection: Connection, tenant_id: str, by: timedelta) -> dict[str, list[str]]:
    """Pull the open rows of the outbox that no worker has, and lock them until the commit.

    The subjects of those rows by their kind, more than MAX_ROWS if there are more.
    """
    open_rows = (
        select(Outbox.id)
        .where(Outbox.lane.in_(_LANES), Outbox.tenant_id == tenant_id, Outbox.token.is_(None))
        .where(or_(*_subjects_of_sandbox()))
        .limit(MAX_ROWS + 1)
        .with_for_update(skip_locked=True)
    )
    found = connection.execute(
        update(Outbox)
        .where(rows.in_subquery(Outbox.id, open_rows))
        .values(due_at=_earlier(connection, Outbox.due_at, by))
        .returning(Outbox.kind, Outbox.subject_id)
    )
    subjects: dict[str, list[str]] = {}
    for kind, subject in found:
        subjects.setdefault(kind, []).append(subject)
    return subjects


def _subjects_of_sandbox() -> Iterable[ColumnElement[bool]]:
    """Conditions under which a row of the outbox is of the sandbox."""
    for kinds, table, prefix in _SUBJECTS:
        key = sa.func.substr(Outbox.subject_id, len(prefix) + 1) if prefix else Outbox.subject_id
        yield sa.and_(Outbox.kind.in_(kinds), _of_sandbox(table, key))
    of_endpoint = _of_sandbox(tables.WebhookEndpoint, Outbox.endpoint_id)
    yield sa.and_(Outbox.kind == outbox.WEBHOOK, of_endpoint)


def pull_transmissions(connection: Connection, ids: Collection[str], by: timedelta) -> None:
    """Pull until when they are submitted again."""
    open_ones = Transmission.status == NetworkStatus.PROCESSING.value
    earlier = _earlier(connection, Transmission.retry_until, by)
    chosen = update(Transmission).where(rows.in_values(Transmission.id, ids), open_ones)
    connection.execute(chosen.values(retry_until=earlier))


def pull_deliveries(connection: Connection, ids: Collection[str], by: timedelta) -> None:
    """Pull when webhooks are posted again."""
    chosen = update(tables.WebhookDelivery).where(rows.in_values(tables.WebhookDelivery.id, ids))
    column = tables.WebhookDelivery.next_retry_at
    connection.execute(chosen.values(next_retry_at=_earlier(connection, column, by)))


def waiting(connection: Connection, ids: Collection[str]) -> list[Waiting]:
    """The transmissions, of the given ones, that have a state at their access point."""
    has_state = or_(Transmission.pending.is_not(None), Transmission.prepared_state.is_not(None))
    found = _WAITING.select().where(rows.in_values(Transmission.id, ids), has_state)
    return _WAITING.all(connection.execute(found))


def replace(connection: Connection, changed: Iterable[Waiting]) -> None:
    """Store other states, where there are any."""
    for one in changed:
        values = {"pending": one.pending, "prepared_state": one.prepared_state}
        given = {name: value for name, value in values.items() if value is not None}
        connection.execute(update(Transmission).where(Transmission.id == one.id).values(given))


def _earlier(connection: Connection, column: Any, by: timedelta) -> Any:
    """The moment of a column, so much earlier."""
    if connection.dialect.name != "sqlite":
        return sa.type_coerce(column, sa.DateTime(timezone=True)) - sa.literal(by, sa.Interval())
    return sa.func.strftime("%Y-%m-%dT%H:%M:%fZ", column, f"-{by.total_seconds():.0f} seconds")
