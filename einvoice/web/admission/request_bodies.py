"""The one way to read the body of a request: completely, inflated, within the limits.

`einvoice serve` receives bodies before a thread begins with a request. Under another WSGI server a
body arrives while its thread waits, without a computing slot.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from typing import IO

from flask import request
from werkzeug.exceptions import RequestEntityTooLarge

from einvoice.domain.errors import InvalidBody, PayloadTooLarge, UnsupportedEncoding
from einvoice.web.admission import compressed_bodies, slots
from einvoice.web.admission.environ import ARRIVED, GROWN, INFLATED, SPOOL
from einvoice.web.admission.spools import Spool


def request_body(*, as_sent: bool = False) -> bytes:
    """The request's body, inflated unless it is wanted `as_sent`.

    Raises as `receiving_body`, and RequestEntityTooLarge for more than `max_content_length` bytes.
    """
    with receiving_body(as_sent=as_sent):
        return _whole()


_COPIED_BYTES = 256 * 1024


def pass_over_body(max_bytes: int) -> bool:
    """Read the body, inflated, without keeping it; whether it can be read and has at most so many
    bytes. Raises TooBusy."""
    request.max_content_length = max_bytes
    try:
        with receiving_body():
            for _ in _parts():
                pass
    except (RequestEntityTooLarge, UnsupportedEncoding, PayloadTooLarge, InvalidBody):
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
        for part in _parts():
            spool.write(part)
    most = request.max_content_length
    if most is not None and max(spool.length, request.content_length or 0) > most:
        raise RequestEntityTooLarge


def _whole() -> bytes:
    body = request.get_data(cache=False)
    _refuse_more(len(body))
    return body


def _parts() -> Iterator[bytes]:
    """The body in parts. Raises RequestEntityTooLarge for more than `max_content_length` bytes."""
    most, length = request.max_content_length, 0
    while length != most and (part := request.stream.read(_COPIED_BYTES)):
        length += len(part)
        yield part
    _refuse_more(length)


def _refuse_more(length: int) -> None:
    """Raise RequestEntityTooLarge if a body of which so many bytes were read goes on at the limit.

    Werkzeug reads one without a length, which came in chunks, up to the limit as if it ended there,
    and takes a further read for a longer body.
    """
    environ = request.environ
    if length != request.max_content_length or "wsgi.input_terminated" not in environ:
        return
    if environ["wsgi.input"].read(1):
        raise RequestEntityTooLarge


@contextmanager
def receiving_body(*, as_sent: bool = False) -> Iterator[None]:
    """Surrounds the reading of a body, which is inflated unless it is wanted `as_sent`.

    Raises for a compressed one UnsupportedEncoding, PayloadTooLarge, InvalidBody and TooBusy.
    """
    is_compressed = not as_sent and compressed_bodies.is_compressed(_encoding())
    with nullcontext() if ARRIVED in request.environ else slots.released():
        if is_compressed:
            _inflate()
        yield


def _encoding() -> str:
    return request.headers.get("Content-Encoding", "")


# A body of this size inflates within 10 ms; a longer one does without a slot.
_MAX_BYTES_TO_INFLATE_IN_SLOT = 16 * 1024


def _inflate() -> None:
    """Replace the input of the request by the inflated bytes."""
    compressed = _whole()
    if len(compressed) > _MAX_BYTES_TO_INFLATE_IN_SLOT:
        with slots.released():
            body = _inflated(compressed)
    else:
        body = _inflated(compressed)
    seen: Callable[[bytes], object] = request.environ.get(INFLATED, _not_seen)
    seen(body)
    request.environ |= {
        "wsgi.input": io.BytesIO(body),
        "wsgi.input_terminated": True,
        "CONTENT_LENGTH": str(len(body)),
    }
    for name in ("stream", "content_length"):  # computed again from the environ
        vars(request).pop(name, None)


def _inflated(compressed: bytes) -> bytes:
    grown: Callable[[int], object] = request.environ.get(GROWN, _not_counted)
    return compressed_bodies.inflated(compressed, request.max_content_length or 0, grown)


def _not_counted(_: int) -> None:
    """Another WSGI server counts no bytes of bodies."""


def _not_seen(_: bytes) -> None:
    """Nothing but the view needs the body."""
