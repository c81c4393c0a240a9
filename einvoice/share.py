"""Permits of one kind in a process; each caller has a share of them.

A permit is one thing that can be occupied: a thread, a slot for computing, a call of a plugin.
Callers beyond a limit wait in a queue, from which they are served in rotation, so that a flood of
one delays its own requests only. Those beyond the queue, or that waited for too long, are refused.

>>> share = Share(Limit(2, of_one=1))
>>> [share.enter(caller) for caller in ("a", "a", "b", "c")]
[True, False, True, False]
>>> share.release("a")
>>> share.enter("c")
True
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar

from einvoice import clock
from einvoice.domain.rotation import Rotation

Caller = TypeVar("Caller", bound=Hashable)
Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Limit:
    """How many permits there are, and who may wait for one. None is no bound.

    in_all        permits at the same time
    of_one        of them, of one caller; a caller None is nobody in particular, and not bounded
    of_strangers  of them, of all callers together that are not known
    queue         who may wait
    queue_of_one  of them, of one caller
    wait          seconds that one may wait
    """

    in_all: int | None
    of_one: int | None = None
    of_strangers: int | None = None
    queue: int | None = 0
    queue_of_one: int | None = None
    wait: float | None = None


class Beyond(NamedTuple):
    """The limit that a caller is beyond.

    late  it waited for too long; else it cannot wait
    own   of one caller; else of all callers
    """

    late: bool
    own: bool


class NoPermit(Exception):
    """There is no permit for the caller. Where callers are refused, a Share has its own refusal."""

    def __init__(self, beyond: Beyond) -> None:
        super().__init__(f"no permit: {beyond}")
        self.beyond = beyond


class _Entry(Generic[Item]):
    __slots__ = ("item", "since")

    def __init__(self, item: Item, since: float) -> None:
        self.item, self.since = item, since


class Share(Generic[Caller, Item]):
    """The permits of one limit. All methods may be called from any thread.

    What waits is an item of the caller, which `give` returns once it has a permit (`take`, `give`,
    `expired`), or a thread (`acquire`, `release`, `held`): a Share has waiters of one kind.

    refusal   what is raised for a caller that is beyond a limit
    is_known  whether a caller does not count to `of_strangers`
    waiting   surrounds the wait of a thread
    """

    def __init__(
        self,
        limit: Limit,
        refusal: Callable[[Beyond], Exception] = NoPermit,
        *,
        is_known: Callable[[Caller], bool] = lambda _: True,
        waiting: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        self.limit = limit
        self._refusal, self._is_known, self._around_wait = refusal, is_known, waiting
        self._lock = threading.Lock()
        self._used = self._used_by_strangers = 0
        self._of: Counter[Caller] = Counter()
        self._queue: Rotation[Caller, _Entry[Item]] = Rotation()

    @property
    def used(self) -> int:
        """How many permits are taken."""
        return self._used

    @property
    def waiting(self) -> int:
        """How many wait for a permit."""
        return len(self._queue)

    def used_by(self, caller: Caller) -> int:
        """How many permits the caller has."""
        return self._of[caller]

    # -- without waiting ---------------------------------------------------------------------------

    def enter(self, caller: Caller) -> bool:
        """Take a permit if there is one now; whether there was."""
        with self._lock:
            return self._enter(caller)

    def add(self, caller: Caller, amount: int) -> Beyond | None:
        """Count permits whether there are any, or less of them; the limit that this is beyond."""
        with self._lock:
            self._count(caller, amount)
            own = _is_over(self._of[caller], self.limit.of_one)
            is_beyond = own or _is_over(self._used, self.limit.in_all)
        return Beyond(late=False, own=own) if is_beyond else None

    # -- items that wait ---------------------------------------------------------------------------

    def take(self, caller: Caller, item: Item) -> bool:
        """Take a permit: whether there is one now; else the item waits, and `give` returns it.

        Raises the refusal if it cannot wait.
        """
        with self._lock:
            if self._may_pass(caller):
                return True
            self._queued(caller, item)
            return False

    def give(self, caller: Caller) -> Item | None:
        """End a permit of the caller; returns the item that has it now, if any waited."""
        with self._lock:
            if not self._of[caller]:
                raise ValueError("more permits are given back than were taken")
            self._count(caller, -1)
            self._queue.postpone(caller)
            following = self._queue.pop(self._is_free)
            if following is None:
                return None
            self._count(following[0], 1)
            return following[1].item

    def expired(self) -> list[Item]:
        """Take out the items that have waited for too long."""
        if self.limit.wait is None:
            return []
        before = clock.monotonic() - self.limit.wait
        with self._lock:
            return [entry.item for entry in self._queue.pop_while(lambda one: one.since < before)]

    # -- threads that wait -------------------------------------------------------------------------

    def acquire(
        self: Share[Caller, threading.Lock], caller: Caller, seconds: float | None = None
    ) -> None:
        """Take a permit, after a wait of so many seconds at most; None: the seconds of the limit.

        Raises the refusal.
        """
        with self._lock:
            if self._may_pass(caller):
                return
            awaited = threading.Lock()
            awaited.acquire()
            entry = self._queued(caller, awaited)
        seconds = self.limit.wait if seconds is None else seconds
        with self._around_wait():
            in_time = awaited.acquire(timeout=-1 if seconds is None else max(0.0, seconds))
        if not in_time:
            self._give_up(caller, entry)

    def release(self: Share[Caller, threading.Lock], caller: Caller) -> None:
        """Give a permit of the caller back, to the next thread that waits."""
        following = self.give(caller)
        if following is not None:
            following.release()

    @contextmanager
    def held(
        self: Share[Caller, threading.Lock], caller: Caller, seconds: float | None = None
    ) -> Iterator[None]:
        """Hold a permit for the block. Raises as `acquire`."""
        self.acquire(caller, seconds)
        try:
            yield
        finally:
            self.release(caller)

    # -- with the lock -----------------------------------------------------------------------------

    def _may_pass(self, caller: Caller) -> bool:
        """Take a permit, unless others of the caller wait for one."""
        return not self._queue.waiting_of(caller) and self._enter(caller)

    def _queued(self, caller: Caller, item: Item) -> _Entry[Item]:
        """Let the item wait. Raises the refusal if the queue is full."""
        if _is_full(self._queue.waiting_of(caller), self.limit.queue_of_one):
            raise self._refusal(Beyond(late=False, own=True))
        if _is_full(len(self._queue), self.limit.queue):
            raise self._refusal(Beyond(late=False, own=self._has_all_of_one(caller)))
        entry = _Entry(item, clock.monotonic())
        self._queue.append(caller, entry)
        return entry

    def _enter(self, caller: Caller) -> bool:
        if not self._is_free(caller):
            return False
        self._count(caller, 1)
        return True

    def _is_free(self, caller: Caller) -> bool:
        if _is_full(self._used, self.limit.in_all) or self._has_all_of_one(caller):
            return False
        strangers = self.limit.of_strangers
        return strangers is None or self._used_by_strangers < strangers or self._is_known(caller)

    def _has_all_of_one(self, caller: Caller) -> bool:
        return caller is not None and _is_full(self._of[caller], self.limit.of_one)

    def _count(self, caller: Caller, amount: int) -> None:
        self._used += amount
        self._of[caller] += amount
        if not self._of[caller]:
            del self._of[caller]
        if self.limit.of_strangers is not None and not self._is_known(caller):
            self._used_by_strangers += amount

    def _give_up(self, caller: Caller, entry: _Entry[Item]) -> None:
        """Stop waiting. Raises the refusal, unless the permit was given in the meantime."""
        with self._lock:
            if self._queue.remove(caller, entry):
                raise self._refusal(Beyond(late=True, own=self._has_all_of_one(caller)))


def _is_full(number: int, limit: int | None) -> bool:
    return limit is not None and number >= limit


def _is_over(number: int, limit: int | None) -> bool:
    return limit is not None and number > limit
