"""The contexts of the Peppol rules for UBL, in the official order.

Four patterns: empty elements, credit notes, the billing profile, its codes. In each, only the
first context that matches a node applies: a percentage without a base amount is reported as such,
and the product is not computed. Each country has patterns of its own (rules/national).

Some official contexts also require an attribute or a group. Where no other context of the pattern
matches the same elements, the checks test for it instead.
"""

from __future__ import annotations

from einvoice.rules.book import BLANK, Pattern
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

BOTH_DOCUMENTS = ("ubl:Invoice", "cn:CreditNote")
_ALLOWANCES = (
    "ubl:Invoice/cac:AllowanceCharge",
    "ubl:Invoice/cac:InvoiceLine/cac:AllowanceCharge",
    "cn:CreditNote/cac:AllowanceCharge",
    "cn:CreditNote/cac:CreditNoteLine/cac:AllowanceCharge",
)
IDENTIFIERS = ("cbc:EndpointID", "cac:PartyIdentification/cbc:ID", "cbc:CompanyID")
_AMOUNTS = (
    "cbc:Amount",
    "cbc:BaseAmount",
    "cbc:PriceAmount",
    "cbc:TaxableAmount",
    "cbc:LineExtensionAmount",
    "cbc:TaxExclusiveAmount",
    "cbc:TaxInclusiveAmount",
    "cbc:AllowanceTotalAmount",
    "cbc:ChargeTotalAmount",
    "cbc:PrepaidAmount",
    "cbc:PayableRoundingAmount",
    "cbc:PayableAmount",
)


def _line_period(date: str) -> tuple[str, str]:
    return (
        f"ubl:Invoice/cac:InvoiceLine/cac:InvoicePeriod/{date}",
        f"cn:CreditNote/cac:CreditNoteLine/cac:InvoicePeriod/{date}",
    )


empty_elements = Pattern()
EMPTY = empty_elements.context(BLANK)

credit_notes = Pattern()
CREDIT_NOTE = credit_notes.context("cn:CreditNote")

profile = Pattern()
DOCUMENT = profile.context(*BOTH_DOCUMENTS)
TAX_CURRENCY = profile.context("cbc:TaxCurrencyCode")
BUYER = profile.context("cac:AccountingCustomerParty/cac:Party")
SELLER = profile.context("cac:AccountingSupplierParty/cac:Party")
PERCENTAGE_ALONE = profile.context(*_ALLOWANCES, when=percentage_alone)
BASE_ALONE = profile.context(*_ALLOWANCES, when=base_alone)
ALLOWANCE = profile.context(*_ALLOWANCES)
DIRECT_DEBIT = profile.context("cac:PaymentMeans", when=direct_debit)
AMOUNT = profile.context(*_AMOUNTS, "cac:TaxTotal/cbc:TaxAmount", "cac:TaxSubtotal/cbc:TaxAmount")
LINE_START = profile.context(*_line_period("cbc:StartDate"))
LINE_END = profile.context(*_line_period("cbc:EndDate"))
LINE = profile.context("cac:InvoiceLine", "cac:CreditNoteLine")
PRICE_ALLOWANCE = profile.context("cac:Price/cac:AllowanceCharge")
PRICE_BASE = profile.context("cac:Price/cbc:BaseQuantity")
IDENTIFIER = profile.switch(*IDENTIFIERS, key=scheme)
ENDPOINT = profile.switch("cbc:EndpointID", key=scheme)
DUTCH_VAT_NUMBER = profile.context("cac:PartyTaxScheme/cbc:CompanyID", when=dutch_vat_number)
DUTCH_ESTABLISHMENT = profile.switch(*IDENTIFIERS, key=scheme)  # only 0217; after DUTCH_VAT_NUMBER

codes = Pattern()
ATTACHMENT = codes.context("cbc:EmbeddedDocumentBinaryObject")
ALLOWANCE_REASON = codes.context(
    "cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", when=on_allowance
)
CHARGE_REASON = codes.context("cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", when=on_charge)
TAX_POINT_CODE = codes.context("cac:InvoicePeriod/cbc:DescriptionCode")
CODED_AMOUNT = codes.context(*_AMOUNTS, "cbc:TaxAmount")
INVOICE_TYPE = codes.context("cbc:InvoiceTypeCode")
CREDIT_NOTE_TYPE = codes.context("cbc:CreditNoteTypeCode")
DATE = codes.context(
    "cbc:IssueDate",
    "cbc:DueDate",
    "cbc:TaxPointDate",
    "cbc:StartDate",
    "cbc:EndDate",
    "cbc:ActualDeliveryDate",
)
ENDPOINT_SCHEME = codes.context("cbc:EndpointID")
EXEMPTION = codes.switch("cac:TaxCategory", key=exemption)
