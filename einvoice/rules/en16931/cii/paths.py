"""Paths of amounts in a CII invoice, and tests that several topics share."""

from __future__ import annotations

from collections.abc import Sequence

from einvoice.rules.cii_paths import LINE_SETTLEMENT, SETTLEMENT, TAX_ID, TRADE
from einvoice.rules.node import Node
from einvoice.rules.values import boolean_of
from einvoice.rules.view import View

SUMMATION = "ram:SpecifiedTradeSettlementHeaderMonetarySummation"
LINE_SUMMATION = "ram:SpecifiedTradeSettlementLineMonetarySummation"
LINE_NET = f"{LINE_SUMMATION}/ram:LineTotalAmount"
NET_OF_LINE = f"{LINE_SETTLEMENT}/{LINE_NET}"
ALLOWANCES = f"{SETTLEMENT}/ram:SpecifiedTradeAllowanceCharge"
BREAKDOWN = f"{SETTLEMENT}/ram:ApplicableTradeTax"
INVOICE_CURRENCY = f"{SETTLEMENT}/ram:InvoiceCurrencyCode"
TAX_CURRENCY = f"{SETTLEMENT}/ram:TaxCurrencyCode"


def indicated(allowance: Node, charge: bool) -> bool:
    """Whether any indicator of an allowance or charge has this value. Raises InvalidBoolean."""
    for indicator in allowance.all("ram:ChargeIndicator/udt:Indicator"):
        if boolean_of(indicator) is charge:
            return True
    return False


def registered(parties: Sequence[Node], *schemes: str) -> bool:
    """Whether any of the parties has a tax number of one of the schemes (VA: VAT, FC: local)."""
    return any(
        number.attributes.get("schemeID") in schemes
        for party in parties
        for number in party.all(TAX_ID)
    )


def currencies(view: View) -> frozenset[str]:
    """BT-5, as written; several in an invalid document."""
    return frozenset(view.root.texts(INVOICE_CURRENCY))


def tax_currencies(view: View) -> frozenset[str]:
    """BT-6, as written."""
    return frozenset(view.root.texts(TAX_CURRENCY))


def has_breakdown(view: View) -> bool:
    """Whether a header settlement has a group of the VAT breakdown."""
    breakdown = "ram:ApplicableHeaderTradeSettlement/ram:ApplicableTradeTax"
    return any(trade.has(breakdown) for trade in view.everywhere(TRADE))
