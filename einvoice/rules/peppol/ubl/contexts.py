"""The contexts of the Peppol rules for UBL, in the official order.

Four patterns: empty elements, credit notes, the billing profile, its codes. In each, only the
first context that matches a node applies: a percentage without a base amount is reported as such,
and the product is not computed. Each country has patterns of its own (rules/national).

Some official contexts also require an attribute or a group. Where no other context of the pattern
matches the same elements, the checks test for it instead.
"""

from __future__ import annotations

from einvoice.rules.book import BLANK, Context, Pattern, Switch
from einvoice.rules.peppol.ubl.conditions import (
    base_alone,
    direct_debit,
    dutch_vat_number,
    exemption,
    on_allowance,
    on_charge,
    percentage_alone,
    scheme,
)
from einvoice.rules.ubl_paths import AMOUNTS, DATES

BOTH_DOCUMENTS = ("ubl:Invoice", "cn:CreditNote")
_ALLOWANCES = (
    "ubl:Invoice/cac:AllowanceCharge",
    "ubl:Invoice/cac:InvoiceLine/cac:AllowanceCharge",
    "cn:CreditNote/cac:AllowanceCharge",
    "cn:CreditNote/cac:CreditNoteLine/cac:AllowanceCharge",
)
IDENTIFIERS = ("cbc:EndpointID", "cac:PartyIdentification/cbc:ID", "cbc:CompanyID")


def _line_period(date: str) -> tuple[str, str]:
    return (
        f"ubl:Invoice/cac:InvoiceLine/cac:InvoicePeriod/{date}",
        f"cn:CreditNote/cac:CreditNoteLine/cac:InvoicePeriod/{date}",
    )


empty_elements = Pattern()
EMPTY: Context = empty_elements.context(BLANK)

credit_notes = Pattern()
CREDIT_NOTE: Context = credit_notes.context("cn:CreditNote")

profile = Pattern()
DOCUMENT: Context = profile.context(*BOTH_DOCUMENTS)
TAX_CURRENCY: Context = profile.context("cbc:TaxCurrencyCode")
BUYER: Context = profile.context("cac:AccountingCustomerParty/cac:Party")
SELLER: Context = profile.context("cac:AccountingSupplierParty/cac:Party")
PERCENTAGE_ALONE: Context = profile.context(*_ALLOWANCES, when=percentage_alone)
BASE_ALONE: Context = profile.context(*_ALLOWANCES, when=base_alone)
ALLOWANCE: Context = profile.context(*_ALLOWANCES)
DIRECT_DEBIT: Context = profile.context("cac:PaymentMeans", when=direct_debit)
AMOUNT: Context = profile.context(
    *AMOUNTS, "cbc:TaxableAmount", "cac:TaxTotal/cbc:TaxAmount", "cac:TaxSubtotal/cbc:TaxAmount"
)
LINE_START: Context = profile.context(*_line_period("cbc:StartDate"))
LINE_END: Context = profile.context(*_line_period("cbc:EndDate"))
LINE: Context = profile.context("cac:InvoiceLine", "cac:CreditNoteLine")
PRICE_ALLOWANCE: Context = profile.context("cac:Price/cac:AllowanceCharge")
PRICE_BASE: Context = profile.context("cac:Price/cbc:BaseQuantity")
IDENTIFIER: Switch = profile.switch(*IDENTIFIERS, key=scheme)
ENDPOINT: Switch = profile.switch("cbc:EndpointID", key=scheme)
DUTCH_VAT_NUMBER: Context = profile.context(
    "cac:PartyTaxScheme/cbc:CompanyID", when=dutch_vat_number
)
DUTCH_ESTABLISHMENT: Switch = profile.switch(
    *IDENTIFIERS, key=scheme
)  # only 0217; after DUTCH_VAT_NUMBER

codes = Pattern()
ATTACHMENT: Context = codes.context("cbc:EmbeddedDocumentBinaryObject")
ALLOWANCE_REASON: Context = codes.context(
    "cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", when=on_allowance
)
CHARGE_REASON: Context = codes.context(
    "cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", when=on_charge
)
TAX_POINT_CODE: Context = codes.context("cac:InvoicePeriod/cbc:DescriptionCode")
CODED_AMOUNT: Context = codes.context(*AMOUNTS, "cbc:TaxableAmount", "cbc:TaxAmount")
INVOICE_TYPE: Context = codes.context("cbc:InvoiceTypeCode")
CREDIT_NOTE_TYPE: Context = codes.context("cbc:CreditNoteTypeCode")
DATE: Context = codes.context(*DATES)
ENDPOINT_SCHEME: Context = codes.context("cbc:EndpointID")
EXEMPTION: Switch = codes.switch("cac:TaxCategory", key=exemption)
