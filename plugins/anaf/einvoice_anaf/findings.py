"""Errors of the authority one by one: rule, and the place or the field that they name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from lxml import etree

from einvoice import xml
from einvoice.network.types import NetworkFinding
from einvoice_anaf.sealed import RuleError

# A fault of the schema, in the words of the authority's parser.
_LINE: Final = re.compile(r"lineNumber: (\d{1,7})")
_ELEMENT: Final = re.compile(r"[Ee]lement '(?:\{[^}']*\}|[\w.-]+:)?([\w.-]+)'")
# Checks against registers (R_...) name the company whose number is wrong.
_FIELDS: Final = (
    (re.compile(r"vanzator|furnizor", re.IGNORECASE), "invoice.supplier.taxId"),
    (re.compile(r"cumparator|beneficiar", re.IGNORECASE), "invoice.buyer.taxId"),
)
_NEW_NUMBER: Final = (
    "Send the document under a number that was not used before. The earlier one has the upload "
    "index {}."
)


def findings_of(errors: Iterable[RuleError], document: bytes) -> tuple[NetworkFinding, ...]:
    """The errors that have a text. `document`: the one that was uploaded."""
    return tuple(_finding(each, document) for each in errors if each.text)


def used_number(text: str, index: str) -> NetworkFinding:
    """Another document has the number: that of this upload index."""
    advice = _NEW_NUMBER.format(index)
    return NetworkFinding(text, field="invoice.number", advice=advice)


def _finding(error: RuleError, document: bytes) -> NetworkFinding:
    if error.earlier_index is not None:
        return used_number(error.text, error.earlier_index)
    if error.rule.startswith("R_"):
        return NetworkFinding(error.text, error.rule, field=_field(error.text))
    return NetworkFinding(error.text, error.rule, place=_place(error.text, document))


def _field(text: str) -> str | None:
    named = [field for pattern, field in _FIELDS if pattern.search(text)]
    return named[0] if len(named) == 1 else None


def _place(text: str, document: bytes) -> str:
    """The path of the element that a fault of the schema is about; empty if it is not clear."""
    line, named = _LINE.search(text), _ELEMENT.search(text)
    if line is None or named is None:
        return ""
    try:
        root = xml.parse(document)
    except xml.NotXml:
        return ""
    found = [each for each in root.iter("{*}" + named[1]) if str(each.sourceline) == line[1]]
    return _path(found[0]) if len(found) == 1 else ""


def _path(element: etree._Element) -> str:
    name = etree.QName(element).localname
    position = 1 + sum(1 for _ in element.itersiblings(element.tag, preceding=True))
    parent = element.getparent()
    return f"{'' if parent is None else _path(parent)}/{name}[{position}]"
