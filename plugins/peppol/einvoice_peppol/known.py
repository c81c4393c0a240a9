"""Which participants were registered before, so that a first negative answer is not believed.

Name servers flap, participants move between publishers, and a proxy answers 404 in place of a
publisher that starts again. So of what was registered before, absence counts once it has lasted for
some hours. What never was registered is absent at once.

It is kept in the store of the plugin, for all processes: in buckets, since a plugin may have few
keys. Without a store nothing is known.
"""

from __future__ import annotations

import hashlib
import json
from collections import OrderedDict
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Lock
from typing import Final

import structlog

from einvoice import clock
from einvoice.network.plugin_store import PluginStore

ABSENCE_LASTS: Final = timedelta(hours=4)
NOTED_FOR: Final = timedelta(hours=1)  # for how long a process does not note the same again
SEEN_AGAIN: Final = timedelta(days=1)  # after which the moment is written again
BUCKETS: Final = 1024
MAX_OF_BUCKET: Final = 1000  # entries; those not seen for longest are dropped
_MAX_NOTED: Final = 20_000
_TRIES: Final = 5

Entries = dict[str, tuple[int, int]]  # (seen, absent since) in seconds since 1970; 0: never

log = structlog.get_logger()


class Known:
    """The registrations of a network so far. Safe to share between threads and processes."""

    def __init__(self, store: PluginStore | None = None, network: str = "") -> None:
        self._store = store
        self._network = network
        self._noted: OrderedDict[str, datetime] = OrderedDict()
        self._lock = Lock()

    def seen(self, *what: object) -> None:
        """Note that it is registered now: a participant, or its document type and process."""
        key, now = _key(what), clock.now()
        with self._lock:
            noted = self._noted.get(key)
            if noted is not None and now - noted < NOTED_FOR:
                return
            self._noted[key] = now
            if len(self._noted) > _MAX_NOTED:
                self._noted.popitem(last=False)
        self._changed(key, lambda entry: _seen(entry, now))

    def may_return(self, *what: object, doubtful: bool = False) -> bool:
        """Note that it is absent now; whether that is not believed yet.

        doubtful  also of what was never registered: the answer may not be that of the publisher
        """
        key, now = _key(what), int(clock.now().timestamp())
        with self._lock:
            self._noted.pop(key, None)

        def absent(entry: tuple[int, int]) -> tuple[int, int]:
            seen, since = entry
            return (seen, since or now) if seen or doubtful else entry

        entry = self._changed(key, absent)
        if entry is None:
            return True
        _, since = entry
        return bool(since) and now - since < ABSENCE_LASTS.total_seconds()

    def _changed(
        self, key: str, change: Callable[[tuple[int, int]], tuple[int, int]]
    ) -> tuple[int, int] | None:
        """Change the entry of a key; the new one, or None where the store fails."""
        if self._store is None:
            return 0, 0
        name = f"known-{self._network}-{int(key[:8], 16) % BUCKETS}"
        try:
            for _ in range(_TRIES):
                kept = self._store.get(name)
                entries = _entries(kept)
                before = entries.get(key, (0, 0))
                after = change(before)
                if after == before:
                    return before
                if self._store.change(name, kept, _written(entries | {key: after})):
                    return after
        except Exception:
            log.exception("known participants not stored", network=self._network)
        return None


def _seen(entry: tuple[int, int], now: datetime) -> tuple[int, int]:
    seen, absent = entry
    moment = int(now.timestamp())
    if absent or moment - seen >= SEEN_AGAIN.total_seconds():
        return moment, 0
    return entry


def _key(what: tuple[object, ...]) -> str:
    return hashlib.sha256("\n".join(str(each) for each in what).encode()).hexdigest()[:20]


def _entries(kept: object) -> Entries:
    try:
        read = json.loads(str(kept)) if kept is not None else {}
        return {str(key): (int(seen), int(absent)) for key, (seen, absent) in read.items()}
    except (ValueError, TypeError, AttributeError):
        return {}


def _written(entries: Entries) -> str:
    newest = sorted(entries.items(), key=lambda each: max(each[1]), reverse=True)[:MAX_OF_BUCKET]
    return json.dumps(dict(newest), separators=(",", ":"))


def absent_words(words: str) -> str:
    """Words for a document that is tried again although its receiver is absent."""
    hours = int(ABSENCE_LASTS.total_seconds() // 3600)
    return f"{words}, which may not last: it is tried again for up to {hours} hours"
