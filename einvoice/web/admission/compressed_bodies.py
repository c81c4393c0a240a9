"""Compressed request bodies: gzip, inflated within the limits of bodies that are not compressed.

Other encodings are refused: a body has to be bounded while it is inflated, and each further decoder
would need that bound. A body is one gzip member without anything after it: members of few bytes
each would take longer the more there are.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

from einvoice.domain.errors import InvalidBody, PayloadTooLarge, UnsupportedEncoding

# A body may inflate to `EXEMPT_BYTES`, above that to `MAX_RATIO` times its size: JSON and XML of
# many equal lines reach 50, a text of one character 1,000.
MAX_RATIO = 200
EXEMPT_BYTES = 2 * 1024**2
_CHUNK_BYTES = 1024**2
_GZIP = 16 + zlib.MAX_WBITS
_NOTHING = frozenset({"", "identity"})
_NAMES = frozenset({"gzip", "x-gzip"})


def is_compressed(content_encoding: str) -> bool:
    """Whether the body is gzip, by Content-Encoding. Raises UnsupportedEncoding."""
    given = (word.strip().lower() for word in content_encoding.split(","))
    encodings = [name for name in given if name not in _NOTHING]
    if not encodings:
        return False
    if len(encodings) > 1 or encodings[0] not in _NAMES:
        said = ", ".join(encodings)[:100]
        raise UnsupportedEncoding(f"The body is encoded as {said}: send it as gzip, or as it is.")
    return True


def inflated(body: bytes, most: int, grown: Callable[[int], object]) -> bytes:
    """The bytes in a gzip body; an empty one has none.

    most   how many bytes there may be
    grown  called with the number of bytes of each part, before the next part; may refuse them

    Raises PayloadTooLarge, InvalidBody for what is not gzip or incomplete, and what `grown` raises.
    """
    if not body:
        return b""
    inflater, parts, length, rest = zlib.decompressobj(_GZIP), [], 0, body
    while not inflater.eof:
        part = _part(inflater, rest)
        rest = inflater.unconsumed_tail
        length += len(part)
        _check_length(length, len(body), most)
        if not part and not rest and not inflater.eof:
            raise InvalidBody("The body is not complete: its gzip data ends too early.")
        grown(len(part))
        parts.append(part)
    if inflater.unused_data:
        raise InvalidBody("There is something after the gzip data of the body.")
    return b"".join(parts)


def _part(inflater: zlib._Decompress, rest: bytes) -> bytes:
    try:
        return inflater.decompress(rest, _CHUNK_BYTES)
    except zlib.error:
        raise InvalidBody("The body is not gzip, as its Content-Encoding says.") from None


def _check_length(length: int, compressed: int, most: int) -> None:
    if length > most:
        size = f"{most // 1024**2} MiB" if most >= 1024**2 else f"{most:,} bytes"
        raise PayloadTooLarge(f"The inflated body is larger than the {size} this address takes.")
    if length > EXEMPT_BYTES and length > compressed * MAX_RATIO:
        raise PayloadTooLarge(
            f"The body inflates to more than {MAX_RATIO} times its size: send it uncompressed."
        )
