"""Italian rules for CII."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind, Pattern, Values
from einvoice.rules.cii_paths import single_text
from einvoice.rules.layers import Layer
from einvoice.rules.national.italy import TAX_CODE
from einvoice.rules.national.parties_cii import seller_country
from einvoice.rules.node import Node
from einvoice.rules.tables import present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

italy = Chapter(Layer.PEPPOL_CII)


def _italian_seller(view: View) -> bool:
    return view.once(seller_country) == "IT"


_pattern = Pattern(_italian_seller)
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
def tax_code_has_its_form(registration: Node, _: View) -> Values | None:
    """The codice fiscale of an Italian seller (BT-32) has 11 to 16 capitals or digits."""
    numbers = registration.all("ram:ID")
    schemes = [normalized(each.attributes.get("schemeID", "")) for each in numbers]
    if any("schemeID" in each.attributes and scheme != "FC"
           for each, scheme in zip(numbers, schemes, strict=True)):  # fmt: skip
        return None
    codes = [each for each, scheme in zip(numbers, schemes, strict=True) if scheme == "FC"]
    text = single_text(codes)
    return None if TAX_CODE.fullmatch(normalized(text)) else {"text": text}
