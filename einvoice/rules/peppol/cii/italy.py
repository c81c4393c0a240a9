"""Italy: the seller's registration and address."""

from __future__ import annotations

import re

from einvoice.rules.book import Chapter, Kind, Layer, Pattern, Values
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii.countries import supplier
from einvoice.rules.peppol.cii.paths import one
from einvoice.rules.tables import present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

italy = Chapter(Layer.PEPPOL_CII)
_NUMBER = re.compile(r"[A-Z0-9]{11,16}")


def _in_italy(view: View) -> bool:
    return view.once(supplier) == "IT"


_pattern = Pattern(_in_italy)
REGISTRATION = _pattern.context("ram:SellerTradeParty/ram:SpecifiedTaxRegistration")
SELLER = _pattern.context("ram:SellerTradeParty")

present(
    italy,
    SELLER,
    [
        ("IT-R-002", "BT-35", "ram:PostalTradeAddress/ram:LineOne"),
        ("IT-R-003", "BT-37", "ram:PostalTradeAddress/ram:CityName"),
        ("IT-R-004", "BT-38", "ram:PostalTradeAddress/ram:PostcodeCode"),
    ],
)


@italy.rule("IT-R-001", "BT-32", at=REGISTRATION, kind=Kind.FORMAT)
def tax_number_has_its_length(registration: Node, _: View) -> Values | None:
    """The tax registration of an Italian seller has 11 to 16 capitals or digits."""
    numbers = registration.all("ram:ID")
    schemes = [normalized(each.attributes.get("schemeID", "")) for each in numbers]
    if any("schemeID" in each.attributes and scheme != "FC"
           for each, scheme in zip(numbers, schemes, strict=True)):  # fmt: skip
        return None
    text = one([each for each, scheme in zip(numbers, schemes, strict=True) if scheme == "FC"])
    return None if _NUMBER.fullmatch(normalized(text)) else {"text": text}
