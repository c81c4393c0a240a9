"""Whether a file begins as files of its media type do.

>>> looks_like("application/pdf", b"%PDF-1.7"), looks_like("application/pdf", b"hello")
(True, False)
>>> looks_like("text/csv", b"a;b"), looks_like("text/csv", b"PK\\x03\\x04")
(True, False)
"""

from __future__ import annotations

from typing import Final

_PDF_WITHIN: Final = 1024  # bytes that may precede the header of a PDF (ISO 32000-1, annex H)
_ZIP: Final = b"PK\x03\x04"
_BEGINNINGS: Final = {
    "image/png": b"\x89PNG\r\n\x1a\n",
    "image/jpeg": b"\xff\xd8\xff",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": _ZIP,
    "application/vnd.oasis.opendocument.spreadsheet": _ZIP,
}
# What UTF-16, which Excel writes as text, begins with: it has zero bytes.
_UTF_16: Final = (b"\xff\xfe", b"\xfe\xff")


def looks_like(media_type: str, content: bytes) -> bool:
    """Whether the first bytes fit the type; true for types that are not known."""
    if media_type == "application/pdf":
        return b"%PDF-" in content[:_PDF_WITHIN]
    if media_type == "text/csv":
        return content.startswith(_UTF_16) or not _is_binary(content[:_PDF_WITHIN])
    return content.startswith(_BEGINNINGS.get(media_type, b""))


def _is_binary(beginning: bytes) -> bool:
    return b"\0" in beginning or beginning.startswith((_ZIP, b"%PDF-"))
