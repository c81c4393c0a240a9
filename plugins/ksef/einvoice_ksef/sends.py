"""Which invoices were sent in which sessions, recorded before the first byte is sent.

After an answer that was lost, or a worker that died, the sessions of an invoice are searched before
it is sent again. An invoice that no record names was never sent.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.network.plugin_store import MAX_RECORDS_READ, PluginStore

KEPT: Final = timedelta(days=3)
_LATELY: Final = timedelta(hours=1)
_MARGIN: Final = timedelta(minutes=2)  # between the clocks of our processes
ONLINE, PACKAGE = "online", "package"


@dataclass(frozen=True, slots=True)
class Sent:
    """A session in which an invoice was to be sent, its kind, and since when."""

    session: str
    kind: str
    at: datetime


class Sends:
    """The invoices of one context."""

    def __init__(self, store: PluginStore, access_point: str, nip: str) -> None:
        self._store, self._series = store, f"sends-{access_point}-{nip}"

    def add(self, session: str, kind: str, hashes: Sequence[str]) -> None:
        """Record invoices (digests in base64) that will be sent in a session."""
        self._store.append(self._series, " ".join((session, kind, *hashes)))

    def of(self, digest: str) -> list[Sent]:
        """The sessions of an invoice, the last one first.

        Most searches follow a send closely, so the records of the last hour are read first.
        """
        now = clock.now()
        return self._between(digest, now - _LATELY, now + _MARGIN) or self._between(
            digest, now - KEPT, now - _LATELY
        )

    def _between(self, digest: str, since: datetime, until: datetime) -> list[Sent]:
        found = []
        for at, value in self._records(since, until):
            session, kind, *hashes = value.split(" ")
            if digest in hashes:
                found.append(Sent(session, kind, at))
        return found[::-1]

    def _records(self, since: datetime, until: datetime) -> Iterator[tuple[datetime, str]]:
        last = None
        while page := self._store.read(self._series, since, until, last):
            yield from ((record.at, str(record.value)) for record in page)
            if len(page) < MAX_RECORDS_READ:
                return
            last = page[-1]
