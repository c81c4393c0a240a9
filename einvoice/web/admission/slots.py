"""Slots for computing: at most two requests of a process compute; other threads wait for networks.

A waiting send occupies a thread, so there are many threads; without this bound they would compete
for the interpreter (measured: four busy threads are slower than two). Callers have slots in
rotation: a semaphore would let another tenant's request wait for all sixteen of a first one.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from flask import Flask, g, has_app_context, has_request_context, request

from einvoice.domain.errors import RequestRefused
from einvoice.share import Limit, NoPermit, Share
from einvoice.web.admission.environ import CALLER, GROUPED, REFUSAL

MAX_COMPUTING = 2
LIMIT = Limit(MAX_COMPUTING, queue=None)
_WITHOUT_SLOT = frozenset({"/healthz", "/readyz"})
_slots: Share[str, threading.Lock] = Share(LIMIT)


def init_app(app: Flask) -> None:
    app.before_request(take_slot)
    app.teardown_request(_give_slot)


def take_slot() -> None:
    """Refuse what the server has refused; else wait for a slot."""
    environ = request.environ
    refusal: RequestRefused | None = environ.get(REFUSAL)
    if refusal is not None:
        raise refusal
    if GROUPED not in environ and request.path not in _WITHOUT_SLOT:
        _take(_caller())


def _give_slot(_: BaseException | None) -> None:
    _give()


def _take(caller: str) -> None:
    _slots.acquire(caller)
    g.slot_of = caller


def _give() -> str | None:
    """Release the slot; the caller that had it, None without one."""
    caller: str | None = g.pop("slot_of", None)
    if caller is not None:
        _slots.release(caller)
    return caller


def _caller() -> str:
    """The caller as which a request waits for a slot."""
    caller: str = request.environ.get(CALLER, "") if has_request_context() else ""
    return caller


@contextmanager
def released() -> Iterator[None]:
    """Let other requests compute while this one waits for a network, an outcome or a client."""
    caller = _give()
    try:
        yield
    finally:
        if caller is not None:
            _take(caller)


@contextmanager
def held(context: Callable[[], AbstractContextManager[object]]) -> Iterator[None]:
    """An application context that holds a slot, which `released` releases.

    For a plugin, which is called without a slot and hands a document over (`Inbox`). One that is
    called by a request with a slot takes no second one.
    """
    is_held = has_app_context() and "slot_of" in g
    with context():
        if not is_held:
            _take(_caller())
        try:
            yield
        finally:
            _give()


@contextmanager
def left() -> Iterator[None]:
    """Let other requests compute from now on: what is left of this one is short.

    Taking a slot again for the answer costs two more switches of threads.
    """
    _give()
    yield


# How long a group waits for the slots of other requests before it computes beside them.
_ALONE_WAIT_SECONDS = 0.005
_GROUP = ""


@contextmanager
def all_held() -> Iterator[None]:
    """Compute for a group of requests: beside no other request, unless one computes for long.

    What a group has loaded into the processor's caches stays there for its next step.
    """
    _slots.acquire(_GROUP)
    held = 1
    try:
        while held < MAX_COMPUTING:
            _slots.acquire(_GROUP, _ALONE_WAIT_SECONDS)
            held += 1
    except NoPermit:
        pass
    try:
        yield
    finally:
        for _ in range(held):
            _slots.release(_GROUP)
