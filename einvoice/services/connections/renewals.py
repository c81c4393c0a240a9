"""The event `connection.renewalDue`, 30, 7 and 1 days before a connection ends.

A duty of the relay emits it, and moves connections to renewal-due and, at their end, to
needs-person. Its id is derived from connection, end and warning, so it is emitted once, however
often relays check, and of several warnings that a stopped relay has missed only the last.
"""

from __future__ import annotations

import uuid
from datetime import datetime, timedelta

from einvoice import clock
from einvoice.domain.connections import RENEWAL_WARNINGS, State, warning
from einvoice.domain.events import CONNECTION_RENEWAL_DUE
from einvoice.observability import logging
from einvoice.services.connections import changes
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.core import db
from einvoice.store.webhooks import events
from einvoice.store.webhooks.events import NewEvent

log = logging.get(__name__)

_NAMES = uuid.UUID("0f6b8f0e-6f3d-4f0a-9a43-2f1f2b1f6a77")
_ENDED = "The connection has ended: a person has to authorise it again."


def announce(now: datetime | None = None) -> int:
    """Emit the missing events of connections that end within a warning; how many changed."""
    now = now or clock.now()
    ending = stored.ending(now + timedelta(days=RENEWAL_WARNINGS[-1]))
    with db.reading() as connection:
        known = events.existing(connection, [_event_id(record, now) for record in ending])
    due = [
        record
        for record in ending
        if _has_ended(record, now) or _event_id(record, now) not in known
    ]
    changed = sum(_announce_one(record, now) for record in due)
    if changed:
        log.info("connections end soon", connections=changed)
    return changed


def _announce_one(record: ConnectionRecord, now: datetime) -> bool:
    with db.writing_session() as database:
        # Locked: the second of two concurrent relays finds the event of the first.
        found = stored.find(database, record.tenant_id, record.id, locked=True)
        if found is None or found.state != record.state or found.expires_at != record.expires_at:
            return False
        before = State(found.state)
        if _has_ended(record, now):
            found.state, found.reason = State.NEEDS_PERSON.value, _ENDED
        else:
            found.state = State.RENEWAL_DUE.value
        found.updated_at = now
        database.flush()
        if _has_ended(record, now):
            changes.announce(database, record.tenant_id, record.id, before)
            return True
        payload = changes.payload(stored.record(found)) | {"daysLeft": _days(record, now)}
        event = NewEvent(
            record.tenant_id, record.environment, CONNECTION_RENEWAL_DUE, None, payload
        )
        return events.emit_once(database.connection(), _event_id(record, now), event)


def _has_ended(record: ConnectionRecord, now: datetime) -> bool:
    return record.expires_at is not None and record.expires_at <= now


def _days(record: ConnectionRecord, now: datetime) -> int | None:
    return None if record.expires_at is None else warning(record.expires_at, now)


def _event_id(record: ConnectionRecord, now: datetime) -> str:
    ends = record.expires_at and clock.timestamp(record.expires_at)
    return f"evt_{uuid.uuid5(_NAMES, f'{record.id} {ends} {_days(record, now)}').hex}"
