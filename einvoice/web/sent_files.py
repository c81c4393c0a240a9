"""Files as responses, whole or the requested part of them (RFC 9110, section 14).

The server sends a SentFile by itself (web/serving/intake), so no response holds a file in memory.
Other servers, and the test client, iterate over it.
"""

from __future__ import annotations

import errno
import os
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import IO

from flask import Response, request

from einvoice import clock
from einvoice.domain.errors import ComputingUnavailable

_CHUNK_BYTES = 256 * 1024
PASSING_SECONDS, _LEFT = 5.0, timedelta(minutes=5)
# Of all processes that share the directory; with one that is being written, about half of the /tmp
# that deploy/ gives a web server. A tenant that has more than its own limit gets no further file,
# so its largest one leaves room for one of another tenant.
MAX_PASSING_BYTES, MAX_OWN_BYTES = 72 * 1024**2, 8 * 1024**2
_FULL = {errno.ENOSPC, errno.EDQUOT}
_PASSING = "einvoice-passing-"


class SentFile:
    """The bytes of a file from `start` to before `stop`."""

    def __init__(self, path: Path, start: int, stop: int) -> None:
        self.path, self.start, self.stop = path, start, stop

    def __iter__(self) -> Iterator[bytes]:
        with self.path.open("rb") as file:
            file.seek(self.start)
            left = self.stop - self.start
            while left > 0 and (chunk := file.read(min(_CHUNK_BYTES, left))):
                left -= len(chunk)
                yield chunk


@contextmanager
def passing_file(tenant_id: str) -> Iterator[IO[bytes]]:
    """A new file for one response to the tenant.

    It is deleted if the block raises, else once it is sent: PASSING_SECONDS later the server has
    opened it, and while a slow client reads it, it counts. Those that a killed process has left are
    deleted with the next one. Raises ComputingUnavailable while the files that are there have more
    than MAX_PASSING_BYTES, or the tenant's own more than MAX_OWN_BYTES, and if the disk is full.
    """
    _make_room(tenant_id)
    prefix = f"{_PASSING}{tenant_id}-"
    with tempfile.NamedTemporaryFile(prefix=prefix, delete=False) as file:
        path = Path(file.name)
        try:
            yield file.file
            file.flush()
        except BaseException as fault:
            path.unlink(missing_ok=True)
            if isinstance(fault, OSError) and fault.errno in _FULL:
                raise ComputingUnavailable("There is no room for the file. Try later.") from fault
            raise
    _delete_later(path)


def _delete_later(path: Path) -> None:
    end = threading.Timer(PASSING_SECONDS, _delete_unread, (path,))
    end.daemon = True
    end.start()


def _delete_unread(path: Path) -> None:
    """Delete a file that is sent; one that is still being sent is kept as if it were new."""
    with suppress(FileNotFoundError):
        if _is_open(path):
            path.touch()
            _delete_later(path)
        else:
            path.unlink()


def _is_open(path: Path) -> bool:
    """Whether this process, which sends the file, has it open."""
    wanted = path.stat()
    for each in Path("/dev/fd").iterdir():
        with suppress(OSError):
            if os.path.samestat(os.fstat(int(each.name)), wanted):
                return True
    return False


def _make_room(tenant_id: str) -> None:
    """Delete files that were left. Raises ComputingUnavailable if too much is being sent."""
    size = own = 0
    for path in Path(tempfile.gettempdir()).glob(f"{_PASSING}*"):
        with suppress(FileNotFoundError):
            found = path.stat()
            if clock.now() - clock.written_at(found.st_mtime) > clock.lasting(_LEFT):
                path.unlink()
            else:
                size += found.st_size
                own += found.st_size if path.name.startswith(f"{_PASSING}{tenant_id}-") else 0
    if own > MAX_OWN_BYTES:
        raise ComputingUnavailable(
            "A large file of your account is still being sent: read it to its end, or repeat the "
            "request later."
        )
    if size > MAX_PASSING_BYTES:
        raise ComputingUnavailable("Too many files are being sent. Repeat the request later.")


def passing_response(path: Path, content_type: str) -> Response:
    """A whole file that was made for this response: the next request makes another one, of which a
    part would not continue it, so `Range` is ignored (RFC 9110, section 14.2)."""
    response = _sent(path, content_type, 0, path.stat().st_size)
    response.headers["Accept-Ranges"] = "none"
    return response


def file_response(path: Path, content_type: str, tag: str) -> Response:
    """The file, or the part that `Range` names. `tag`: the entity tag of its bytes.

    Several parts, and a part that the file does not have, are answered with the whole file, as are
    parts of a file with another tag (`If-Range`).
    """
    size = path.stat().st_size
    start, stop = _asked(size, tag) or (0, size)
    response = _sent(path, content_type, start, stop)
    response.headers["Accept-Ranges"] = "bytes"
    response.set_etag(tag)
    if (start, stop) != (0, size):
        response.status_code = 206
        response.headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    return response


def _sent(path: Path, content_type: str, start: int, stop: int) -> Response:
    part = SentFile(path, start, stop)
    response = Response(part, content_type=content_type, direct_passthrough=True)
    response.content_length = stop - start
    return response


def _asked(size: int, tag: str) -> tuple[int, int] | None:
    """The requested part as (start, stop); None for the whole file."""
    if "Range" not in request.headers:
        return None
    if "If-Range" in request.headers and request.if_range.etag != tag:
        return None
    return None if request.range is None else request.range.range_for_length(size)
