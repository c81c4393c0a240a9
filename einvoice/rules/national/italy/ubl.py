"""Italian rules for UBL."""

from __future__ import annotations

from einvoice.rules.book import Chapter, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.national.italy import TAX_CODE
from einvoice.rules.national.parties_ubl import SELLER_PARTY, seller_country
from einvoice.rules.node import Node
from einvoice.rules.tables import present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

italy = Chapter(Layer.PEPPOL_UBL)


def _italian_seller(view: View) -> bool:
    return view.once(seller_country) == "IT"


def _not_vat(registration: Node, _: View) -> bool:
    return normalized(registration.text_of("cac:TaxScheme/cbc:ID")) != "VAT"


_pattern = Pattern(_italian_seller)
OTHER_REGISTRATION = _pattern.context(f"{SELLER_PARTY}/cac:PartyTaxScheme", when=_not_vat)
SELLER = _pattern.context(SELLER_PARTY)

present(
    italy,
    SELLER,
    [
        ("IT-R-002", "BT-35", "cac:PostalAddress/cbc:StreetName"),
        ("IT-R-003", "BT-37", "cac:PostalAddress/cbc:CityName"),
        ("IT-R-004", "BT-38", "cac:PostalAddress/cbc:PostalZone"),
    ],
)


@italy.rule("IT-R-001", "BT-32", at=OTHER_REGISTRATION, kind=Kind.FORMAT, path="cbc:CompanyID")
def tax_code_has_its_form(registration: Node, _: View) -> Values | None:
    """The codice fiscale of an Italian seller (BT-32) has 11 to 16 capitals or digits."""
    code = normalized(registration.text_of("cbc:CompanyID"))
    return None if TAX_CODE.fullmatch(code) else {"identifier": code}
