"""Documents of a mailbox that could not be fetched, which do not hold back the others.

What concerns one document (the network does not hand it out yet, refuses it alone, or gives
something unreadable for it) puts this document aside: it is tried again at growing distances, while
the list goes on. What concerns the account or the network stops the list. The documents that were
put aside are part of the cursor, so they are stored in one transaction with what was fetched.

>>> from datetime import UTC, datetime
>>> noon = datetime(2026, 11, 23, 12, tzinfo=UTC)
>>> aside = PutAside().with_failed("7", {"page": "2"}, "not available yet", noon)
>>> [entry.id for entry in aside.due(noon)], [entry.id for entry in aside.due(noon + WAITS[0])]
([], ['7'])
>>> PutAside.of_data(aside.as_data()) == aside
True
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

MAX_ENTRIES: Final = 60  # with MAX_REASON and some values they fit into a cursor
MAX_REASON: Final = 200  # characters
# From one try to the next, by the number of tries; the last one is repeated.
WAITS: Final = (
    timedelta(minutes=10),
    timedelta(hours=1),
    timedelta(hours=4),
    timedelta(hours=12),
    timedelta(days=1),
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A document that was put aside. Times are seconds since 1970.

    values  what the access point needs to fetch it again
    since   when it was put aside
    due     when it is tried again
    """

    id: str
    values: Mapping[str, str]
    reason: str
    since: float
    due: float
    tries: int = 1

    @property
    def put_aside_at(self) -> datetime:
        return datetime.fromtimestamp(self.since, UTC)


@dataclass(frozen=True, slots=True)
class PutAside:
    """The documents of one mailbox that were put aside, in the order in which they were."""

    entries: tuple[Entry, ...] = field(default=())

    @property
    def is_full(self) -> bool:
        """Whether no further document can be put aside: the list has to wait."""
        return len(self.entries) >= MAX_ENTRIES

    def __contains__(self, id_: str) -> bool:
        return any(entry.id == id_ for entry in self.entries)

    def due(self, now: datetime) -> tuple[Entry, ...]:
        """The documents to try again now, those that wait for the longest first."""
        found = (entry for entry in self.entries if entry.due <= now.timestamp())
        return tuple(sorted(found, key=lambda entry: entry.due))

    def with_failed(
        self, id_: str, values: Mapping[str, str], reason: str, now: datetime
    ) -> PutAside:
        """With this document: new, or after one more try. Raises ValueError if it is full."""
        known = next((entry for entry in self.entries if entry.id == id_), None)
        if known is None and self.is_full:
            raise ValueError(f"{MAX_ENTRIES} documents are put aside")
        tries = known.tries + 1 if known else 1
        since = known.since if known else now.timestamp()
        due = (now + WAITS[min(tries, len(WAITS)) - 1]).timestamp()
        failed = Entry(id_, dict(values), reason[:MAX_REASON], since, due, tries)
        return PutAside((*self.without(id_).entries, failed))

    def without(self, id_: str) -> PutAside:
        """Without this document: it was fetched, or is given up."""
        return PutAside(tuple(entry for entry in self.entries if entry.id != id_))

    def as_data(self) -> list[dict[str, Any]]:
        """The form in a cursor, for JSON."""
        return [asdict(entry) for entry in self.entries]

    @classmethod
    def of_data(cls, data: Iterable[Mapping[str, Any]]) -> PutAside:
        """The value that `as_data` wrote."""
        return cls(tuple(Entry(**entry) for entry in data))
