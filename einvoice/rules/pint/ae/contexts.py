"""The contexts of PINT AE in the official order; two patterns."""

from __future__ import annotations

from einvoice.rules.book import Context, Pattern, Switch
from einvoice.rules.en16931.ubl.conditions import (
    ALLOWANCE,
    CHARGE,
    category,
    is_vat,
    kind,
    kind_and_category,
)
from einvoice.rules.node import Node
from einvoice.rules.pint.ae.terms import COUNTRY, LINES, TAX_ID
from einvoice.rules.pint.base import BUYER, SELLER
from einvoice.rules.values import (
    normalized,
)
from einvoice.rules.view import View


def _not_vat(number: Node, _: View) -> bool:
    """Whether the registration is of another tax than VAT. Raises MoreThanOneItem."""
    schemes = number.up(1).all("cac:TaxScheme")
    return any(normalized(each.text_of("cbc:ID").upper()) != "VAT" for each in schemes)


def _emirati_vat_number(number: Node, _: View) -> bool:
    registration = number.up(1)
    return "AE" in registration.up(1).texts(f"cac:PostalAddress/{COUNTRY}") and is_vat(registration)


def _lines(path: str = "") -> tuple[str, str]:
    return f"cac:InvoiceLine{path}", f"cac:CreditNoteLine{path}"


_model = Pattern()
BUYER_PARTY: Context = _model.context(BUYER)
DELIVERY_TERMS: Context = _model.context("cac:DeliveryTerms")
BUYER_ADDRESS: Context = _model.context(f"{BUYER}/cac:PostalAddress")
SELLER_ADDRESS: Context = _model.context(f"{SELLER}/cac:PostalAddress")
SELLER_PARTY: Context = _model.context(SELLER)
PRICE_ALLOWANCE: Context = _model.context("cac:Price/cac:AllowanceCharge")
PRICE: Context = _model.context("cac:Price")
PAYMENT_MEANS: Context = _model.context("cac:PaymentMeans")
OTHER_ADDRESS: Context = _model.context("cac:PostalAddress")
ADJUSTMENT: Switch = _model.switch("cac:AllowanceCharge", key=kind)
ADJUSTMENTS: dict[str, Context] = {each: ADJUSTMENT.case(each) for each in (ALLOWANCE, CHARGE)}
EXCHANGE_RATE: Context = _model.context("cbc:CalculationRate")
LINE: Context = _model.context(*LINES)
DOCUMENT: Context = _model.context("/ubl:Invoice", "/cn:CreditNote")
ITEM: Context = _model.context("cac:Item")
SUBTOTAL: Context = _model.context("cac:TaxSubtotal")
LINE_CATEGORY: Switch = _model.switch(*_lines("/cac:Item/cac:ClassifiedTaxCategory"), key=category)
ADJUSTMENT_CATEGORY: Switch = _model.switch(
    "cac:AllowanceCharge/cac:TaxCategory", key=kind_and_category
)
BREAKDOWN_CATEGORY: Switch = _model.switch(
    "/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=category
)
VAT_NUMBER: Context = _model.context(
    "cac:Party/cac:PartyTaxScheme/cbc:CompanyID", when=_emirati_vat_number
)
OTHER_NUMBER: Context = _model.context(f"{SELLER}/{TAX_ID}", when=_not_vat)
TAX_SCHEME: Context = _model.context("cac:TaxScheme/cbc:ID")

_codes = Pattern()
RESPONSE_CODE: Context = _codes.context("cac:DiscrepancyResponse/cbc:ResponseCode")
FREQUENCY: Context = _codes.context("cac:InvoicePeriod/cbc:DescriptionCode")
CATEGORY_CODE: Context = _codes.context(
    "cac:TaxCategory/cbc:ID", "cac:ClassifiedTaxCategory/cbc:ID"
)
NATURE: Context = _codes.context("cbc:NatureCode")
