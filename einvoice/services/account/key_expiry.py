"""The event `apiKey.expiring`, 14 and 3 days before an API key expires (decisions 9).

A duty of the relay emits it (`warn`). A key that is made or rotated with less time than that is
announced in the same transaction (`announce`).

Its id is derived from key, expiry and warning, so it is emitted once, however often relays check.
Events are kept for longer than the longest warning.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from sqlalchemy.orm import Session as DatabaseSession

from einvoice import clock
from einvoice.domain.credentials import API_KEY, ApiKey, Credential
from einvoice.domain.environments import Environment
from einvoice.domain.events import API_KEY_EXPIRING
from einvoice.observability import logging
from einvoice.store.account import credentials
from einvoice.store.core import db
from einvoice.store.webhooks import events
from einvoice.store.webhooks.events import NewEvent

log = logging.get(__name__)

WARNINGS = (3, 14)  # days before the expiry, ascending
_NAMES = uuid.UUID("7d3ff3f4-6f0b-4c53-9c8e-8f6a1f8a5f0e")


def warn(now: datetime | None = None) -> int:
    """Emit the missing events for keys that expire within a warning; returns their number."""
    now = now or clock.now()
    with db.reading_session() as database:
        ending = credentials.expiring_keys(database, now, now + timedelta(days=WARNINGS[-1]))
        known = events.existing(database.connection(), [_event_id(key, now) for key in ending])
    missing = [key for key in ending if _event_id(key, now) not in known]
    emitted = sum(_warn_of(key, now) for key in missing)
    if emitted:
        log.info("keys end soon", keys=emitted)
    return emitted


def ending(tenant_id: str, environment: Environment) -> list[ApiKey]:
    """The tenant's API keys that expire within the longest warning, the first to expire first."""
    now = clock.now()
    with db.reading_session() as database:
        models = credentials.active(database, API_KEY, tenant_id, environment.value, now)
        records = [credentials.record(API_KEY, model) for model in models]
    keys = [key for key in records if isinstance(key, ApiKey) and _days(key, now) is not None]
    return sorted(keys, key=_ends)


def _warn_of(key: ApiKey, now: datetime) -> bool:
    with db.writing_session() as database:
        # Locked: the second of two concurrent relays finds the event of the first.
        credentials.find(database, API_KEY, key.tenant_id, key.id, locked=True)
        return announce(database, key, now)


def announce(database: DatabaseSession, key: Credential, now: datetime) -> bool:
    """Emit the event of the warning that covers the remaining time, unless it exists.

    In the caller's transaction, which holds a lock on the key. Returns whether it was emitted now;
    False for a credential that is not an API key or does not expire soon.
    """
    if not isinstance(key, ApiKey) or _days(key, now) is None:
        return False
    event = NewEvent(key.tenant_id, key.environment, API_KEY_EXPIRING, None, _payload(key, now))
    return events.emit_once(database.connection(), _event_id(key, now), event)


def _days(key: ApiKey, now: datetime) -> int | None:
    """The shortest warning that covers the remaining time; None if there is none."""
    if key.expires_at is None or key.expires_at <= now:
        return None
    left = key.expires_at - now
    return next((days for days in WARNINGS if left <= timedelta(days=days)), None)


def _event_id(key: ApiKey, now: datetime) -> str:
    return f"evt_{uuid.uuid5(_NAMES, f'{key.id} {_ends(key)} {_days(key, now)}').hex}"


def _payload(key: ApiKey, now: datetime) -> dict[str, object]:
    return {
        "keyId": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "last4": key.last4,
        "expiresAt": _ends(key),
        "daysLeft": _days(key, now),
    }


def _ends(key: ApiKey) -> str:
    return clock.timestamp(key.expires_at or clock.now())
