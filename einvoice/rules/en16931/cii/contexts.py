"""The contexts of the CEN rules for CII, in the official order.

Three patterns: requirements of the semantic model, use of CII, codes. In each, only the first
context that matches a node applies. So the rules of `BREAKDOWN` do not apply to the breakdown of
categories L, M and O, and the type code of a document is only a `TYPE_CODE`.
"""

from __future__ import annotations

from einvoice.rules import cii_paths
from einvoice.rules.book import Pattern
from einvoice.rules.cii_paths import AGREEMENT, DELIVERY, INVOICE, SETTLEMENT
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
_MEANS = "ram:SpecifiedTradeSettlementPaymentMeans"
_LINE = f"{INVOICE}/{cii_paths.LINE}"

model = Pattern()
CLASSIFICATION = model.context("ram:DesignatedProductClassification")
SUPPORTING_DOCUMENT = model.context("ram:AdditionalReferencedDocument")
CARD = model.context("ram:ApplicableTradeSettlementFinancialCard")
TRANSFER_ACCOUNT = model.context(
    f"{_MEANS}/ram:PayeePartyCreditorFinancialAccount", when=when.credit_transfer
)
HEADER_DELIVERY = model.context(f"{INVOICE}/{DELIVERY}")
_ADJUSTMENT = f"ram:ApplicableHeaderTradeSettlement/{_INDICATOR}"
ALLOWANCE = model.context(
    _ADJUSTMENT, when=when.indicator_text("false"), fast_path=plain_taxed_adjustment
)
CHARGE = model.context(
    _ADJUSTMENT, when=when.indicator_text("true"), fast_path=plain_taxed_adjustment
)
TOTALS = model.context(SUMMATION)
DOCUMENT = model.context(INVOICE)
LINE = model.context("ram:IncludedSupplyChainTradeLineItem", fast_path=plain_line)
_LINE_ADJUSTMENT = f"ram:SpecifiedLineTradeSettlement/{_INDICATOR}"
LINE_ALLOWANCE = model.context(
    _LINE_ADJUSTMENT, when=when.indicator_text("false"), fast_path=plain_adjustment
)
LINE_CHARGE = model.context(
    _LINE_ADJUSTMENT, when=when.indicator_text("true"), fast_path=plain_adjustment
)
LINE_PERIOD = model.context("ram:SpecifiedLineTradeSettlement/ram:BillingSpecifiedPeriod")
PERIOD = model.context("ram:ApplicableHeaderTradeSettlement/ram:BillingSpecifiedPeriod")
CHARACTERISTIC = model.context("ram:ApplicableProductCharacteristic")
PAYEE = model.context("ram:PayeeTradeParty")
PAYMENT_MEANS = model.context(_MEANS)
PRECEDING_INVOICE = model.context(f"{INVOICE}/{SETTLEMENT}/ram:InvoiceReferencedDocument")
SELLER = model.context("ram:SellerTradeParty")
REPRESENTATIVE = model.context("ram:SellerTaxRepresentativeTradeParty")
VAT_TOTAL = model.context(f"{SUMMATION}/ram:TaxTotalAmount", when=when.in_invoice_currency)
VAT_NUMBER = model.context("ram:SpecifiedTaxRegistration/ram:ID", when=when.vat_number)
# The contexts of the nine VAT categories differ only in the code: a switch compares it once.
BREAKDOWN_GROUP = model.switch(f"rsm:SupplyChainTradeTransaction/{_TAX}", key=when.group_category)
BREAKDOWN_CODE = model.switch(
    f"rsm:SupplyChainTradeTransaction/{_TAX}/ram:CategoryCode", key=when.vat_code
)
RATED_CODE = model.switch(f"{_TAX}/ram:CategoryCode", key=when.rated_code)
ALLOWANCE_TAX = model.switch(_ALLOWANCE_TAX, key=when.category, when=when.on_allowance)
CHARGE_TAX = model.switch(_ALLOWANCE_TAX, key=when.category, when=when.on_charge)
LINE_TAX = model.switch(_LINE_TAX, key=when.category)
BREAKDOWN = model.context(_TAX)

usage = Pattern()
MEANS_USE = usage.context(_MEANS)
PROCESS = usage.context(f"{INVOICE}/rsm:ExchangedDocumentContext")
HEADER = usage.context(f"{INVOICE}/rsm:ExchangedDocument")
NOTE = usage.context(f"{INVOICE}/rsm:ExchangedDocument/ram:IncludedNote")
LINE_USE = usage.context(_LINE)
LINE_DOCUMENT = usage.context(f"{_LINE}/ram:AssociatedDocumentLineDocument")
PRODUCT = usage.context(f"{_LINE}/ram:SpecifiedTradeProduct")
PRODUCT_CHARACTERISTIC = usage.context(
    f"{_LINE}/ram:SpecifiedTradeProduct/ram:ApplicableProductCharacteristic"
)
LINE_AGREEMENT = usage.context(f"{_LINE}/ram:SpecifiedLineTradeAgreement")
ALLOWANCE_USE = usage.context("ram:SpecifiedTradeAllowanceCharge")
PRICE_ALLOWANCE = usage.context("ram:GrossPriceProductTradePrice/ram:AppliedTradeAllowanceCharge")
LINE_DELIVERY = usage.context(f"{_LINE}/ram:SpecifiedLineTradeDelivery")
LINE_SETTLEMENT = usage.context(f"{_LINE}/ram:SpecifiedLineTradeSettlement")
AGREEMENT_USE = usage.context(f"{INVOICE}/{AGREEMENT}")
DELIVERY_USE = usage.context(f"{INVOICE}/{DELIVERY}")
SETTLEMENT_USE = usage.context(f"{INVOICE}/{SETTLEMENT}")
TOTALS_USE = usage.context(f"{INVOICE}/{SETTLEMENT}/{SUMMATION}")
DOCUMENT_USE = usage.context(INVOICE)
PROCESS_PARAMETER = usage.context("*DocumentContextParameter")
PLAIN_ID = usage.context(
    f"{INVOICE}/rsm:ExchangedDocumentContext/ram:GuidelineSpecifiedDocumentContextParameter/ram:ID",
    f"{INVOICE}/rsm:ExchangedDocument/ram:ID",
    f"{_LINE}/ram:AssociatedDocumentLineDocument/ram:LineID",
    f"{_LINE}/ram:SpecifiedTradeProduct/ram:SellerAssignedID",
)
ANY_ID = usage.context("ram:*ID")
TYPE_CODE = usage.context("ram:TypeCode")
DOCUMENT_TYPE_CODE = usage.context(f"{INVOICE}/rsm:ExchangedDocument/ram:TypeCode")
LINE_CATEGORY_CODE = usage.context(
    f"{_LINE}/ram:SpecifiedLineTradeSettlement/ram:ApplicableTradeTax/ram:CategoryCode"
)
REFERENCE = usage.context("ram:*ReferencedDocument")
TAX_TOTAL_AMOUNT = usage.context("ram:TaxTotalAmount")  # without rules: it shadows AMOUNT
AMOUNT = usage.context("ram:*Amount")
QUANTITY = usage.context("ram:*Quantity")
ANY_TAX = usage.context("ram:*TradeTax")
ANY_PERIOD = usage.context("ram:BillingSpecifiedPeriod")
ADDRESS = usage.context("ram:PostalTradeAddress")
DATE = usage.context("udt:DateTimeString", when=when.day_format)

# Some official contexts also require the attribute with the code. No other context of the pattern
# matches the same elements, so the checks test for it instead.
codes = Pattern()
INVOICE_TYPE = codes.context("rsm:ExchangedDocument/ram:TypeCode")
TAX_TOTAL_CURRENCY = codes.context("ram:TaxTotalAmount")
CURRENCY = codes.context("ram:InvoiceCurrencyCode")
TAX_CURRENCY = codes.context("ram:TaxCurrencyCode")
TAX_POINT_CODE = codes.context("ram:DueDateTypeCode")
INVOICED_OBJECT = codes.context("ram:ReferenceTypeCode")
NOTE_SUBJECT = codes.context("ram:SubjectCode")
PARTY_ID = codes.context("ram:GlobalID", when=when.party_id)
LEGAL_ID = codes.context("ram:ID", when=when.legal_id)
CLASS_CODE = codes.context("ram:ClassCode")
COUNTRY = codes.context("ram:CountryID")
ORIGIN_COUNTRY = codes.context("ram:OriginTradeCountry/ram:ID")
MEANS_CODE = codes.context(f"{_MEANS}/ram:TypeCode")
ALLOWANCE_CATEGORY = codes.context("ram:CategoryTradeTax/ram:CategoryCode")
TAX_CATEGORY = codes.context("ram:ApplicableTradeTax/ram:CategoryCode")
ALLOWANCE_REASON = codes.context(
    "ram:SpecifiedTradeAllowanceCharge/ram:ReasonCode", when=when.on_allowance
)
CHARGE_REASON = codes.context(
    "ram:SpecifiedTradeAllowanceCharge/ram:ReasonCode", when=when.on_charge
)
STANDARD_ID = codes.context("ram:SpecifiedTradeProduct/ram:GlobalID", when=when.has("schemeID"))
EXEMPTION_CODE = codes.context("ram:ExemptionReasonCode")
UNIT = codes.context("ram:BasisQuantity", "ram:BilledQuantity")
ATTACHMENT = codes.context("ram:AttachmentBinaryObject", when=when.has("mimeCode"))
ENDPOINT = codes.context("ram:URIUniversalCommunication/ram:URIID")
DELIVERY_LOCATION = codes.context(
    "ram:ApplicableHeaderTradeDelivery/ram:ShipToTradeParty/ram:GlobalID", when=when.has("schemeID")
)
