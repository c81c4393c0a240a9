"""The event `apiKey.expiring`, 14 and 3 days before an API key expires (decisions 9).

Its id is derived from key, expiry and warning, so it is emitted once, however often relays check.
Events are kept for longer than the longest warning.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain.credentials import API_KEY, ApiKey
from einvoice.domain.events import API_KEY_EXPIRING
from einvoice.observability import logging
from einvoice.store import credentials, db, events
from einvoice.store.events import NewEvent

log = logging.get(__name__)

WARNINGS = (3, 14)  # days before the expiry, ascending
_NAMES = uuid.UUID("7d3ff3f4-6f0b-4c53-9c8e-8f6a1f8a5f0e")


def warn(now: datetime | None = None) -> int:
    """Emit the missing events for keys that expire within a warning; returns their number."""
    now = now or clock.now()
    with db.reading_session() as database:
        ending = credentials.expiring_keys(database, now, now + timedelta(days=WARNINGS[-1]))
    emitted = sum(_emit(key, _days(key.expires_at or now, now)) for key in ending)
    if emitted:
        log.info("keys end soon", keys=emitted)
    return emitted


def _days(expires_at: datetime, now: datetime) -> int:
    """The shortest warning that covers the remaining time."""
    return next(days for days in WARNINGS if expires_at <= now + timedelta(days=days))


def _emit(key: ApiKey, days: int) -> bool:
    ends = clock.timestamp(key.expires_at or clock.now())
    event_id = f"evt_{uuid.uuid5(_NAMES, f'{key.id} {ends} {days}').hex}"
    payload = {
        "keyId": key.id,
        "name": key.name,
        "prefix": key.prefix,
        "last4": key.last4,
        "expiresAt": ends,
        "daysLeft": days,
    }
    event = NewEvent(key.tenant_id, key.environment, API_KEY_EXPIRING, None, payload)
    with db.writing_session() as database:
        # Locked, so that of two concurrent relays the second finds the event of the first.
        credentials.find(database, API_KEY, key.tenant_id, key.id, locked=True)
        return events.emit_once(database.connection(), event_id, event)
