"""The contexts of PINT OM in the official order; two patterns."""

from __future__ import annotations

from einvoice.rules.book import Condition, Context, Pattern
from einvoice.rules.node import Node
from einvoice.rules.pint.base import BUYER, SELLER
from einvoice.rules.pint.conditions import LINES
from einvoice.rules.ubl_paths import AMOUNTS
from einvoice.rules.view import View

_VAT_ID = "cac:PartyTaxScheme/cbc:CompanyID"
_DOCUMENTS = ("ubl:Invoice", "cn:CreditNote")


def _below(path: str) -> tuple[str, str]:
    return f"ubl:Invoice/{path}", f"cn:CreditNote/{path}"


def _indicated(indicator: str) -> Condition:
    """The condition that an indicator is written so."""
    return lambda adjustment, _: indicator in adjustment.texts("cbc:ChargeIndicator")


def _is_vat_number(number: Node, _: View) -> bool:
    return "VAT" in number.up(1).texts("cac:TaxScheme/cbc:ID")


def _in_three_decimals(amount: Node, _: View) -> bool:
    """Whether an amount may have three decimals: any but those of the totals of the document."""
    above = amount.up(1)
    if amount.name == "cbc:DocumentDescription":
        return "PM_TOTAL" in above.texts("cbc:DocumentTypeCode")
    if amount.name in ("cbc:Amount", "cbc:BaseAmount", "cbc:PriceAmount"):
        return True
    if above.name == "cac:TaxTotal" and amount.name == "cbc:TaxAmount":
        return above.up(1).name not in _DOCUMENTS
    return above.name != "cac:LegalMonetaryTotal"


def _named(scheme: str) -> Condition:
    """The condition that the scheme of an identifier has this name."""
    return lambda identifier, _: identifier.attributes.get("schemeName") == scheme


def _has_name(identifier: Node, _: View) -> bool:
    return "schemeName" in identifier.attributes


def _has_kind(code: Node, _: View) -> bool:
    return "name" in code.attributes


def _of_tariff(code: Node, _: View) -> bool:
    return code.attributes.get("listID") == "HS"


def _of_item_type(code: Node, _: View) -> bool:
    return "MP" in code.up(1).attributes_at("cbc:ID", "schemeName")


_model = Pattern()
DOCUMENT: Context = _model.context(*_DOCUMENTS)
DATE: Context = _model.context("cbc:ReceivedDate", "cbc:InstallmentDueDate", "cbc:DueDate")
AMOUNT: Context = _model.context(
    *AMOUNTS,
    "cac:TaxTotal/cbc:TaxAmount",
    "cac:TaxTotal/cbc:TaxableAmount",
    "cac:TaxTotal/cac:TaxSubtotal/cbc:TaxAmount",
    "cac:TaxTotal/cac:TaxSubtotal/cbc:TaxableAmount",
    "cac:AdditionalDocumentReference/cbc:DocumentDescription",
    when=_in_three_decimals,
)
SUBTOTAL: Context = _model.context(*_below("cac:TaxTotal/cac:TaxSubtotal"))
CHARGE: Context = _model.context(*_below("cac:AllowanceCharge"), when=_indicated("true"))
ALLOWANCE: Context = _model.context(*_below("cac:AllowanceCharge"), when=_indicated("false"))
OTHER_ADJUSTMENT: Context = _model.context(*_below("cac:AllowanceCharge"))
LINE_ADJUSTMENT: Context = _model.context(
    "ubl:Invoice/cac:InvoiceLine/cac:AllowanceCharge",
    "cn:CreditNote/cac:CreditNoteLine/cac:AllowanceCharge",
)
RATE: Context = _model.context("cbc:Percent")
VAT_NUMBER: Context = _model.context(
    f"{SELLER}/{_VAT_ID}", f"{BUYER}/{_VAT_ID}", f"{SELLER}/cac:AgentParty/{_VAT_ID}",
    when=_is_vat_number,
)  # fmt: skip
TAXED: Context = _model.context(
    "cac:ClassifiedTaxCategory", "cac:TaxCategory", "cac:PartyTaxScheme"
)
LINE: Context = _model.context(*LINES)

_codes = Pattern()
CORRECTION: Context = _codes.context(
    "cac:BillingReference/cac:InvoiceDocumentReference/cbc:DocumentStatusCode"
)
KIND: Context = _codes.context("cbc:InvoiceTypeCode", "cbc:CreditNoteTypeCode", when=_has_kind)
CATEGORY: Context = _codes.context("cac:TaxCategory/cbc:ID", "cac:ClassifiedTaxCategory/cbc:ID")
REASON: Context = _codes.context(
    "cac:TaxCategory/cbc:TaxExemptionReasonCode",
    "cac:ClassifiedTaxCategory/cbc:TaxExemptionReasonCode",
)
PARTY_ID: Context = _codes.context(
    f"{SELLER}/cac:PartyIdentification/cbc:ID", f"{BUYER}/cac:PartyIdentification/cbc:ID",
    when=_has_name,
)  # fmt: skip
_SPECIFICATION = "cac:Item/cac:ItemSpecificationDocumentReference"
ITEM_TYPE: Context = _codes.context(f"{_SPECIFICATION}/cbc:DocumentTypeCode", when=_of_item_type)
TARIFF: Context = _codes.context(
    "cac:Item/cac:CommodityClassification/cbc:ItemClassificationCode", when=_of_tariff
)
ACTIVITY: Context = _codes.context(
    "cac:Item/cac:AdditionalItemIdentification/cbc:ID", when=_named("CC")
)
INCOTERM: Context = _codes.context("cac:Delivery/cac:DeliveryTerms/cbc:ID")
MARGIN_GOODS: Context = _codes.context("cac:AdditionalItemProperty/cbc:NameCode")
SERVICE: Context = _codes.context(f"{_SPECIFICATION}/cbc:ID", when=_named("MP"))
ZONE: Context = _codes.context(
    f"{SELLER}/cac:PostalAddress/cbc:CountrySubentityCode",
    f"{BUYER}/cac:PostalAddress/cbc:CountrySubentityCode",
)
