"""The location of business terms, and the field of a send request that each comes from.

Three tables beside this file: `terms.csv` (term → part of the invoice, field), `elements.csv`
(element → term) and `fields.csv` (rules whose terms do not lead to the right field).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

from einvoice.validation.locations import Location, location_of

_FOLDER = Path(__file__).parent
_BUYER_TAX_ID = "invoice.buyer.taxId"
_LINE = "invoice.lineItems[{line}]"
_CATEGORY = re.compile(r"BR-(AE|AF|AG|B|E|G|IC|IG|IP|O|S|Z)-(\d\d)")
_OTHER_NAMES = {"IG": "AF", "IP": "AG"}  # of CIUS-RO, for those of EN 16931


def vat_rule(rule: str) -> tuple[str, str] | None:
    """The category and the number in the id of a rule about a VAT category; None for another.

    >>> vat_rule("BR-AF-01"), vat_rule("BR-IG-01"), vat_rule("BR-01")
    (('AF', '01'), ('AF', '01'), None)
    """
    found = _CATEGORY.fullmatch(rule)
    return (_OTHER_NAMES.get(found[1], found[1]), found[2]) if found else None


def term_at(location: Location, terms: Sequence[str]) -> str | None:
    """The business term that a finding is about: the one of the rule's terms at its location."""
    by_element = _term_of_element(location)
    if by_element is not None and (not terms or by_element in terms):
        return by_element
    here = [term for term in terms if location.part == _part_of(term)]
    if here:
        return _most_specific(here)
    return _most_specific(terms) or by_element


def _most_specific(terms: Sequence[str]) -> str | None:
    """The first business term (BT); if there is none, the first group (BG)."""
    for term in terms:
        if term.startswith("BT"):
            return term
    return terms[0] if terms else None


def field_of(rule: str, term: str | None, location: Location, *, buyer: bool = False) -> str | None:
    """The field of a send request that a finding leads to: `invoice.lineItems[2].taxRate`.

    `buyer`: the number that a VAT category requires is missing for the buyer only.
    """
    if buyer:
        return _BUYER_TAX_ID
    category = vat_rule(rule)
    field = _field_of_rule(rule)
    if field is None and category:
        field = _field_of_rule(f"BR-<vat>-{category[1]}")
    if field is None:
        field = rows().get(whole(term or ""), ("", ""))[1]
    if location.line is not None and _part_of(term or "") == "preceding":
        field = _LINE  # a line has no field for a preceding invoice of its own
    return _indexed(field, location) or None


def field_at(place: str) -> str | None:
    """The field of a send request that the element or attribute at a place comes from."""
    location = location_of(place.partition("/@")[0])
    return field_of("", term_at(location, ()), location)


def _indexed(pattern: str, location: Location) -> str:
    """The field with indices filled in; it ends before an index that is unknown."""
    for name, index in (("[{line}]", location.line), ("[{item}]", location.item)):
        before, found, after = pattern.partition(name)
        if found:
            pattern = before if index is None else f"{before}[{index}]{after}"
    return pattern


def _part_of(term: str) -> str | None:
    return rows().get(whole(term), (None, ""))[0]


def whole(term: str) -> str:
    """The term that a component belongs to: BT-29 for BT-29-1, its scheme; else the term itself."""
    parts = term.split("-")
    return "-".join(parts[: 3 if "DEX" in parts else 2])


@cache
def rows() -> Mapping[str, tuple[str, str]]:
    """Business term → the part of an invoice it belongs to, its field ("": none)."""
    return {term: (part, field) for term, part, field, _ in _read("terms.csv")}


@cache
def members() -> Mapping[str, str]:
    """Business term → the member of a send that it is, `[]` for any index; after "=", the attribute
    of the Invoice that the service computes, "=" alone for a group without members."""
    return {term: _member(field, member) for term, _, field, member in _read("terms.csv")}


def _member(field: str, member: str) -> str:
    return member or field.replace("{line}", "").replace("{item}", "")


def _term_of_element(location: Location) -> str | None:
    for ends, term in _elements().get(location.part, ()):
        if location.path.endswith(ends):
            return term
    return None


@cache
def _elements() -> Mapping[str, Sequence[tuple[str, str]]]:
    """The paths and terms of each part of an invoice, longest path first."""
    parts: dict[str, list[tuple[str, str]]] = {}
    for part, ends, term in _read("elements.csv"):
        parts.setdefault(part, []).append((f"/{ends}", term))
    for rows in parts.values():
        rows.sort(key=lambda row: -row[0].count("/"))
    return parts


@cache
def _field_of_rule(rule: str) -> str | None:
    for pattern, field in _read("fields.csv"):
        if rule == pattern or (pattern.endswith("*") and rule.startswith(pattern[:-1])):
            return field
    return None


@cache
def _read(name: str) -> Sequence[Sequence[str]]:
    lines = (_FOLDER / name).read_text(encoding="utf-8").splitlines()
    return [line.split(",") for line in lines if line and not line.startswith("#")][1:]
