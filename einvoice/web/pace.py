"""At most two requests of a process compute at once; the other threads wait for networks.

A waiting send costs a thread, so there are many threads; without this bound they would fight for
the interpreter (measured: four busy threads are slower than two).
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, g, request

from einvoice.domain.errors import RateLimitExceeded

COMPUTING = 2
_turn = threading.BoundedSemaphore(COMPUTING)


def init_app(app: Flask) -> None:
    @app.before_request
    def _take() -> None:
        _turn.acquire()
        g.computing = True

    @app.teardown_request
    def _give(_: BaseException | None) -> None:
        if g.pop("computing", False):
            _turn.release()


@contextmanager
def released() -> Iterator[None]:
    """Let others compute while this request waits: for a network, an outcome, a slow client."""
    held = g.pop("computing", False)
    if held:
        _turn.release()
    try:
        yield
    finally:
        if held:
            _turn.acquire()
            g.computing = True


# Bodies of one asker that may be on their way at once, and seconds to wait for a place among them.
# A body that comes byte by byte holds a thread: whoever sends many of them may not hold them all.
BODIES = 6
_PATIENCE = 2.0
_coming: Counter[str] = Counter()
_place = threading.Condition()


def body() -> bytes:
    """The request's body. Raises RateLimitExceeded, as `receiving`."""
    with receiving():
        return request.get_data(cache=False)


@contextmanager
def receiving() -> Iterator[None]:
    """While a body comes in. Raises RateLimitExceeded for one asker's seventh at the same time."""
    asker = _asker()
    with released():
        _take_place(asker)
        try:
            yield
        finally:
            _leave_place(asker)


def _take_place(asker: str) -> None:
    with _place:
        if not _place.wait_for(lambda: _coming[asker] < BODIES, _PATIENCE):
            raise RateLimitExceeded(
                f"{BODIES} bodies of yours are still on their way: send them faster, or fewer."
            )
        _coming[asker] += 1


def _leave_place(asker: str) -> None:
    with _place:
        _coming[asker] -= 1
        if not _coming[asker]:
            del _coming[asker]
        _place.notify_all()


def _asker() -> str:
    who = g.get("session") or g.get("principal")
    return who.tenant_id if who else request.remote_addr or ""
