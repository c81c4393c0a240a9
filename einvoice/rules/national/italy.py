"""Italian sellers, in UBL: the tax code and a whole address."""

from __future__ import annotations

import re

from einvoice.rules.book import Chapter, Kind, Layer, Pattern, Values
from einvoice.rules.national.countries import seller_country
from einvoice.rules.node import Node
from einvoice.rules.tables import present
from einvoice.rules.values import normalized
from einvoice.rules.view import View

italy = Chapter(Layer.PEPPOL_UBL)

_TAX_CODE = re.compile(r"[A-Z0-9]{11,16}")


def _in_italy(view: View) -> bool:
    return view.once(seller_country) == "IT"


def _of_another_tax(registration: Node, _: View) -> bool:
    return normalized(registration.text_of("cac:TaxScheme/cbc:ID")) != "VAT"


_pattern = Pattern(_in_italy)
OTHER_REGISTRATION = _pattern.context(
    "cac:AccountingSupplierParty/cac:Party/cac:PartyTaxScheme", when=_of_another_tax
)
SELLER = _pattern.context("cac:AccountingSupplierParty/cac:Party")

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
def tax_code_is_formed(registration: Node, _: View) -> Values | None:
    """The codice fiscale of an Italian seller has 11 to 16 capitals or digits."""
    code = normalized(registration.text_of("cbc:CompanyID"))
    return None if _TAX_CODE.fullmatch(code) else {"identifier": code}
