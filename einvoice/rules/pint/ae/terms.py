"""Paths and forms that the rules of PINT AE share, and the types of its transactions."""

from __future__ import annotations

import re

from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import (
    TYPE_CODES,
    Test,
)
from einvoice.rules.view import View

LINES = ("cac:InvoiceLine", "cac:CreditNoteLine")
COUNTRY = "cac:Country/cbc:IdentificationCode"
LEGAL_ID = "cac:PartyLegalEntity/cbc:CompanyID"
TAX_ID = "cac:PartyTaxScheme/cbc:CompanyID"
ADDRESS = ("cbc:StreetName", "cbc:CityName", "cbc:CountrySubentity")
DELIVERED_TO = "cac:Delivery/cac:DeliveryLocation/cac:Address"
CATEGORY = "cac:ClassifiedTaxCategory"
EXTENDED = "cac:ItemPriceExtension"
LINE_TAX = f"{EXTENDED}/cac:TaxTotal/cbc:TaxAmount"
TIN = re.compile(r"1[0-9]{9}")


def transaction(place: int | None = None) -> Test:
    """Whether the transaction type (BTAE-02) is eight digits 0 or 1, and 1 at this place (from 0).

    The test raises MoreThanOneItem for several types.
    """

    def test(invoice: Node, _: View) -> bool:
        flags = invoice.text_of("cbc:ProfileExecutionID")
        well_formed = len(flags) == _FLAGS and set(flags) <= {"0", "1"}
        return well_formed and (place is None or flags[place] == "1")

    return test


_FLAGS = 8
FREE_ZONE = transaction(0)
DEEMED = transaction(1)
MARGIN = transaction(2)
SUMMARY = transaction(3)
AGENT = transaction(5)
E_COMMERCE = transaction(6)
EXPORT = transaction(7)


def is_type(*codes: str) -> Test:
    """Whether the type (BT-3) is one of these, as written."""
    return lambda invoice, _: any(
        text in codes for path in TYPE_CODES for text in invoice.texts(path)
    )


TAX_CREDIT_NOTE = is_type("381")
COMMERCIAL = is_type("480", "81")
CREDIT_NOTE = is_type("381", "81")

GATHERED = (
    "cac:InvoiceLine",
    "cac:CreditNoteLine",
    "cac:TaxTotal",
    "cac:TaxCategory",
    "cac:ClassifiedTaxCategory",
    "cac:AllowanceCharge",
    "cac:AccountingSupplierParty",
    "cac:TaxExchangeRate",
    "cac:ItemPriceExtension",
)
