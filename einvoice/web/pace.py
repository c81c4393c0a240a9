"""At most two requests of a process compute at once; the other threads wait for networks.

A waiting send costs a thread, so there are many threads; without this bound they would fight for
the interpreter (measured: four busy threads are slower than two).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from flask import Flask, g

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
