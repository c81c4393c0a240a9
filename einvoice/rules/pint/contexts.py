"""The contexts of the shared rules of PINT, in the official order; two patterns.

In the first, an empty element is reported only where no earlier context takes it
(`is_judged_before`), and later ones take no empty element.
"""

from __future__ import annotations

from einvoice.rules.book import BLANK, Context, Pattern, Switch
from einvoice.rules.en16931.ubl.conditions import (
    ALLOWANCE,
    CHARGE,
    invoiced_object,
    kind,
    kind_above,
)
from einvoice.rules.matching import applies
from einvoice.rules.node import Node
from einvoice.rules.pint.conditions import not_blank
from einvoice.rules.ubl_paths import AMOUNTS, DATES
from einvoice.rules.view import View

BOTH_DOCUMENTS = ("/ubl:Invoice", "/cn:CreditNote")
_SELLER = "cac:AccountingSupplierParty/cac:Party"
_BUYER = "cac:AccountingCustomerParty/cac:Party"
_SAME_RULE = {"9907": "0210", "9906": "0211"}


def _lines(path: str = "") -> tuple[str, str]:
    return f"cac:InvoiceLine{path}", f"cac:CreditNoteLine{path}"


def _scheme(identifier: Node) -> str:
    """The schemeID of an identifier, as written; that of the rule for both if two share one."""
    written = identifier.attributes.get("schemeID", "")
    return _SAME_RULE.get(written, written)


def _counts(amount: Node, view: View) -> bool:
    """Whether an amount is of no tax total, or of one in the invoice currency (BT-5)."""
    if amount.name not in ("cbc:TaxAmount", "cbc:TaxableAmount"):
        return True
    total = amount.up(1) if amount.up(1).name == "cac:TaxTotal" else amount.up(2)
    currencies = view.root.texts("cbc:DocumentCurrencyCode")
    return any(each in currencies for each in total.attributes_at("cbc:TaxAmount", "currencyID"))


def _is_first(node: Node, view: View) -> bool:
    return node.position == 1 and not_blank(node, view)


def _has_unit(quantity: Node, view: View) -> bool:
    return "unitCode" in quantity.attributes and not_blank(quantity, view)


model = Pattern()
IDENTIFIER: Switch = model.switch(
    "cbc:EndpointID", "cac:PartyIdentification/cbc:ID", "cbc:CompanyID", key=_scheme
)
SCHEMES: dict[str, Context] = {
    scheme: IDENTIFIER.case(scheme)
    for scheme in ("0088", "0007", "0192", "0184", "0208", "0201", "0210", "0211", "0151")
}
PRICE_ALLOWANCE: Context = model.context("cac:Price/cac:AllowanceCharge")
ADJUSTMENT_OF_KIND: Switch = model.switch("cac:AllowanceCharge", key=kind)
ALLOWANCE_USE: Context = ADJUSTMENT_OF_KIND.case(ALLOWANCE)
CHARGE_USE: Context = ADJUSTMENT_OF_KIND.case(CHARGE)
ADJUSTMENT: Context = model.context("cac:AllowanceCharge")
ADJUSTMENT_CATEGORY: Context = model.context("cac:AllowanceCharge/cac:TaxCategory")
SUPPORTING_DOCUMENT: Context = model.context("cac:AdditionalDocumentReference")
BUYER: Context = model.context(_BUYER)
BUYER_ENDPOINT: Context = model.context(f"{_BUYER}/cbc:EndpointID")
BUYER_ADDRESS: Context = model.context(f"{_BUYER}/cac:PostalAddress")
DELIVERY_ADDRESS: Context = model.context("cac:Delivery/cac:DeliveryLocation/cac:Address")
TOTALS: Context = model.context("cac:LegalMonetaryTotal")
DOCUMENT: Context = model.context(*BOTH_DOCUMENTS)
LINE: Context = model.context(*_lines())
LINE_PERIOD: Context = model.context(*_lines("/cac:InvoicePeriod"))
PERIOD: Context = model.context("cac:InvoicePeriod")
PROPERTY: Context = model.context("cac:AdditionalItemProperty")
CLASSIFICATION: Context = model.context(
    *_lines("/cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode")
)
STANDARD_ID: Context = model.context(*_lines("/cac:Item/cac:StandardItemIdentification/cbc:ID"))
LINE_CATEGORY: Context = model.context("cac:InvoiceLine/cac:Item/cac:ClassifiedTaxCategory")
PAYEE: Context = model.context("cac:PayeeParty")
BRANCH_ADDRESS: Context = model.context(
    "cac:PaymentMeans/cac:PayeeFinancialAccount/cac:FinancialInstitutionBranch/cac:Address"
)
PAYMENT_MEANS: Context = model.context("cac:PaymentMeans")
AMOUNT: Context = model.context(
    *AMOUNTS,
    "cac:TaxTotal/cbc:TaxAmount",
    "cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
    "cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    when=_counts,
)
PAYMENT_TERMS: Context = model.context("cac:PaymentTerms")
PRECEDING_INVOICE: Context = model.context("cac:BillingReference")
SELLER: Context = model.context(_SELLER)
SELLER_ENDPOINT: Context = model.context(f"{_SELLER}/cbc:EndpointID")
SELLER_ADDRESS: Context = model.context(f"{_SELLER}/cac:PostalAddress")
REPRESENTATIVE: Context = model.context("cac:TaxRepresentativeParty")
REPRESENTATIVE_ADDRESS: Context = model.context("cac:TaxRepresentativeParty/cac:PostalAddress")
TAX_TOTAL: Context = model.context("/ubl:Invoice/cac:TaxTotal", "/cn:CreditNote/cac:Taxtotal")
SUBTOTAL: Context = model.context("cac:TaxSubtotal")
REGISTRATION: Context = model.context("cac:PartyTaxScheme")
DATE: Context = model.context(*DATES)
TIME: Context = model.context("cbc:*Time")
BINARY_OBJECT: Context = model.context("*BinaryObject")
TAX_CURRENCY: Context = model.context("cbc:TaxCurrencyCode")
_BEFORE_EMPTY = tuple(model.contexts)
PRICE_QUANTITY: Context = model.context("cac:Price/cbc:BaseQuantity", when=_has_unit)
DESPATCH_OF_LINE: Context = model.context(
    *_lines("/cac:DespatchLineReference/cac:DocumentReference/cbc:ID"), when=not_blank
)
DESPATCH_LINE: Context = model.context(*_lines("/cac:DespatchLineReference"))
FIRST_PREPAYMENT: Context = model.context("cac:PrepaidPayment", when=_is_first)
DELIVERY: Context = model.context("cac:Delivery")

EMPTY: Context = Pattern().context(BLANK)


def is_judged_before(element: Node, view: View) -> bool:
    """Whether a context before that of empty elements takes an element."""
    return any(applies(context, element, view) for context in _BEFORE_EMPTY)


codes = Pattern()
TYPE_CODE: Context = codes.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode")
CODED_AMOUNT: Context = codes.context(*AMOUNTS, "cbc:TaxAmount", "cbc:TaxableAmount")
CURRENCY: Context = codes.context("cbc:DocumentCurrencyCode")
ACCOUNTING_CURRENCY: Context = codes.context("cbc:TaxCurrencyCode")
INVOICED_OBJECT: Context = codes.context(
    "cac:AdditionalDocumentReference/cbc:ID", "cac:DocumentReference/cbc:ID", when=invoiced_object
)
PARTY_ID: Context = codes.context("cac:PartyIdentification/cbc:ID")
LEGAL_ID: Context = codes.context("cac:PartyLegalEntity/cbc:CompanyID")
CLASS_CODE: Context = codes.context("cac:CommodityClassification/cbc:ItemClassificationCode")
COUNTRY: Context = codes.context("cac:Country/cbc:IdentificationCode")
ORIGIN_COUNTRY: Context = codes.context("cac:OriginCountry/cbc:IdentificationCode")
MEANS_CODE: Context = codes.context("cac:PaymentMeans/cbc:PaymentMeansCode")
REASON: Switch = codes.switch("cac:AllowanceCharge/cbc:AllowanceChargeReasonCode", key=kind_above)
ALLOWANCE_REASON: Context = REASON.case(ALLOWANCE)
CHARGE_REASON: Context = REASON.case(CHARGE)
STANDARD_SCHEME: Context = codes.context("cac:StandardItemIdentification/cbc:ID")
QUANTITY: Context = codes.context(
    "cbc:InvoicedQuantity", "cbc:BaseQuantity", "cbc:CreditedQuantity"
)
ATTACHMENT: Context = codes.context("cbc:EmbeddedDocumentBinaryObject")
ENDPOINT: Context = codes.context("cbc:EndpointID")
DELIVERY_LOCATION: Context = codes.context("cac:DeliveryLocation/cbc:ID")
