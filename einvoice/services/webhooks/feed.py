"""The event feed, for tenants without a webhook receiver (decisions 4, "Poll alternative")."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound
from einvoice.services.principal import Reader
from einvoice.store.invoices import invoices
from einvoice.store.webhooks import feed
from einvoice.store.webhooks.feed import EventEntry, FeedSelection
from einvoice.webhooks.payloads import Occurrence

MAX_EXAMINED = 1_000  # events that one page examines if no index has what it wants


@dataclass(frozen=True, slots=True)
class EventFilters:
    """Filters of events; None means any."""

    environment: Environment | None = None
    event_type: str | None = None
    invoice_id: str | None = None
    since: datetime | None = None

    def admit(self, entry: EventEntry) -> bool:
        return (
            self.event_type in (None, entry.type)
            and self.invoice_id in (None, entry.invoice_id)
            and (self.since is None or entry.created_at >= self.since)
        )


@dataclass(frozen=True, slots=True)
class EventPage:
    """Events, the position after them, and whether there are more now."""

    events: Sequence[Occurrence]
    place: int
    more: bool


def events(reader: Reader, filters: EventFilters, *, after: int | None, limit: int) -> EventPage:
    """Events after the position `after`, oldest first; from the beginning by default."""
    if after is None:
        after = feed.place_before(filters.since) if filters.since else 0
    wanted = _selection(reader, filters)
    examined = limit if wanted.is_indexed and filters.since is None else MAX_EXAMINED
    found = feed.behind(wanted, after, examined + 1, clock.now())
    taken: list[EventEntry] = []
    for number, entry in enumerate(found):
        if len(taken) == limit or number == examined:
            return EventPage(_occurrences(taken), after, more=True)
        after = entry.sequence
        if filters.admit(entry):
            taken.append(entry)
    return EventPage(_occurrences(taken), after, more=False)


def newest(
    reader: Reader, environment: Environment, *, before: int | None, limit: int
) -> EventPage:
    """Events of an environment, newest first; `place` is before the last one of the page.

    For people who look: an event whose commit is late may appear between others, so a program that
    must miss none reads `events`.
    """
    found = feed.newest(reader.tenant_id, environment.value, before, limit + 1)
    shown = found[:limit]
    place = shown[-1].sequence if shown else 0
    return EventPage(_occurrences(shown), place, more=len(found) > limit)


def _occurrences(entries: Sequence[EventEntry]) -> list[Occurrence]:
    """The events with the metadata of their invoices and the ids of the causing requests."""
    metadata = invoices.metadata_of({entry.invoice_id for entry in entries if entry.invoice_id})
    traces = feed.traces_of({entry.id for entry in entries})
    return [
        Occurrence(
            id=entry.id,
            type=entry.type,
            environment=entry.environment,
            invoice_id=entry.invoice_id,
            payload=entry.payload,
            created_at=entry.created_at,
            metadata=metadata.get(entry.invoice_id or ""),
            request_id=traces[entry.id].request_id if entry.id in traces else None,
        )
        for entry in entries
    ]


def _selection(reader: Reader, filters: EventFilters) -> FeedSelection:
    environments = [e.value for e in reader.environments if filters.environment in (None, e)]
    return FeedSelection(reader.tenant_id, environments, filters.event_type, filters.invoice_id)


def event(reader: Reader, event_id: str) -> Occurrence:
    """One event of the tenant, in an environment that the caller sees. Raises NotFound."""
    found = feed.find(reader.tenant_id, [e.value for e in reader.environments], event_id)
    if found is None:
        raise NotFound(f"There is no event {event_id[:64]}.")
    return _occurrences([found])[0]
