"""Which requests of a process have a thread, and which wait for one without.

A request takes a turn before it occupies a thread. One caller never takes the last turns, nor do
all callers without a known credential together. Requests beyond that wait, each caller's in order
and the callers in rotation, so that a flood of one delays its own requests only.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass, field

from einvoice import clock
from einvoice.domain.errors import RateLimitExceeded, RequestRefused, TooBusy
from einvoice.web.callers import Caller

MAX_WAITING = 1000
MAX_WAITING_PER_CALLER = 100
MAX_WAIT_SECONDS = 20.0
KEPT = 6  # turns that one caller does not take


@dataclass(eq=False, slots=True)
class Turn:
    """A request that has a turn or waits for one. `run` takes the refusal, if it is refused."""

    caller: Caller
    run: Callable[[RequestRefused | None], None]
    since: float = field(default_factory=clock.monotonic)


class Turns:
    """The turns of one process. All methods may be called from any thread."""

    def __init__(self, turns: int) -> None:
        self._free = turns
        self._per_caller = max(1, turns - KEPT)
        self._unknown = max(1, turns // 2)
        self._lock = threading.Lock()
        self._taken: Counter[Caller] = Counter()
        self._taken_by_unknown = 0
        self._waiting: OrderedDict[Caller, deque[Turn]] = OrderedDict()
        self._count = 0

    def take(self, turn: Turn) -> bool:
        """Whether the request may run now; else it waits and `give` returns it later.

        Raises RateLimitExceeded or TooBusy if too many wait already.
        """
        with self._lock:
            if turn.caller not in self._waiting and self._is_free(turn.caller):
                self._enter(turn.caller)
                return True
            own = self._waiting.setdefault(turn.caller, deque())
            if len(own) >= MAX_WAITING_PER_CALLER:
                raise RateLimitExceeded(
                    f"{len(own)} requests of yours wait to be answered: send fewer at once."
                )
            if self._count >= MAX_WAITING:
                self._drop_if_empty(turn.caller)
                raise TooBusy("Too many requests wait to be answered.")
            own.append(turn)
            self._count += 1
            return False

    def give(self, caller: Caller) -> Turn | None:
        """End a turn of the caller; returns the request that now has one, if any waited."""
        with self._lock:
            self._leave(caller)
            for waiting in self._waiting:
                if self._is_free(waiting):
                    return self._next(waiting)
            return None

    def expired(self) -> list[Turn]:
        """Take out the requests that waited for too long."""
        limit = clock.monotonic() - MAX_WAIT_SECONDS
        with self._lock:
            found = []
            for caller, own in list(self._waiting.items()):
                while own and own[0].since < limit:
                    found.append(own.popleft())
                    self._count -= 1
                self._drop_if_empty(caller)
            return found

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

    def _next(self, caller: Caller) -> Turn:
        own = self._waiting[caller]
        turn = own.popleft()
        self._count -= 1
        self._waiting.move_to_end(caller)
        self._drop_if_empty(caller)
        self._enter(caller)
        return turn

    def _drop_if_empty(self, caller: Caller) -> None:
        if caller in self._waiting and not self._waiting[caller]:
            del self._waiting[caller]
