"""The event feed, for tenants without a webhook receiver (decisions 4, "Poll alternative")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.services.principal import Reader
from einvoice.store import feed
from einvoice.store.feed import EventEntry as EventEntry

MAX_EXAMINED = 1_000  # events that one page with filters examines


@dataclass(frozen=True, slots=True)
class EventFilters:
    """Filters of events; None means any."""

    environment: Environment | None = None
    event_type: str | None = None
    invoice_id: str | None = None
    since: datetime | None = None

    @property
    def none(self) -> bool:
        """Whether no filter is set."""
        return (self.event_type, self.invoice_id, self.since) == (None, None, None)

    def admit(self, entry: EventEntry) -> bool:
        return (
            self.event_type in (None, entry.type)
            and self.invoice_id in (None, entry.invoice_id)
            and (self.since is None or entry.created_at >= self.since)
        )


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events, the position after them, and whether there are more now."""

    entries: Sequence[EventEntry]
    place: int
    more: bool


def events(who: Reader, filters: EventFilters, *, after: int | None, limit: int) -> EventPage:
    """Events after the position `after`, oldest first; from the beginning by default."""
    if after is None:
        after = feed.place_before(filters.since) if filters.since else 0
    environments = [e.value for e in who.environments if filters.environment in (None, e)]
    examined = limit if filters.none else MAX_EXAMINED
    found = feed.behind(who.tenant_id, environments, after, examined + 1, clock.now())
    taken: list[EventEntry] = []
    for number, entry in enumerate(found):
        if len(taken) == limit or number == examined:
            return EventPage(taken, after, more=True)
        after = entry.sequence
        if filters.admit(entry):
            taken.append(entry)
    return EventPage(taken, after, more=False)
