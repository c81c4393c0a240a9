"""The reader of responses beside h11, another reader of RFC 9112 (decisions 30.6)."""

from __future__ import annotations

import math

import h11
import pytest

from einvoice.http import HttpFault, Limits
from einvoice.http.response_reading import MAX_HEAD_BYTES, ResponseReader

LENGTH = b"HTTP/1.1 200 OK\r\nX-A: 1\r\nx-a: \xe9\r\nContent-Length: 5\r\n\r\nhello"
CHUNKS = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: Chunked\r\n\r\n"
    b"3;name=value\r\nabc\r\n00a\r\n0123456789\r\n0\r\nTrailer: 1\r\n\r\n"
)
RESPONSES = {
    "a length": LENGTH,
    "chunks and a trailer": CHUNKS,
    "chunks and a length": CHUNKS.replace(b"\r\n", b"\r\nContent-Length: 2\r\n", 1),
    "interim responses": b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103\r\nLink: x\r\n\r\n" + LENGTH,
    "no reason": LENGTH.replace(b" OK", b""),
    "until the end": b"HTTP/1.0 200 OK\r\n\r\nuntil the end",
    "the same length twice": LENGTH.replace(b"X-A: 1", b"Content-Length: 5"),
    "the connection ends": LENGTH.replace(b"X-A: 1", b"Connection: Close"),
    "bytes after it": LENGTH + b"HTTP/1.1 200 OK\r\n",
    "no content": b"HTTP/1.1 204 No Content\r\n\r\n",
    "not modified, with a length": b"HTTP/1.1 304 No\r\nContent-Length: 5\r\n\r\n",
    "cut short": LENGTH[:-1],
    "cut within a chunk": CHUNKS[:60],
    "cut within the head": LENGTH[:20],
    "two lengths": LENGTH.replace(b"X-A: 1", b"Content-Length: 6"),
    "a length with a sign": LENGTH.replace(b": 5", b": +5"),
    "a chunk with a sign": CHUNKS.replace(b"\r\n3;", b"\r\n+3;"),
    "a chunk with a prefix": CHUNKS.replace(b"\r\n3;", b"\r\n0x3;"),
    "a chunk without a length": CHUNKS.replace(b"\r\n3;", b"\r\n;"),
    "a chunk that is too long": CHUNKS.replace(b"abc", b"abcd"),
    "a status of four digits": LENGTH.replace(b"200", b"2000"),
    "a status of letters": LENGTH.replace(b"200", b"2xx"),
}
REFUSED = None


class Arriving:
    """A connection whose server sends these pieces, and then ends it."""

    def __init__(self, pieces):
        self.buffer = bytearray()
        self._pieces = list(pieces)

    def receive(self, _until):
        yield from ()
        if not self._pieces:
            return False
        self.buffer += self._pieces.pop(0)
        return True


def read(pieces):
    """Status, body and whether the connection may be used again; REFUSED for a fault."""
    reader = ResponseReader(Arriving(pieces), "POST", Limits(), math.inf, excerpt=False)
    try:
        next(reader.read())
    except StopIteration as end:
        response, reusable = end.value
        return response.status, response.body, reusable
    except HttpFault:
        return REFUSED
    raise AssertionError("nothing here waits")


def read_by_h11(content):
    connection = h11.Connection(h11.CLIENT)
    connection.send(h11.Request(method="POST", target="/", headers=[("Host", "x")]))
    connection.send(h11.EndOfMessage())
    status, body = 0, b""
    pieces = iter([content, b""])
    try:
        while not isinstance(event := connection.next_event(), h11.EndOfMessage):
            if event is h11.NEED_DATA:
                connection.receive_data(next(pieces))
            elif isinstance(event, h11.Response):
                status = event.status_code
            elif isinstance(event, h11.Data):
                body += event.data
    except h11.RemoteProtocolError:
        return REFUSED
    framed = b"length" in content.lower() or b"chunked" in content.lower() or status == 204
    clean = connection.their_state is h11.DONE and not connection.trailing_data[0]
    return status, body, clean and framed


@pytest.mark.parametrize("size", [1, 1 << 16], ids=["byte by byte", "at once"])
def test_a_response_is_read_as_by_another_reader(size):
    """Wherever the network cuts it. h11 costs four times as much, so it only compares."""
    pieces = {
        name: [content[at : at + size] for at in range(0, len(content), size)]
        for name, content in RESPONSES.items()
    }
    found = {name: read(parts) for name, parts in pieces.items()}
    if size == 1:  # what comes after the response has not arrived yet
        found.pop("bytes after it")
    expected = {name: read_by_h11(RESPONSES[name]) for name in found}

    assert found == expected


def test_the_responses_compared_are_read_and_refused():
    refused = [name for name, content in RESPONSES.items() if read_by_h11(content) is REFUSED]

    assert 5 < len(refused) < len(RESPONSES) - 5


HEAD = b"HTTP/1.1 200 OK\r\n"


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (HEAD + b"\r\nto the end", (200, b"to the end", False)),
        (HEAD + b"Content-Length : 2\r\n\r\nto the end", (200, b"to the end", False)),
        (HEAD + b"Transfer-Encoding: x\r\nContent-Length: 2\r\n\r\nabc", (200, b"abc", False)),
        (HEAD + b"no colon\r\nContent-Length: 2\r\n\r\nab", (200, b"ab", True)),
        (HEAD + b"Connection: x, close\r\nContent-Length: 0\r\n\r\n", (200, b"", False)),
        (b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", (200, b"", False)),
        (
            b"HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 0\r\n\r\n",
            (200, b"", True),
        ),
        (b"HTTP/1.1 101 Switching\r\n\r\nanother protocol", (101, b"", False)),
        (HEAD + b"Content-Length: 2\r\n\r\nabc", (200, b"ab", False)),
    ],
    ids=["no length", "a blank before the colon", "another coding", "a line without a colon",
         "the connection ends", "HTTP/1.0", "HTTP/1.0, kept", "another protocol", "too much"],
)  # fmt: skip
def test_a_connection_is_used_again_only_after_a_response_whose_end_is_known(content, found):
    assert read([content]) == found


@pytest.mark.parametrize(
    ("before", "after", "bound"),
    [
        (HEAD + b"X: ", b"\r\nContent-Length: 0\r\n\r\n", MAX_HEAD_BYTES),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;", b"\r\na\r\n0\r\n\r\n", 1024),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\nX: ", b"\r\n\r\n", 1024),
    ],
    ids=["head", "extension of a chunk", "trailer"],
)
def test_a_line_that_does_not_end_is_refused_at_its_bound(before, after, bound):
    """While it arrives, so that no server fills the memory."""
    inside, outside = (
        [before, *[b"x" * 64] * (count // 64), b"x" * (count % 64), after]
        for count in (bound - len(before), bound + 64)
    )

    assert read(inside) is not REFUSED
    assert read(outside) is REFUSED


class Searched(bytearray):
    """Received bytes, and how many of them were searched for an end."""

    count = 0

    def find(self, end, start=0):
        self.count += len(self) - start
        return super().find(end, start)


def test_a_head_that_arrives_byte_by_byte_is_searched_once():
    """Else a receiver of webhooks keeps a worker busy for seconds with 64 KiB."""
    head = HEAD + b"X: " + b"x" * 10_000 + b"\r\nContent-Length: 0\r\n\r\n"
    connection = Arriving(bytes([byte]) for byte in head)
    connection.buffer = Searched()
    with pytest.raises(StopIteration):
        next(ResponseReader(connection, "POST", Limits(), math.inf, excerpt=False).read())

    assert connection.buffer.count < 5 * len(head)


@pytest.mark.parametrize(("digits", "is_refused"), [(b"5", False), (b"0" * 18 + b"5", True)])
def test_a_length_has_at_most_eighteen_digits(digits, is_refused):
    found = read([HEAD + b"Content-Length: " + digits + b"\r\n\r\nhello"])

    assert (found is REFUSED) == is_refused
