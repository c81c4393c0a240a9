"""Preferences of people in accounts: by account and subject, and those whose letter is due."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from sqlalchemy import delete, func, literal_column, select, update
from sqlalchemy.engine import Connection

from einvoice.domain.letters import TYPES, WEBHOOK_DOWN_AFTER, Frequency
from einvoice.store.core import db, rows, upserts
from einvoice.store.core.records import RecordColumns
from einvoice.store.tables import Event, Preferences, WebhookEndpoint


@dataclass(frozen=True, slots=True)
class PreferencesRecord:
    """The preferences of a person in an account (store/tables/people has the columns)."""

    id: str
    tenant_id: str
    subject: str
    email: str | None
    role: str
    seen_at: datetime
    paused: bool
    language: str | None
    dates: str | None
    letters: str
    topics: Sequence[str]
    sandbox: bool
    told: int
    looked_at: datetime
    next_at: datetime | None


_RECORD = RecordColumns(PreferencesRecord, Preferences)


def find(tenant_id: str, subject: str) -> PreferencesRecord | None:
    """The preferences of a person in an account."""
    query = _RECORD.select().where(
        Preferences.tenant_id == tenant_id, Preferences.subject == subject
    )
    with db.reading() as connection:
        return _RECORD.one_or_none(connection.execute(query))


def find_by_id(connection: Connection, preferences_id: str) -> PreferencesRecord | None:
    """The preferences with this id."""
    query = _RECORD.select().where(Preferences.id == preferences_id)
    return _RECORD.one_or_none(connection.execute(query))


def locked(connection: Connection, preferences_id: str) -> PreferencesRecord | None:
    """Those with this id, locked until the commit; None where another transaction has them."""
    query = _RECORD.select().where(Preferences.id == preferences_id)
    return _RECORD.one_or_none(connection.execute(query.with_for_update(skip_locked=True)))


def put(connection: Connection, new: Mapping[str, Any], values: Mapping[str, Any]) -> None:
    """Change columns of a person's preferences to `values`; without any, add `new` with them."""
    added = upserts.upsert(connection, Preferences).values({**new, **values})
    connection.execute(
        added.on_conflict_do_update(index_elements=["tenant_id", "subject"], set_=dict(values))
    )


def change(connection: Connection, preferences_id: str, values: Mapping[str, Any]) -> None:
    """Change columns of preferences, if there still are any."""
    changed = update(Preferences).where(Preferences.id == preferences_id)
    connection.execute(changed.values(values))


def note_login(
    connection: Connection,
    roles: Mapping[str, str],
    subject: str,
    email: str | None,
    now: datetime,
) -> list[PreferencesRecord]:
    """Store role and address of a person's login; the preferences in the accounts of `roles`."""
    query = _RECORD.select().where(
        Preferences.subject == subject, rows.in_values(Preferences.tenant_id, roles)
    )
    found = _RECORD.all(connection.execute(query))
    for each in found:
        known = {"email": email, "role": roles[each.tenant_id], "seen_at": now, "paused": False}
        change(connection, each.id, known)
    return found


def pause(connection: Connection, tenant_id: str, subject: str | None) -> None:
    """No letters to a person of the account, or to all, until they log in again."""
    changed = update(Preferences).where(Preferences.tenant_id == tenant_id)
    if subject is not None:
        changed = changed.where(Preferences.subject == subject)
    connection.execute(changed.values(paused=True))


def with_letters(tenant_id: str, limit: int) -> list[PreferencesRecord]:
    """People of an account who get letters, by their address."""
    query = (
        _RECORD.select()
        .where(
            Preferences.tenant_id == tenant_id,
            Preferences.letters != Frequency.NEVER.value,
            Preferences.paused.is_(False),
        )
        .order_by(Preferences.email, Preferences.id)
        .limit(limit)
    )
    with db.reading() as connection:
        return _RECORD.all(connection.execute(query))


def remove_of(connection: Connection, tenant_id: str, names: Collection[str]) -> None:
    """Delete the preferences of a person; `names` in small letters."""
    connection.execute(
        delete(Preferences).where(
            Preferences.tenant_id == tenant_id,
            func.lower(Preferences.subject).in_(names) | func.lower(Preferences.email).in_(names),
        )
    )


# Written out, because a partial index is used only where its condition is in the statement.
_SELDOM = Event.type != literal_column("'transaction.sent'")


def _news(environment: str, settled_before: datetime) -> sa.Exists:
    """Whether the account has events that no letter to the person is about."""
    return sa.exists().where(
        Event.tenant_id == Preferences.tenant_id,
        Event.environment == environment,
        Event.type.in_(sorted(TYPES)),
        _SELDOM,
        Event.sequence > Preferences.told,
        Event.created_at <= settled_before,
    )


def due(now: datetime, settled_before: datetime, limit: int) -> list[str]:
    """The ids of people whose letter may be due: daily, or at once since there is news.

    settled_before  events until then are all visible
    """
    went_down = sa.exists().where(
        WebhookEndpoint.tenant_id == Preferences.tenant_id,
        WebhookEndpoint.failing_since <= now - WEBHOOK_DOWN_AFTER,
        WebhookEndpoint.failing_since > Preferences.looked_at,
    )
    query = (
        select(Preferences.id)
        .where(
            Preferences.next_at <= now,
            Preferences.paused.is_(False),
            (Preferences.letters == Frequency.DAILY.value)
            | _news("live", settled_before)
            | (Preferences.sandbox & _news("test", settled_before))
            | went_down,
        )
        .order_by(Preferences.next_at, Preferences.id)
        .limit(limit)
    )
    with db.reading() as connection:
        return list(connection.execute(query).scalars())


def newest_event(tenant_id: str) -> int:
    """The sequence of the newest event of an account; 0 without one."""
    with db.reading() as connection:
        return max(
            connection.execute(
                select(func.max(Event.sequence)).where(
                    Event.tenant_id == tenant_id, Event.environment == environment
                )
            ).scalar()
            or 0
            for environment in ("live", "test")
        )
