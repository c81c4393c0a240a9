"""Conditions and keys of the contexts of the CEN rules for CII."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.book import Condition
from einvoice.rules.en16931.cii.paths import currencies, indicated
from einvoice.rules.node import Node
from einvoice.rules.view import View

NO_CATEGORY = ""
CATEGORIES = ("AE", "L", "M", "E", "G", "K", "O", "S", "Z")
"""In the official order: of several codes in one group, the first of these is used."""


def has(attribute: str) -> Condition:
    """A condition: the attribute is given."""
    return lambda node, _: attribute in node.attributes


def indicator_text(indicator: str) -> Condition:
    """A condition: a charge indicator has exactly this text; `1` and `0` do not count."""
    return lambda node, _: indicator in node.texts("udt:Indicator")


def credit_transfer(account: Node, _: View) -> bool:
    """Whether the account is of payment means 30 or 58 (BT-81), as written."""
    codes = account.up(1).texts("ram:TypeCode")
    return "30" in codes or "58" in codes


def in_invoice_currency(amount: Node, view: View) -> bool:
    return amount.attributes.get("currencyID") in view.once(currencies)


def vat_number(number: Node, _: View) -> bool:
    return number.attributes.get("schemeID") == "VA"


def on_allowance(node: Node, _: View) -> bool:
    return indicated(node.up(1), charge=False)


def on_charge(node: Node, _: View) -> bool:
    return indicated(node.up(1), charge=True)


def is_vat(tax: Node) -> bool:
    """Whether the tax type is VAT, in any case, without white space. Raises MoreThanOneItem."""
    written = tax.text_of("ram:TypeCode")
    return written == "VAT" or written.upper() == "VAT"


def category(tax: Node) -> str:
    """The VAT category of a tax group; NO_CATEGORY for another tax. Raises MoreThanOneItem."""
    return _first_of(tax, CATEGORIES)


def group_category(tax: Node) -> str:
    """L, M or O, whose official context is the breakdown group; of the others it is the code."""
    return _first_of(tax, ("L", "M", "O"))


def _first_of(tax: Node, categories: Sequence[str]) -> str:
    """The first code, in the official order, of several in an invalid group."""
    codes = tax.all("ram:CategoryCode")
    if len(codes) == 1:
        code = codes[0].text
    else:
        written = [each.text for each in codes]
        code = next((each for each in categories if each in written), NO_CATEGORY)
    return code if code in categories and is_vat(tax) else NO_CATEGORY


def vat_code(code: Node) -> str:
    """The code, if the tax type is VAT (AE, E, G, K). Raises MoreThanOneItem."""
    return code.text if is_vat(code.up(1)) else NO_CATEGORY


def rated_code(code: Node) -> str:
    """The code, whatever the tax type (S, Z)."""
    return code.text


def day_format(date: Node, _: View) -> bool:
    return date.attributes.get("format") == "102"


def party_id(identifier: Node, _: View) -> bool:
    """Whether the identifier has a scheme and is not of a product or a delivery location."""
    return (
        "schemeID" in identifier.attributes
        and not identifier.within("ram:SpecifiedTradeProduct")
        and not identifier.within("ram:ShipToTradeParty")
    )


def legal_id(identifier: Node, _: View) -> bool:
    """Whether the identifier has a scheme and is not a tax number."""
    return "schemeID" in identifier.attributes and not identifier.within(
        "ram:SpecifiedTaxRegistration"
    )
