"""Makes CII elements. An element without content is None, and None is left out of its group."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from typing import TypeAlias

from lxml import etree

from einvoice.documents.cii.tags import qdt, ram, udt
from einvoice.domain.invoice import Identifier, Period
from einvoice.domain.money import plain

Element: TypeAlias = "etree._Element"  # noqa: SLF001 - the class of its elements
_DAY = "102"  # UNTDID 2379: CCYYMMDD


def group(tag: str, *children: Element | None) -> Element | None:
    """An aggregate; None without children."""
    found = [child for child in children if child is not None]
    if not found:
        return None
    element = etree.Element(tag)
    element.extend(found)
    return element


def text(tag: str, value: str | None, **attributes: str | None) -> Element | None:
    if not value:
        return None
    element = etree.Element(tag)
    element.text = value
    for name, attribute in attributes.items():
        if attribute:
            element.set(name, attribute)
    return element


def number(tag: str, value: Decimal | None, **attributes: str | None) -> Element | None:
    return None if value is None else text(tag, plain(value), **attributes)


def identified(tag: str, value: Identifier | None) -> Element | None:
    return None if value is None else text(tag, value.value, schemeID=value.scheme)


def days(tag: str, value: date | None) -> Element | None:
    """A date in its group."""
    return group(tag, _day(udt.DateTimeString, value))


def formatted(tag: str, value: date | None) -> Element | None:
    """A date of a referenced document, for which CII has another type."""
    return group(tag, _day(qdt.DateTimeString, value))


def bare_day(tag: str, value: date | None) -> Element | None:
    """A date in an element that allows no time."""
    return group(tag, _day(udt.DateString, value))


def _day(tag: str, value: date | None) -> Element | None:
    """A year has four digits, which strftime writes for those from 1000 on only."""
    return None if value is None else text(tag, value.isoformat().replace("-", ""), format=_DAY)


def period(value: Period | None) -> Element | None:
    """BG-14, BG-26."""
    if value is None:
        return None
    start, end = days(ram.StartDateTime, value.start), days(ram.EndDateTime, value.end)
    return group(ram.BillingSpecifiedPeriod, start, end)


def reference(tag: str, number_: str | None) -> Element | None:
    """Another document by its number alone."""
    return group(tag, text(ram.IssuerAssignedID, number_))
