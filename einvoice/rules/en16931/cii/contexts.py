"""The contexts of the CEN rules for CII, in the official order.

Three patterns: requirements of the semantic model, use of CII, codes. In each, only the first
context that matches a node applies. So the rules of `BREAKDOWN` do not apply to the breakdown of
categories L, M and O, and the type code of a document is only a `TYPE_CODE`.
"""

from __future__ import annotations

from einvoice.rules import cii_paths
from einvoice.rules.book import Context, Pattern, Switch
from einvoice.rules.cii_paths import AGREEMENT, DELIVERY, INVOICE, MEANS, SETTLEMENT
from einvoice.rules.en16931.cii import conditions as when
from einvoice.rules.en16931.cii.fast_path import (
    plain_adjustment,
    plain_line,
    plain_taxed_adjustment,
)
from einvoice.rules.en16931.cii.paths import SUMMATION

_INDICATOR = "ram:SpecifiedTradeAllowanceCharge/ram:ChargeIndicator"
_LINE_TAX = (
    "rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem"
    "/ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax"
)
_TAX = "ram:ApplicableHeaderTradeSettlement/ram:ApplicableTradeTax"
_ALLOWANCE_TAX = "ram:SpecifiedTradeAllowanceCharge/ram:CategoryTradeTax"
_LINE = f"{INVOICE}/{cii_paths.LINE}"

model = Pattern()
CLASSIFICATION: Context = model.context("ram:DesignatedProductClassification")
SUPPORTING_DOCUMENT: Context = model.context("ram:AdditionalReferencedDocument")
CARD: Context = model.context("ram:ApplicableTradeSettlementFinancialCard")
TRANSFER_ACCOUNT: Context = model.context(
    f"{MEANS}/ram:PayeePartyCreditorFinancialAccount", when=when.credit_transfer
)
HEADER_DELIVERY: Context = model.context(f"{INVOICE}/{DELIVERY}")
_ADJUSTMENT = f"ram:ApplicableHeaderTradeSettlement/{_INDICATOR}"
ALLOWANCE: Context = model.context(
    _ADJUSTMENT, when=when.indicator_text("false"), fast_path=plain_taxed_adjustment
)
CHARGE: Context = model.context(
    _ADJUSTMENT, when=when.indicator_text("true"), fast_path=plain_taxed_adjustment
)
TOTALS: Context = model.context(SUMMATION)
DOCUMENT: Context = model.context(INVOICE)
LINE: Context = model.context("ram:IncludedSupplyChainTradeLineItem", fast_path=plain_line)
_LINE_ADJUSTMENT = f"ram:SpecifiedLineTradeSettlement/{_INDICATOR}"
LINE_ALLOWANCE: Context = model.context(
    _LINE_ADJUSTMENT, when=when.indicator_text("false"), fast_path=plain_adjustment
)
LINE_CHARGE: Context = model.context(
    _LINE_ADJUSTMENT, when=when.indicator_text("true"), fast_path=plain_adjustment
)
LINE_PERIOD: Context = model.context("ram:SpecifiedLineTradeSettlement/ram:BillingSpecifiedPeriod")
PERIOD: Context = model.context("ram:ApplicableHeaderTradeSettlement/ram:BillingSpecifiedPeriod")
CHARACTERISTIC: Context = model.context("ram:ApplicableProductCharacteristic")
PAYEE: Context = model.context("ram:PayeeTradeParty")
PAYMENT_MEANS: Context = model.context(MEANS)
PRECEDING_INVOICE: Context = model.context(f"{INVOICE}/{SETTLEMENT}/ram:InvoiceReferencedDocument")
SELLER: Context = model.context("ram:SellerTradeParty")
REPRESENTATIVE: Context = model.context("ram:SellerTaxRepresentativeTradeParty")
VAT_TOTAL: Context = model.context(f"{SUMMATION}/ram:TaxTotalAmount", when=when.in_invoice_currency)
VAT_NUMBER: Context = model.context("ram:SpecifiedTaxRegistration/ram:ID", when=when.vat_number)
# The contexts of the nine VAT categories differ only in the code: a switch compares it once.
BREAKDOWN_GROUP: Switch = model.switch(
    f"rsm:SupplyChainTradeTransaction/{_TAX}", key=when.group_category
)
BREAKDOWN_CODE: Switch = model.switch(
    f"rsm:SupplyChainTradeTransaction/{_TAX}/ram:CategoryCode", key=when.vat_code
)
RATED_CODE: Switch = model.switch(f"{_TAX}/ram:CategoryCode", key=when.rated_code)
ALLOWANCE_TAX: Switch = model.switch(_ALLOWANCE_TAX, key=when.category, when=when.on_allowance)
CHARGE_TAX: Switch = model.switch(_ALLOWANCE_TAX, key=when.category, when=when.on_charge)
LINE_TAX: Switch = model.switch(_LINE_TAX, key=when.category)
BREAKDOWN: Context = model.context(_TAX)

usage = Pattern()
MEANS_USE: Context = usage.context(MEANS)
PROCESS: Context = usage.context(f"{INVOICE}/rsm:ExchangedDocumentContext")
HEADER: Context = usage.context(f"{INVOICE}/rsm:ExchangedDocument")
NOTE: Context = usage.context(f"{INVOICE}/rsm:ExchangedDocument/ram:IncludedNote")
LINE_USE: Context = usage.context(_LINE)
LINE_DOCUMENT: Context = usage.context(f"{_LINE}/ram:AssociatedDocumentLineDocument")
PRODUCT: Context = usage.context(f"{_LINE}/ram:SpecifiedTradeProduct")
PRODUCT_CHARACTERISTIC: Context = usage.context(
    f"{_LINE}/ram:SpecifiedTradeProduct/ram:ApplicableProductCharacteristic"
)
LINE_AGREEMENT: Context = usage.context(f"{_LINE}/ram:SpecifiedLineTradeAgreement")
ALLOWANCE_USE: Context = usage.context("ram:SpecifiedTradeAllowanceCharge")
PRICE_ALLOWANCE: Context = usage.context(
    "ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge"
)
LINE_DELIVERY: Context = usage.context(f"{_LINE}/ram:SpecifiedLineTradeDelivery")
LINE_SETTLEMENT: Context = usage.context(f"{_LINE}/ram:SpecifiedLineTradeSettlement")
AGREEMENT_USE: Context = usage.context(f"{INVOICE}/{AGREEMENT}")
DELIVERY_USE: Context = usage.context(f"{INVOICE}/{DELIVERY}")
SETTLEMENT_USE: Context = usage.context(f"{INVOICE}/{SETTLEMENT}")
TOTALS_USE: Context = usage.context(f"{INVOICE}/{SETTLEMENT}/{SUMMATION}")
DOCUMENT_USE: Context = usage.context(INVOICE)
PROCESS_PARAMETER: Context = usage.context("*DocumentContextParameter")
PLAIN_ID: Context = usage.context(
    f"{INVOICE}/rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID",
    f"{INVOICE}/rsm:ExchangedDocument/ram:ID",
    f"{_LINE}/ram:AssociatedDocumentLineDocument/ram:LineID",
    f"{_LINE}/ram:SpecifiedTradeProduct/ram:SellerAssignedID",
)
ANY_ID: Context = usage.context("ram:*ID")
TYPE_CODE: Context = usage.context("ram:TypeCode")
DOCUMENT_TYPE_CODE: Context = usage.context(f"{INVOICE}/rsm:ExchangedDocument/ram:TypeCode")
LINE_CATEGORY_CODE: Context = usage.context(
    f"{_LINE}/ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax/ram:CategoryCode"
)
REFERENCE: Context = usage.context("ram:*ReferencedDocument")
TAX_TOTAL_AMOUNT: Context = usage.context("ram:TaxTotalAmount")  # without rules: it shadows AMOUNT
AMOUNT: Context = usage.context("ram:*Amount")
QUANTITY: Context = usage.context("ram:*Quantity")
ANY_TAX: Context = usage.context("ram:*TradeTax")
ANY_PERIOD: Context = usage.context("ram:BillingSpecifiedPeriod")
ADDRESS: Context = usage.context("ram:PostalTradeAddress")
DATE: Context = usage.context("udt:DateTimeString", when=when.day_format)

# Some official contexts also require the attribute with the code. No other context of the pattern
# matches the same elements, so the checks test for it instead.
codes = Pattern()
INVOICE_TYPE: Context = codes.context("rsm:ExchangedDocument/ram:TypeCode")
TAX_TOTAL_CURRENCY: Context = codes.context("ram:TaxTotalAmount")
CURRENCY: Context = codes.context("ram:InvoiceCurrencyCode")
TAX_CURRENCY: Context = codes.context("ram:TaxCurrencyCode")
TAX_POINT_CODE: Context = codes.context("ram:DueDateTypeCode")
INVOICED_OBJECT: Context = codes.context("ram:ReferenceTypeCode")
NOTE_SUBJECT: Context = codes.context("ram:SubjectCode")
PARTY_ID: Context = codes.context("ram:GlobalID", when=when.party_id)
LEGAL_ID: Context = codes.context("ram:ID", when=when.legal_id)
CLASS_CODE: Context = codes.context("ram:ClassCode")
COUNTRY: Context = codes.context("ram:CountryID")
ORIGIN_COUNTRY: Context = codes.context("ram:OriginTradeCountry/ram:ID")
MEANS_CODE: Context = codes.context(f"{MEANS}/ram:TypeCode")
ALLOWANCE_CATEGORY: Context = codes.context("ram:CategoryTradeTax/ram:CategoryCode")
TAX_CATEGORY: Context = codes.context("ram:ApplicableTradeTax/ram:CategoryCode")
ALLOWANCE_REASON: Context = codes.context(
    "ram:SpecifiedTradeAllowanceCharge/ram:ReasonCode", when=when.on_allowance
)
CHARGE_REASON: Context = codes.context(
    "ram:SpecifiedTradeAllowanceCharge/ram:ReasonCode", when=when.on_charge
)
STANDARD_ID: Context = codes.context(
    "ram:SpecifiedTradeProduct/ram:GlobalID", when=when.has("schemeID")
)
EXEMPTION_CODE: Context = codes.context("ram:ExemptionReasonCode")
UNIT: Context = codes.context("ram:BasisQuantity", "ram:BilledQuantity")
ATTACHMENT: Context = codes.context("ram:AttachmentBinaryObject", when=when.has("mimeCode"))
ENDPOINT: Context = codes.context("ram:URIUniversalCommunication/ram:URIID")
DELIVERY_LOCATION: Context = codes.context(
    "ram:ApplicableHeaderTradeDelivery/ram:ShipToTradeParty/ram:GlobalID", when=when.has("schemeID")
)
