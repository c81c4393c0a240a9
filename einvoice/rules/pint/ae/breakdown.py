"""The VAT breakdown, and the rates of VAT categories."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.ubl.conditions import (
    ALLOWANCE,
    CHARGE,
    is_vat,
)
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.ae import contexts
from einvoice.rules.pint.ae.terms import (
    CATEGORY,
    GATHERED,
    LINE_TAX,
    LINES,
    TAX_ID,
)
from einvoice.rules.pint.base import BUYER
from einvoice.rules.pint.conditions import (
    Test,
    castable,
    not_given,
    require,
    text_at,
)
from einvoice.rules.pint.taxes import no_tax, taxable, taxable_of_rate
from einvoice.rules.tables import present
from einvoice.rules.values import (
    ZERO,
    double_of,
    to_cents,
)
from einvoice.rules.view import View

_TOLERANCE = Decimal("0.02")

chapter: Chapter = Chapter(Layer.PINT_AE_UBL, gathers=GATHERED)


def vat_categories(subtotal: Node) -> list[Node]:
    return [each for each in subtotal.all("cac:TaxCategory") if is_vat(each)]


def _has_a_category(subtotal: Node, _: View) -> bool:
    return any(each.has("cbc:ID") for each in vat_categories(subtotal))


def _has_a_rate(subtotal: Node, _: View) -> bool:
    categories = vat_categories(subtotal)
    return any(each.has("cbc:Percent") for each in categories) or any(
        text_at(each, "cbc:ID") in ("O", "E") for each in categories
    )


def _rate_only_if_taxed(subtotal: Node, _: View) -> bool:
    untaxed = any(text in ("O", "E") for text in subtotal.texts("cac:TaxCategory/cbc:ID"))
    return untaxed is not subtotal.has("cac:TaxCategory/cbc:Percent")


present(chapter, contexts.SUBTOTAL, [
    ("aligned-ibrp-045", "BG-23 BT-116", "cbc:TaxableAmount"),
    ("aligned-ibrp-046", "BG-23 BT-117", "cbc:TaxAmount"),
])  # fmt: skip
require(chapter, contexts.SUBTOTAL, [
    ("aligned-ibrp-047", "BG-23 BT-118", _has_a_category,
     "Each row of the VAT breakdown has a VAT category (BT-118)"),
    ("aligned-ibrp-048", "BG-23 BT-119", _has_a_rate,
     "Each row of the VAT breakdown has a rate (BT-119), unless it is of the category O or E"),
    ("ibr-119-ae", "BG-23 BT-119", _rate_only_if_taxed,
     "A row of the VAT breakdown has a rate (BT-119) exactly if it is not of the category O or E"),
])  # fmt: skip

Rate = Callable[[Node], bool]


def _rate(test: Rate) -> Test:
    return lambda each, _: test(each)


def _positive(each: Node) -> bool:
    return (rate := castable(each, "cbc:Percent")) is not None and rate > 0


def _zero(each: Node) -> bool:
    return castable(each, "cbc:Percent") == ZERO


def _no_rate(each: Node) -> bool:
    return not each.has("cbc:Percent")


def _given_rate(each: Node) -> bool:
    return each.has("cbc:Percent")


# category; the rate in lines, in allowances and charges; what it is in words
_RATES: tuple[tuple[str, str, Rate, str, Rate, str], ...] = (
    ("S", "", _positive, "more than 0", _positive, "more than 0"),
    ("E", "", _no_rate, "left out", _zero, "0"),
    ("Z", "", _zero, "0", _zero, "0"),
    ("O", "", _no_rate, "left out", _no_rate, "left out"),
    ("AE", "-ae", _given_rate, "given", _zero, "0"),
)
for _code, _suffix, _in_lines, _line_text, _in_adjustments, _text in _RATES:
    _prefix = f"aligned-ibrp-{_code.lower()}"
    require(chapter, contexts.LINE_CATEGORY.case(_code), [
        (f"{_prefix}-05{_suffix}", "BT-152", _rate(_in_lines),
         f"The VAT rate of a line of the category {_code} is {_line_text}"),
    ])  # fmt: skip
    for _kind, _number_of, _terms in ((ALLOWANCE, "06", "BT-96"), (CHARGE, "07", "BT-103")):
        require(chapter, contexts.ADJUSTMENT_CATEGORY.case((_kind, _code)), [
            (f"{_prefix}-{_number_of}", _terms, _rate(_in_adjustments),
             f"The VAT rate of an {_kind} of the category {_code} is {_text}".replace(
                 "an charge", "a charge")),
        ])  # fmt: skip


def _is_zero(node: Node, path: str) -> bool:
    """path = 0, in doubles. Raises InvalidNumber."""
    return any(double_of(each) == 0 for each in node.all(path))


for _code, _suffix in (("E", ""), ("Z", ""), ("O", ""), ("AE", "-ae")):
    _row, _prefix = contexts.BREAKDOWN_CATEGORY.case(_code), f"aligned-ibrp-{_code.lower()}"
    chapter.add(
        f"{_prefix}-08{_suffix}", "BT-116", _row, taxable(_code),
        f"The taxable amount of the category {_code} is that of lines, charges and allowances",
        kind=Kind.SUM,
    )  # fmt: skip
    chapter.add(
        f"{_prefix}-09{_suffix}", "BT-117", _row, no_tax,
        f"The VAT of the category {_code} is 0", kind=Kind.SUM,
    )  # fmt: skip


def _standard_taxable(each: Node, view: View) -> Values | None:
    """The taxable amount of a rate is that of its lines, charges and allowances."""
    rate = castable(each, "cbc:Percent")
    return BROKEN if rate is None else taxable_of_rate(each, view, rate, _TOLERANCE)


def _margin_sums(view: View) -> Mapping[str, Mapping[Decimal, Decimal]]:
    """The net amounts of the lines under the margin scheme, by the name of lines and rate."""
    found: dict[str, dict[Decimal, Decimal]] = {name: {} for name in LINES}
    for name in LINES:
        for line in view.everywhere(name):
            categories = line.all(f"cac:Item/{CATEGORY}")
            if not any(text_at(each, "cbc:ID") == "N" for each in categories):
                continue
            net = line.number("cbc:LineExtensionAmount") or ZERO
            rates = {each.number("cbc:Percent") for each in categories}
            for rate in rates:
                if rate is not None:
                    found[name][rate] = found[name].get(rate, ZERO) + net
    return found


def _margin_taxable(each: Node, view: View) -> Values | None:
    """The taxable amount under the margin scheme is that of the lines of the rate."""
    rate = castable(each, "cbc:Percent")
    if rate is None:
        return BROKEN
    declared, expected = each.up(1).number("cbc:TaxableAmount"), None
    for name in LINES:
        expected = view.once(_margin_sums)[name].get(rate)
        if expected is None or declared is None:
            continue
        if abs(declared - expected) <= _TOLERANCE:
            return None
    return {"declared": declared, "expected": expected}


def _standard_tax(each: Node, _: View) -> Values | None:
    """The VAT of a rate is this percentage of the taxable amount."""
    rate = castable(each, "cbc:Percent")
    taxable = castable(each.up(1), "cbc:TaxableAmount")
    tax = castable(each.up(1), "cbc:TaxAmount")
    if rate is None or taxable is None or tax is None:
        return BROKEN
    expected = to_cents((abs(taxable) * rate).scaleb(-2))
    if abs(abs(tax) - expected) <= _TOLERANCE:
        return None
    return {"declared": tax, "expected": expected}


_standard, _margin = contexts.BREAKDOWN_CATEGORY.case("S"), contexts.BREAKDOWN_CATEGORY.case("N")
chapter.add("aligned-ibrp-s-08", "BT-116", _standard, _standard_taxable, None, kind=Kind.SUM)
chapter.add("aligned-ibrp-s-09", "BT-117", _standard, _standard_tax, None, kind=Kind.SUM)
chapter.add("ibr-102-ae", "BT-116", _margin, _margin_taxable, None, kind=Kind.SUM)
require(chapter, _standard, [
    ("aligned-ibrp-s-10", "BT-120 BT-121", not_given(
        "cbc:TaxExemptionReason", "cbc:TaxExemptionReasonCode"),
     "The category S has no exemption reason"),
])  # fmt: skip
require(chapter, _margin, [
    ("ibr-108-ae", "BT-117", lambda each, _: _is_zero(each.up(1), "cbc:TaxAmount"),
     "The VAT of the category N is 0"),
])  # fmt: skip
require(chapter, contexts.BREAKDOWN_CATEGORY.case("E"), [
    ("ibr-121-ae", "BT-119", _rate(_no_rate), "The category E has no VAT rate in the breakdown"),
])  # fmt: skip
require(chapter, contexts.BREAKDOWN_CATEGORY.case("O"), [
    ("aligned-ibrp-o-11-ae", "BT-119", _rate(_no_rate),
     "The category O has no VAT rate in the breakdown"),
])  # fmt: skip
require(chapter, contexts.BREAKDOWN_CATEGORY.case("Z"), [
    ("ibr-120-ae", "BT-119", lambda each, _: _is_zero(each, "cbc:Percent"),
     "The VAT rate of the category Z is 0 in the breakdown"),
])  # fmt: skip


def _line_tax_is_zero(each: Node, _: View) -> bool:
    return _is_zero(each.up(2), LINE_TAX)


def _standard_id_is_a_gtin(each: Node, _: View) -> bool:
    """Whether the item has a standard identifier, and none of another scheme than GTIN (0160)."""
    path = "cac:StandardItemIdentification/cbc:ID"
    item = each.up(1)
    return item.has(path) and not any(x != "0160" for x in item.attributes_at(path, "schemeID"))


require(chapter, contexts.LINE_CATEGORY.case("E"), [
    ("ibr-163-ae", "BT-151", lambda each, _: not each.up(2).has(LINE_TAX),
     "A line of the category E has no VAT amount"),
])  # fmt: skip
require(chapter, contexts.LINE_CATEGORY.case("Z"), [
    ("ibr-165-ae", "BT-151", _line_tax_is_zero, "The VAT of a line of the category Z is 0"),
])  # fmt: skip
require(chapter, contexts.LINE_CATEGORY.case("AE"), [
    ("ibr-103-ae", "BT-48", lambda each, _: each.up(3).has(f"{BUYER}/{TAX_ID}"),
     "The buyer of a supply under reverse charge (AE) has a tax number (BT-48)"),
    ("ibr-162-ae", "BT-151", _line_tax_is_zero, "The VAT of a line of the category AE is 0"),
    ("ibr-174-ae", "BT-157", _standard_id_is_a_gtin,
     "An item under reverse charge (AE) has a GTIN (BT-157, scheme 0160)"),
])  # fmt: skip
