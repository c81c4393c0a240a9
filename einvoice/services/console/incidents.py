"""Incidents that operators write for the page /status: a title, and what is known, in their order.

They are notes of the installation (store/installation/service_states), the newest MAX_KEPT of them.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.errors import Conflict, FieldError, InvalidField, NotFound
from einvoice.domain.operators import OWN_LOG
from einvoice.services.account import audit
from einvoice.store.core import db
from einvoice.store.installation import service_states
from einvoice.store.installation.service_states import StateNote

MAX_KEPT, MAX_UPDATES = 100, 50
MAX_TITLE, MAX_TEXT = 120, 2_000  # characters
_PREFIX = "incident:"


class IncidentStatus(StrEnum):
    """How far it is; RESOLVED is final."""

    INVESTIGATING = "investigating"
    IDENTIFIED = "identified"
    MONITORING = "monitoring"
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True)
class IncidentUpdate:
    """The state of knowledge at a moment."""

    at: datetime
    status: IncidentStatus
    text: str


@dataclass(frozen=True, slots=True)
class Incident:
    """An incident, with its updates, the newest first. There is at least one."""

    id: str
    title: str
    updates: tuple[IncidentUpdate, ...]

    @property
    def status(self) -> IncidentStatus:
        return self.updates[0].status

    @property
    def started_at(self) -> datetime:
        return self.updates[-1].at

    @property
    def updated_at(self) -> datetime:
        return self.updates[0].at

    @property
    def ended_at(self) -> datetime | None:
        return self.updated_at if self.status is IncidentStatus.RESOLVED else None


def newest() -> list[Incident]:
    """Those that are kept: the open ones first, then the newest first."""
    found = [_incident(note) for note in service_states.find(_PREFIX)]
    found.sort(key=lambda each: each.started_at, reverse=True)
    return sorted(found, key=lambda each: each.ended_at is not None)


def begin(title: str, text: str, status: IncidentStatus = IncidentStatus.INVESTIGATING) -> Incident:
    """Write an incident, which /status shows within half a minute. Raises InvalidField."""
    _check("title", title, MAX_TITLE)
    _check("text", text, MAX_TEXT)
    now = clock.now()
    made = Incident(str(uuid.uuid4()), title, (IncidentUpdate(now, status, text),))
    with db.writing() as connection:
        _write(connection, made)
        audit.record(connection, OWN_LOG, None, "incident.begun", made.id, {"title": title})
    _drop_oldest()
    return made


def update(incident_id: str, text: str, status: IncidentStatus) -> Incident:
    """Add what is known now. Raises NotFound, InvalidField, Conflict (it is resolved, or has
    MAX_UPDATES)."""
    _check("text", text, MAX_TEXT)
    with db.writing() as connection:
        note = service_states.locked(connection, _PREFIX + incident_id)
        if note is None:
            raise NotFound(f"There is no incident {incident_id[:40]!r}.")
        before = _incident(note)
        if before.ended_at is not None:
            raise Conflict("The incident is resolved: write another one.")
        if len(before.updates) >= MAX_UPDATES and status is not IncidentStatus.RESOLVED:
            raise Conflict(f"It has {MAX_UPDATES} updates: resolve it, and write another one.")
        added = IncidentUpdate(clock.now(), status, text)
        after = Incident(before.id, before.title, (added, *before.updates))
        _write(connection, after)
        detail = {"status": status.value}
        audit.record(connection, OWN_LOG, None, "incident.updated", incident_id, detail)
    return after


def _check(name: str, text: str, most: int) -> None:
    if not text.strip():
        raise InvalidField([FieldError(f"/{name}", "required", "is required")])
    if len(text) > most:
        message = f"has {len(text):,} characters, at most {most:,} are kept"
        raise InvalidField([FieldError(f"/{name}", "too-long", message)])


def _drop_oldest() -> None:
    """Keep the newest, and all that are open."""
    surplus = [each for each in newest()[MAX_KEPT:] if each.ended_at is not None]
    if surplus:
        with db.writing() as connection:
            service_states.remove(connection, [_PREFIX + each.id for each in surplus])


def _write(connection: Connection, incident: Incident) -> None:
    value = {
        "title": incident.title,
        "updates": [
            {"at": clock.timestamp(each.at), "status": each.status.value, "text": each.text}
            for each in incident.updates
        ],
    }
    service_states.write(connection, _PREFIX + incident.id, incident.started_at, value)


def _incident(note: StateNote) -> Incident:
    value: Mapping[str, Any] = note.value or {}
    updates = tuple(
        IncidentUpdate(
            datetime.fromisoformat(each["at"]), IncidentStatus(each["status"]), each["text"]
        )
        for each in value["updates"]
    )
    return Incident(note.name.removeprefix(_PREFIX), value["title"], updates)
