"""Read an HTTP/1.1 response while it arrives (RFC 9112), in steps that never block.

Own code instead of h11, with which tests compare it (decisions 30.6).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from requests.structures import CaseInsensitiveDict

from einvoice import clock
from einvoice.http.client import Response
from einvoice.http.connections import Connection, Steps
from einvoice.http.exchange import Limits
from einvoice.http.faults import BrokenOff, HttpFault, ResponseTooLarge

MAX_HEAD_BYTES = 65536
_MAX_CHUNK_LINE = 1024
_END = b"\r\n\r\n"
_STATUS = re.compile(r"HTTP/1\.[01] ([1-9][0-9]{2})(?: .*)?", re.DOTALL)
_CHUNK_SIZE = re.compile(rb"[0-9A-Fa-f]{1,15}")


@dataclass(frozen=True, slots=True)
class _Head:
    version: str
    status: int
    headers: CaseInsensitiveDict[str]

    @property
    def keeps_connection(self) -> bool:
        options = self.headers.get("connection", "").lower()
        return "close" not in options and (self.version == "HTTP/1.1" or "keep-alive" in options)

    @property
    def chunked(self) -> bool:
        return self.headers.get("transfer-encoding", "").lower().split(",")[-1].strip() == "chunked"

    @property
    def length(self) -> int | None:
        """Bytes of the body; None where it ends with the connection. Raises BrokenOff."""
        given = {part.strip() for part in self.headers.get("content-length", "").split(",")}
        if "transfer-encoding" in self.headers or given == {""}:
            return None
        (text,) = given if len(given) == 1 else ("",)
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise BrokenOff("the length of the answer cannot be read", maybe_sent=True)
        return int(text)


class ResponseReader:
    """The response to one request.

    `until` is the end of the whole exchange. `excerpt` as in `Client.send`.
    """

    def __init__(
        self, connection: Connection, method: str, limits: Limits, until: float, excerpt: bool
    ) -> None:
        self._connection = connection
        self._method = method
        self._limits = limits
        self._until = until
        self._excerpt = excerpt
        self._content = bytearray()

    def read(self) -> Steps[tuple[Response, bool]]:
        """The response, and whether another request may follow on the connection."""
        head = yield from self._head()
        try:
            framed = yield from self._body(head)
        except (HttpFault, OSError):
            if not self._excerpt:
                raise
            cut = bytes(self._content[: self._limits.answer_bytes])
            return Response(head.status, head.headers, cut, complete=False), False
        whole = Response(head.status, head.headers, bytes(self._content))
        # Bytes after the response answer no request.
        return whole, framed and head.keeps_connection and not self._connection.buffer

    def _head(self) -> Steps[_Head]:
        """The head of the response; interim responses (1xx) are passed over."""
        buffer = self._connection.buffer
        while True:
            searched = 0  # each byte once, though a server may send them one by one
            while (end := buffer.find(_END, searched)) < 0:
                if len(buffer) > MAX_HEAD_BYTES:
                    raise BrokenOff("the head of the answer is too long", maybe_sent=True)
                searched = max(0, len(buffer) - len(_END) + 1)
                yield from self._more()
            head = _parsed(bytes(buffer[:end]))
            del buffer[: end + len(_END)]
            if head.status >= 200 or head.status == 101:
                return head

    def _body(self, head: _Head) -> Steps[bool]:
        """Read the body; whether its end was marked, other than by the end of the connection."""
        if self._method == "HEAD" or head.status in (101, 204, 304):
            return head.status != 101
        if head.chunked:
            yield from self._chunks()
            return True
        length = head.length
        if length is not None:
            yield from self._exactly(length)
            return True
        more = True
        while more:
            self._take(len(self._connection.buffer))
            more = yield from self._connection.receive(self._wait())
        return False

    def _chunks(self) -> Steps[None]:
        while True:
            line = yield from self._line()
            size = line.partition(b";")[0].strip()
            if not _CHUNK_SIZE.fullmatch(size):
                raise BrokenOff("a chunk of the answer has no length", maybe_sent=True)
            length = int(size, 16)
            if length == 0:
                break
            yield from self._exactly(length)
            if (yield from self._line()):
                raise BrokenOff("a chunk of the answer is longer than it says", maybe_sent=True)
        while (yield from self._line()):  # trailers
            pass

    def _exactly(self, length: int) -> Steps[None]:
        rest = length
        while True:
            rest -= self._take(rest)
            if rest == 0:
                return
            yield from self._more()

    def _take(self, at_most: int) -> int:
        """Move received bytes to the content. Raises ResponseTooLarge."""
        buffer = self._connection.buffer
        taken = min(at_most, len(buffer))
        self._content += buffer[:taken]
        del buffer[:taken]
        limit = self._limits.answer_bytes
        if len(self._content) > limit:
            raise ResponseTooLarge(f"the answer is longer than {limit} bytes", maybe_sent=True)
        return taken

    def _line(self) -> Steps[bytes]:
        buffer = self._connection.buffer
        while (end := buffer.find(b"\r\n")) < 0:
            if len(buffer) > _MAX_CHUNK_LINE:
                raise BrokenOff("a line between chunks is too long", maybe_sent=True)
            yield from self._more()
        line = bytes(buffer[:end])
        del buffer[: end + 2]
        return line

    def _more(self) -> Steps[None]:
        if not (yield from self._connection.receive(self._wait())):
            raise BrokenOff("the connection ended within the answer", maybe_sent=True)

    def _wait(self) -> float:
        return min(self._until, clock.monotonic() + self._limits.read)


def _parsed(head: bytes) -> _Head:
    first, *lines = head.decode("latin-1").split("\r\n")
    found = _STATUS.fullmatch(first)
    if found is None:
        raise BrokenOff("the answer is not HTTP/1.1", maybe_sent=True)
    values: CaseInsensitiveDict[list[str]] = CaseInsensitiveDict()
    for line in lines:
        name, colon, value = line.partition(":")
        if colon and name == name.strip():
            values[name] = values.get(name, [])
            values[name].append(value.strip())
    headers = CaseInsensitiveDict({name: ", ".join(each) for name, each in values.items()})
    return _Head(first[:8], int(found[1]), headers)
