"""Replaces characters that no packaged font has, or that a PDF must not contain.

PDF/A and PDF/UA forbid missing glyphs, characters of private use (of some the fonts have glyphs)
and the byte order mark, so typst would fail. A character without a glyph is replaced by SIGN, which
the page explains. Invisible characters without one (joiners, direction marks) are removed, and so
are combining marks that no font has together with the character before them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
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
_FORBIDDEN: Final = frozenset((0, 0xFEFF))
_JOINED: Final = frozenset(("Mn", "Mc", "Me", "Cf"))  # to the character before them
_ANY: Final = -1  # a set of fonts, one bit each, that has all of them


@cache
def shown() -> dict[int, int]:
    """The code points that may be printed; the fonts that have each, one bit for each font."""
    found: dict[int, int] = {}
    for number, path in enumerate(sorted(FONTS.glob("*/*.ttf"))):
        for code in _of_font(path):
            found[code] = found.get(code, 0) | 1 << number
    return {code: fonts for code, fonts in found.items() if _allowed(code)}


def _allowed(code: int) -> bool:
    return code not in _FORBIDDEN and unicodedata.category(chr(code)) != "Co"


def _of_font(path: Path) -> Iterable[int]:
    with TTFont(path, lazy=True) as font:
        return frozenset(font.getBestCmap())


class Glyphs:
    """Makes texts printable; `replaced` counts the characters that no font has."""

    def __init__(self) -> None:
        self.replaced = 0

    def fit(self, value: object) -> object:
        """A copy of lists and dictionaries with printable texts."""
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
        composed = unicodedata.normalize("NFC", text).translate(_BLANKS)
        return _breakable("".join(self._printable(composed)))

    def _printable(self, text: str) -> Iterator[str]:
        """The characters of the text; typst sets one and the marks joined to it in one font."""
        known = shown()
        fonts = _ANY
        for character in text:
            having = known.get(ord(character), 0)
            if unicodedata.category(character) not in _JOINED:
                printed = character if having else self._replaced(character)
                fonts = known.get(ord(printed), _ANY) if printed else fonts
                yield printed
            elif having & fonts:
                yield character
                fonts &= having

    def _replaced(self, character: str) -> str:
        if character == "\n":
            return character
        if unicodedata.category(character) == "Cc":
            return ""
        self.replaced += 1
        return SIGN


def _breakable(text: str) -> str:
    """The text with break opportunities in words that are longer than a column."""
    return text if len(text) <= _LONG_WORD else _TOO_LONG.sub(_broken, text)


def _broken(match: re.Match[str]) -> str:
    word = match[0]
    return _BREAK.join(word[at : at + _PIECE] for at in range(0, len(word), _PIECE))
