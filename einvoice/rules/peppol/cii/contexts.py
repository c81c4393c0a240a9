"""The contexts of the Peppol rules for CII, in the official order.

Two patterns: the billing rules and the restricted codes. Each country has a pattern of its own
(rules/national).
"""

from __future__ import annotations

from einvoice.rules.book import Condition, Pattern
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
PROCESS = billing.context("rsm:ExchangedDocumentContext")
AGREEMENT = billing.context("ram:ApplicableHeaderTradeAgreement")
SETTLEMENT = billing.context("ram:ApplicableHeaderTradeSettlement")
DOCUMENT = billing.context("rsm:ExchangedDocument")
BUYER = billing.context("ram:BuyerTradeParty")
SELLER = billing.context("ram:SellerTradeParty")
PERCENT_ALONE = billing.context(_ALLOWANCE, when=_without_base)
BASE_ALONE = billing.context(_ALLOWANCE, when=_without_percent)
# Two official contexts that share a rule, the only one for an allowance of a price.
ALLOWANCE = billing.context(_ALLOWANCE, "ram:AppliedTradeAllowanceCharge")
DIRECT_DEBIT = billing.context(MEANS, when=_direct_debit)
LINE_START = billing.context(f"{_PERIOD}/ram:StartDateTime", when=_in_started_invoice)
LINE_END = billing.context(f"{_PERIOD}/ram:EndDateTime", when=_in_ended_invoice)
LINE = billing.context("ram:IncludedSupplyChainTradeLineItem", fast_path=quantity_times_price)
PRICE = billing.context(_NET, _GROSS)
PRICE_QUANTITY = billing.context(
    f"{_NET}/ram:BasisQuantity", f"{_GROSS}/ram:BasisQuantity", when=_with_unit
)
IDENTIFIER = billing.switch("ram:URIID", "ram:ID", "ram:GlobalID", key=scheme)
DUTCH_REGISTRATION = billing.context("ram:SpecifiedTaxRegistration", when=vat_registration_of("NL"))


def _indicated(indicator: str) -> Condition:
    return lambda reason, _: (
        normalized(reason.up(1).text_of("ram:ChargeIndicator/udt:Indicator")) == indicator
    )


restricted = Pattern()
ATTACHMENT = restricted.context(
    "ram:AttachmentBinaryObject", when=lambda node, _: "mimeCode" in node.attributes
)
ALLOWANCE_REASON = restricted.context(f"{_ALLOWANCE}/ram:ReasonCode", when=_indicated("false"))
CHARGE_REASON = restricted.context(f"{_ALLOWANCE}/ram:ReasonCode", when=_indicated("true"))
TAX_TOTAL = restricted.context(
    "ram:TaxTotalAmount", when=lambda node, _: "currencyID" in node.attributes
)
# The official context has the document in a wrong namespace, so it never matches.
MISPLACED_TYPE = restricted.context("ram:ExchangedDocument/ram:TypeCode")
DATE = restricted.context("udt:DateTimeString")
ENDPOINT = restricted.context(
    "ram:BuyerTradeParty/ram:URIUniversalCommunication/ram:URIID",
    "ram:SellerTradeParty/ram:URIUniversalCommunication/ram:URIID",
)
