"""Request bodies that are arriving: how long each may take, and how many there may be.

A body is received without a thread (web/serving/intake), so a slow one costs memory and a
connection only. Every body has a total deadline and a least rate. A caller (a tenant, or the
network of a client without a known credential) may have a few bodies arriving; further ones have
two seconds each. If the process holds as many bodies or bytes as it may, the caller with most of
them loses its oldest,
so that other callers' bodies are always received.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from einvoice import clock
from einvoice.domain.errors import BodyTooSlow, RateLimitExceeded, RequestRefused, TooBusy
from einvoice.share import Beyond, Limit, Share
from einvoice.web.admission.callers import Caller

# A body has the first, a second more for each `MIN_BYTES_PER_SECOND` that arrived, and at most
# `MAX_SECONDS`.
GRACE_SECONDS = 10.0
MIN_BYTES_PER_SECOND = 32 * 1024
MAX_SECONDS = 120.0

# Bodies of one caller, and seconds that each further one has; more than the last number at once are
# refused.
MAX_BODIES_PER_CALLER = 6
EXCESS_SECONDS = 2.0
MAX_EXCESS_PER_CALLER = 48

STOP_SECONDS = 5.0

# In one process. Bytes count until the request is answered; small bodies count as nothing.
SMALL_BYTES = 64 * 1024
BODIES = Limit(256, of_one=MAX_BODIES_PER_CALLER + MAX_EXCESS_PER_CALLER)
BYTES = Limit(128 * 1024**2, of_one=64 * 1024**2)


_Shares = Share[Caller, threading.Lock]


@dataclass(eq=False, slots=True)
class Arrival:
    """A body that is arriving, or waits as received bytes for its request to be answered.

    `cancel` stops receiving. `refusal` is set before that and answers the request. `declared` is
    its Content-Length in bytes, None if it is chunked. `in_memory`: how much of it is in memory at
    most; the rest is on disk.
    """

    caller: Caller
    declared: int | None
    cancel: Callable[[], object]
    began: float
    received: int = 0
    complete: bool = False
    refusal: RequestRefused | None = field(default=None)
    in_memory: float = math.inf

    @property
    def deadline(self) -> float:
        earned = self.received if self.in_parts else self.declared or 0
        return self.began + min(GRACE_SECONDS + earned / MIN_BYTES_PER_SECOND, MAX_SECONDS)

    @property
    def in_parts(self) -> bool:
        """Whether its progress is observed: a small body of known length is received at once."""
        return self.declared is None or self.declared > SMALL_BYTES

    @property
    def held(self) -> int:
        """Bytes that count against the process."""
        return int(min(self.received, self.in_memory)) if self.received > SMALL_BYTES else 0

    def refuse(self, refusal: RequestRefused) -> None:
        self.refusal = refusal
        self.cancel()


class Arrivals:
    """The bodies of one process. All methods may be called from any thread."""

    def __init__(self, bodies: Limit = BODIES, of_bytes: Limit = BYTES) -> None:
        self._lock = threading.Lock()
        self._arriving: dict[Arrival, None] = {}  # in the order in which they began
        self._bodies: _Shares = Share(bodies)
        self._bytes: _Shares = Share(of_bytes)
        self._stop_at = math.inf

    def begin(self, caller: Caller, declared: int | None, cancel: Callable[[], object]) -> Arrival:
        """Count a body that begins. Raises RateLimitExceeded for a caller with too many."""
        with self._lock:
            beyond = self._bodies.add(caller, 1)
            if beyond is not None and beyond.own:
                self._bodies.add(caller, -1)
                raise too_many_bodies()
            arrival = Arrival(caller, declared, cancel, clock.monotonic())
            self._arriving[arrival] = None
            evicted = self._most(self._bodies) if beyond is not None else None
        if evicted is not None:
            evicted.refuse(too_many_bodies())
        return arrival

    def received(self, arrival: Arrival, length: int) -> None:
        """Count bytes that arrived; may refuse this body, or the largest caller's oldest."""
        with self._lock:
            beyond, evicted = self._count(arrival, length), None
            if beyond is not None:
                evicted = arrival if beyond.own else self._most(self._bytes)
        if evicted is not None:
            evicted.refuse(TooBusy("The bodies of too many large requests are arriving."))

    def inflated(self, arrival: Arrival, length: int) -> None:
        """Count bytes to which a body that has arrived is inflated. Raises TooBusy."""
        with self._lock:
            beyond = self._count(arrival, length)
        if beyond is not None:
            raise TooBusy("The bodies of too many large requests are held.")

    def complete(self, arrival: Arrival) -> None:
        """The body has arrived, or ended early; its bytes count until `release`."""
        with self._lock:
            if arrival.complete:
                return
            arrival.complete = True
            arrival.cancel = _nothing
            del self._arriving[arrival]
            self._bodies.add(arrival.caller, -1)

    def release(self, arrival: Arrival) -> None:
        """The request is answered."""
        with self._lock:
            self._bytes.add(arrival.caller, -arrival.held)
            arrival.received = 0

    def refuse_overdue(self) -> None:
        """Refuse bodies whose time is over: 408, or 429 for those beyond their caller's share."""
        now = clock.monotonic()
        with self._lock:
            overdue = list(self._overdue(now))
        for arrival, refusal in overdue:
            arrival.refuse(refusal)

    def _overdue(self, now: float) -> Iterator[tuple[Arrival, RequestRefused]]:
        of_caller: Counter[Caller] = Counter()
        for arrival in self._arriving:
            of_caller[arrival.caller] += 1
            is_excess = of_caller[arrival.caller] > MAX_BODIES_PER_CALLER
            if arrival.refusal is not None:
                continue
            if now > min(arrival.deadline, self._stop_at):
                yield arrival, _too_slow(arrival)
            elif is_excess and now > arrival.began + EXCESS_SECONDS:
                yield arrival, too_many_bodies()

    def stop(self) -> None:
        """The process ends: bodies that have not arrived within a few seconds are refused."""
        self._stop_at = clock.monotonic() + STOP_SECONDS

    def _count(self, arrival: Arrival, length: int) -> Beyond | None:
        """Count bytes of the body, and the limit that they are beyond."""
        before = arrival.held
        arrival.received += length
        return self._bytes.add(arrival.caller, arrival.held - before)

    def _most(self, shares: _Shares) -> Arrival | None:
        """The oldest body that arrives for the caller who has most; unknown callers come first."""
        used_by = shares.used_by
        arriving = [one for one in self._arriving if one.refusal is None and used_by(one.caller)]
        return max(
            arriving, key=lambda one: (not one.caller.known, used_by(one.caller)), default=None
        )


def _nothing() -> None:
    """The action of a complete body when it is to be cancelled."""


def too_many_bodies() -> RateLimitExceeded:
    return RateLimitExceeded(
        f"{MAX_BODIES_PER_CALLER} bodies of yours are still on their way: "
        "send them faster, or fewer."
    )


def _too_slow(arrival: Arrival) -> BodyTooSlow:
    seconds = round(arrival.deadline - arrival.began)
    return BodyTooSlow(
        f"The body was not complete after {seconds} seconds: send at least "
        f"{MIN_BYTES_PER_SECOND // 1024} KiB a second."
    )
