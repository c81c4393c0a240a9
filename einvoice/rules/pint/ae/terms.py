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


def transaction(form: str) -> Test:
    """Whether the transaction type (BTAE-02), eight digits 0 or 1, has this form. One at most."""
    pattern = re.compile(form)

    def test(invoice: Node, _: View) -> bool:
        return pattern.fullmatch(invoice.text_of("cbc:ProfileExecutionID")) is not None

    return test


FREE_ZONE = transaction("1[01]{7}")
DEEMED = transaction("[01]1[01]{6}")
MARGIN = transaction("[01]{2}1[01]{5}")
SUMMARY = transaction("[01]{3}1[01]{4}")
AGENT = transaction("[01]{5}1[01]{2}")
E_COMMERCE = transaction("[01]{6}1[01]")
EXPORT = transaction("[01]{7}1")


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
