"""The QR code of a Saudi invoice: tags with one byte of length each, in Base64.

>>> code = encoded({Tag.SELLER: "Salla".encode(), Tag.VAT_NUMBER: b"399999999900003"})
>>> code
'AQVTYWxsYQIPMzk5OTk5OTk5OTAwMDAz'
>>> decoded(code)[Tag.SELLER]
b'Salla'
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from enum import IntEnum
from typing import Final

MAX_BYTES: Final = 255  # of one value


class Tag(IntEnum):
    """The meaning of a value of the code."""

    SELLER = 1
    VAT_NUMBER = 2
    MOMENT = 3
    TOTAL = 4
    VAT_TOTAL = 5
    HASH = 6
    SIGNATURE = 7
    PUBLIC_KEY = 8
    CERTIFICATE_SIGNATURE = 9  # of simplified documents


class UnreadableCode(ValueError):
    """Text that is no QR code of an invoice."""


def encoded(values: Mapping[Tag, bytes]) -> str:
    """The code with these values. Raises ValueError for one of more than 255 bytes."""
    parts = bytearray()
    for tag in sorted(values):
        value = values[tag]
        if len(value) > MAX_BYTES:
            raise ValueError(f"{tag.name} has {len(value)} bytes; {MAX_BYTES} are possible")
        parts += bytes((tag, len(value))) + value
    return base64.b64encode(parts).decode()


def decoded(code: str) -> dict[Tag, bytes]:
    """The values of a code. Raises UnreadableCode."""
    try:
        content = base64.b64decode(code, validate=True)
    except (binascii.Error, ValueError):
        raise UnreadableCode("the QR code is not Base64") from None
    values: dict[Tag, bytes] = {}
    while content:
        if len(content) < 2 or len(content) < 2 + content[1]:
            raise UnreadableCode("the QR code ends within a value")
        try:
            values[Tag(content[0])] = content[2 : 2 + content[1]]
        except ValueError:
            raise UnreadableCode(f"the QR code has the unknown tag {content[0]}") from None
        content = content[2 + content[1] :]
    return values
