"""Lines (BG-25): their elements, prices and items."""

from __future__ import annotations

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.en16931.ubl.conditions import is_only_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present, two_decimals
from einvoice.rules.values import not_below
from einvoice.rules.view import View

lines = Chapter(Layer.CEN_UBL)

filled(
    lines,
    contexts.LINE,
    [("BR-21", "BG-25 BT-126", "cbc:ID"), ("BR-25", "BG-31 BT-153", "cac:Item/cbc:Name")],
)
present(
    lines,
    contexts.LINE,
    [
        ("BR-24", "BG-25 BT-131", "cbc:LineExtensionAmount"),
        ("BR-26", "BG-29 BT-146", "cac:Price/cbc:PriceAmount"),
    ],
)
two_decimals(lines, contexts.LINE, [("BR-DEC-23", "BT-131", "cbc:LineExtensionAmount")])
present(lines, contexts.ITEM_CLASS, [("BR-65", "BT-158", "@listID")])
present(lines, contexts.ITEM_STANDARD_ID, [("BR-64", "BT-157", "@schemeID")])

_QUANTITIES = ("cbc:InvoicedQuantity", "cbc:CreditedQuantity")


@lines.rule("BR-22", "BG-25 BT-129", at=contexts.LINE, kind=Kind.PRESENCE, path=_QUANTITIES[0])
def line_has_a_quantity(line: Node, _: View) -> Values | None:
    """A line has an invoiced quantity (BT-129)."""
    return None if any(line.children.get(name) for name in _QUANTITIES) else BROKEN


@lines.rule("BR-23", "BG-25 BT-130", at=contexts.LINE, kind=Kind.PRESENCE, path="@unitCode")
def line_has_a_unit(line: Node, _: View) -> Values | None:
    """The invoiced quantity has a unit (BT-130)."""
    for name in _QUANTITIES:
        for quantity in line.all(name):
            if "unitCode" in quantity.attributes:
                return None
    return BROKEN


@lines.rule("BR-27", "BG-29 BT-146", at=contexts.LINE)
def net_price_is_not_negative(line: Node, _: View) -> Values | None:
    """The net price of an item (BT-146) is not negative."""
    prices = line.all("cac:Price/cbc:PriceAmount")
    if any(not_below(price, 0) for price in prices):
        return None
    return {"price": prices[0].text} if prices else BROKEN


@lines.rule(
    "BR-28",
    "BG-29 BT-148",
    at=contexts.LINE,
    present=("cac:Price/cac:AllowanceCharge/cbc:BaseAmount",),
)
def gross_price_is_not_negative(line: Node, _: View) -> Values | None:
    """The gross price of an item (BT-148) is not negative."""
    prices = line.all("cac:Price/cac:AllowanceCharge/cbc:BaseAmount")
    if any(not_below(price, 0) for price in prices):
        return None
    return {"price": prices[0].text}


@lines.rule("BR-CO-04", "BG-30 BT-151", at=contexts.LINE, kind=Kind.PRESENCE)
def line_has_a_vat_category(line: Node, _: View) -> Values | None:
    """Each line has a VAT category (BT-151)."""
    for category in line.all("cac:Item/cac:ClassifiedTaxCategory"):
        if is_only_vat(category) and category.has("cbc:ID"):
            return None
    return BROKEN


@lines.rule("BR-54", "BG-32 BT-160 BT-161", at=contexts.ITEM_ATTRIBUTE, kind=Kind.PRESENCE)
def attribute_has_name_and_value(attribute: Node, _: View) -> Values | None:
    """An item attribute has a name and a value."""
    return None if attribute.has("cbc:Name") and attribute.has("cbc:Value") else BROKEN
