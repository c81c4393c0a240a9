"""Replaces characters that no packaged font has.

PDF/A forbids missing glyphs, so typst would fail. A character without a glyph is replaced by SIGN,
which the page explains. Invisible characters without one (joiners, direction marks) are removed.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from fontTools.ttLib import TTFont

FONTS: Final = Path(__file__).parent / "fonts"
SIGN: Final = "\N{REPLACEMENT CHARACTER}"
_LONG_WORD: Final = 22
_PIECE: Final = 11
_TOO_LONG: Final = re.compile(rf"\S{{{_LONG_WORD + 1},}}")
_BLANKS: Final = dict.fromkeys(map(ord, "\t\r\u2028\u2029"), " ")
_BREAK: Final = "\N{ZERO WIDTH SPACE}"


@cache
def shown() -> frozenset[int]:
    """The code points of all packaged fonts."""
    return frozenset().union(*(_of_font(path) for path in sorted(FONTS.glob("*/*.ttf"))))


def _of_font(path: Path) -> Iterable[int]:
    with TTFont(path, lazy=True) as font:
        return frozenset(font.getBestCmap())


class Glyphs:
    """Makes texts printable; `replaced` counts the characters that no font has."""

    def __init__(self) -> None:
        self.replaced = 0

    def fit(self, value: object) -> object:
        """The same structure of lists and dictionaries, with printable texts."""
        match value:
            case str():
                return self.text(value)
            case dict():
                return {key: self.fit(part) for key, part in value.items()}
            case list() | tuple():
                return [self.fit(part) for part in value]
            case _:
                return value

    def text(self, text: str) -> str:
        if text.isascii() and text.isprintable():
            return _breakable(text)
        known = shown()
        composed = unicodedata.normalize("NFC", text).translate(_BLANKS)
        return _breakable("".join([c if ord(c) in known else self._replaced(c) for c in composed]))

    def _replaced(self, character: str) -> str:
        if character == "\n":
            return character
        if unicodedata.category(character) in ("Cf", "Cc", "Mn", "Me"):
            return ""
        self.replaced += 1
        return SIGN


def _breakable(text: str) -> str:
    """The text with break opportunities in words that are longer than a column."""
    return text if len(text) <= _LONG_WORD else _TOO_LONG.sub(_broken, text)


def _broken(match: re.Match[str]) -> str:
    word = match[0]
    return _BREAK.join(word[at : at + _PIECE] for at in range(0, len(word), _PIECE))
