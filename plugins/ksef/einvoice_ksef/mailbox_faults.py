"""The faults of single documents of mailboxes, for the log and `einvoice doctor`.

A document that waits is noted once when it is put aside and once when it was fetched. Entries of a
list that name no invoice are kept as KSeF wrote them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import structlog

from einvoice import clock
from einvoice.network.plugin_store import MAX_RECORDS_READ, PluginStore
from einvoice_ksef.answers import shown

log = structlog.get_logger()

SHOWN_FOR: Final = timedelta(days=7)
MAX_KEPT: Final = 48 * 1024  # characters of the entries that are kept of an account
MAX_ENTRY: Final = 4_000  # characters of one
_MAX_PAGES: Final = 20
_SOLVED: Final = ""


@dataclass(frozen=True, slots=True)
class Fault:
    """A document, list entry or package of an account, and what is wrong with it."""

    nip: str
    subject: str
    reason: str
    at: datetime


class MailboxFaults:
    """Notes the faults of the mailbox of one account."""

    def __init__(self, store: PluginStore, access_point: str, nip: str) -> None:
        self._store, self._access_point, self._nip = store, access_point, nip
        self._has_entry = False

    def note(self, subject: str, reason: str) -> None:
        """Note a fault of a document or package."""
        words = shown(reason)
        log.error("mailbox fault", nip=self._nip, subject=subject, reason=words)
        self._append(subject, words)

    def solved(self, subject: str) -> None:
        """The noted fault is over."""
        self._append(subject, _SOLVED)

    def keep(self, entry: object, reason: str) -> None:
        """Keep an entry that cannot be read, as KSeF wrote it, up to MAX_ENTRY characters.

        The first one of a fetch is noted.
        """
        key, text = f"entries-{self._access_point}-{self._nip}", json.dumps(entry)[:MAX_ENTRY]
        kept: list[str] = json.loads(self._store.get(key) or "[]")
        if text in kept:
            return
        kept.append(text)
        while sum(map(len, kept)) * 2 > MAX_KEPT:
            del kept[0]
        self._store.put(key, json.dumps(kept))
        if not self._has_entry:
            self.note("entry of a list", f"{reason}: {text}")
        self._has_entry = True

    def _append(self, subject: str, reason: str) -> None:
        record = {"nip": self._nip, "subject": subject, "reason": reason}
        self._store.append(series(self._access_point), json.dumps(record))


def series(access_point: str) -> str:
    """The series of the plugin's store that has a record for each fault."""
    return f"mailbox-faults-{access_point}"


def open_faults(store: PluginStore, access_point: str) -> list[Fault]:
    """The faults of the last days that are not solved, oldest first."""
    found: dict[tuple[str, str], Fault] = {}
    for at, values in _records(store, access_point):
        place = values["nip"], values["subject"]
        found.pop(place, None)
        if values["reason"] != _SOLVED:
            found[place] = Fault(*place, values["reason"], at)
    return list(found.values())


def _records(store: PluginStore, access_point: str) -> Iterator[tuple[datetime, dict[str, Any]]]:
    now, last = clock.now(), None
    for _ in range(_MAX_PAGES):
        until = now + timedelta(minutes=2)
        page = store.read(series(access_point), now - SHOWN_FOR, until, last)
        yield from ((record.at, json.loads(record.value)) for record in page)
        if len(page) < MAX_RECORDS_READ:
            return
        last = page[-1]
