"""Images as far as a logo needs it: type, size in pixels, and whether the file is complete.

>>> read_image(b"GIF89a") is None
True
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG_FRAMES = {0xC0, 0xC1, 0xC2}  # baseline, extended, progressive
_JPEG_MARKERS_WITHOUT_LENGTH = {0x01, *range(0xD0, 0xD8)}


@dataclass(frozen=True, slots=True)
class Image:
    """`media_type` is determined from the content; width and height are in pixels, at least 1."""

    media_type: str
    width: int
    height: int


def read_image(content: bytes) -> Image | None:
    """The PNG or JPEG image; None for any other content, a truncated file, or an empty image."""
    try:
        image = _parse(content)
    except (struct.error, IndexError):
        return None
    return image if image and image.width and image.height else None


def _parse(content: bytes) -> Image | None:
    if content.startswith(_PNG):
        return _png(content)
    if content.startswith(b"\xff\xd8\xff") and content.rstrip(b"\0").endswith(b"\xff\xd9"):
        return _jpeg(content)
    return None


def _png(content: bytes) -> Image | None:
    chunks = list(_chunks(content))
    if not chunks or chunks[0][0] != b"IHDR" or chunks[-1][0] != b"IEND":
        return None
    width, height = struct.unpack(">II", chunks[0][1][:8])
    return Image("image/png", width, height)


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Name and data of each chunk, up to the first with a wrong checksum."""
    at = len(_PNG)
    while at < len(content):
        length, name = struct.unpack(">I4s", content[at : at + 8])
        data = content[at + 8 : at + 8 + length]
        (checksum,) = struct.unpack(">I", content[at + 8 + length : at + 12 + length])
        if checksum != zlib.crc32(name + data):
            return
        yield name, data
        at += 12 + length


def _jpeg(content: bytes) -> Image | None:
    at = 2
    while content[at] == 0xFF:
        marker = content[at + 1]
        if marker in _JPEG_FRAMES:
            height, width = struct.unpack(">HH", content[at + 5 : at + 9])
            return Image("image/jpeg", width, height)
        if marker == 0xFF or marker in _JPEG_MARKERS_WITHOUT_LENGTH:
            at += 1 if marker == 0xFF else 2
            continue
        (length,) = struct.unpack(">H", content[at + 2 : at + 4])
        at += 2 + length
    return None
