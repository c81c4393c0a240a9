"""Characters that XML 1.0 allows and discourages, which KSeF refuses (ranges as published by it).

>>> found("price\\u0084"), found("A\\u0085B"), found("zażółć")
('\\x84', None, None)
"""

from __future__ import annotations

import re
from typing import Final

_LAST_OF_PLANES: Final = "".join(
    f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 17)
)
DISCOURAGED: Final = re.compile(f"[\x7f-\x84\x86-\x9f\ufdd0-\ufdef{_LAST_OF_PLANES}]")
# Bytes of which at least one is in each of them, in UTF-8: a fast no for most documents.
_BEGINNINGS: Final = (b"\x7f", b"\xc2", b"\xef\xb7", b"\xbf\xbe", b"\xbf\xbf")
_REFERENCE: Final = re.compile(r"&#(?:x([0-9a-fA-F]{1,8})|([0-9]{1,10}));")


def found(text: str) -> str | None:
    """The first discouraged character of a text; None if there is none."""
    match = DISCOURAGED.search(text)
    return match[0] if match else None


def found_in_xml(document: bytes) -> str | None:
    """The first one in the text of a document, also where it is written as a reference."""
    referred = b"&#" in document
    if not referred and not any(each in document for each in _BEGINNINGS):
        return None
    text = document.decode("utf-8", "replace")
    return found(text) or (found("".join(_referred(text))) if referred else None)


def _referred(text: str) -> list[str]:
    codes = (int(hexadecimal, 16) if hexadecimal else int(decimal)
             for hexadecimal, decimal in _REFERENCE.findall(text))  # fmt: skip
    return [chr(code) for code in codes if code <= 0x10FFFF]
