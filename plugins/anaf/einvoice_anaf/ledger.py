"""The uploads of this service, by the digest of what was uploaded.

After a time-out the authority may have the document: its list names uploads by their index only, so
what we know of an index spares the download of its file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Final

from einvoice import clock
from einvoice.network.plugin_store import MAX_RECORDS_READ, PluginStore, StoredRecord

_MARGIN: Final = timedelta(minutes=2)  # between the clocks of our processes
_CLAIM: Final = timedelta(minutes=1)  # of a download that was not released


def digest_of(document: bytes) -> str:
    return hashlib.sha256(document).hexdigest()


class Ledger:
    """Uploads of one company (cif)."""

    def __init__(self, store: PluginStore, name: str, cif: str) -> None:
        self._store, self._series = store, f"uploads-{name}-{cif}"
        self._searches = f"search-{name}-"

    def add(self, index: str, digest: str) -> None:
        """Record what has this upload index."""
        self._store.append(self._series, f"{index} {digest}")

    def known(self, since: datetime) -> dict[str, str]:
        """Upload index → digest, of those recorded since then."""
        records = self._records(since - _MARGIN)
        found = (str(record.value).partition(" ") for record in records)
        return {index: digest for index, _, digest in found}

    def searched_since(self, transmission_id: str) -> datetime:
        """When the search for a document began; it begins with the first call."""
        now = clock.now()
        self._store.change(self._searches + transmission_id, None, now.isoformat())
        stored = self._store.get(self._searches + transmission_id)
        return datetime.fromisoformat(str(stored)) if stored else now

    def end_search(self, transmission_id: str) -> None:
        self._store.put(self._searches + transmission_id, None)

    def claim(self, file_id: str) -> bool:
        """Whether this search may download a file; no other one may then, for a minute."""
        now, key = clock.now(), f"{self._searches}file-{file_id}"
        held = self._store.get(key)
        if held is not None and now - datetime.fromisoformat(str(held)) < clock.lasting(_CLAIM):
            return False
        return self._store.change(key, held, now.isoformat())

    def release(self, file_id: str) -> None:
        """End the claim; what the file holds is recorded before."""
        self._store.put(f"{self._searches}file-{file_id}", None)

    def _records(self, since: datetime) -> Iterator[StoredRecord]:
        until, last = clock.now() + _MARGIN, None
        while page := self._store.read(self._series, since, until, last):
            yield from page
            if len(page) < MAX_RECORDS_READ:
                return
            last = page[-1]
