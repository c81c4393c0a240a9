"""The information in an XML document as leaves, and what of it another document has too.

A leaf is the text of an element without children, or an attribute. Leaves of two documents of one
syntax are equal if their values and their elements are. Positions count for lines and payment means
only: writers put other repeated elements into an order of their own.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, NamedTuple

from lxml import etree

from einvoice.xml import line_of

_ORDERED: Final = frozenset(
    {
        "InvoiceLine",
        "CreditNoteLine",
        "IncludedSupplyChainTradeLineItem",
        "PaymentMeans",
        "SpecifiedTradeSettlementPaymentMeans",
    }
)
_SAME: Final = {"ProprietaryID": "IBANID"}  # of an account (BT-84): UBL has one name for both
_POSITION: Final = re.compile(r"\[[0-9]+\]")
_NOT_INFORMATION: Final = "{http://www.w3.org/2001/XMLSchema-instance}"
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})")
_ZONED_DAY: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})")
_FLAGS: Final = {"ChargeIndicator": {"1": "true", "0": "false"}}
_FLAGS["Indicator"] = _FLAGS["ChargeIndicator"]


class Leaf(NamedTuple):
    """A value with its place.

    path  XPath of the element or attribute, of local names: `/Invoice[1]/ID[1]/@schemeID`
    kind  the same for leaves of the same meaning: positions only where they count
    line  of the start tag of the element
    """

    path: str
    kind: str
    value: str
    line: int


def leaves(root: etree._Element) -> Iterator[Leaf]:
    """The leaves in document order; empty elements have none."""
    name = _local(root.tag)
    todo = [(root, name, f"/{name}[1]", f"/{name}")]
    while todo:
        element, name, path, kind = todo.pop()
        children = _children(element)
        text = "" if children else _text(element)
        if text:
            yield Leaf(path, kind, _normal(name, text), line_of(element))
        if element.attrib and (children or text):
            yield from _attributes(element, path, kind)
        if children:
            todo.extend(reversed(_below(children, path, kind)))


def _children(element: etree._Element) -> list[etree._Element]:
    """The elements below, without comments and processing instructions."""
    if not len(element):  # most elements have none, and asking costs less than iterating
        return []
    return [child for child in element if isinstance(child.tag, str)]


def _text(element: etree._Element) -> str:
    """The text without comments and surrounding white space."""
    return str(element.xpath("string()") if len(element) else element.text or "").strip()


def _below(
    children: list[etree._Element], path: str, kind: str
) -> list[tuple[etree._Element, str, str, str]]:
    found = []
    counts: dict[str, int] = {}
    for child in children:
        name = _local(child.tag)
        at = counts[name] = counts.get(name, 0) + 1
        known = f"{name}[{at}]" if name in _ORDERED else _SAME.get(name, name)
        found.append((child, name, f"{path}/{name}[{at}]", f"{kind}/{known}"))
    return found


def _attributes(element: etree._Element, path: str, kind: str) -> Iterator[Leaf]:
    for name, value in element.attrib.items():
        text, attribute = str(value).strip(), _local(str(name))
        if text and not str(name).startswith(_NOT_INFORMATION):
            line = line_of(element)
            yield Leaf(f"{path}/@{attribute}", f"{kind}/@{attribute}", text, line)


def _local(tag: str | bytes | bytearray | etree.QName) -> str:
    return str(tag).rpartition("}")[2]


def _normal(name: str, text: str) -> str:
    """The text in one of its spellings: numbers and flags."""
    if name in _FLAGS:
        return _FLAGS[name].get(text, text)
    if _NUMBER.fullmatch(text):
        return str(Decimal(text))
    return " ".join(text.split())


def missing(all_leaves: Sequence[Leaf], others: Sequence[Leaf]) -> list[Leaf]:
    """The leaves that have no equal one among the others.

    Where equal ones occur less often there, those that have none at their own place are missing.
    """
    here = {(leaf.path, leaf.value) for leaf in all_leaves}
    there = {(leaf.path, leaf.value) for leaf in others}
    elsewhere = Counter(
        (leaf.kind, leaf.value) for leaf in others if (leaf.path, leaf.value) not in here
    )
    found = []
    for leaf in all_leaves:
        if (leaf.path, leaf.value) in there:
            continue
        elsewhere[leaf.kind, leaf.value] -= 1
        if elsewhere[leaf.kind, leaf.value] < 0:
            found.append(leaf)
    return found


@dataclass(frozen=True, slots=True)
class Place:
    """An element or attribute; `value` is None for an element with others below it.

    first       path of the first value in it, itself if it is a value
    count       how many elements of the same names this one stands for, the first of them
    attributes  those of an element with a value that are not there either: name and value
    """

    path: str
    value: str | None
    line: int
    first: str
    count: int = 1
    attributes: tuple[tuple[str, str], ...] = ()


def places(some: Sequence[Leaf], all_leaves: Sequence[Leaf]) -> list[Place]:
    """The places of some leaves of a document: of a whole element rather than of all below it.

    Elements of the same names are one place, with their number.
    """
    if not some:
        return []
    found = Counter(prefix for leaf in some for prefix in _prefixes(leaf))
    total = Counter(prefix for leaf in all_leaves for prefix in _prefixes(leaf) if prefix in found)
    written = defaultdict[str, list[tuple[str, str]]](list)  # the attributes by their elements
    for leaf in some:
        element, _, name = leaf.path.partition("/@")
        if name:
            written[element].append((name, leaf.value))
    by_names: dict[str, Place] = {}
    counted: set[str] = set()
    for leaf in some:
        path = next((p for p in _prefixes(leaf) if found[p] == total[p]), leaf.path)
        if path in counted:
            continue
        counted.add(path)
        names = _POSITION.sub("", path)
        known = by_names.get(names)
        value, attributes = (leaf.value, written[path]) if path == leaf.path else (None, [])
        place = Place(path, value, leaf.line, leaf.path, attributes=tuple(attributes))
        by_names[names] = replace(known, count=known.count + 1) if known else place
    return list(by_names.values())


def without_zones(some: Sequence[Leaf], others: Sequence[Leaf]) -> tuple[list[Leaf], list[Leaf]]:
    """The leaves that are no days with a time zone which others have without it, and these."""
    there = {(leaf.kind, leaf.value) for leaf in others}
    rest: list[Leaf] = []
    zoned: list[Leaf] = []
    for leaf in some:
        day = _ZONED_DAY.fullmatch(leaf.value)
        (zoned if day and (leaf.kind, day[1]) in there else rest).append(leaf)
    return rest, zoned


def own_places(some: Sequence[Leaf]) -> list[Place]:
    """The places of some leaves, each on its own; those of the same names are one."""
    by_names: dict[str, Place] = {}
    for leaf in some:
        names = _POSITION.sub("", leaf.path)
        known = by_names.get(names)
        place = Place(leaf.path, leaf.value, leaf.line, leaf.path)
        by_names[names] = replace(known, count=known.count + 1) if known else place
    return list(by_names.values())


def _prefixes(leaf: Leaf) -> list[str]:
    """The paths of the elements that hold the leaf, the outermost first, without the root."""
    steps = leaf.path.split("/")
    end = len(steps) - (steps[-1][0] == "@")
    return ["/".join(steps[:depth]) for depth in range(3, end + 1)]
