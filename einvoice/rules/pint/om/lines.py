"""Lines and their items."""

from __future__ import annotations

from decimal import Decimal

from einvoice.rules.book import Chapter, Flag, Kind
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import (
    Test,
    castable,
    given,
    not_given,
    require,
    text_at,
    unless,
    where,
)
from einvoice.rules.pint.om import contexts
from einvoice.rules.pint.om.document import in_one_month
from einvoice.rules.pint.om.terms import (
    BAISA,
    CENT,
    CLASS,
    EXTENDED,
    FULL,
    GATHERED,
    IMPORT_GOODS,
    IMPORT_RCM,
    ITEM_TYPE,
    LINE_CATEGORY,
    LINE_TAX,
    MARGIN,
    MARGIN_SELF,
    SIMPLIFIED,
    SUMMARY,
    is_any,
    total,
    transaction,
    within,
)
from einvoice.rules.values import ONE, ZERO, normalized, parse_decimal, to_cents
from einvoice.rules.view import View

_PERIOD = ("cac:InvoicePeriod/cbc:StartDate", "cac:InvoicePeriod/cbc:EndDate")
_QUANTITIES = ("cbc:InvoicedQuantity", "cbc:CreditedQuantity")
_DISCOUNT = "cac:Price/cac:AllowanceCharge"
_DIVISION = Decimal("1E-20")  # the digits of a quotient
_HS_LENGTH = 12
# Chapters of the tariff that the margin scheme excludes: precious stones, animals and plants.
_NOT_UNDER_MARGIN = ("7101", "7102", "7103", "7104", "01", "06")

chapter = Chapter(Layer.PINT_OM_UBL, gathers=GATHERED)
_simplified = is_any(SIMPLIFIED)


def _of(code: str) -> Test:
    """Whether the line has this VAT category. The test raises MoreThanOneItem."""
    return lambda line, _: _code(line) == code


def _code(line: Node) -> str:
    return text_at(line, f"{LINE_CATEGORY}/cbc:ID")


def _rate(line: Node) -> Decimal:
    return castable(line, f"{LINE_CATEGORY}/cbc:Percent") or ZERO


def _no_tax(line: Node, _: View) -> bool:
    found = line.all(LINE_TAX)
    if not found or not normalized(found[0].text):
        return True
    return parse_decimal(found[0].text) == ZERO


_no_rate = not_given(f"{LINE_CATEGORY}/cbc:Percent")


def _class_is_of_a_list(line: Node, _: View) -> bool:
    lists = line.attributes_at(CLASS, "listID")
    return not line.has(CLASS) or "HS" in lists or "MP" in lists


# -- amounts ---------------------------------------------------------------------------------------


def _adjusted(line: Node, indicator: str) -> Decimal:
    """The sum of the allowances ("false") or charges ("true") of a line, rounded."""
    found = [
        parse_decimal(amount.text) or ZERO
        for each in line.all("cac:AllowanceCharge")
        if indicator in each.texts("cbc:ChargeIndicator")
        for amount in each.all("cbc:Amount")
    ]
    return to_cents(sum(found, ZERO))


def _quantity(line: Node) -> Decimal:
    found = [each for path in _QUANTITIES for each in line.all(path)]
    number = parse_decimal(found[0].text) if len(found) == 1 else None
    return ONE if number is None else number


def _net_adds_up(line: Node, _: View) -> bool:
    net = castable(line, "cbc:LineExtensionAmount") or ZERO
    price = castable(line, "cac:Price/cbc:PriceAmount") or ZERO
    per = castable(line, "cac:Price/cbc:BaseQuantity") or ONE
    each = price if per == ONE else (price / per).quantize(_DIVISION)
    expected = _quantity(line) * each + _adjusted(line, "true") - _adjusted(line, "false")
    return within(net, expected, CENT)


def _gross_of_price_adds_up(line: Node, _: View) -> bool:
    """Of a gross price that stands at the price itself, which the schema does not have."""
    gross = line.number("cac:Price/cbc:BaseAmount")
    if not gross:
        return True
    net = line.number("cac:Price/cbc:PriceAmount") or ZERO
    return net == to_cents(gross - total((line,), f"{_DISCOUNT}/cbc:Amount"))


def _price_adds_up(line: Node, _: View) -> bool:
    if not line.has(f"{_DISCOUNT}/cbc:BaseAmount"):
        return True
    net = castable(line, "cac:Price/cbc:PriceAmount")
    gross = castable(line, f"{_DISCOUNT}/cbc:BaseAmount")
    if net is None or gross is None:
        return False
    return within(net, to_cents(gross - total((line,), f"{_DISCOUNT}/cbc:Amount")), CENT)


def _in_baisa(number: Decimal) -> Decimal:
    """round(number * 1000) div 1000."""
    return to_cents(number.scaleb(1)).scaleb(-1)


def _tax_within(line: Node, tolerance: Decimal) -> bool:
    declared = castable(line, LINE_TAX)
    net = castable(line, "cbc:LineExtensionAmount")
    if declared is None or net is None:
        return False
    return within(_in_baisa(declared), _in_baisa((net * _rate(line)).scaleb(-2)), tolerance)


def _tax_adds_up(line: Node, _: View) -> bool:
    return not _rate(line) or _tax_within(line, BAISA)


def _tax_is_exact(line: Node, view: View) -> bool:
    return not _rate(line) or _tax_within(line, ZERO) or not _tax_adds_up(line, view)


def _gross_adds_up(line: Node, view: View) -> bool:
    kinds = view.once(transaction)
    if kinds.is_any(MARGIN) or (kinds.is_any(SIMPLIFIED) and not line.has(LINE_TAX)):
        return True
    gross = castable(line, f"{EXTENDED}/cbc:Amount")
    net = castable(line, "cbc:LineExtensionAmount")
    if gross is None or net is None:
        return False
    return within(gross, net + (castable(line, LINE_TAX) or ZERO), CENT)


require(chapter, contexts.LINE, [
    ("IBR-071-OM", "BT-131", _net_adds_up,
     "The net amount of a line (BT-131) is quantity times price, plus charges, less allowances"),
    ("IBR-075-OM", "BT-148", _gross_of_price_adds_up,
     "The net price (BT-146) is the gross price (BT-148) less the discount"),
    ("IBR-157-OM", "BT-146 BT-147 BT-148", _price_adds_up,
     "The net price (BT-146) is the gross price (BT-148) less the discount (BT-147)"),
    ("IBR-168-OM", "BT-131", _tax_adds_up, "The VAT of a line is its rate of its net amount"),
    ("IBR-158-OM", "BT-131", _gross_adds_up,
     "The amount of a line with VAT is its net amount plus its VAT"),
])  # fmt: skip
require(chapter, contexts.LINE, [
    ("IBR-168-OM-WARN", "BT-131", _tax_is_exact,
     "The VAT of a line is exactly its rate of its net amount"),
], flag=Flag.WARNING)  # fmt: skip


# -- categories and items --------------------------------------------------------------------------


def _types(line: Node) -> list[str]:
    """The types of the item, goods or service, of the references named MP."""
    return [
        text
        for each in line.all(ITEM_TYPE)
        if "MP" in each.attributes_at("cbc:ID", "schemeName")
        for text in each.texts("cbc:DocumentTypeCode")
    ]


def _tariff_codes(line: Node) -> list[Node]:
    return [each for each in line.all(CLASS) if each.attributes.get("listID") == "HS"]


def _goods_have_a_code(line: Node, _: View) -> bool:
    return "G" not in _types(line) or bool(_tariff_codes(line))


def _code_has_twelve_digits(line: Node, _: View) -> bool:
    found = _tariff_codes(line)
    if len(found) > 1:
        line.only(CLASS)  # raises MoreThanOneItem
    return not found or len(normalized(found[0].text)) == _HS_LENGTH


def _activity_is_named(line: Node, _: View) -> bool:
    path = "cac:Item/cac:AdditionalItemIdentification/cbc:ID"
    return "CC" in line.attributes_at(path, "schemeName")


def _may_be_under_margin(line: Node, _: View) -> bool:
    codes = (normalized(code.text) for code in _tariff_codes(line))
    return not any(code.startswith(_NOT_UNDER_MARGIN) for code in codes)


require(chapter, contexts.LINE, [
    ("ALIGNED-IBRP-E-05-OM", "BT-152", where(_of("E"), _no_rate),
     "A line of the category E has no VAT rate"),
    ("ALIGNED-IBRP-O-05-OM", "BT-152", where(_of("O"), _no_rate),
     "A line of the category O has no VAT rate"),
    ("ALIGNED-IBRP-Z-05-OM", "BT-152", where(_of("Z"), lambda line, _: _rate(line) == ZERO),
     "The VAT rate of a line of the category Z is 0"),
    ("IBR-039-OM", "BT-151", where(_of("E"), _no_tax), "A line of the category E has no VAT"),
    ("IBR-054-OM", "BT-151", where(_of("O"), _no_tax), "A line of the category O has no VAT"),
    ("IBR-077-OM", "BT-151", where(_of("Z"), _no_tax), "A line of the category Z has no VAT"),
    ("IBR-056-OM", "BT-158", _class_is_of_a_list,
     "The classification of an item is of the list HS or MP"),
    ("IBR-076-OM", "BG-30 BT-151", lambda line, _: bool(_code(line)),
     "A line has a VAT category"),
    ("IBR-078-OM", "", unless(_simplified, lambda line, _: bool(_types(line))),
     "An item says whether it is goods (G) or a service (S)"),
    ("IBR-079-OM", "BT-158", unless(_simplified, _goods_have_a_code),
     "Goods (G) have a code of the customs tariff (HS)"),
    ("IBR-174-OM", "BT-158", _goods_have_a_code,
     "Goods (G) have a code of the customs tariff (HS), in a simplified invoice too"),
    ("IBR-080-OM", "BT-158", _code_has_twelve_digits,
     "A code of the customs tariff (HS) has twelve digits"),
    ("IBR-081-OM", "", unless(
        is_any(SIMPLIFIED, IMPORT_GOODS, IMPORT_RCM, MARGIN_SELF), _activity_is_named),
     "An item names the economic activity (ISIC, CC)"),
    ("IBR-084-OM", "BT-159", where(
        is_any(IMPORT_GOODS), given("cac:Item/cac:OriginCountry/cbc:IdentificationCode")),
     "Imported goods name the country of origin (BT-159)"),
    ("IBR-086-OM", "BT-151", where(is_any(MARGIN_SELF), _of("O")),
     "A line of a self-invoice under the margin scheme is of the category O"),
    ("IBR-091-OM", "BT-158", where(is_any(MARGIN), _may_be_under_margin),
     "The goods may be sold under the margin scheme"),
    ("IBR-057-OM", "BT-134 BT-135", where(is_any(SUMMARY), in_one_month),
     "The period of a line of a summary invoice is within a month"),
    ("IBR-038-OM", "BT-131", unless(_simplified, given(LINE_TAX)), "A line has its VAT"),
    ("IBR-072-OM", "BT-134 BT-135", unless(
        lambda node, view: not (is_any(FULL)(node, view) and is_any(SUMMARY)(node, view)),
        given(*_PERIOD)),
     "A line of a summary invoice has a period with beginning and end"),
], Kind.OTHER)  # fmt: skip
