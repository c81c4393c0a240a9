"""Fields and texts of mails as plain text; nothing raises for what strangers write."""

from __future__ import annotations

import email.header
import re
from contextlib import suppress
from email.errors import MessageError
from email.message import Message
from html.parser import HTMLParser
from typing import Final

from einvoice.mail.messages import one_line

_MAX_FIELD: Final = 500
# What the standard library raises for mails that are malformed.
FAULTS: Final = (
    MessageError,
    RecursionError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    AssertionError,
)


def value(head: Message, name: str) -> str:
    """The first field of a name, decoded and on one line; empty without one."""
    return next(iter(values(head, name, 1)), "")


def values(head: Message, name: str, most: int) -> tuple[str, ...]:
    """The first fields of a name, each decoded and on one line."""
    return tuple(_plain(str(each)) for each in head.get_all(name, [])[:most])


def file_name(part: Message) -> str:
    """The name of a file of a mail; empty without one."""
    try:
        return one_line(_plain(part.get_filename() or ""), 120)
    except FAULTS:
        return ""


def decoded(part: Message, content: bytes) -> str:
    """The text of a part."""
    try:
        return content.decode(part.get_content_charset() or "utf-8", "replace")
    except (LookupError, ValueError):
        return content.decode("utf-8", "replace")


def tidied(text: str) -> str:
    """Without control characters, and with at most one blank line at a place."""
    lines = ("".join(c for c in line if c.isprintable() or c == "\t") for line in text.splitlines())
    shown = "\n".join(line.rstrip() for line in lines)
    return re.sub(r"\n{3,}", "\n\n", shown).strip("\n")


def without_markup(html: str) -> str:
    """The text of HTML, one line for each of its blocks."""
    parser = _Text()
    with suppress(*FAULTS):  # what was read until there is shown
        parser.feed(html)
    return "".join(parser.pieces)


class _Text(HTMLParser):
    _BREAKS = frozenset({"br", "p", "div", "tr", "li", "h1", "h2", "h3", "table", "blockquote"})
    _SILENT = frozenset({"style", "script", "title"})

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self._silent = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._silent += tag in self._SILENT
        if tag in self._BREAKS:
            self.pieces.append("\n")

    def handle_endtag(self, tag: str) -> None:
        if tag in self._SILENT:
            self._silent = max(0, self._silent - 1)

    def handle_data(self, data: str) -> None:
        if not self._silent:
            self.pieces.append(re.sub(r"\s+", " ", data))


def _plain(text: str) -> str:
    try:
        shown = str(email.header.make_header(email.header.decode_header(text[:4000])))
    except FAULTS:
        shown = text
    return one_line(shown, _MAX_FIELD)
