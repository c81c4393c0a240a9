"""The contexts of the CEN rules for UBL, in the official order.

Three patterns: requirements of the semantic model, use of UBL, codes. In each, only the first
context that matches a node applies. So `TRANSFER_ACCOUNT` comes before `PAYMENT_MEANS`, and the
rules for the invoicing period do not apply to the period of a line.
"""

from __future__ import annotations

from einvoice.rules.book import Context, Pattern, Switch
from einvoice.rules.en16931.ubl.conditions import (
    ALLOWANCE,
    CHARGE,
    category,
    credit_transfer,
    invoiced_object,
    kind,
    kind_above,
    kind_and_category,
    vat_scheme,
)
from einvoice.rules.en16931.ubl.fast_path import plain_line
from einvoice.rules.ubl_paths import AMOUNTS

BOTH_DOCUMENTS = ("/ubl:Invoice", "/cn:CreditNote")


def _either(path: str) -> tuple[str, str]:
    return f"/ubl:Invoice/{path}", f"/cn:CreditNote/{path}"


def _lines(path: str = "") -> tuple[str, str]:
    return f"cac:InvoiceLine{path}", f"cac:CreditNoteLine{path}"


model = Pattern()
SUPPORTING_DOCUMENT: Context = model.context("cac:AdditionalDocumentReference")
BUYER_ENDPOINT: Context = model.context("cac:AccountingCustomerParty/cac:Party/cbc:EndpointID")
BUYER_ADDRESS: Context = model.context("cac:AccountingCustomerParty/cac:Party/cac:PostalAddress")
CARD_NUMBER: Context = model.context("cac:PaymentMeans/cac:CardAccount/cbc:PrimaryAccountNumberID")
DELIVERY_ADDRESS: Context = model.context("cac:Delivery/cac:DeliveryLocation/cac:Address")
DOCUMENT_ADJUSTMENT: Switch = model.switch(*_either("cac:AllowanceCharge"), key=kind)
DOCUMENT_ALLOWANCE: Context = DOCUMENT_ADJUSTMENT.case(ALLOWANCE)
DOCUMENT_CHARGE: Context = DOCUMENT_ADJUSTMENT.case(CHARGE)
TOTALS: Context = model.context("cac:LegalMonetaryTotal")
DOCUMENT: Context = model.context(*BOTH_DOCUMENTS)
LINE: Context = model.context(*_lines(), fast_path=plain_line)
LINE_ADJUSTMENT: Switch = model.switch(*_lines("/cac:AllowanceCharge"), key=kind)
LINE_ALLOWANCE: Context = LINE_ADJUSTMENT.case(ALLOWANCE)
LINE_CHARGE: Context = LINE_ADJUSTMENT.case(CHARGE)
LINE_PERIOD: Context = model.context(*_lines("/cac:InvoicePeriod"))
PERIOD: Context = model.context("cac:InvoicePeriod")
ITEM_ATTRIBUTE: Context = model.context("cac:AdditionalItemProperty")
ITEM_CLASS: Context = model.context(
    *_lines("/cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode")
)
ITEM_STANDARD_ID: Context = model.context(
    *_lines("/cac:Item/cac:StandardItemIdentification/cbc:ID")
)
NOTE: Context = model.context(*_either("cbc:Note"))
PAYEE: Context = model.context("cac:PayeeParty")
TRANSFER_ACCOUNT: Context = model.context(
    "cac:PaymentMeans/cac:PayeeFinancialAccount", when=credit_transfer
)
PAYMENT_MEANS: Context = model.context("cac:PaymentMeans")
PRECEDING_INVOICE: Context = model.context("cac:BillingReference")
SELLER: Context = model.context("cac:AccountingSupplierParty")
SELLER_ENDPOINT: Context = model.context("cac:AccountingSupplierParty/cac:Party/cbc:EndpointID")
SELLER_ADDRESS: Context = model.context("cac:AccountingSupplierParty/cac:Party/cac:PostalAddress")
REPRESENTATIVE: Context = model.context("cac:TaxRepresentativeParty")
REPRESENTATIVE_ADDRESS: Context = model.context("cac:TaxRepresentativeParty/cac:PostalAddress")
TAX_TOTAL: Context = model.context(*_either("cac:TaxTotal"))
TAX_SUBTOTAL: Context = model.context("cac:TaxTotal/cac:TaxSubtotal")
VAT_REGISTRATION: Context = model.context("cac:PartyTaxScheme", when=vat_scheme)
# The contexts of the nine VAT categories differ only in the code: a switch compares it once.
BREAKDOWN_CATEGORY: Switch = model.switch(
    "/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=category
)
# Cases: (ALLOWANCE or CHARGE, code).
ADJUSTMENT_CATEGORY: Switch = model.switch(
    "cac:AllowanceCharge/cac:TaxCategory", key=kind_and_category
)
LINE_CATEGORY: Switch = model.switch(*_lines("/cac:Item/cac:ClassifiedTaxCategory"), key=category)

usage = Pattern()
ANY_ADDRESS: Context = usage.context("cac:PostalAddress", "cac:Address")
SELLER_PARTY: Context = usage.context("cac:AccountingSupplierParty/cac:Party")
SUPPORTING_DOCUMENT_USE: Context = usage.context("cac:AdditionalDocumentReference")
usage.context("*PriceAmount")  # prices and their allowances may have more decimals
usage.context("cac:Price/cac:AllowanceCharge//*Amount")
AMOUNT: Context = usage.context("*Amount")
BINARY_OBJECT: Context = usage.context("*BinaryObject")
DELIVERY: Context = usage.context("cac:Delivery")
ADJUSTMENT_USE: Switch = usage.switch("cac:AllowanceCharge", key=kind)
ALLOWANCE_USE: Context = ADJUSTMENT_USE.case(ALLOWANCE)
CHARGE_USE: Context = ADJUSTMENT_USE.case(CHARGE)
TAX_REGISTRATION: Context = usage.context("cac:PartyTaxScheme")
DOCUMENT_USE: Context = usage.context(*BOTH_DOCUMENTS)
LINE_USE: Context = usage.context(*_lines())
PAYEE_USE: Context = usage.context("cac:PayeeParty")
PAYMENT_MEANS_USE: Context = usage.context("cac:PaymentMeans")
PRECEDING_INVOICE_USE: Context = usage.context("cac:BillingReference")
REPRESENTATIVE_USE: Context = usage.context("cac:TaxRepresentativeParty")
TAX_SUBTOTAL_USE: Context = usage.context("cac:TaxSubtotal")

# Some official contexts also require the attribute with the code. No other context of the pattern
# matches the same elements, so the checks test for it instead.
codes = Pattern()
TYPE_CODE: Context = codes.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
CODED_AMOUNT: Context = codes.context(*AMOUNTS, "cbc:TaxAmount", "cbc:TaxableAmount")
CURRENCY: Context = codes.context("cbc:DocumentCurrencyCode")
TAX_CURRENCY: Context = codes.context("cbc:TaxCurrencyCode")
TAX_POINT_CODE: Context = codes.context("cac:InvoicePeriod/cbc:DescriptionCode")
INVOICED_OBJECT: Context = codes.context(
    "cac:AdditionalDocumentReference/cbc:ID", "cac:DocumentReference/cbc:ID", when=invoiced_object
)
PARTY_ID: Context = codes.context("cac:PartyIdentification/cbc:ID")
LEGAL_ID: Context = codes.context("cac:PartyLegalEntity/cbc:CompanyID")
CLASSIFICATION: Context = codes.context("cac:CommodityClassification/cbc:ItemClassificationCode")
COUNTRY: Context = codes.context("cac:Country/cbc:IdentificationCode")
ORIGIN_COUNTRY: Context = codes.context("cac:OriginCountry/cbc:IdentificationCode")
MEANS_CODE: Context = codes.context("cac:PaymentMeans/cbc:PaymentMeansCode")
TAX_CATEGORY_CODE: Context = codes.context("cac:TaxCategory/cbc:ID")
LINE_TAX_CATEGORY_CODE: Context = codes.context("cac:ClassifiedTaxCategory/cbc:ID")
REASON: Switch = codes.switch("cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", key=kind_above)
ALLOWANCE_REASON: Context = REASON.case(ALLOWANCE)
CHARGE_REASON: Context = REASON.case(CHARGE)
STANDARD_ID: Context = codes.context("cac:StandardItemIdentification/cbc:ID")
EXEMPTION_CODE: Context = codes.context("cbc:TaxExemptionReasonCode")
QUANTITY: Context = codes.context(
    "cbc:InvoicedQuantity", "cbc:BaseQuantity", "cbc:CreditedQuantity"
)
ATTACHMENT: Context = codes.context("cbc:EmbeddedDocumentBinaryObject")
ENDPOINT: Context = codes.context("cbc:EndpointID")
DELIVERY_LOCATION: Context = codes.context("cac:DeliveryLocation/cbc:ID")
