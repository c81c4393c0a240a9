"""The rules that EXTENDED has in place of rules of EN 16931, and those that it adds.

A line may be part of another one (BT-X-304): its status (BT-X-8) is then DETAIL, GROUP or
INFORMATION. What counts lines counts those that are DETAIL or have no status. Sums need not be
equal to the cent: they may differ by a cent for each amount that was added.
"""

from __future__ import annotations

import re

from einvoice.rules.book import (
    BROKEN,
    Chapter,
    Check,
    Condition,
    Context,
    Flag,
    Kind,
    Pattern,
    Values,
)
from einvoice.rules.cii_paths import (
    ALLOWANCE,
    INVOICE,
    ITEM_DOCUMENT,
    LINE_SETTLEMENT,
    single_text,
    to_double,
)
from einvoice.rules.codelists import code_list
from einvoice.rules.factur_x import extended_breakdown, extended_lines, extended_totals
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_MINUTE = re.compile(
    r"\s*\d{4}(1[0-2]|0[1-9])(3[01]|[12][0-9]|0[1-9])([01][0-9]|2[0-3])[0-5][0-9]\s*"
)
_CHARACTERISTICS = code_list("uncl6313_factur_x").codes


def _at(*paths: str, when: Condition | None = None) -> Context:
    """A context of a pattern of its own."""
    return Pattern().context(*paths, when=when)


def _has(*paths: str) -> Check:
    """A check that one of the paths is present."""
    return lambda node, _: None if any(map(node.has, paths)) else BROKEN


def _has_a_subject(note: Node, _: View) -> bool:
    return note.has("ram:SubjectCode")


def _of_another_than_the_seller(number: Node, _: View) -> bool:
    return not number.within("ram:SellerTradeParty")


def _is_a_vat_number(number: Node, _: View) -> Values | None:
    """The tax number of a party other than the seller is a VAT number."""
    return None if number.attributes.get("schemeID") == "VA" else BROKEN


def _has_one_value(characteristic: Node, _: View) -> Values | None:
    """An item attribute (BG-32) has a value (BT-161), or a quantity with its unit."""
    measures = characteristic.all("ram:ValueMeasure")
    if characteristic.has("ram:Value"):
        return BROKEN if measures else None
    return None if any(each.attributes.get("unitCode") for each in measures) else BROKEN


def _is_a_known_characteristic(code: Node, _: View) -> Values | None:
    """The code of an item attribute is one of UNTDID 6313, or of those that Factur-X adds."""
    return None if normalized(code.text) in _CHARACTERISTICS else {"code": code.text}


def _indicates_a_charge(indicator: Node, _: View) -> bool:
    return "true" in indicator.texts("udt:Indicator")


def _has_a_reason(indicator: Node, _: View) -> Values | None:
    """A charge has a reason, as text or as code."""
    charge = indicator.up(1)
    return None if charge.has("ram:Reason") or charge.has("ram:ReasonCode") else BROKEN


def _is_a_minute(moment: Node, _: View) -> Values | None:
    """A date and time of format 205 is YYYYMMDDHHMM."""
    return None if _MINUTE.fullmatch(moment.text) else {"text": moment.text}


def _in_format_205(moment: Node, _: View) -> bool:
    return moment.attributes.get("format") == "205"


def _is_due_some_time(_: Node, view: View) -> Values | None:
    """An invoice with an amount due (BT-115) has a due date (BT-9) or payment terms (BT-20)."""
    due = single_text(view.everywhere("ram:DuePayableAmount"))
    if not to_double(normalized(due)) > 0:
        return None
    terms = view.everywhere("ram:SpecifiedTradePaymentTerms")
    given = any(each.has("ram:DueDateDateTime") or each.has("ram:Description") for each in terms)
    return None if given else BROKEN


def _add_terms(chapter: Chapter) -> None:
    note = _has("ram:ContentCode", "ram:Content")
    characteristic = "ram:ApplicableProductCharacteristic"
    for rule, terms, at, check, requires, kind in (
        ("BR-FXEXT-01", "BT-22", _at(f"{INVOICE}/rsm:ExchangedDocument/ram:IncludedNote",
                                     when=_has_a_subject),
         note, "A note with a subject has a content", Kind.PRESENCE),
        ("BR-FXEXT-02", "BT-127", _at(f"{ITEM_DOCUMENT}/ram:IncludedNote", when=_has_a_subject),
         note, "A note of a line with a subject has a content", Kind.PRESENCE),
        ("BR-FXEXT-03", "", _at("ram:SpecifiedTaxRegistration/ram:ID",
                                when=_of_another_than_the_seller),
         _is_a_vat_number, None, Kind.OTHER),
        ("BR-FXEXT-BR-38", "BT-104 BT-105",
         _at(f"ram:ApplicableHeaderTradeSettlement/{ALLOWANCE}/ram:ChargeIndicator",
             when=_indicates_a_charge),
         _has_a_reason, None, Kind.PRESENCE),
        ("BR-FXEXT-BR-44", "BT-144 BT-145",
         _at(f"{LINE_SETTLEMENT}/{ALLOWANCE}/ram:ChargeIndicator", when=_indicates_a_charge),
         _has_a_reason, None, Kind.PRESENCE),
        ("BR-FXEXT-BR-54-1", "BT-160", _at(characteristic),
         _has("ram:Description", "ram:TypeCode"), "An item attribute has a name or a code",
         Kind.PRESENCE),
        ("BR-FXEXT-BR-54-2", "BT-161", _at(characteristic), _has_one_value, None, Kind.PRESENCE),
        ("BR-FXEXT-CII-DT-097a", "", _at("udt:DateTimeString", when=_in_format_205),
         _is_a_minute, None, Kind.FORMAT),
        ("BR-CO-25", "BT-115 BT-9 BT-20", _at(INVOICE), _is_due_some_time, None, Kind.PRESENCE),
    ):  # fmt: skip
        chapter.add(rule, terms, at, check, requires, kind=kind)
    chapter.add(
        "BR-FXEXT-04", "BT-160", _at(f"{characteristic}/ram:TypeCode"), _is_a_known_characteristic,
        None, Flag.WARNING, Kind.CODE_LIST, parameters={"list": "uncl6313_factur_x"},
    )  # fmt: skip


_GATHERED = ("ram:DuePayableAmount", "ram:SpecifiedTradePaymentTerms")


def chapters_of(layer: Layer) -> list[Chapter]:
    """The rules of EXTENDED that EN 16931 does not have."""
    chapter = Chapter(layer, _GATHERED)
    _add_terms(chapter)
    return [
        chapter,
        extended_lines.chapter_of(layer),
        extended_totals.chapter_of(layer),
        extended_breakdown.chapter_of(layer),
    ]
