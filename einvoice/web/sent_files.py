"""Files as responses, whole or the requested part of them (RFC 9110, section 14).

The server sends a SentFile by itself (cli/intake), so no response holds a file in memory. Other
servers, and the test client, iterate over it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from flask import Response, request

_CHUNK_BYTES = 256 * 1024


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


def file_response(path: Path, content_type: str, tag: str) -> Response:
    """The file, or the part that `Range` names. `tag`: the entity tag of its bytes.

    Several parts, and a part that the file does not have, are answered with the whole file, as are
    parts of a file with another tag (`If-Range`).
    """
    size = path.stat().st_size
    start, stop = _asked(size, tag) or (0, size)
    part = SentFile(path, start, stop)
    response = Response(part, content_type=content_type, direct_passthrough=True)
    response.content_length = stop - start
    response.headers["Accept-Ranges"] = "bytes"
    response.set_etag(tag)
    if (start, stop) != (0, size):
        response.status_code = 206
        response.headers["Content-Range"] = f"bytes {start}-{stop - 1}/{size}"
    return response


def _asked(size: int, tag: str) -> tuple[int, int] | None:
    """The requested part as (start, stop); None for the whole file."""
    if "Range" not in request.headers:
        return None
    if "If-Range" in request.headers and request.if_range.etag != tag:
        return None
    return None if request.range is None else request.range.range_for_length(size)
