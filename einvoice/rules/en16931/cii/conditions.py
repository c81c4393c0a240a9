"""What the contexts of the CEN rules for CII ask of a node beside its path."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.book import Condition
from einvoice.rules.en16931.cii.paths import currencies, indicated
from einvoice.rules.node import Node
from einvoice.rules.view import View

NO_CATEGORY = ""
CATEGORIES = ("AE", "L", "M", "E", "G", "K", "O", "S", "Z")
"""In the official order: of several codes in one group the first of these counts."""


def has(attribute: str) -> Condition:
    """Is the attribute there?"""
    return lambda node, _: attribute in node.attributes


def spelt(indicator: str) -> Condition:
    """Does a charge indicator read exactly so? `1` and `0` do not count here."""
    return lambda node, _: indicator in node.texts("udt:Indicator")


def credit_transfer(account: Node, _: View) -> bool:
    """Is the account of a means 30 or 58, as written?"""
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
    """Is the tax type VAT, in whatever case, but with no blanks? Raises MoreThanOneItem."""
    written = tax.text_of("ram:TypeCode")
    return written == "VAT" or written.upper() == "VAT"


def category(tax: Node) -> str:
    """The VAT category of a tax group, none for another tax. Raises MoreThanOneItem."""
    return _first_of(tax, CATEGORIES)


def group_category(tax: Node) -> str:
    """L, M and O are judged by the whole breakdown group, the others by its code."""
    return _first_of(tax, ("L", "M", "O"))


def _first_of(tax: Node, categories: Sequence[str]) -> str:
    """Of the codes a damaged group may have, the first in the official order."""
    codes = tax.all("ram:CategoryCode")
    if len(codes) == 1:
        code = codes[0].text
    else:
        written = [each.text for each in codes]
        code = next((each for each in categories if each in written), NO_CATEGORY)
    return code if code in categories and is_vat(tax) else NO_CATEGORY


def vat_code(code: Node) -> str:
    """AE, E, G and K count only where the tax type is VAT. Raises MoreThanOneItem."""
    return code.text if is_vat(code.up(1)) else NO_CATEGORY


def rated_code(code: Node) -> str:
    """S and Z count whatever the tax type."""
    return code.text


def day_format(date: Node, _: View) -> bool:
    return date.attributes.get("format") == "102"


def party_id(identifier: Node, _: View) -> bool:
    """An identifier with a scheme, neither of a product nor of the place of delivery."""
    return (
        "schemeID" in identifier.attributes
        and not identifier.within("ram:SpecifiedTradeProduct")
        and not identifier.within("ram:ShipToTradeParty")
    )


def legal_id(identifier: Node, _: View) -> bool:
    """An identifier with a scheme that is no tax number."""
    return "schemeID" in identifier.attributes and not identifier.within(
        "ram:SpecifiedTaxRegistration"
    )
