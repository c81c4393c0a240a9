"""The preferences of a person in an account: language, format of dates, letters (domain/letters).

The session has language and dates, so that no page reads them; a login takes them from here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any
from zoneinfo import ZoneInfo

from einvoice import clock
from einvoice.domain import ids, letters
from einvoice.domain.letters import Frequency, Topic
from einvoice.domain.roles import Role
from einvoice.domain.time_zones import is_zone
from einvoice.services.account import audit, tenants
from einvoice.services.caches import Caches
from einvoice.services.principal import Session
from einvoice.store.account import preferences as stored
from einvoice.store.account.preferences import PreferencesRecord
from einvoice.store.core import db

MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class Choices:
    """The letters that a person wants. `sandbox`: also about documents of the sandbox."""

    frequency: Frequency = Frequency.NEVER
    topics: Collection[Topic] = tuple(Topic)
    sandbox: bool = False


def of(person: Session) -> tuple[Choices, PreferencesRecord | None]:
    """The letters that a person gets, and what is stored; None before they chose anything."""
    found = stored.find(person.tenant_id, person.subject)
    if found is None:
        return Choices(topics=letters.offered(person.role)), None
    topics = [topic for topic in Topic if topic.value in found.topics]
    return Choices(Frequency(found.letters), topics, found.sandbox), found


def choose(person: Session, choices: Choices, caches: Caches) -> None:
    """Store which letters a person gets. They begin with what happens from now on."""
    offered = set(letters.offered(person.role))
    wanted = replace(choices, topics=[each for each in Topic if each in choices.topics])
    before = stored.find(person.tenant_id, person.subject)
    values: dict[str, Any] = {
        "letters": wanted.frequency.value,
        "topics": [topic.value for topic in wanted.topics if topic in offered],
        "sandbox": wanted.sandbox,
        "next_at": _first(wanted.frequency, person.tenant_id, caches),
    }
    if before is None or before.letters == Frequency.NEVER.value:
        values |= {"told": stored.newest_event(person.tenant_id), "looked_at": clock.now()}
    detail = {"letters": wanted.frequency.value, "topics": values["topics"]}
    _keep(person, values, detail)


def keep(person: Session, **values: str | None) -> None:
    """Store the language or the format of dates (`language`, `dates`) of a person."""
    _keep(person, values, None)


def with_letters(tenant_id: str) -> list[PreferencesRecord]:
    """People of an account who get letters, with a session or without."""
    return stored.with_letters(tenant_id, MAX_LISTED)


def stop(tenant_id: str, preferences_id: str) -> bool:
    """No more letters to a person, by the link in one; False if there were none."""
    with db.writing() as connection:
        found = stored.find_by_id(connection, preferences_id)
        if found is None or found.tenant_id != tenant_id:
            return False
        if found.letters == Frequency.NEVER.value:
            return False
        stored.change(connection, found.id, {"letters": Frequency.NEVER.value, "next_at": None})
        by = Session(tenant_id, found.subject, found.email, role_of(found))
        audit.record(connection, tenant_id, by, "letters.stopped", found.subject, {"by": "link"})
    return True


def role_of(person: PreferencesRecord) -> Role:
    """The role of a person's last login; the least for one that is not known."""
    with suppress(ValueError):
        return Role(person.role)
    return Role.VIEWER


def zone_of(tenant_id: str, caches: Caches) -> ZoneInfo:
    """The time zone of an account; UTC where it has none."""
    name = tenants.get(tenant_id, caches).profile.get("timeZone")
    return ZoneInfo(name if isinstance(name, str) and is_zone(name) else "UTC")


def _first(frequency: Frequency, tenant_id: str, caches: Caches) -> Any:
    """When the first letter is due."""
    if frequency is Frequency.DAILY:
        return letters.next_daily(clock.now(), zone_of(tenant_id, caches))
    return clock.now() if frequency is Frequency.AT_ONCE else None


def _keep(person: Session, values: Mapping[str, Any], detail: Mapping[str, Any] | None) -> None:
    """Store values; `detail` of the entry in the audit log, if there is one."""
    now = clock.now()
    known = {"email": person.email, "role": person.role.value, "seen_at": now, "paused": False}
    with db.writing() as connection:
        stored.put(connection, _new(person), {**known, **values})
        if detail is not None:
            audit.record(
                connection, person.tenant_id, person, "letters.chosen", person.subject, detail
            )


def _new(person: Session) -> dict[str, Any]:
    """Preferences of a person who has none."""
    now = clock.now()
    return {
        "id": str(ids.time_ordered(now)),
        "tenant_id": person.tenant_id,
        "subject": person.subject,
        "language": None,
        "dates": None,
        "letters": Frequency.NEVER.value,
        "topics": [],
        "sandbox": False,
        "told": 0,
        "looked_at": now,
        "next_at": None,
    }
