"""MIME messages of AS4: multipart/related with a SOAP part and one payload.

Written and parsed as bytes: nothing is decoded, and no line end of a payload is touched.
"""

from __future__ import annotations

import mmap
import re
from base64 import b64decode
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from typing import Final

from einvoice_peppol.as4.errors import MIME_INCONSISTENCY, Refused
from einvoice_peppol.as4.names import SOAP

Body = bytes | mmap.mmap
MAX_PART_HEAD: Final = 8192
MAX_CONTENT_TYPE: Final = 1000
_ROOT_ID: Final = "root"
_BOUNDARY = re.compile(r"[0-9A-Za-z'()+_,./:=? -]{0,69}[0-9A-Za-z'()+_,./:=?-]", re.ASCII)
_LINE_ENDS = re.compile(rb"\r?\n")


@dataclass(frozen=True, slots=True)
class Multipart:
    """The body of a request and its Content-Type."""

    content_type: str
    body: bytes


@dataclass(frozen=True, slots=True)
class Parts:
    """The parts of a received message. `content_id`: of the payload, without angle brackets."""

    soap: bytes
    payload: bytes
    content_id: str


def write(soap: bytes, content_id: str, payload: bytes, *, boundary: str) -> Multipart:
    """A message of two parts. The boundary must not occur in them."""
    content_type = f'multipart/related; type="{SOAP}"; boundary="{boundary}"; start="<{_ROOT_ID}>"'
    head = (
        f"--{boundary}\r\nContent-Type: {SOAP};charset=UTF-8\r\n"
        f"Content-Transfer-Encoding: binary\r\nContent-ID: <{_ROOT_ID}>\r\n\r\n"
    )
    between = (
        f"\r\n--{boundary}\r\nContent-Type: application/octet-stream\r\n"
        f"Content-Transfer-Encoding: binary\r\nContent-ID: <{content_id}>\r\n\r\n"
    )
    end = f"\r\n--{boundary}--\r\n"
    return Multipart(
        content_type, b"".join((head.encode(), soap, between.encode(), payload, end.encode()))
    )


def parse(content_type: str, body: Body) -> Parts:
    """The parts of a request. Raises Refused."""
    parts = [_part(head, content) for head, content in _sections(_boundary(content_type), body)]
    if len(parts) != 2:
        raise Refused(MIME_INCONSISTENCY, "a message has two parts: SOAP and one payload")
    (soap_head, soap), (payload_head, payload) = parts
    if soap_head.get_content_type() != SOAP:
        raise Refused(MIME_INCONSISTENCY, f"the first part is not {SOAP}")
    content_id = str(payload_head.get("content-id", "")).strip()
    if not (content_id.startswith("<") and content_id.endswith(">") and len(content_id) > 2):
        raise Refused(MIME_INCONSISTENCY, "the payload has no Content-ID")
    return Parts(soap, payload, content_id[1:-1])


def is_multipart(content_type: str) -> bool:
    """Whether a request may be a message, by its Content-Type."""
    return content_type.partition(";")[0].strip().lower() == "multipart/related"


def _boundary(content_type: str) -> bytes:
    if not is_multipart(content_type) or len(content_type) > MAX_CONTENT_TYPE:
        raise Refused(MIME_INCONSISTENCY, "the request is not multipart/related")
    message = Message()
    message["content-type"] = content_type
    boundary = message.get_param("boundary")
    if not isinstance(boundary, str) or not _BOUNDARY.fullmatch(boundary):
        raise Refused(MIME_INCONSISTENCY, "the request has no valid boundary")
    return b"--" + boundary.encode("ascii")


def _sections(delimiter: bytes, body: Body) -> list[tuple[bytes, bytes]]:
    """Head and content between the delimiters, of at most three parts. Raises Refused."""
    found: list[tuple[bytes, bytes]] = []
    start = _after_delimiter(body, delimiter, 0 if _is_at(body, delimiter, 0) else -1)
    while start is not None and len(found) < 3:
        end = body.find(b"\n" + delimiter, start)
        if end < 0:
            raise Refused(MIME_INCONSISTENCY, "the last part is not ended by the boundary")
        found.append(_head_and_content(body, start, end - (body[end - 1 : end] == b"\r")))
        start = _after_delimiter(body, delimiter, end + 1)
    return found


def _after_delimiter(body: Body, delimiter: bytes, place: int) -> int | None:
    """The start of the part after the delimiter at `place`, or after the first; None at the end."""
    if place < 0:
        place = body.find(b"\n" + delimiter) + 1
        if place == 0:
            raise Refused(MIME_INCONSISTENCY, "the boundary is not in the body")
    place += len(delimiter)
    if _is_at(body, b"--", place):
        return None
    end = body.find(b"\n", place, place + 200)
    if end < 0 or body[place:end].strip():
        raise Refused(MIME_INCONSISTENCY, "a boundary is not at the end of its line")
    return end + 1


def _is_at(body: Body, wanted: bytes, place: int) -> bool:
    return body[place : place + len(wanted)] == wanted


def _head_and_content(body: Body, start: int, end: int) -> tuple[bytes, bytes]:
    window = body[start : min(end, start + MAX_PART_HEAD)]
    separator = re.search(rb"\r?\n\r?\n", window)
    if separator is None:
        raise Refused(MIME_INCONSISTENCY, "a part has no end of its head")
    return window[: separator.start()], body[start + separator.end() : end]


def _part(head: bytes, content: bytes) -> tuple[Message, bytes]:
    try:
        message = HeaderParser().parsestr(_LINE_ENDS.sub(b"\n", head).decode("ascii"))
    except UnicodeDecodeError:
        raise Refused(MIME_INCONSISTENCY, "the head of a part is not ASCII") from None
    encoding = str(message.get("content-transfer-encoding", "binary")).strip().lower()
    if encoding == "base64":
        return message, _decoded(content)
    if encoding not in ("binary", "7bit", "8bit"):
        raise Refused(MIME_INCONSISTENCY, "the transfer encoding of a part is not known")
    return message, content


def _decoded(content: bytes) -> bytes:
    try:
        return b64decode(b"".join(content.split()), validate=True)
    except ValueError:
        raise Refused(MIME_INCONSISTENCY, "a part is not base64") from None
