"""The contexts of the Peppol rules for CII, in the official order.

Two patterns: the billing rules and the restricted codes. Each country has a pattern of its own
(rules/national).
"""

from __future__ import annotations

from einvoice.rules.book import Condition, Context, Pattern, Switch
from einvoice.rules.cii_paths import MEANS
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii.fast_path import quantity_times_price
from einvoice.rules.values import normalized
from einvoice.rules.view import View

_ALLOWANCE = "ram:SpecifiedTradeAllowanceCharge"
_NET, _GROSS = "ram:NetPriceProductTradePrice", "ram:GrossPriceProductTradePrice"
_PERIOD = (
    "rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem"
    "/ram:SpecifiedLineTradeSettlement/ram:BillingSpecifiedPeriod"
)
INVOICE_PERIOD = "ram:ApplicableHeaderTradeSettlement/ram:BillingSpecifiedPeriod"


def _without_base(allowance: Node, _: View) -> bool:
    return allowance.has("ram:CalculationPercent") and not allowance.has("ram:BasisAmount")


def _without_percent(allowance: Node, _: View) -> bool:
    return allowance.has("ram:BasisAmount") and not allowance.has("ram:CalculationPercent")


def _direct_debit(means: Node, _: View) -> bool:
    return normalized(means.text_of("ram:TypeCode")) in ("49", "59")


def _in_started_invoice(start: Node, _: View) -> bool:
    return start.up(4).has(f"{INVOICE_PERIOD}/ram:StartDateTime")


def _in_ended_invoice(end: Node, _: View) -> bool:
    return end.up(4).has(f"{INVOICE_PERIOD}/ram:EndDateTime")


def _with_unit(quantity: Node, _: View) -> bool:
    return "unitCode" in quantity.attributes


def scheme(identifier: Node) -> str:
    """The schemeID of an identifier, as written; 9907 only of electronic addresses."""
    scheme = identifier.attributes.get("schemeID", "")
    return scheme if scheme != "9907" or identifier.name == "ram:URIID" else ""


def vat_registration_of(*prefixes: str) -> Condition:
    """The condition that a registration is one for VAT, with a number that begins so."""

    def condition(registration: Node, _: View) -> bool:
        numbers = registration.all("ram:ID")
        return any(each.attributes.get("schemeID") == "VA" for each in numbers) and normalized(
            registration.text_of("ram:ID")
        ).startswith(prefixes)

    return condition


billing = Pattern()
PROCESS: Context = billing.context("rsm:ExchangedDocumentContext")
AGREEMENT: Context = billing.context("ram:ApplicableHeaderTradeAgreement")
SETTLEMENT: Context = billing.context("ram:ApplicableHeaderTradeSettlement")
DOCUMENT: Context = billing.context("rsm:ExchangedDocument")
BUYER: Context = billing.context("ram:BuyerTradeParty")
SELLER: Context = billing.context("ram:SellerTradeParty")
PERCENT_ALONE: Context = billing.context(_ALLOWANCE, when=_without_base)
BASE_ALONE: Context = billing.context(_ALLOWANCE, when=_without_percent)
# Two official contexts that share a rule, the only one for an allowance of a price.
ALLOWANCE: Context = billing.context(_ALLOWANCE, "ram:AppliedTradeAllowanceCharge")
DIRECT_DEBIT: Context = billing.context(MEANS, when=_direct_debit)
LINE_START: Context = billing.context(f"{_PERIOD}/ram:StartDateTime", when=_in_started_invoice)
LINE_END: Context = billing.context(f"{_PERIOD}/ram:EndDateTime", when=_in_ended_invoice)
LINE: Context = billing.context(
    "ram:IncludedSupplyChainTradeLineItem", fast_path=quantity_times_price
)
PRICE: Context = billing.context(_NET, _GROSS)
PRICE_QUANTITY: Context = billing.context(
    f"{_NET}/ram:BasisQuantity", f"{_GROSS}/ram:BasisQuantity", when=_with_unit
)
IDENTIFIER: Switch = billing.switch("ram:URIID", "ram:ID", "ram:GlobalID", key=scheme)
DUTCH_REGISTRATION: Context = billing.context(
    "ram:SpecifiedTaxRegistration", when=vat_registration_of("NL")
)


def _indicated(indicator: str) -> Condition:
    return lambda reason, _: (
        normalized(reason.up(1).text_of("ram:ChargeIndicator/udt:Indicator")) == indicator
    )


restricted = Pattern()
ATTACHMENT: Context = restricted.context(
    "ram:AttachmentBinaryObject", when=lambda node, _: "mimeCode" in node.attributes
)
ALLOWANCE_REASON: Context = restricted.context(
    f"{_ALLOWANCE}/ram:ReasonCode", when=_indicated("false")
)
CHARGE_REASON: Context = restricted.context(f"{_ALLOWANCE}/ram:ReasonCode", when=_indicated("true"))
TAX_TOTAL: Context = restricted.context(
    "ram:TaxTotalAmount", when=lambda node, _: "currencyID" in node.attributes
)
# The official context has the document in a wrong namespace, so it never matches.
MISPLACED_TYPE: Context = restricted.context("ram:ExchangedDocument/ram:TypeCode")
DATE: Context = restricted.context("udt:DateTimeString")
ENDPOINT: Context = restricted.context(
    "ram:BuyerTradeParty/ram:URIUniversalCommunication/ram:URIID",
    "ram:SellerTradeParty/ram:URIUniversalCommunication/ram:URIID",
)
