"""Templates and words of the page, and the texts of others on it.

>>> shown("a\\x00b\\u202ec"), shown("\\n" * 3), shown("x" * 10_000)[-9:]
('a�b�c', '\\n\\n\\n', '… (+8000)')
"""

from __future__ import annotations

import tomllib
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

import jinja2
from markupsafe import Markup

MAX_TEXT: Final = 2_000  # characters of a text of a document
_HERE: Final = Path(__file__).parent
_KEPT: Final = frozenset("\n\t")
_SIGN: Final = "\N{REPLACEMENT CHARACTER}"
# Controls, surrogates (of file names that are no UTF-8), and what has no meaning.
_UNSHOWN: Final = frozenset({"Cc", "Cs", "Cn", "Co"})
# Embeddings, overrides and isolates of writing direction: the page isolates each text itself.
_DIRECTIONS: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def shown(value: object) -> object:
    """A text as the page has it, cut and with `�` for what is not shown; markup as it is."""
    if isinstance(value, Markup):
        return value
    text = str(value)
    more = len(text) - MAX_TEXT
    text = text if more <= 0 else text[:MAX_TEXT]
    if not text.isascii() or not text.isprintable():
        text = "".join(map(_letter, text))
    return text if more <= 0 else f"{text}… (+{more})"


def _letter(letter: str) -> str:
    if letter in _KEPT:
        return letter
    is_hidden = letter in _DIRECTIONS or unicodedata.category(letter) in _UNSHOWN
    return _SIGN if is_hidden else letter


def rendered(template: str, **values: object) -> str:
    """A template of the page with these values."""
    return _environment().get_template(template).render(values)


@cache
def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_HERE / "templates"),
        autoescape=True,
        finalize=shown,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        auto_reload=False,
    )


@cache
def style() -> str:
    """The style of the page."""
    return (_HERE / "style.css").read_text("utf-8")


@cache
def words() -> Mapping[str, Mapping[str, str]]:
    """The words of the page by language."""
    return tomllib.loads((_HERE / "words.toml").read_text("utf-8"))


def words_in(language: str) -> Mapping[str, str]:
    """The words of a language, else English."""
    known = words()
    return known.get(language) or known["en"]
