"""Norway: what a Norwegian seller states."""

from __future__ import annotations

import re

from einvoice.rules.book import BROKEN, Chapter, Flag, Kind, Layer, Pattern, Values
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.node import Node
from einvoice.rules.peppol.check_digits import modulus_11
from einvoice.rules.peppol.cii.countries import supplier
from einvoice.rules.peppol.cii.paths import TAX_ID, of_scheme, one, written
from einvoice.rules.values import normalized
from einvoice.rules.view import View

norway = Chapter(Layer.PEPPOL_CII)
_NUMBER = re.compile(r"[0-9]{9}MVA")


def _in_norway(view: View) -> bool:
    return view.once(supplier) == "NO"


_pattern = Pattern(_in_norway)
SELLER = _pattern.context("ram:SellerTradeParty")


@norway.rule("NO-R-002", "BT-32", at=SELLER, flag=Flag.WARNING, kind=Kind.PRESENCE)
def register_is_stated(seller: Node, view: View) -> Values | None:
    """A Norwegian seller states Foretaksregisteret as its tax registration."""
    stated = (normalized(written(view, [each])) for each in of_scheme(seller.all(TAX_ID), "FC"))
    return None if any(text == "Foretaksregisteret" for text in stated) else BROKEN


@norway.rule("NO-R-001", "BT-31", at=SELLER, kind=Kind.FORMAT)
def vat_number_is_norwegian(seller: Node, _: View) -> Values | None:
    """A Norwegian VAT number is NO, nine digits with a check digit, and MVA."""
    groups = [
        each
        for each in seller.all("ram:SpecifiedTaxRegistration")
        if of_scheme(each.all("ram:ID"), "VAT")
    ]
    numbers = [one(group.all("ram:ID")) for group in groups]
    if not any(number[:2] == "NO" for number in numbers):
        return None
    if len(numbers) > 1:
        raise MoreThanOneItem(groups[0], "ram:SpecifiedTaxRegistration", len(groups))
    number = numbers[0]
    if _NUMBER.fullmatch(number[2:]) and modulus_11(number[2:11]):
        return None
    return {"text": number}
