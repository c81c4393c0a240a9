"""Parts of a PDF that run by themselves, or bring files: named, never run.

The names are looked for in the file and in its compressed streams, up to a bound: a PDF whose
streams are larger is said to be looked through in part.

>>> found_in(b"%PDF-1.7 << /S /Java#53cript /JS (app.alert(1)) >>")
('JavaScript',)
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final

MAX_STREAMS: Final = 2_000
MAX_BYTES: Final = 32 * 1024 * 1024  # of all streams together, inflated
_MAX_STREAM: Final = 4 * 1024 * 1024
_NAMES: Final = {
    b"JavaScript": "JavaScript",
    b"JS": "JavaScript",
    b"Launch": "Launch",
    b"RichMedia": "RichMedia",
    b"SubmitForm": "SubmitForm",
    b"ImportData": "ImportData",
    b"GoToR": "GoToR",
    b"XFA": "XFA",
}
_NAME: Final = re.compile(rb"/([A-Za-z#0-9]{2,40})")
_ESCAPED: Final = re.compile(rb"#([0-9A-Fa-f]{2})")
_STREAM: Final = re.compile(rb"stream\r?\n")
PARTLY: Final = "streams that are too large to be looked through"


def found_in(content: bytes) -> tuple[str, ...]:
    """The kinds of active content in a PDF, sorted; raises nothing for any bytes."""
    found = set(_named(content))
    left = MAX_BYTES
    for number, match in enumerate(_STREAM.finditer(content)):
        if number >= MAX_STREAMS or left <= 0:
            found.add(PARTLY)
            break
        inflated = _inflated(content[match.end() : match.end() + _MAX_STREAM], left)
        left -= len(inflated)
        found.update(_named(inflated))
    return tuple(sorted(found))


def _named(content: bytes) -> Iterator[str]:
    for match in _NAME.finditer(content):
        name = match[1]
        if b"#" in name:
            name = _ESCAPED.sub(lambda sign: bytes([int(sign[1], 16)]), name)
        if name in _NAMES:
            yield _NAMES[name]


def _inflated(content: bytes, most: int) -> bytes:
    """The beginning of a stream, inflated; empty if it is not compressed so."""
    if content[:1] not in (b"x", b"h", b"X", b"H"):
        return b""
    try:
        return zlib.decompressobj().decompress(content, min(most, _MAX_STREAM))
    except zlib.error:
        return b""
