"""At most two requests of a process compute at the same time; other threads wait for networks.

A waiting send occupies a thread, so there are many threads; without this bound they would compete
for the interpreter (measured: four busy threads are slower than two).
"""

from __future__ import annotations

import io
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import IO

from flask import Flask, Response, g, has_app_context, has_request_context, request
from werkzeug.exceptions import RequestEntityTooLarge

from einvoice.domain.errors import RateLimitExceeded, RequestRefused
from einvoice.web import callers, inflating
from einvoice.web.arrivals import MAX_BODIES_PER_CALLER as MAX_BODIES_PER_CALLER
from einvoice.web.computing_slots import ComputingSlots
from einvoice.web.requests import client_network
from einvoice.web.spools import Spool

MAX_COMPUTING = 2
# Keys of the WSGI environment of a server that receives bodies itself (web/serving/intake): the
# refusal that answers the request, whether the whole body has arrived, who is its caller, and the
# function that counts the bytes a compressed body inflates to.
REFUSAL = "einvoice.refusal"
ARRIVED = "einvoice.arrived"
CALLER = "einvoice.caller"
GROWN = "einvoice.grown"
# The spool of a large body of an endpoint (web/spools).
SPOOL = "einvoice.spool"
# The same for a request of a group, for which the group has taken the slots (web/grouped_sends).
GROUPED = "einvoice.grouped"
_WITHOUT_SLOT = frozenset({"/healthz", "/readyz"})
_computing_slots = ComputingSlots(MAX_COMPUTING)


def init_app(app: Flask) -> None:
    @app.before_request
    def _take() -> None:
        environ = request.environ
        refusal: RequestRefused | None = environ.get(REFUSAL)
        if refusal is not None:
            raise refusal
        if GROUPED not in environ and request.path not in _WITHOUT_SLOT:
            _computing_slots.acquire(_caller_of_slot())
            g.computing = True

    @app.after_request
    def _remember_caller(response: Response) -> Response:
        who = g.get("session") or g.get("principal")
        if who is not None:
            headers = request.headers
            credential = callers.credential_of(
                headers.get("x-api-key", ""), headers.get("Authorization", "")
            )
            callers.remember(credential, who.tenant_id)
        return response

    @app.teardown_request
    def _give(_: BaseException | None) -> None:
        if g.pop("computing", False):
            _computing_slots.release()


def _caller_of_slot() -> str:
    """As whom a request waits for a slot."""
    caller: str = request.environ.get(CALLER, "") if has_request_context() else ""
    return caller


@contextmanager
def computing_slot_released() -> Iterator[None]:
    """Let other requests compute while this one waits for a network, an outcome or a client."""
    held = g.pop("computing", False)
    if held:
        _computing_slots.release()
    try:
        yield
    finally:
        if held:
            _computing_slots.acquire(_caller_of_slot())
            g.computing = True


@contextmanager
def computing_slot_held(
    context: Callable[[], AbstractContextManager[object]],
) -> Iterator[None]:
    """An application context that holds a computing slot, which `computing_slot_released` releases.

    For a plugin, which is called without a slot and hands a document over (`Inbox`). One that is
    called by a request with a slot takes no second one.
    """
    is_held = has_app_context() and g.get("computing", False)
    with context():
        if not is_held:
            _computing_slots.acquire()
            g.computing = True
        try:
            yield
        finally:
            if g.pop("computing", False):
                _computing_slots.release()


@contextmanager
def computing_slot_left() -> Iterator[None]:
    """Let other requests compute from now on: what is left of this one is short.

    Taking a slot again for the answer costs two more switches of threads.
    """
    if g.pop("computing", False):
        _computing_slots.release()
    yield


# How long a group waits for the slots of other requests before it computes beside them.
_EXCLUSIVE_WAIT_SECONDS = 0.005


@contextmanager
def all_computing_slots_held() -> Iterator[None]:
    """Compute for a group of requests: beside no other request, unless one computes for long.

    What a group has loaded into the processor's caches stays there for its next step.
    """
    _computing_slots.acquire()
    held = 1
    while held < MAX_COMPUTING and _computing_slots.acquire(timeout=_EXCLUSIVE_WAIT_SECONDS):
        held += 1
    try:
        yield
    finally:
        _computing_slots.release(held)


# `einvoice serve` receives bodies before a thread begins with a request. Under another WSGI server
# a body that arrives byte by byte holds a thread: one caller must not be able to hold all threads.
_BODY_WAIT_SECONDS = 2.0
_bodies_arriving: Counter[str] = Counter()
_body_slots = threading.Condition()


def request_body(*, as_sent: bool = False) -> bytes:
    """The request's body, inflated unless it is wanted `as_sent`. Raises as `receiving_body`."""
    with receiving_body(as_sent=as_sent):
        return request.get_data(cache=False)


_COPIED_BYTES = 256 * 1024


def pass_over_body(max_bytes: int) -> bool:
    """Read the body as sent without keeping it; whether it has at most so many bytes."""
    request.max_content_length = max_bytes
    try:
        with receiving_body(as_sent=True):
            while request.stream.read(_COPIED_BYTES):
                pass
    except RequestEntityTooLarge:
        return False
    return True


@contextmanager
def request_file(endpoint: str, at_once: int) -> Iterator[IO[bytes]]:
    """The request's body in a file, at its beginning; it is closed at the end.

    Raises TooBusy, and RequestEntityTooLarge for more than `max_content_length` bytes.
    """
    spool: Spool | None = request.environ.get(SPOOL)
    if spool is None:
        spool = Spool(endpoint, at_once)
    try:
        with receiving_body(as_sent=True):
            _fill(spool)
        yield spool.rewound()
    finally:
        spool.close()


def _fill(spool: Spool) -> None:
    """Copy the body, unless it has arrived in the spool, and check its length."""
    if SPOOL not in request.environ:
        while part := request.stream.read(_COPIED_BYTES):
            spool.write(part)
    most = request.max_content_length
    if most is not None and max(spool.length, request.content_length or 0) > most:
        raise RequestEntityTooLarge


@contextmanager
def receiving_body(*, as_sent: bool = False) -> Iterator[None]:
    """Surrounds the reading of a body, which is inflated unless it is wanted `as_sent`.

    Raises RateLimitExceeded for a seventh of one caller; for a compressed one UnsupportedEncoding,
    PayloadTooLarge, InvalidBody and TooBusy.
    """
    is_compressed = not as_sent and inflating.is_compressed(_encoding())
    if ARRIVED in request.environ:
        if is_compressed:
            _inflate()
        yield
        return
    caller = _caller()
    with computing_slot_released():
        _take_body_slot(caller)
        try:
            if is_compressed:
                _inflate()
            yield
        finally:
            _leave_body_slot(caller)


def _encoding() -> str:
    return request.headers.get("Content-Encoding", "")


# A body of this size inflates within 10 ms (web/inflating); a longer one does without a slot.
_MAX_BYTES_TO_INFLATE_IN_SLOT = 16 * 1024


def _inflate() -> None:
    """Replace the input of the request by the inflated bytes."""
    compressed = request.get_data(cache=False)
    if len(compressed) > _MAX_BYTES_TO_INFLATE_IN_SLOT:
        with computing_slot_released():
            body = _inflated(compressed)
    else:
        body = _inflated(compressed)
    request.environ |= {
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
        "CONTENT_LENGTH": str(len(body)),
    }
    for name in ("stream", "content_length"):  # computed again from the environ
        vars(request).pop(name, None)


def _inflated(compressed: bytes) -> bytes:
    grown: Callable[[int], object] = request.environ.get(GROWN, _not_counted)
    return inflating.inflated(compressed, request.max_content_length or 0, grown)


def _not_counted(_: int) -> None:
    """Another WSGI server counts no bytes of bodies."""


def _take_body_slot(caller: str) -> None:
    with _body_slots:
        if not _body_slots.wait_for(
            lambda: _bodies_arriving[caller] < MAX_BODIES_PER_CALLER, _BODY_WAIT_SECONDS
        ):
            raise RateLimitExceeded(
                f"{MAX_BODIES_PER_CALLER} bodies of yours are still on their way: "
                "send them faster, or fewer."
            )
        _bodies_arriving[caller] += 1


def _leave_body_slot(caller: str) -> None:
    with _body_slots:
        _bodies_arriving[caller] -= 1
        if not _bodies_arriving[caller]:
            del _bodies_arriving[caller]
        _body_slots.notify_all()


def _caller() -> str:
    """The tenant, or the network of a client without a credential; unknown clients are one."""
    who = g.get("session") or g.get("principal")
    return who.tenant_id if who else client_network() or ""
