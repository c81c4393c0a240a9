"""A file that a page keeps in a hidden field, so that a form after it need not choose it again.

Nothing is stored for it: it is there in every process, and after a restart.

>>> unpacked(packed(b"name,taxId"), 100)
b'name,taxId'
>>> unpacked("no file", 100), unpacked(packed(b"x" * 101), 100) == b"x" * 101
(b'', True)
"""

from __future__ import annotations

import base64
import binascii
import zlib

# Werkzeug takes a field of 500,000 bytes; a file of 10,000 rows has 300,000 here.
MAX_FIELD = 450_000


def packed(content: bytes) -> str | None:
    """The value of the field; None for a file that is empty or too large for one."""
    text = base64.b64encode(zlib.compress(content)).decode()
    return text if content and len(text) <= MAX_FIELD else None


def unpacked(text: str | None, most: int) -> bytes:
    """The file of the field; empty for anything else. One of more than `most` bytes has one more
    than that, so the refusal of large files finds it."""
    try:
        return zlib.decompressobj().decompress(
            base64.b64decode(text or "", validate=True), most + 1
        )
    except (binascii.Error, zlib.error, ValueError):
        return b""
