"""Which requests of a process have a thread, and which wait for one without.

A request takes a turn before it occupies a thread. One caller never takes the last turns, nor do
all callers without a known credential together. Requests beyond that wait, each caller's in order
and the callers in rotation, so that a flood of one delays its own requests only.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from einvoice import clock
from einvoice.domain.errors import RateLimitExceeded, RequestRefused, TooBusy
from einvoice.domain.rotation import Rotation
from einvoice.web.callers import Caller

MAX_WAITING = 1000
MAX_WAITING_PER_CALLER = 100
MAX_WAIT_SECONDS = 20.0
RESERVED_TURNS = 6  # turns that one caller does not take


@dataclass(eq=False, slots=True)
class RequestTurn:
    """A request that has a turn or waits for one.

    run      takes the refusal, if it is refused
    grouped  it ends its turn itself, for it is answered with others
    """

    caller: Caller
    run: Callable[[RequestRefused | None], None]
    grouped: bool = False
    since: float = field(default_factory=clock.monotonic)


class RequestTurns:
    """The turns of one process. All methods may be called from any thread."""

    def __init__(self, turns: int) -> None:
        self._free = turns
        self._per_caller = max(1, turns - RESERVED_TURNS)
        self._unknown = max(1, turns // 2)
        self._lock = threading.Lock()
        self._taken: Counter[Caller] = Counter()
        self._taken_by_unknown = 0
        self._waiting: Rotation[Caller, RequestTurn] = Rotation()

    def take(self, turn: RequestTurn) -> bool:
        """Whether the request may run now; else it waits and `give` returns it later.

        Raises RateLimitExceeded or TooBusy if too many wait already.
        """
        with self._lock:
            waiting = self._waiting.waiting_of(turn.caller)
            if not waiting and self._is_free(turn.caller):
                self._enter(turn.caller)
                return True
            if waiting >= MAX_WAITING_PER_CALLER:
                raise RateLimitExceeded(
                    f"{waiting} requests of yours wait to be answered: send fewer at once."
                )
            if len(self._waiting) >= MAX_WAITING:
                raise TooBusy("Too many requests wait to be answered.")
            self._waiting.append(turn.caller, turn)
            return False

    def give(self, caller: Caller) -> RequestTurn | None:
        """End a turn of the caller; returns the request that now has one, if any waited."""
        with self._lock:
            self._leave(caller)
            following = self._waiting.pop(self._is_free)
            if following is None:
                return None
            self._enter(following[0])
            return following[1]

    def expired(self) -> list[RequestTurn]:
        """Take out the requests that waited for too long."""
        limit = clock.monotonic() - MAX_WAIT_SECONDS
        with self._lock:
            return list(self._waiting.pop_while(lambda turn: turn.since < limit))

    def _is_free(self, caller: Caller) -> bool:
        if self._free <= 0 or self._taken[caller] >= self._per_caller:
            return False
        return caller.known or self._taken_by_unknown < self._unknown

    def _enter(self, caller: Caller) -> None:
        self._free -= 1
        self._taken[caller] += 1
        if not caller.known:
            self._taken_by_unknown += 1

    def _leave(self, caller: Caller) -> None:
        self._free += 1
        self._taken[caller] -= 1
        if not self._taken[caller]:
            del self._taken[caller]
        if not caller.known:
            self._taken_by_unknown -= 1
