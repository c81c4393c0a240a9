"""Norwegian rules for CII."""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.check_digits import modulus_11
from einvoice.rules.cii_paths import TAX_ID, single_text, single_text_node, with_scheme
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.national.norway import REGISTER
from einvoice.rules.national.parties_cii import seller_country
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View

norway = Chapter(Layer.PEPPOL_CII)
_NUMBER = re.compile(r"[0-9]{9}MVA")


def _norwegian_seller(view: View) -> bool:
    return view.once(seller_country) == "NO"


_pattern = Pattern(_norwegian_seller)
SELLER = _pattern.context("ram:SellerTradeParty")


@norway.rule("NO-R-002", "BT-32", at=SELLER, flag=Flag.WARNING, kind=Kind.PRESENCE)
def seller_names_its_register(seller: Node, view: View) -> Values | None:
    """A Norwegian seller in the register of business enterprises states so (BT-32)."""
    numbers = with_scheme(seller.all(TAX_ID), "FC")
    named = any(normalized(single_text_node(view, [number])) == REGISTER for number in numbers)
    return None if named else BROKEN


@norway.rule("NO-R-001", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_has_its_form(seller: Node, _: View) -> Values | None:
    """A VAT number (BT-31) that begins with NO has an organisation number and MVA after it."""
    groups = [
        each
        for each in seller.all("ram:SpecifiedTaxRegistration")
        if with_scheme(each.all("ram:ID"), "VAT")
    ]
    numbers = [single_text(group.all("ram:ID")) for group in groups]
    if not any(number[:2] == "NO" for number in numbers):
        return None
    if len(numbers) > 1:
        raise MoreThanOneItem(groups[0], "ram:SpecifiedTaxRegistration", len(groups))
    number = numbers[0]
    if _NUMBER.fullmatch(number[2:]) and modulus_11(number[2:11]):
        return None
    return {"text": number}
