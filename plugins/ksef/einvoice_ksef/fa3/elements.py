"""Writes FA(3): elements in the order of the calls, with texts that their types accept.

A text that its type does not accept is left out and noted as a fault, with the field of the request
that it comes from. The schema test of the written documents covers their order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from decimal import Decimal
from functools import cache
from typing import Final
from xml.sax.saxutils import escape

from einvoice.domain.errors import FieldError
from einvoice.domain.money import plain
from einvoice_ksef.fa3 import characters, structure
from einvoice_ksef.fa3.structure import NAMESPACE, Part
from einvoice_ksef.fa3.types import TYPES, SimpleType

_BLANKS: Final = re.compile(r"[ \t\r\n]+")
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SPECIAL: Final = re.compile("[&<>]")
_HEAD: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_NUMERIC: Final = frozenset({"decimal", "integer", "byte", "nonNegativeInteger"})

Value = str | int | Decimal | date


class Elements:
    """A document in the making.

    at      the JSON pointer of the part of the request that is written, with a slash at its end
    faults  what has no place in the document
    """

    def __init__(self) -> None:
        self.at = "/invoice/"
        self.faults: list[FieldError] = []
        self._written: list[str] = [_HEAD]
        self._types = _types_of(structure.root())
        self._part = structure.root()

    @contextmanager
    def group(self, name: str) -> Iterator[None]:
        """The element with what is written meanwhile."""
        above, types = self._part, self._types
        self._part = _element(above.name, above.type, name)
        self._types = _types_of(self._part)
        self._written.append(f"<{name}>")
        yield
        self._written.append(f"</{name}>")
        self._part, self._types = above, types

    def add(self, name: str, value: Value | None, field: str = "") -> None:
        """An element with a text; nothing if there is no value.

        field  where in the request it comes from, below `at`
        """
        if value is None:
            return
        simple = self._types[name]
        text = value if isinstance(value, str) else _plain(value)
        if simple.base == "token":
            text = collapsed(text)
        reason = reason_against(text, simple)
        if reason is None:
            self._written.append(f"<{name}>{_escaped(text)}</{name}>")
        else:
            self.refuse(field, *reason)

    def refuse(self, field: str, code: str, message: str) -> None:
        """Note a field that has no place."""
        self.faults.append(FieldError((self.at + field).rstrip("/"), code, message))

    def raw(self, markup: str) -> None:
        """Markup that is the same in every document."""
        self._written.append(markup)

    def finished(self) -> bytes:
        """The document."""
        self._written.insert(1, f'<Faktura xmlns="{NAMESPACE}">')
        return "".join([*self._written, "</Faktura>\n"]).encode()


def collapsed(text: str) -> str:
    """The text as a token of XML Schema: one space in place of white space."""
    if text.isprintable() and "  " not in text and text[:1] != " " != text[-1:]:
        return text
    return _BLANKS.sub(" ", text).strip(" ")


@cache
def _element(parent: str, parent_type: str | None, name: str) -> Part:
    """The element of a name in another one. Names of parents are unique but for those of groups."""
    found = _parents()[parent, parent_type]
    return next(part for part in found.elements() if part.name == name)


@cache
def _parents() -> dict[tuple[str, str | None], Part]:
    """Every element that holds elements, by its name and group."""
    found: dict[tuple[str, str | None], Part] = {}
    below = [structure.root()]
    while below:
        part = below.pop()
        found[part.name, part.type] = part
        below += [each for each in part.elements() if each.type not in TYPES]
    return found


_TYPES_OF: Final[dict[tuple[str, str | None], dict[str, SimpleType]]] = {}


def _types_of(part: Part) -> dict[str, SimpleType]:
    """The simple types of the elements in an element, by name."""
    found = _TYPES_OF.get((part.name, part.type))
    if found is None:
        named = ((each.name, each.type) for each in part.elements())
        found = {name: TYPES[kind] for name, kind in named if kind and kind in TYPES}
        _TYPES_OF[part.name, part.type] = found
    return found


def _plain(value: int | Decimal | date) -> str:
    if not isinstance(value, Decimal):
        return str(value)
    return plain(value or abs(value))


def _escaped(text: str) -> str:
    return escape(text) if _SPECIAL.search(text) else text


def reason_against(text: str, simple: SimpleType) -> tuple[str, str] | None:
    """Why a type does not accept a text, as code and message; None if it does."""
    if not text.isprintable():
        wrong = _NOT_XML.search(text) or characters.DISCOURAGED.search(text)
        if wrong is not None:
            words = f"holds the character U+{ord(wrong[0]):04X}, which KSeF does not take"
            return "forbidden-character", words
    if simple.longest is not None and len(text) > simple.longest:
        return "too-long", f"has {len(text)} characters; KSeF takes at most {simple.longest}"
    if simple.shortest is not None and len(text) < simple.shortest:
        return "too-short", f"has {len(text)} characters; KSeF asks for at least {simple.shortest}"
    if simple.values and text not in simple.values:
        return "unknown-code", f"is {text!r}, which is not a code of FA(3)"
    for pattern in simple.patterns:
        if not _compiled(pattern).fullmatch(text):
            return _misfit(text, simple)
    return _out_of_range(text, simple) if simple.base == "date" else None


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.ASCII)


def _misfit(text: str, simple: SimpleType) -> tuple[str, str]:
    if simple.base in _NUMERIC:
        fraction = dict(simple.facets).get("fractionDigits", "0")
        words = f"is {text}; KSeF takes at most {fraction} decimals and 16 digits before them"
        return "out-of-range", words
    return "wrong-form", f"is {text!r}, which has not the form that KSeF asks for"


def _out_of_range(text: str, simple: SimpleType) -> tuple[str, str] | None:
    """Why a date is out of the range of its type."""
    first, last = (dict(simple.facets)[name] for name in ("minInclusive", "maxInclusive"))
    if first <= text <= last:
        return None
    return "out-of-range", f"is {text}; KSeF takes days from {first} to {last}"
