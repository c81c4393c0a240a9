"""Only a complete PNG or JPEG file with at least one pixel is an image."""

from __future__ import annotations

import struct
import zlib

import pytest

from einvoice.domain.images import Image, read_image

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunk(name: bytes, data: bytes = b"") -> bytes:
    checksum = struct.pack(">I", zlib.crc32(name + data))
    return struct.pack(">I", len(data)) + name + data + checksum


def head(width: int, height: int) -> bytes:
    return chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))


def png(*chunks: bytes) -> bytes:
    return SIGNATURE + b"".join(chunks)


DATA, END = chunk(b"IDAT", b"pixels"), chunk(b"IEND")
BEFORE_CHECKSUM = DATA[:-4]


def jpeg(*segments: bytes, end: bytes = b"\xff\xd9") -> bytes:
    return b"\xff\xd8" + b"".join(segments) + end


def segment(marker: int, data: bytes) -> bytes:
    return bytes((0xFF, marker)) + struct.pack(">H", len(data) + 2) + data


def frame(width: int, height: int, marker: int = 0xC0) -> bytes:
    return segment(marker, struct.pack(">BHH", 8, height, width) + b"\x01\x01\x22\x00")


APP = segment(0xE0, b"JFIF\0")


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (png(head(3, 9), DATA, END), (3, 9)),
        (png(head(1, 1), DATA, END), (1, 1)),
        (png(head(0, 9), DATA, END), None),
        (png(head(9, 0), DATA, END), None),
        (png(head(3, 9), DATA), None),
        (png(DATA, head(3, 9), END), None),
        (png(chunk(b"tEXt", b"12345678"), head(3, 9), DATA, END), None),
        (png(head(3, 9), BEFORE_CHECKSUM + b"\0\0\0\0", END), None),
        (png(head(3, 9), BEFORE_CHECKSUM + b"\xff\xff\xff\xff", END), None),
        (png(head(3, 9), DATA, END[:-1]), None),
        (png(), None),
        (b"\x88PNG\r\n\x1a\n" + head(3, 9) + DATA + END, None),
    ],
)
def test_a_png_is_read_to_its_end(content, size) -> None:
    """A file that was cut off, or has an empty side, cannot be drawn."""
    assert read_image(content) == (Image("image/png", *size) if size else None)


@pytest.mark.parametrize(
    ("content", "size"),
    [
        (jpeg(APP, frame(7, 5)), (7, 5)),
        (jpeg(APP, frame(7, 5, 0xC1)), (7, 5)),
        (jpeg(APP, frame(7, 5, 0xC2)), (7, 5)),
        (jpeg(APP, frame(7, 5, 0xC3)), None),  # lossless: no browser draws it
        (jpeg(APP, b"\xff", frame(7, 5)), (7, 5)),  # a fill byte
        (jpeg(APP, b"\xff\x01", b"\xff\xd0", b"\xff\xd7", frame(7, 5)), (7, 5)),
        (jpeg(APP, frame(0, 5)), None),
        (jpeg(APP, frame(7, 0)), None),
        (jpeg(APP, frame(7, 5), end=b"\xff\xd9\0\0"), (7, 5)),
        (jpeg(APP, frame(7, 5), end=b""), None),
        (jpeg(APP), None),
        (jpeg(b"\xfe", frame(7, 5)), None),
        (b"\xff\xd8\xfe" + frame(7, 5) + b"\xff\xd9", None),
        (b"XX" + APP + frame(7, 5) + b"\xff\xd9", None),
    ],
)
def test_a_jpeg_has_a_frame_and_an_end(content, size) -> None:
    assert read_image(content) == (Image("image/jpeg", *size) if size else None)


@pytest.mark.parametrize("content", [b"", b"GIF89a", b"<svg/>", b"\xff\xd8\xff\xd9"])
def test_other_content_is_no_image(content) -> None:
    assert read_image(content) is None
