"""Reads values of an XML tree by element name: texts, numbers, days, identifiers.

`node.text(cbc.ID)` is None if the element is absent or empty. UnreadableDocument, with the path of
the element, is raised for a malformed value, for an element that occurs more often than its
business term may, and by `need…` for an absent one.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Callable, Sequence
from datetime import date
from decimal import Decimal
from typing import Never

from lxml import etree

from einvoice.domain.errors import UnreadableDocument
from einvoice.domain.invoice import Attachment, Identifier
from einvoice.xml import line_of, path_of

_BLANKS = " \t\r\n"  # white space of XML; a no-break space is text
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_MAX_DIGITS = 40  # more than any amount has, few enough for fast arithmetic
_DAY = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})?")


class Names:
    """Qualified names: `Names(CBC).ID` is `{namespace}ID`."""

    def __init__(self, namespace: str) -> None:
        self._namespace = namespace

    def __getattr__(self, name: str) -> str:
        tag = f"{{{self._namespace}}}{name}"
        setattr(self, name, tag)
        return tag


class Node:
    """An element, with its children indexed by name."""

    __slots__ = ("_children", "element")

    def __init__(self, element: etree._Element) -> None:
        self.element = element
        children: dict[str, list[etree._Element]] = {}
        for child in element:
            if child.tag in children:
                children[child.tag].append(child)
            else:
                children[child.tag] = [child]
        self._children = children

    def all(self, name: str) -> list[Node]:
        return [Node(child) for child in self._children.get(name, ())]

    def one(self, name: str) -> Node | None:
        element = self.child(name)
        return None if element is None else Node(element)

    def at(self, *names: str) -> Node | None:
        """The group at the end of a path; None if any step is absent."""
        node: Node | None = self
        for name in names:
            node = node and node.one(name)
        return node

    def need(self, name: str) -> Node:
        return self.one(name) or self.refuse_missing(name)

    def text(self, name: str) -> str | None:
        element = self.child(name)
        return None if element is None else _text(element)

    def prose(self, name: str) -> str | None:
        """A text with its leading and trailing white space, for terms where that has a meaning."""
        element = self.child(name)
        if element is None or _text(element) is None:
            return None
        return _content(element)

    def texts(self, name: str) -> list[str]:
        found = [_text(child) for child in self._children.get(name, ())]
        return [text for text in found if text]

    def text_at(self, *path: str) -> str | None:
        """The text at a path: `text_at(cac.PartyName, cbc.Name)`."""
        node = self.at(*path[:-1])
        return None if node is None else node.text(path[-1])

    def need_text(self, name: str) -> str:
        return self.text(name) or self.refuse_missing(name)

    def number(self, name: str) -> Decimal | None:
        element = self.child(name)
        return None if element is None else number(element)

    def need_number(self, name: str) -> Decimal:
        value = self.number(name)
        return self.refuse_missing(name) if value is None else value

    def flag(self, name: str) -> bool:
        """A required true or false."""
        text = self.need_text(name)
        if text not in _FLAGS:
            raise refusal(self.element, f"{text[:40]!r} is neither true nor false")
        return _FLAGS[text]

    def day(self, name: str) -> date | None:
        element = self.child(name)
        return None if element is None else day(element)

    def identifier(self, name: str) -> Identifier | None:
        element = self.child(name)
        return None if element is None else identifier(element)

    def identifiers(self, name: str) -> list[Identifier]:
        found = [identifier(child) for child in self._children.get(name, ())]
        return [entry for entry in found if entry]

    def has(self, name: str) -> bool:
        return name in self._children

    def need_attribute(self, name: str, attribute: str) -> str:
        value = self.attribute(name, attribute)
        if value is None:
            at = self.child(name)
            where = self.element if at is None else at
            raise refusal(where, f"the attribute {attribute} is missing or empty")
        return value

    def attribute(self, name: str, attribute: str) -> str | None:
        """An attribute of a child element; None if absent or empty."""
        element = self.child(name)
        value = None if element is None else element.get(attribute)
        return (value or "").strip(_BLANKS) or None

    def elements(self, name: str) -> list[etree._Element]:
        return self._children.get(name, [])

    def child(self, name: str) -> etree._Element | None:
        found = self._children.get(name)
        if found is None:
            return None
        if len(found) > 1:
            words = f"{_local(name)} occurs {len(found)} times; an invoice has one"
            raise repetition(found[1], words)
        return found[0]

    def refuse_missing(self, name: str) -> Never:
        raise refusal(self.element, f"{_local(name)} is missing or empty")


_FLAGS = {"true": True, "1": True, "false": False, "0": False}


def refusal(element: etree._Element, words: str) -> UnreadableDocument:
    return UnreadableDocument(words, path=path_of(element), line=line_of(element))


class SurplusElement(UnreadableDocument):
    """A document with an element that an invoice of EN 16931 does not have.

    It is one too many of its term, or an optional group without what makes it one.
    """

    def __init__(self, detail: str, *, element: etree._Element) -> None:
        super().__init__(detail, path=path_of(element), line=line_of(element))
        self.element = element

    def __reduce__(self) -> tuple[Callable[..., UnreadableDocument], tuple[str, str, int]]:
        """In another process it is the refusal alone."""
        return _refused, (self.reason, self.path, self.line)


def _refused(detail: str, path: str, line: int) -> UnreadableDocument:
    return UnreadableDocument(detail, path=path, line=line)


def repetition(element: etree._Element, words: str) -> SurplusElement:
    return SurplusElement(words, element=element)


def without(element: etree._Element, name: str) -> SurplusElement:
    """The refusal of an optional group that lacks the element which makes it one."""
    return SurplusElement(f"{name} is missing or empty", element=element)


def _text(element: etree._Element) -> str | None:
    """The text without comments and surrounding white space."""
    return _content(element).strip(_BLANKS) or None


def _content(element: etree._Element) -> str:
    if len(element):
        return str(element.xpath("string()"))
    return element.text or ""


def number(element: etree._Element) -> Decimal | None:
    """A decimal with the digits as written ("1.50")."""
    text = _text(element)
    if text is None:
        return None
    if len(text) > _MAX_DIGITS or not _NUMBER.fullmatch(text):
        raise refusal(element, f"{text[:40]!r} is not a decimal number")
    return Decimal(text)


def day(element: etree._Element) -> date | None:
    """A date of XML Schema; its time zone is ignored."""
    text = _text(element)
    if text is None:
        return None
    match = _DAY.fullmatch(text)
    return as_day(element, match[1] if match else text)


def as_day(element: etree._Element, text: str) -> date:
    """The date in a text of this element, YYYY-MM-DD or YYYYMMDD."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise refusal(element, f"{text[:40]!r} is not a day") from None


def identifier(element: etree._Element) -> Identifier | None:
    value = _text(element)
    scheme = (element.get("schemeID") or "").strip(_BLANKS) or None
    return Identifier(value, scheme) if value else None


def binary(element: etree._Element) -> bytes:
    """The content of an embedded document; white space in its base64 is ignored."""
    try:
        return b64decode("".join((_text(element) or "").split()), validate=True)
    except binascii.Error:
        raise refusal(element, "the embedded document is not base64") from None


def embedded(node: Node, name: str) -> Attachment | None:
    """The file in an element of this name, with its attributes `mimeCode` and `filename`."""
    content = node.child(name)
    if content is None:
        return None
    return Attachment(
        content=binary(content),
        mime_type=node.need_attribute(name, "mimeCode"),
        filename=node.need_attribute(name, "filename"),
    )


def of_code(entries: Sequence[Node], name: str, code: str) -> Node | None:
    """The only one of the groups whose element of this name has the code."""
    found = [entry for entry in entries if entry.text(name) == code]
    if len(found) > 1:
        raise repetition(found[1].element, f"a second reference with the type code {code}")
    return found[0] if found else None


def _local(name: str) -> str:
    return name.rpartition("}")[2]
