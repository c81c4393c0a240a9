"""The groups of a CII invoice by name, and the few questions that many rules ask of them."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.node import Node
from einvoice.rules.values import boolean_of
from einvoice.rules.view import View

INVOICE = "/rsm:CrossIndustryInvoice"
TRADE = "rsm:SupplyChainTradeTransaction"
AGREEMENT = f"{TRADE}/ram:ApplicableHeaderTradeAgreement"
DELIVERY = f"{TRADE}/ram:ApplicableHeaderTradeDelivery"
SETTLEMENT = f"{TRADE}/ram:ApplicableHeaderTradeSettlement"
LINES = f"{TRADE}/ram:IncludedSupplyChainTradeLineItem"

SUMMATION = "ram:SpecifiedTradeSettlementHeaderMonetarySummation"
LINE_SUMMATION = "ram:SpecifiedTradeSettlementLineMonetarySummation"
LINE_NET = f"{LINE_SUMMATION}/ram:LineTotalAmount"
ALLOWANCES = f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge"
BREAKDOWN = f"{SETTLEMENT}/ram:ApplicableTradeTax"
INVOICE_CURRENCY = f"{SETTLEMENT}/ram:InvoiceCurrencyCode"
TAX_CURRENCY = f"{SETTLEMENT}/ram:TaxCurrencyCode"
SELLER = f"{AGREEMENT}/ram:SellerTradeParty"
REPRESENTATIVE = f"{AGREEMENT}/ram:SellerTaxRepresentativeTradeParty"
VAT_IDS = "ram:SpecifiedTaxRegistration/ram:ID"


def indicated(allowance: Node, charge: bool) -> bool:
    """Does any indicator of an allowance or charge say so? Raises InvalidBoolean."""
    for indicator in allowance.all("ram:ChargeIndicator/udt:Indicator"):
        if boolean_of(indicator) is charge:
            return True
    return False


def registered(parties: Sequence[Node], *schemes: str) -> bool:
    """Has any of the parties a tax number of one of the schemes (VA: VAT, FC: local)?"""
    return any(
        number.attributes.get("schemeID") in schemes
        for party in parties
        for number in party.all(VAT_IDS)
    )


def currencies(view: View) -> frozenset[str]:
    """BT-5, as written; a set because a damaged document may hold several."""
    return frozenset(view.root.texts(INVOICE_CURRENCY))


def tax_currencies(view: View) -> frozenset[str]:
    """BT-6, as written."""
    return frozenset(view.root.texts(TAX_CURRENCY))
