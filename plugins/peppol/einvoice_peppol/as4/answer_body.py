"""The SOAP part in the body of an answer.

An answer is SOAP alone or, as some servers send it, the root part of a multipart/related body
(RFC 2387). White space before the XML declaration, which XML forbids, is taken off. It is not
judged here: what is no SOAP is refused by the parser.
"""

from __future__ import annotations

import re
from binascii import a2b_base64, a2b_qp
from email.message import Message
from email.parser import BytesHeaderParser
from typing import Final

_DASHES: Final = b"--"
_SPACE: Final = b" \t\r\n"
_MAX_PARTS: Final = 10
_MAX_BOUNDARY: Final = 200
_MAX_HEAD: Final = 8192
_END_OF_HEAD: Final = re.compile(rb"\r?\n\r?\n")


def soap_in(body: bytes, content_type: str = "") -> bytes:
    """The SOAP part of a body, or the body itself where it has no parts."""
    stripped = body.lstrip(_SPACE)
    boundary = _boundary(stripped, content_type)
    if boundary is None:
        return stripped
    parts = [_split(part) for part in _parts(stripped, boundary)]
    if not parts:
        return stripped
    start = _parameter(content_type, "start").strip("<> ")
    named = [each for each in parts if start and _content_id(each[0]) == start]
    return _decoded(*(named or parts)[0]).lstrip(_SPACE)


def _boundary(body: bytes, content_type: str) -> bytes | None:
    """The line between the parts: as it is declared, else that at the beginning of the body."""
    declared = _parameter(content_type, "boundary")
    if declared and len(declared) <= _MAX_BOUNDARY and declared.isascii():
        line = _DASHES + declared.encode("ascii")
        if body.startswith(line) or b"\n" + line in body:
            return line
    first = body[: _MAX_BOUNDARY + 2].partition(b"\n")[0].rstrip()
    return first if first.startswith(_DASHES) and len(first) > len(_DASHES) else None


def _parameter(content_type: str, name: str) -> str:
    message = Message()
    message["content-type"] = " ".join(content_type[:1000].split())
    value = message.get_param(name)
    return value.strip() if isinstance(value, str) else ""


def _parts(body: bytes, boundary: bytes) -> list[bytes]:
    """The parts between the boundaries, without the line end before each."""
    pieces = (b"\n" + body).split(b"\n" + boundary, _MAX_PARTS)[1:]
    found = [piece.partition(b"\n")[2] for piece in pieces if not piece.startswith(_DASHES)]
    return [part.removesuffix(b"\r") for part in found]


def _split(part: bytes) -> tuple[Message, bytes]:
    """The head of a part and its content; a part may have no head."""
    end = _END_OF_HEAD.search(part, 0, _MAX_HEAD)
    if part[:1] in (b"\r", b"\n"):
        return Message(), part
    if end is None or part.lstrip(_SPACE).startswith(b"<"):
        return Message(), part
    return BytesHeaderParser().parsebytes(part[: end.end()]), part[end.end() :]


def _content_id(head: Message) -> str:
    return str(head.get("content-id", "")).strip().strip("<>")


def _decoded(head: Message, content: bytes) -> bytes:
    encoding = str(head.get("content-transfer-encoding", "")).strip().lower()
    try:
        if encoding == "base64":
            return a2b_base64(content)
        if encoding == "quoted-printable":
            return a2b_qp(content)
    except ValueError:
        return content
    return content
