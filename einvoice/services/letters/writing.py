"""Letters that are due to people: each with its outbox row, in one transaction.

The relay looks once a minute. `told` and `looked_at` of the person move with the letter, so what it
is about is in no other one, however many relays there are and whenever one is killed.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain import ids, letters
from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound
from einvoice.domain.letters import Frequency, Topic
from einvoice.services.account import preferences, tenants
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.account import letters as stored
from einvoice.store.account import preferences as people
from einvoice.store.account.preferences import PreferencesRecord
from einvoice.store.core import db
from einvoice.store.webhooks.feed import COMMIT_MARGIN

MAX_PEOPLE = 100  # of one run
MAX_NEWS = 200  # events that a letter counts one by one, of each environment


def write(runtime: Runtime) -> bool:
    """Write the letters that are due; whether there may be more."""
    if runtime.outgoing is None:
        return False
    now = clock.now()
    visible = now - COMMIT_MARGIN if db.is_postgresql() else now
    found = people.due(now, visible, MAX_PEOPLE)
    for preferences_id in found:
        with db.writing() as connection:
            _look(connection, preferences_id, visible, now, runtime)
    return len(found) == MAX_PEOPLE


def _look(
    connection: Connection, preferences_id: str, visible: datetime, now: datetime, runtime: Runtime
) -> None:
    """Write the letter of a person, if there is something to say, and when the next one is due."""
    person = people.locked(connection, preferences_id)
    if person is None or person.next_at is None or person.next_at > now:
        return
    until, topics = _newest(connection, person, visible)
    down_until = max(stored.last_down(now), person.looked_at)
    down = stored.went_down(connection, person.tenant_id, person.looked_at, down_until, 1)
    if down:
        topics.add(Topic.WEBHOOK)
    is_told = _may_be_told(person, now, runtime) and bool(topics & set(wanted(person)))
    if is_told:
        _add(connection, person, until, down_until, now)
    changes = {"told": until, "looked_at": down_until}
    next_at = _next(connection, person, now, runtime, is_told=is_told)
    people.change(connection, person.id, {**changes, "next_at": next_at})


def wanted(person: PreferencesRecord) -> list[Topic]:
    """The topics that a person chose, of those that their role may see."""
    return letters.wanted(preferences.role_of(person), person.topics)


def environments_of(person: PreferencesRecord) -> list[str]:
    """The environments whose documents a person gets letters about."""
    return [each.value for each in Environment if person.sandbox or each is Environment.LIVE]


def _newest(
    connection: Connection, person: PreferencesRecord, visible: datetime
) -> tuple[int, set[Topic]]:
    """The sequence of the newest event, and the topics of those that the person does not know."""
    until, topics = person.told, set()
    for environment in environments_of(person):
        found = stored.news(
            connection, person.tenant_id, environment, person.told, visible, MAX_NEWS
        )
        until = max([until, *(each.sequence for each in found)])
        topics |= {letters.topic_of(each.type, each.payload) for each in found}
    return until, {topic for topic in topics if topic is not None}


def _may_be_told(person: PreferencesRecord, now: datetime, runtime: Runtime) -> bool:
    """Whether the person has an address and was here lately, and the account is open."""
    if not person.email or now - person.seen_at > letters.ASLEEP_AFTER:
        return False
    try:
        tenant = tenants.get(person.tenant_id, runtime.caches)
    except NotFound:
        return False
    return tenant.closed_at is None


def _add(
    connection: Connection,
    person: PreferencesRecord,
    until: int,
    down_until: datetime,
    now: datetime,
) -> None:
    letter_id = str(ids.time_ordered(now))
    stored.add(
        connection,
        {
            "id": letter_id,
            "tenant_id": person.tenant_id,
            "preferences_id": person.id,
            "state": stored.QUEUED,
            "after": person.told,
            "until": until,
            "down_after": person.looked_at,
            "down_until": down_until,
            "attempts": 0,
            "created_at": now,
        },
    )
    outbox.enqueue(
        connection,
        kind=outbox.LETTER,
        lane=outbox.CHORES,
        subject_id=letter_id,
        tenant_id=person.tenant_id,
        due_at=now,
    )


def _next(
    connection: Connection,
    person: PreferencesRecord,
    now: datetime,
    runtime: Runtime,
    *,
    is_told: bool,
) -> datetime:
    """When the person may get the next letter."""
    daily = letters.next_daily(now, preferences.zone_of(person.tenant_id, runtime.caches))
    if person.letters == Frequency.DAILY:
        return daily
    if not is_told:
        return now
    written = stored.count_since(connection, person.id, now - timedelta(days=1))
    return daily if written >= letters.MAX_A_DAY else now + letters.PAUSE
