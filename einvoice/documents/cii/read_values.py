"""Days, periods and references of CII."""

from __future__ import annotations

from datetime import date

from lxml import etree

from einvoice.documents.cii.tags import qdt, ram, udt
from einvoice.documents.tree import Node, as_day, refusal
from einvoice.domain.invoice import Identifier, Period

_DAY_FORMAT = "102"  # UNTDID 2379: CCYYMMDD


def read_day(node: Node | None, *path: str) -> date | None:
    """The date in a group such as IssueDateTime, which `path` leads to."""
    group = node.at(*path) if node else None
    if group is None:
        return None
    for name in (udt.DateTimeString, udt.DateString, qdt.DateTimeString):
        element = group.child(name)
        text = group.text(name)
        if element is not None and text:
            return _day(element, text)
    return group.day(udt.Date)


def _day(element: etree._Element, text: str) -> date:
    if element.get("format") not in (_DAY_FORMAT, None):
        raise refusal(element, f"a day has the format {_DAY_FORMAT}, not {element.get('format')!r}")
    if len(text) != len("CCYYMMDD") or not text.isdecimal():
        raise refusal(element, f"{text[:40]!r} is not a day of the form CCYYMMDD")
    return as_day(element, text)


def read_period(node: Node | None) -> Period | None:
    """BG-14, BG-26."""
    period = Period(read_day(node, ram.StartDateTime), read_day(node, ram.EndDateTime))
    return period if period != Period() else None


def read_reference(node: Node | None, name: str) -> str | None:
    """The number of a referenced document."""
    return node.text_at(name, ram.IssuerAssignedID) if node else None


def typed_reference(reference: Node) -> Identifier | None:
    """An invoiced object (BT-18, BT-128) with the scheme of its identifier."""
    number = reference.text(ram.IssuerAssignedID)
    return Identifier(number, reference.text(ram.ReferenceTypeCode)) if number else None
