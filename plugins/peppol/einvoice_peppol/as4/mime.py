"""MIME messages of AS4: multipart/related with a SOAP part and one payload.

Written and parsed as bytes: nothing is decoded, and no line end of a payload is touched.
"""

from __future__ import annotations

import mmap
import re
from binascii import a2b_qp
from collections.abc import Callable
from dataclasses import dataclass
from email.message import Message
from email.parser import HeaderParser
from typing import Final

from einvoice_peppol.as4.errors import MIME_INCONSISTENCY, Refused
from einvoice_peppol.as4.names import SOAP
from einvoice_peppol.base64_text import decoded

Body = bytes | mmap.mmap
MAX_PART_HEAD: Final = 8192
MAX_CONTENT_TYPE: Final = 1000
MAX_ENCODED_BYTES: Final = 16 * 1024 * 1024  # of a part that is not binary, which senders use
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
    content_id = _content_id(payload_head)
    if not content_id:
        raise Refused(MIME_INCONSISTENCY, "the payload has no Content-ID")
    return Parts(soap, payload, content_id)


def _content_id(head: Message) -> str:
    """The id of a part without angle brackets, which some senders leave out."""
    text = str(head.get("content-id", "")).strip()
    return text[1:-1] if text.startswith("<") and text.endswith(">") else text


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
    """The head and the decoded content of a part. Raises Refused.

    Names of files are often in UTF-8 or Latin-1; they are not used, so any byte is taken.
    """
    message = HeaderParser().parsestr(_LINE_ENDS.sub(b"\n", head).decode("latin-1"))
    encoding = str(message.get("content-transfer-encoding", "binary")).strip().lower()
    if encoding in ("binary", "7bit", "8bit"):
        return message, content
    if encoding not in _DECODERS:
        raise Refused(MIME_INCONSISTENCY, "the transfer encoding of a part is not known")
    if len(content) > MAX_ENCODED_BYTES:
        words = f"a part in {encoding} has more than {MAX_ENCODED_BYTES:,} bytes: send it as binary"
        raise Refused(MIME_INCONSISTENCY, words)
    try:
        return message, _DECODERS[encoding](content)
    except ValueError:
        raise Refused(MIME_INCONSISTENCY, f"a part is not {encoding}") from None


_DECODERS: Final[dict[str, Callable[[bytes], bytes]]] = {
    "base64": decoded,
    "quoted-printable": a2b_qp,
}
