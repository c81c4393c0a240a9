"""The information in an XML document as leaves, and what of it another document has too.

A leaf is the text of an element without children, or an attribute. Leaves of two documents of one
syntax are equal if their values and their elements are. Positions count for lines and payment means
only: writers put other repeated elements into an order of their own.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final, TypeVar

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
_NOT_INFORMATION: Final = "{http://www.w3.org/2001/XMLSchema-instance}"
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})")
_DAY: Final = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2})(?:Z|[+-][0-9]{2}:[0-9]{2})")
_FLAGS: Final = {"ChargeIndicator": {"1": "true", "0": "false"}}
_FLAGS["Indicator"] = _FLAGS["ChargeIndicator"]

K = TypeVar("K", bound=Hashable)
Steps = tuple[tuple[str, int], ...]  # local names with positions from 1


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value with its place: the steps to its element, and the name of its attribute or ""."""

    steps: Steps
    attribute: str
    value: str
    line: int

    @property
    def place(self) -> str:
        """The place as an XPath: `/Invoice[1]/Note[1]`, `/Invoice[1]/ID[1]/@schemeID`."""
        return place_of(self.steps, self.attribute)

    @property
    def kind(self) -> tuple[object, ...]:
        """What leaves of the same meaning have in common: names, and positions where they count."""
        names = [(n, at) if n in _ORDERED else _SAME.get(n, n) for n, at in self.steps]
        return (*names, self.attribute)


def place_of(steps: Steps, attribute: str = "") -> str:
    """The XPath of an element or attribute."""
    path = "".join(f"/{name}[{position}]" for name, position in steps)
    return f"{path}/@{attribute}" if attribute else path


def leaves(root: etree._Element) -> Iterator[Leaf]:
    """The leaves in document order; empty elements have none."""
    todo: list[tuple[etree._Element, Steps]] = [(root, ((_local(root.tag), 1),))]
    while todo:
        element, steps = todo.pop()
        children = [child for child in element if isinstance(child.tag, str)]
        text = "" if children else str(element.xpath("string()")).strip()
        if text:
            yield Leaf(steps, "", _normal(steps[-1][0], text), line_of(element))
        if children or text:
            yield from _attributes(element, steps)
        todo.extend(reversed(list(_below(children, steps))))


def _below(children: list[etree._Element], steps: Steps) -> Iterator[tuple[etree._Element, Steps]]:
    counts: Counter[str] = Counter()
    for child in children:
        name = _local(str(child.tag))
        counts[name] += 1
        yield child, (*steps, (name, counts[name]))


def _attributes(element: etree._Element, steps: Steps) -> Iterator[Leaf]:
    for name, value in element.attrib.items():
        text = str(value).strip()
        if text and not str(name).startswith(_NOT_INFORMATION):
            yield Leaf(steps, _local(str(name)), text, line_of(element))


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _normal(name: str, text: str) -> str:
    """The text in one of its spellings: numbers, flags, and days without a time zone."""
    if name in _FLAGS:
        return _FLAGS[name].get(text, text)
    if _NUMBER.fullmatch(text):
        return str(Decimal(text))
    day = _DAY.fullmatch(text)
    return day[1] if day else " ".join(text.split())


def missing(of: Sequence[Leaf], others: Sequence[Leaf]) -> list[Leaf]:
    """The leaves that have no equal one among the others.

    Where equal ones occur less often there, those that have none at their own place are missing.
    """
    at_place = Counter((leaf.steps, leaf.attribute, leaf.value) for leaf in others)
    elsewhere = Counter((leaf.kind, leaf.value) for leaf in others)
    displaced = []
    for leaf in of:
        if _taken(at_place, (leaf.steps, leaf.attribute, leaf.value)):
            elsewhere[leaf.kind, leaf.value] -= 1
        else:
            displaced.append(leaf)
    return [leaf for leaf in displaced if not _taken(elsewhere, (leaf.kind, leaf.value))]


def _taken(counts: Counter[K], key: K) -> bool:
    """Whether there was one; it is counted down."""
    if counts[key] <= 0:
        return False
    counts[key] -= 1
    return True


@dataclass(frozen=True, slots=True)
class Place:
    """An element or attribute; `value` is None for an element with others below it.

    first  path of the first value in it, itself if it is a value
    count  how many elements of the same names this one stands for, the first of them
    """

    path: str
    value: str | None
    line: int
    first: str
    count: int = 1


def places(some: Sequence[Leaf], of: Iterable[Leaf]) -> list[Place]:
    """The places of some leaves of a document: of a whole element rather than of all below it.

    Elements of the same names are one place, with their number.
    """
    if not some:
        return []
    found = Counter(prefix for leaf in some for prefix in _prefixes(leaf))
    total = Counter(prefix for leaf in of for prefix in _prefixes(leaf))
    whole = {prefix for prefix, count in found.items() if count == total[prefix]}
    first: dict[tuple[str, ...], Place] = {}
    counted: set[Steps] = set()
    for leaf in some:
        steps = next((prefix for prefix in _prefixes(leaf) if prefix in whole), None)
        if steps in counted:
            continue
        place = _place(leaf, steps)
        if steps is not None:
            counted.add(steps)
        names = (*(name for name, _ in steps or leaf.steps), "" if steps else leaf.attribute)
        known = first.get(names)
        first[names] = replace(known, count=known.count + 1) if known else place
    return list(first.values())


def _prefixes(leaf: Leaf) -> list[Steps]:
    """The elements that hold the leaf, the outermost first, without the root."""
    return [leaf.steps[:depth] for depth in range(2, len(leaf.steps) + 1)]


def _place(leaf: Leaf, whole: Steps | None) -> Place:
    if whole is None:
        return Place(place_of(leaf.steps, leaf.attribute), leaf.value, leaf.line, leaf.place)
    is_text = whole == leaf.steps and not leaf.attribute
    return Place(place_of(whole), leaf.value if is_text else None, leaf.line, leaf.place)
