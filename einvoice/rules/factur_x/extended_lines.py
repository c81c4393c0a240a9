"""The rules of EXTENDED about lines below others, and about the lines that count."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from einvoice.rules.book import BROKEN, COMPARED_LINES, Chapter, Check, Kind, Pattern, Values
from einvoice.rules.cii_paths import (
    BILLED_QUANTITY,
    ITEM,
    ITEM_DOCUMENT,
    LINE_SETTLEMENT,
    LINE_STATUS,
    single_text,
    to_double,
)
from einvoice.rules.en16931.cii.doubles import rounded
from einvoice.rules.en16931.cii.paths import NET_OF_LINE
from einvoice.rules.factur_x.exempted_amounts import counts
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_LINE_ID, _PARENT_ID = f"{ITEM_DOCUMENT}/ram:LineID", f"{ITEM_DOCUMENT}/ram:ParentLineID"


def _counts(document: Node, _: View) -> bool:
    return counts(document.up(1))


def _item_has(path: str) -> Check:
    return lambda document, _: None if document.up(1).has(path) else BROKEN


def _item_has_a_unit(document: Node, _: View) -> Values | None:
    """The quantity of a line (BT-129) has a unit (BT-130)."""
    quantities = document.up(1).all("ram:SpecifiedLineTradeDelivery/ram:BilledQuantity")
    return None if any("unitCode" in each.attributes for each in quantities) else BROKEN


def _item_has_a_category(document: Node, _: View) -> Values | None:
    """A line has a VAT category (BT-151)."""
    taxes = document.up(1).all(f"{LINE_SETTLEMENT}/ram:ApplicableTradeTax")
    is_vat = any("VAT" in tax.texts("ram:TypeCode") for tax in taxes)
    coded = any(typed_vat(tax) and tax.has("ram:CategoryCode") for tax in taxes)
    return None if is_vat and coded else BROKEN


def typed_vat(tax: Node) -> bool:
    """Whether a tax is VAT, whatever the case of its type."""
    return single_text(tax.all("ram:TypeCode")).upper() == "VAT"


def _has_a_status_below_another(line: Node, _: View) -> Values | None:
    """A line below another one (BT-X-304) has a status (BT-X-8)."""
    parent = normalized(single_text(line.all(_PARENT_ID)))
    return None if not parent or any(line.texts(LINE_STATUS)) else BROKEN


def _is_below_another(line: Node, _: View) -> bool:
    return bool(normalized(single_text(line.all(_PARENT_ID))))


def _is_below_one_that_is_there(line: Node, view: View) -> Values | None:
    """The line that a line is below (BT-X-304) is in the invoice."""
    parent = normalized(single_text(line.all(_PARENT_ID)))
    return None if parent in view.once(_line_ids) else {"text": parent}


def _lines(view: View) -> Sequence[Node]:
    return view.everywhere(ITEM)


def _line_ids(view: View) -> frozenset[str]:
    return frozenset(normalized(text) for line in _lines(view) for text in line.texts(_LINE_ID))


def _groups_add_up(_: Node, view: View) -> Values | None:
    """The net amount of a group of lines (BT-131) is the sum of the lines below it."""
    wrong = view.once(_wrong_group)
    return None if wrong is None else {"line": wrong}


def _wrong_group(view: View) -> str | None:
    """The number of the first group whose net amount is not the sum of its lines; None: all are."""
    below: dict[str, float] = defaultdict(float)
    for line in _lines(view):
        if {"DETAIL", "GROUP"} & set(line.texts(LINE_STATUS)):
            below[normalized(single_text(line.all(_PARENT_ID)))] += _net(line)
    for group in _lines(view):
        if "GROUP" in group.texts(LINE_STATUS) and normalized(single_text(group.all(NET_OF_LINE))):
            number = normalized(single_text(group.all(_LINE_ID)))
            if _net(group) != rounded(below.get(number, 0.0) * 100) / 100:
                return number
    return None


def _net(line: Node) -> float:
    return to_double(normalized(single_text(line.all(NET_OF_LINE))))


def _is_a_group_with_a_sum(line: Node, _: View) -> bool:
    return "GROUP" in line.texts(LINE_STATUS) and line.has(NET_OF_LINE)


def _its_groups_have_sums(line: Node, view: View) -> Values | None:
    """A group of lines with a net amount has only groups with net amounts below it."""
    groups, sums = view.once(_groups_below)
    ids = line.texts(_LINE_ID)
    right = bool(ids) and all(groups[number] == sums[number] for number in ids)
    return None if right else BROKEN


def _groups_below(view: View) -> tuple[Counter[str], Counter[str]]:
    """The groups below each line, and their net amounts."""
    groups: Counter[str] = Counter()
    sums: Counter[str] = Counter()
    for line in _lines(view):
        if "GROUP" in line.texts(LINE_STATUS):
            for parent in set(line.texts(_PARENT_ID)):
                groups[parent] += 1
                sums[parent] += len(line.all(NET_OF_LINE))
    return groups, sums


class _Required(NamedTuple):
    """A term that a line has if it counts."""

    rule: str
    term: str
    check: Check
    requires: str


_PRICE = "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount"
_REQUIRED = (
    _Required("BR-FXEXT-BR-22", "BT-129", _item_has(BILLED_QUANTITY), "A line has a quantity"),
    _Required("BR-FXEXT-BR-23", "BT-130", _item_has_a_unit, "The quantity of a line has a unit"),
    _Required("BR-FXEXT-BR-24", "BT-131", _item_has(NET_OF_LINE), "A line has a net amount"),
    _Required("BR-FXEXT-BR-26", "BT-146", _item_has(_PRICE), "A line has a net price"),
    _Required("BR-FXEXT-CO-04", "BT-151", _item_has_a_category, "A line has a VAT category"),
)


def chapter_of(layer: Layer) -> Chapter:
    """The rules about lines."""
    chapter = Chapter(layer, (ITEM, COMPARED_LINES))
    for rule, terms, when, check, kind in (
        ("BR-FXEXT-06", "BG-25", None, _has_a_status_below_another, Kind.PRESENCE),
        ("BR-FXEXT-08", "BT-131", None, _groups_add_up, Kind.SUM),
        ("BR-FXEXT-11", "BT-126", _is_below_another, _is_below_one_that_is_there,
         Kind.OTHER),
        ("BR-FXEXT-12", "BT-131", _is_a_group_with_a_sum, _its_groups_have_sums,
         Kind.PRESENCE),
    ):  # fmt: skip
        chapter.add(rule, terms, Pattern().context(ITEM, when=when), check, None, kind=kind)
    for term in _REQUIRED:
        chapter.add(
            term.rule, term.term, Pattern().context(f"{ITEM}/{ITEM_DOCUMENT}", when=_counts),
            term.check, term.requires, kind=Kind.PRESENCE,
        )  # fmt: skip
    return chapter
