"""Text and separator of a CSV file, as spreadsheets write it.

Excel saves "CSV" in the code page of Windows (1252 in Western Europe), "Unicode text" as UTF-16
with tabs, and reads a first line `sep=;` as the separator.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from einvoice.domain.errors import CsvUnreadable

UTF_8, UTF_16, WINDOWS_1252 = "utf-8", "utf-16", "windows-1252"
_SPREADSHEETS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
_UTF_16_MARKS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_SAMPLE = 2_000  # bytes by which UTF-16 without its mark is recognised
# What the letters of Windows-1250 (ł, ą, ż) are in Windows-1252: nobody writes that in a word.
_ANOTHER_PAGE = re.compile(r"[^\W\d_][³¹¿]|[³¹¿][^\W\d_]")
_SEPARATOR_LINE = re.compile(r'"?sep=([,;|\t])"?[ ,;|\t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class CsvText:
    """The text of a file without a line that names the separator.

    encoding   how its bytes were read
    separator  of a first line `sep=`; None: the header tells
    skipped    lines before the header
    """

    text: str
    encoding: str
    separator: str | None = None
    skipped: int = 0


def decoded(content: bytes) -> CsvText:
    """The text of a file. Raises CsvUnreadable."""
    if content.startswith(_SPREADSHEETS):
        raise CsvUnreadable("The file is a spreadsheet: save it as CSV UTF-8.")
    text, encoding = _text(content)
    if "\x00" in text:
        raise CsvUnreadable("The file is not text: save it as CSV UTF-8.")
    named = _SEPARATOR_LINE.match(text)
    rest = text[named.end() :] if named else text
    if not rest.strip():
        raise CsvUnreadable("The file is empty: its first row names the columns.")
    return CsvText(rest, encoding, named[1] if named else None, 1 if named else 0)


def _text(content: bytes) -> tuple[str, str]:
    wide = _UTF_16_MARKS.get(content[:2])
    start = 2 if wide else 0
    wide = wide or _unmarked(content)
    if wide:
        try:
            return content[start:].decode(wide), UTF_16
        except UnicodeDecodeError:
            raise CsvUnreadable("The file is no valid UTF-16: save it as CSV UTF-8.") from None
    try:
        return content.decode("utf-8-sig"), UTF_8
    except UnicodeDecodeError as fault:
        return _of_windows(content, fault.start), WINDOWS_1252


def _unmarked(content: bytes) -> str | None:
    """The order of bytes of UTF-16 without its mark: of its Latin letters, each other byte is 0."""
    sample = content[:_SAMPLE]
    if len(sample) < 4:
        return None
    even, odd = sample[::2], sample[1::2]
    if odd.count(0) > 0.8 * len(odd) and not even.count(0):
        return "utf-16-le"
    if even.count(0) > 0.8 * len(even) and not odd.count(0):
        return "utf-16-be"
    return None


def _of_windows(content: bytes, first: int) -> str:
    """The text in Windows-1252. `first` is the first byte that is not UTF-8."""
    try:
        text = content.decode(WINDOWS_1252)
    except UnicodeDecodeError as fault:
        raise _unreadable(content, fault.start) from None
    if found := _ANOTHER_PAGE.search(text):
        raise _unreadable(content, found.start())
    if "\x00" in text:
        raise _unreadable(content, first)
    return text


def _unreadable(content: bytes, place: int) -> CsvUnreadable:
    line = content.count(b"\n", 0, place) + 1
    return CsvUnreadable(
        f"Line {line} is neither UTF-8 nor Windows-1252: save the file as CSV UTF-8."
    )
