"""The steps of an operation at an SMP that are done, so that one which is cut off goes on there.

An operation has less than a minute, and a slow SMP takes some seconds for each of its calls: what
did not fit is done by the next operation on the participant. Steps are stored one by one once the
operation has lasted SLOW_SECONDS, and when it fails; one that ends before that stores nothing.
Steps of another mark (other types, card, address or certificate) or of yesterday do not count.
"""

from __future__ import annotations

import hashlib
import json
from datetime import datetime, timedelta
from typing import Final

import structlog

from einvoice import clock
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.plugin_store import MAX_KEY_LENGTH, PluginStore, StoreFull, Value

SLOW_SECONDS: Final = 10.0
KEPT: Final = timedelta(days=1)

log = structlog.get_logger()


class Steps:
    """The steps of one operation on a participant.

    mark   a text that changes with what the operation writes or reads
    """

    def __init__(self, store: PluginStore, key: str, mark: str) -> None:
        self._store, self._key, self._mark = store, key, mark
        self._slow_from = clock.monotonic() + SLOW_SECONDS
        kept = store.get(key)
        self._is_kept = kept is not None
        self._stored = _current(kept, mark)
        self._done = set(self._stored)

    def is_done(self, step: str) -> bool:
        return step in self._done

    def add(self, step: str) -> None:
        """Note that a step is done."""
        self._done.add(step)
        if clock.monotonic() >= self._slow_from:
            self.keep()

    def keep(self) -> None:
        """Store the steps for the next operation."""
        if self._done <= self._stored:
            return
        value = {"mark": self._mark, "at": clock.timestamp(clock.now()), "done": sorted(self._done)}
        try:
            self._store.put(self._key, json.dumps(value))
        except (StoreFull, ValueError) as fault:  # the next operation begins from the start
            log.warning("steps at the SMP are not stored", key=self._key, fault=str(fault))
            return
        self._stored, self._is_kept = set(self._done), True

    def forget(self) -> None:
        """The operation is complete, or has to begin from the start."""
        if self._is_kept:
            self._store.put(self._key, None)
        self._done, self._stored, self._is_kept = set(), set(), False


def key_of(operation: str, base: str, participant: ParticipantId) -> str:
    """The key under which the steps of an operation at an SMP are stored."""
    place = hashlib.sha256(base.encode()).hexdigest()[:16]
    return f"smp-{operation}-{place}-{participant.canonical}"[:MAX_KEY_LENGTH]


def forget(store: PluginStore, key: str) -> None:
    """Forget the steps of an operation."""
    if store.get(key) is not None:
        store.put(key, None)


def _current(kept: Value | None, mark: str) -> set[str]:
    """The stored steps, if they are of this mark and not too old."""
    if not isinstance(kept, str):
        return set()
    value = json.loads(kept)
    is_current = datetime.fromisoformat(value["at"]) > clock.now() - KEPT
    return set(value["done"]) if value["mark"] == mark and is_current else set()
