"""The contexts of the Saudi rules, in the official order; each pattern is one of theirs."""

from __future__ import annotations

from einvoice.rules.book import Pattern
from einvoice.rules.en16931.ubl.conditions import is_vat, kind
from einvoice.rules.node import Node
from einvoice.rules.ubl_paths import AMOUNTS
from einvoice.rules.values import normalized
from einvoice.rules.view import View
from einvoice_zatca.rules.conditions import BUYER, PARTY_ID, SELLER, VAT_ID, category, type_name

_CATEGORY = "cac:TaxTotal/cac:TaxSubtotal/cac:TaxCategory"
_LINE = "/ubl:Invoice/cac:InvoiceLine"
_ITEM_CATEGORY = "cac:Item/cac:ClassifiedTaxCategory"
CATEGORIES = (
    f"/ubl:Invoice/{_CATEGORY}/cbc:ID",
    f"{_LINE}/{_CATEGORY}/cbc:ID",
    "/ubl:Invoice/cac:AllowanceCharge/cac:TaxCategory/cbc:ID",
    f"{_LINE}/{_ITEM_CATEGORY}/cbc:ID",
)


def _of_education_or_health(node: Node, _: View) -> bool:
    codes = ("VATEX-SA-EDU", "VATEX-SA-HEA")
    return any(text in codes for text in node.texts("cbc:TaxExemptionReasonCode"))


def _is_previous(node: Node, _: View) -> bool:
    return node.parent is not None and normalized(node.parent.text_of("cbc:ID")) == "PIH"


def _is_untaxed(node: Node, _: View) -> bool:
    return category(node) in ("Z", "E", "O")


def _is_saudi(node: Node, _: View) -> bool:
    return "SA" in node.texts("cbc:IdentificationCode")


def _is_correction(node: Node, _: View) -> bool:
    return any(text in ("381", "383") for text in node.texts("cbc:InvoiceTypeCode"))


def _is_standard_type(node: Node, _: View) -> bool:
    return type_name(node)[:2] == "01"


def _is_simplified_type(node: Node, _: View) -> bool:
    return type_name(node)[:2] == "02"


def _is_either_type(node: Node, _: View) -> bool:
    return type_name(node)[:2] in ("01", "02")


def _is_standard_invoice(node: Node, view: View) -> bool:
    return _is_standard_type(node, view) and "388" in view.root.texts("cbc:InvoiceTypeCode")


def _is_export(node: Node, _: View) -> bool:
    return type_name(node)[4:5] == "1"


def _is_standard_rated(node: Node, _: View) -> bool:
    if category(node) != "S" or not is_vat(node):
        return False
    above = node.parent
    return above is None or above.name != "cac:AllowanceCharge" or kind(above) is not None


def _has_amounts(node: Node, _: View) -> bool:
    return node.has("cbc:BaseAmount")


def _of_vat(node: Node, view: View) -> bool:
    numbers = view.root.has(f"{SELLER}/{VAT_ID}")
    return numbers and "VAT" in node.texts("cbc:ID")


_main = Pattern()
EITHER_PARTY = _main.context("cac:AccountingSupplierParty", "cac:AccountingCustomerParty")
DOCUMENT = _main.context("/ubl:Invoice", "/cn:CreditNote")
LINE = _main.context(_LINE)
RELIEVED = _main.context(_CATEGORY, when=_of_education_or_health)
ISSUE_DATE = _main.context("cbc:IssueDate")
TYPE = _main.context("cbc:InvoiceTypeCode")
BUYER_ID = _main.context(f"{BUYER}/{PARTY_ID}")
SELLER_ADDRESS = _main.context(f"{SELLER}/cac:PostalAddress")
PREVIOUS = _main.context("cac:AdditionalDocumentReference/cac:Attachment", when=_is_previous)
ATTACHMENT = _main.context("cac:AdditionalDocumentReference/cac:Attachment")
LATEST_DELIVERY = _main.context("cac:Delivery/cbc:LatestDeliveryDate")
SELLER_PARTY = _main.context(SELLER)
SELLER_SCHEME = _main.context(f"{SELLER}/cac:PartyTaxScheme/cac:TaxScheme", when=_of_vat)
BUYER_PARTY = _main.context(BUYER)
LINE_TAX = _main.context("cac:InvoiceLine/cac:TaxTotal")
CATEGORY_CODE = _main.context(*CATEGORIES)
UNTAXED = _main.context(f"/*/{_CATEGORY}", when=_is_untaxed)
EXCHANGE = _main.context(
    "/ubl:Invoice/cac:TaxExchangeRate", "cbc:DocumentCurrencyCode", "cbc:TaxCurrencyCode"
)

_buyer = Pattern()
BUYER_IDENTIFIED = _buyer.context(BUYER)
SAUDI_BUYER = _buyer.context(f"{BUYER}/cac:PostalAddress/cac:Country", when=_is_saudi)

EITHER_TYPE = Pattern().context("cbc:InvoiceTypeCode", when=_is_either_type)
STANDARD_INVOICE = Pattern().context("cbc:InvoiceTypeCode", when=_is_standard_invoice)
CORRECTION = Pattern().context("/ubl:Invoice", when=_is_correction)
SIMPLIFIED_TYPE = Pattern().context("cbc:InvoiceTypeCode", when=_is_simplified_type)
EXPORT = Pattern().context("cbc:InvoiceTypeCode", when=_is_export)
_numbers = Pattern()
BUYER_VAT_ID = _numbers.context(f"{BUYER}/{VAT_ID}")
BUYER_CONTACT = _numbers.context(f"{BUYER}/cac:Contact")

_decimals = Pattern()
ADJUSTED = _decimals.context("/ubl:Invoice")
PERCENT = _decimals.context(
    "cac:AllowanceCharge/cac:TaxCategory/cbc:Percent",
    f"{_CATEGORY}/cbc:Percent",
    f"cac:InvoiceLine/{_ITEM_CATEGORY}/cbc:Percent",
)
LINE_DECIMALS = _decimals.context("cac:InvoiceLine")

# Officially of attributes, so that amounts have a pattern of their own.
CURRENCY = Pattern().context(
    "cbc:DocumentCurrencyCode",
    "cac:InvoiceLine/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    "cac:InvoiceLine/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
    "cac:LegalMonetaryTotal/cbc:PayableRoundingAmount",
)
_codes = Pattern()
AMOUNT = _codes.context(
    *AMOUNTS,
    "ubl:Invoice/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
    "ubl:Invoice/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    "cac:InvoiceLine/cac:TaxTotal/cbc:TaxAmount",
    "cac:InvoiceLine/cac:TaxTotal/cbc:RoundingAmount",
    "cac:InvoiceLine/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    "cac:InvoiceLine/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
)
EMBEDDED = _codes.context(
    "cac:AdditionalDocumentReference/cac:Attachment/cbc:EmbeddedDocumentBinaryObject"
)
UNTAXED_CODES = _codes.context(f"ubl:Invoice/{_CATEGORY}", when=_is_untaxed)
STANDARD_RATED = _codes.context(
    "cac:AllowanceCharge/cac:TaxCategory",
    _CATEGORY,
    f"cac:InvoiceLine/{_ITEM_CATEGORY}",
    when=_is_standard_rated,
)

_formats = Pattern()
DATE = _formats.context(
    "cbc:IssueDate",
    "cbc:DueDate",
    "cac:Delivery/cbc:ActualDeliveryDate",
    "cac:Delivery/cbc:LatestDeliveryDate",
    "cbc:TaxPointDate",
)
PREPAYMENT_TIME = _formats.context("cac:InvoiceLine/cac:DocumentReference/cbc:IssueTime")
_TOTALS = "ubl:Invoice/cac:LegalMonetaryTotal"
_LINES = "ubl:Invoice/cac:InvoiceLine"
NOT_NEGATIVE = _formats.context(
    "ubl:Invoice/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
    *(f"ubl:Invoice/cac:AllowanceCharge/cbc:{name}" for name in ("Amount", "BaseAmount")),
    "ubl:Invoice/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    *(
        f"{_TOTALS}/cbc:{name}Amount"
        for name in (
            "LineExtension",
            "TaxExclusive",
            "TaxInclusive",
            "AllowanceTotal",
            "ChargeTotal",
            "Prepaid",
        )
    ),
    "ubl:Invoice/cac:TaxTotal/cbc:TaxAmount",
    *(f"{_LINES}/cac:AllowanceCharge/cbc:{name}" for name in ("Amount", "BaseAmount")),
    f"{_LINES}/cac:TaxTotal/cbc:TaxAmount",
    f"{_LINES}/cac:Price/cbc:PriceAmount",
    *(f"{_LINES}/cac:Price/cac:AllowanceCharge/cbc:{name}" for name in ("Amount", "BaseAmount")),
    f"{_LINES}/cbc:InvoicedQuantity",
    f"{_LINES}/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
    f"{_LINES}/cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    "ubl:Invoice/cac:TaxExchangeRate/cbc:CalculationRate",
)

_core = Pattern()
INVOICE = _core.context("/ubl:Invoice")
TAX_CURRENCY = _core.context("cbc:TaxCurrencyCode")
ADJUSTMENT_BASE = _core.context(
    "/ubl:Invoice/cac:AllowanceCharge", f"{_LINE}/cac:AllowanceCharge", when=_has_amounts
)
BASE = _core.context(
    "ubl:Invoice/cac:AllowanceCharge/cbc:BaseAmount",
    "cac:InvoiceLine/cac:AllowanceCharge/cbc:BaseAmount",
)
FACTOR = _core.context("cac:AllowanceCharge/cbc:MultiplierFactorNumeric")
PRICE_ALLOWANCE = _core.context("cac:InvoiceLine/cac:Price/cac:AllowanceCharge")
CORE_LINE = _core.context("cac:InvoiceLine")
BASE_QUANTITY = _core.context("cac:InvoiceLine/cac:Price/cbc:BaseQuantity")
GROSS_PRICE = Pattern().context("cac:InvoiceLine/cac:Price/cac:AllowanceCharge/cbc:BaseAmount")
