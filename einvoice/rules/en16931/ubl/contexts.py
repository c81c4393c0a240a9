"""The contexts of the CEN rules for UBL, in the official order.

Three patterns: requirements of the semantic model, use of UBL, codes. In each, only the first
context that matches a node applies. So `TRANSFER_ACCOUNT` comes before `PAYMENT_MEANS`, and the
rules for the invoicing period do not apply to the period of a line.
"""

from __future__ import annotations

from einvoice.rules.book import Pattern
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

BOTH_DOCUMENTS = ("/ubl:Invoice", "/cn:CreditNote")


def _either(path: str) -> tuple[str, str]:
    return f"/ubl:Invoice/{path}", f"/cn:CreditNote/{path}"


def _lines(path: str = "") -> tuple[str, str]:
    return f"cac:InvoiceLine{path}", f"cac:CreditNoteLine{path}"


model = Pattern()
SUPPORTING_DOCUMENT = model.context("cac:AdditionalDocumentReference")
BUYER_ENDPOINT = model.context("cac:AccountingCustomerParty/cac:Party/cbc:EndpointID")
BUYER_ADDRESS = model.context("cac:AccountingCustomerParty/cac:Party/cac:PostalAddress")
CARD_NUMBER = model.context("cac:PaymentMeans/cac:CardAccount/cbc:PrimaryAccountNumberID")
DELIVERY_ADDRESS = model.context("cac:Delivery/cac:DeliveryLocation/cac:Address")
DOCUMENT_ADJUSTMENT = model.switch(*_either("cac:AllowanceCharge"), key=kind)
DOCUMENT_ALLOWANCE = DOCUMENT_ADJUSTMENT.case(ALLOWANCE)
DOCUMENT_CHARGE = DOCUMENT_ADJUSTMENT.case(CHARGE)
TOTALS = model.context("cac:LegalMonetaryTotal")
DOCUMENT = model.context(*BOTH_DOCUMENTS)
LINE = model.context(*_lines(), fast_path=plain_line)
LINE_ADJUSTMENT = model.switch(*_lines("/cac:AllowanceCharge"), key=kind)
LINE_ALLOWANCE = LINE_ADJUSTMENT.case(ALLOWANCE)
LINE_CHARGE = LINE_ADJUSTMENT.case(CHARGE)
LINE_PERIOD = model.context(*_lines("/cac:InvoicePeriod"))
PERIOD = model.context("cac:InvoicePeriod")
ITEM_ATTRIBUTE = model.context("cac:AdditionalItemProperty")
ITEM_CLASS = model.context(
    *_lines("/cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode")
)
ITEM_STANDARD_ID = model.context(*_lines("/cac:Item/cac:StandardItemIdentification/cbc:ID"))
NOTE = model.context(*_either("cbc:Note"))
PAYEE = model.context("cac:PayeeParty")
TRANSFER_ACCOUNT = model.context("cac:PaymentMeans/cac:PayeeFinancialAccount", when=credit_transfer)
PAYMENT_MEANS = model.context("cac:PaymentMeans")
PRECEDING_INVOICE = model.context("cac:BillingReference")
SELLER = model.context("cac:AccountingSupplierParty")
SELLER_ENDPOINT = model.context("cac:AccountingSupplierParty/cac:Party/cbc:EndpointID")
SELLER_ADDRESS = model.context("cac:AccountingSupplierParty/cac:Party/cac:PostalAddress")
REPRESENTATIVE = model.context("cac:TaxRepresentativeParty")
REPRESENTATIVE_ADDRESS = model.context("cac:TaxRepresentativeParty/cac:PostalAddress")
TAX_TOTAL = model.context(*_either("cac:TaxTotal"))
TAX_SUBTOTAL = model.context("cac:TaxTotal/cac:TaxSubtotal")
VAT_REGISTRATION = model.context("cac:PartyTaxScheme", when=vat_scheme)
# The contexts of the nine VAT categories differ only in the code: a switch compares it once.
BREAKDOWN_CATEGORY = model.switch("/*/cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory", key=category)
# Cases: (ALLOWANCE or CHARGE, code).
ADJUSTMENT_CATEGORY = model.switch("cac:AllowanceCharge/cac:TaxCategory", key=kind_and_category)
LINE_CATEGORY = model.switch(*_lines("/cac:Item/cac:ClassifiedTaxCategory"), key=category)

usage = Pattern()
ANY_ADDRESS = usage.context("cac:PostalAddress", "cac:Address")
SELLER_PARTY = usage.context("cac:AccountingSupplierParty/cac:Party")
SUPPORTING_DOCUMENT_USE = usage.context("cac:AdditionalDocumentReference")
usage.context("*PriceAmount")  # prices and their allowances may have more decimals
usage.context("cac:Price/cac:AllowanceCharge//*Amount")
AMOUNT = usage.context("*Amount")
BINARY_OBJECT = usage.context("*BinaryObject")
DELIVERY = usage.context("cac:Delivery")
ADJUSTMENT_USE = usage.switch("cac:AllowanceCharge", key=kind)
ALLOWANCE_USE = ADJUSTMENT_USE.case(ALLOWANCE)
CHARGE_USE = ADJUSTMENT_USE.case(CHARGE)
TAX_REGISTRATION = usage.context("cac:PartyTaxScheme")
DOCUMENT_USE = usage.context(*BOTH_DOCUMENTS)
LINE_USE = usage.context(*_lines())
PAYEE_USE = usage.context("cac:PayeeParty")
PAYMENT_MEANS_USE = usage.context("cac:PaymentMeans")
PRECEDING_INVOICE_USE = usage.context("cac:BillingReference")
REPRESENTATIVE_USE = usage.context("cac:TaxRepresentativeParty")
TAX_SUBTOTAL_USE = usage.context("cac:TaxSubtotal")

# Some official contexts also require the attribute with the code. No other context of the pattern
# matches the same elements, so the checks test for it instead.
codes = Pattern()
TYPE_CODE = codes.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
CODED_AMOUNT = codes.context(
    "cbc:Amount",
    "cbc:BaseAmount",
    "cbc:PriceAmount",
    "cbc:TaxAmount",
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
CURRENCY = codes.context("cbc:DocumentCurrencyCode")
TAX_CURRENCY = codes.context("cbc:TaxCurrencyCode")
TAX_POINT_CODE = codes.context("cac:InvoicePeriod/cbc:DescriptionCode")
INVOICED_OBJECT = codes.context(
    "cac:AdditionalDocumentReference/cbc:ID", "cac:DocumentReference/cbc:ID", when=invoiced_object
)
PARTY_ID = codes.context("cac:PartyIdentification/cbc:ID")
LEGAL_ID = codes.context("cac:PartyLegalEntity/cbc:CompanyID")
CLASSIFICATION = codes.context("cac:CommodityClassification/cbc:ItemClassificationCode")
COUNTRY = codes.context("cac:Country/cbc:IdentificationCode")
ORIGIN_COUNTRY = codes.context("cac:OriginCountry/cbc:IdentificationCode")
MEANS_CODE = codes.context("cac:PaymentMeans/cbc:PaymentMeansCode")
TAX_CATEGORY_CODE = codes.context("cac:TaxCategory/cbc:ID")
LINE_TAX_CATEGORY_CODE = codes.context("cac:ClassifiedTaxCategory/cbc:ID")
REASON = codes.switch("cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", key=kind_above)
ALLOWANCE_REASON = REASON.case(ALLOWANCE)
CHARGE_REASON = REASON.case(CHARGE)
STANDARD_ID = codes.context("cac:StandardItemIdentification/cbc:ID")
EXEMPTION_CODE = codes.context("cbc:TaxExemptionReasonCode")
QUANTITY = codes.context("cbc:InvoicedQuantity", "cbc:BaseQuantity", "cbc:CreditedQuantity")
ATTACHMENT = codes.context("cbc:EmbeddedDocumentBinaryObject")
ENDPOINT = codes.context("cbc:EndpointID")
DELIVERY_LOCATION = codes.context("cac:DeliveryLocation/cbc:ID")
