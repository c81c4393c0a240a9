"""Lines and their items."""

from __future__ import annotations

from einvoice.rules.book import Chapter
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.pint.ae import contexts
from einvoice.rules.pint.ae.terms import CATEGORY, COMMERCIAL, EXTENDED, GATHERED, LINE_TAX
from einvoice.rules.pint.conditions import (
    Test,
    among,
    given,
    require,
    rounded,
    text_at,
    where,
)
from einvoice.rules.values import (
    double_of,
)
from einvoice.rules.view import View

chapter: Chapter = Chapter(Layer.PINT_AE_UBL, gathers=GATHERED)


def _line_codes(line: Node) -> list[str]:
    return line.texts(f"cac:Item/{CATEGORY}/cbc:ID")


def _has_extended_amounts(line: Node, _: View) -> bool:
    taxed = any(text_at(each, "cbc:ID") != "E" for each in line.all(f"cac:Item/{CATEGORY}"))
    return not taxed or (line.has(LINE_TAX) and line.has(f"{EXTENDED}/cbc:Amount"))


def _margin_has_a_rate(line: Node, _: View) -> bool:
    if "N" not in _line_codes(line):
        return True
    return any(double_of(each) > 0 for each in line.all(f"cac:Item/{CATEGORY}/cbc:Percent"))


def _exempt_line_has_a_reason(line: Node, _: View) -> bool:
    return "E" not in _line_codes(line) or line.has(
        f"cac:Item/{CATEGORY}/cbc:TaxExemptionReasonCode"
    )


def _commercial_has_one_category(line: Node, view: View) -> bool:
    return not COMMERCIAL(line.up(1), view) or len(line.all(f"cac:Item/{CATEGORY}")) == 1


def _double(found: list[Node], path: str) -> float | None:
    """The double of one node. Raises MoreThanOneItem, InvalidNumber."""
    if len(found) > 1:
        raise MoreThanOneItem(found[0], path, len(found))
    return double_of(found[0]) if found else None


def _line_adds_up(line: Node, _: View) -> bool:
    """Whether the net amount is quantity times price, plus charges, less allowances; in doubles."""
    net = _double(list(line.all("cbc:LineExtensionAmount")), "cbc:LineExtensionAmount")
    quantities = [
        each for name in ("Invoiced", "Credited") for each in line.all(f"cbc:{name}Quantity")
    ]
    quantity = _double(quantities, "cbc:InvoicedQuantity")
    price = _double(list(line.all("cac:Price/cbc:PriceAmount")), "cbc:PriceAmount")
    per = _double(list(line.all("cac:Price/cbc:BaseQuantity")), "cbc:BaseQuantity")
    if net is None or quantity is None or price is None or per is None or per == 0:
        return False
    expected = quantity * (price / per) + _summed(line, "true") - _summed(line, "false")
    return rounded(net * 100) / 100 == rounded(expected * 100) / 100


def _summed(line: Node, indicator: str) -> float:
    found = [
        amount
        for each in line.all("cac:AllowanceCharge")
        if indicator in each.texts("cbc:ChargeIndicator")
        for amount in each.all("cbc:Amount")
    ]
    return sum(map(double_of, found), 0.0)


require(chapter, contexts.LINE, [
    ("ibr-104-ae", "BG-25", _has_extended_amounts,
     "A line that is not exempt has its VAT and its amount with VAT"),
    ("ibr-111-ae", "BT-152", _margin_has_a_rate, "A line of the category N has a VAT rate above 0"),
    ("ibr-145-ae", "BG-30 BT-151", given(f"cac:Item/{CATEGORY}"), "A line has a VAT category"),
    ("ibr-147-ae", "BT-131", _line_adds_up,
     "The net amount of a line (BT-131) is quantity times price, plus charges, less allowances"),
    ("ibr-167-ae", "BT-151", _exempt_line_has_a_reason,
     "A line of the category E has an exemption reason code"),
    ("ibr-123-ae", "BG-30", _commercial_has_one_category,
     "A line of a commercial invoice or credit note (480, 81) has one VAT category"),
    ("ibr-194-ae", "BG-25", given(f"{EXTENDED}/cbc:Amount"),
     "A line has its amount with VAT in AED"),
])  # fmt: skip

_CLASS = "cac:CommodityClassification"
_GOODS = f"{_CLASS}/cbc:ItemClassificationCode"
_SERVICE = "cac:AdditionalItemIdentification/cbc:ID"


def _is_item(code: str) -> Test:
    return among(f"{_CLASS}/cbc:CommodityCode", code)


def _of_scheme(path: str, attribute: str, scheme: str) -> Test:
    return lambda item, _: not item.has(path) or scheme in item.attributes_at(path, attribute)


require(chapter, contexts.ITEM, [
    ("ibr-125-ae", "BT-154", given("cbc:Description"), "An item has a description (BT-154)"),
    ("ibr-166-ae", "", where(
        among(f"{CATEGORY}/cbc:ID", "AE"), given(f"{_CLASS}/cbc:NatureCode")),
     "An item under reverse charge (AE) names the nature of the goods or services"),
    ("ibr-184-ae", "BT-158", where(_is_item("G"), given(_GOODS)),
     "Goods (G) have a classification code (HS)"),
    ("ibr-185-ae", "", where(_is_item("S"), given(_SERVICE)),
     "A service (S) has a service accounting code (SAC)"),
    ("ibr-186-ae", "BT-158", where(_is_item("B"), given(_GOODS, _SERVICE)),
     "Goods with services (B) have both a classification code (HS) and a service code (SAC)"),
    ("ibr-188-ae", "BT-158", _of_scheme(_GOODS, "listID", "HS"),
     "The classification code of goods is of the list HS"),
    ("ibr-189-ae", "", _of_scheme(_SERVICE, "schemeID", "SAC"),
     "The code of a service is of the scheme SAC"),
])  # fmt: skip
chapter.add("ibr-187-ae", "", contexts.ITEM, lambda _, __: None, "An item has a type")
