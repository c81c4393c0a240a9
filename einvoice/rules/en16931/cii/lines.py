"""Lines (BG-25): their elements, prices and items."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.cii_paths import BILLED_QUANTITY
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.en16931.cii.conditions import is_vat
from einvoice.rules.en16931.cii.doubles import above, equals
from einvoice.rules.en16931.cii.paths import NET_OF_LINE, has_breakdown
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import filled, present, two_decimals
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

lines = Chapter(Layer.CEN_CII, gathers=("rsm:SupplyChainTradeTransaction",))
_LINE = contexts.LINE
_NET_PRICE = "ram:SpecifiedLineTradeAgreement/ram:NetPriceProductTradePrice/ram:ChargeAmount"
_GROSS_PRICE = "ram:SpecifiedLineTradeAgreement/ram:GrossPriceProductTradePrice/ram:ChargeAmount"
_TAXES = "ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax"

filled(
    lines,
    _LINE,
    [
        ("BR-21", "BT-126", "ram:AssociatedDocumentLineDocument/ram:LineID"),
        ("BR-25", "BT-153", "ram:SpecifiedTradeProduct/ram:Name"),
    ],
)
present(
    lines,
    _LINE,
    [
        ("BR-22", "BT-129", BILLED_QUANTITY),
        ("BR-23", "BT-130", f"{BILLED_QUANTITY}/@unitCode"),
        ("BR-24", "BT-131", NET_OF_LINE),
        ("BR-26", "BT-146", _NET_PRICE),
    ],
)
two_decimals(lines, _LINE, [("BR-DEC-23", "BT-131", NET_OF_LINE)])


@lines.rule("BR-27", "BT-146", at=_LINE)
def net_price_is_not_negative(line: Node, _: View) -> Values | None:
    """The net price of an item (BT-146) is not negative."""
    prices = line.all(_NET_PRICE)
    if _not_negative(prices):
        return None
    return {"price": prices[0].text if prices else ""}


@lines.rule(
    "BR-28",
    "BT-148",
    at=_LINE,
    present=(_GROSS_PRICE,),
)
def gross_price_is_not_negative(line: Node, _: View) -> Values | None:
    """The gross price of an item (BT-148) is not negative."""
    prices = line.all(_GROSS_PRICE)
    return None if _not_negative(prices) else {"price": prices[0].text}


def _not_negative(prices: Sequence[Node]) -> bool:
    return above(prices, 0) or equals(prices, 0)


@lines.rule(
    "BR-64",
    "BT-157 BT-157-1",
    at=_LINE,
    kind=Kind.PRESENCE,
    present=("ram:SpecifiedTradeProduct/ram:GlobalID",),
    path="ram:SpecifiedTradeProduct/ram:GlobalID/@schemeID",
)
def standard_identifier_has_a_scheme(line: Node, _: View) -> Values | None:
    """The standard identifier of an item (BT-157) has a scheme."""
    identifiers = line.all("ram:SpecifiedTradeProduct/ram:GlobalID")
    schemes = [each for each in identifiers if "schemeID" in each.attributes]
    if len(schemes) > 1:
        raise MoreThanOneItem(schemes[0], "ram:SpecifiedTradeProduct/ram:GlobalID", len(schemes))
    return None if schemes and schemes[0].attributes["schemeID"].strip(XML_SPACE) else BROKEN


@lines.rule("BR-CO-04", "BT-151", at=_LINE, kind=Kind.PRESENCE)
def line_has_a_vat_category(line: Node, _: View) -> Values | None:
    """Each line has a VAT category (BT-151)."""
    coded = any(tax.has("ram:CategoryCode") for tax in line.all(_TAXES) if is_vat(tax))
    return None if coded else BROKEN


@lines.rule("BR-CO-18", "BG-23", at=_LINE, kind=Kind.PRESENCE)
def has_a_vat_breakdown(_: Node, view: View) -> Values | None:
    """An invoice has at least one group of the VAT breakdown (BG-23)."""
    return None if view.once(has_breakdown) else BROKEN


@lines.rule("BR-54", "BT-160 BT-161", at=contexts.CHARACTERISTIC, kind=Kind.PRESENCE)
def attribute_has_name_and_value(attribute: Node, _: View) -> Values | None:
    """An attribute of an item has a name and a value."""
    return None if attribute.has("ram:Description") and attribute.has("ram:Value") else BROKEN


@lines.rule(
    "BR-65",
    "BT-158 BT-158-1",
    at=contexts.CLASSIFICATION,
    kind=Kind.PRESENCE,
    path="ram:ClassCode/@listID",
)
def classification_has_a_scheme(classification: Node, _: View) -> Values | None:
    """An item classification (BT-158) has a scheme (list)."""
    codes = classification.all("ram:ClassCode")
    listed = [code for code in codes if "listID" in code.attributes]
    if len(listed) > 1:
        raise MoreThanOneItem(listed[0], "ram:ClassCode", len(listed))
    scheme = listed and listed[0].attributes["listID"].strip(XML_SPACE)
    return None if scheme or not codes else BROKEN
