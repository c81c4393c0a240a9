"""Rules of BIS Billing that KoSIT changes for CII, and those that it takes over from UBL."""

from __future__ import annotations

from decimal import Decimal

from einvoice.rules.book import BLANK, BROKEN, Chapter, Flag, Kind, Pattern, Values
from einvoice.rules.cii_paths import SETTLEMENT
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.cii import contexts
from einvoice.rules.peppol.cii.billing import (
    accounting_currencies,
    invoice_currencies,
    same_sign,
    totals_in,
)
from einvoice.rules.peppol.cii.fast_path import quantity_times_price
from einvoice.rules.peppol.cii.lines import (
    indicator_is_true_or_false,
    line_net,
    percentage_of_base,
)
from einvoice.rules.values import ZERO, decimal_of
from einvoice.rules.view import View
from einvoice.rules.xrechnung.tolerance import slack_in

billing = Chapter(Layer.XRECHNUNG_CII)

_AGREEMENT = "ram:SpecifiedLineTradeAgreement"
_NET, _GROSS = "ram:NetPriceProductTradePrice", "ram:GrossPriceProductTradePrice"
_LINE = "rsm:SupplyChainTradeTransaction/ram:IncludedSupplyChainTradeLineItem"
_DISCOUNT = "ram:AppliedTradeAllowanceCharge"
_MAY_BE_EMPTY = "ram:ApplicableHeaderTradeDelivery"


def _is_plain(line: Node, view: View) -> bool:
    gross_base = f"{_AGREEMENT}/{_GROSS}/ram:BasisQuantity"
    return quantity_times_price(line, view) and not line.has(gross_base)


EMPTY = Pattern().context(BLANK)
LINE = Pattern().context("ram:IncludedSupplyChainTradeLineItem", fast_path=_is_plain)
GROSS_PRICE = Pattern().context(f"{_LINE}/{_AGREEMENT}/{_GROSS}")


def _slack(view: View) -> Decimal:
    return slack_in(view.once(invoice_currencies))


@billing.rule("PEPPOL-EN16931-R008", "", at=EMPTY, kind=Kind.PRESENCE)
def nothing_is_empty(empty: Node, view: View) -> Values | None:
    """No element is empty, except the delivery group; an element without a value is left out.

    The official test compares the name as it is written, so with another prefix than ram the
    delivery group may not be empty either.
    """
    return None if empty.name == _MAY_BE_EMPTY and empty not in view.renamed else BROKEN


@billing.rule("PEPPOL-EN16931-R053", "BT-110", at=contexts.SETTLEMENT, kind=Kind.CARDINALITY)
def has_at_most_one_vat_total(settlement: Node, view: View) -> Values | None:
    """There is at most one VAT total in the invoice currency (BT-110)."""
    totals = totals_in(settlement, view.once(invoice_currencies))
    if len(totals) <= 1:
        return None
    return {"count": len(totals), "values": [total.text for total in totals]}


@billing.rule("PEPPOL-EN16931-R055", "BT-110 BT-111", at=contexts.SETTLEMENT)
def vat_totals_have_the_same_sign(settlement: Node, view: View) -> Values | None:
    """The VAT totals (BT-110, BT-111), if both are given, are both negative, or neither is."""
    in_invoice = totals_in(settlement, view.once(invoice_currencies))
    if not (in_invoice and view.root.has(f"{SETTLEMENT}/ram:TaxCurrencyCode")):
        return None
    return same_sign(totals_in(settlement, view.once(accounting_currencies)), in_invoice)


@billing.rule(
    "PEPPOL-EN16931-R040", "BT-92 BT-99 BT-136 BT-141", at=contexts.ALLOWANCE, kind=Kind.SUM
)
def amount_is_the_percentage_of_its_base(allowance: Node, view: View) -> Values | None:
    """An allowance or charge amount is base amount times percentage, within 0.02 (HUF: 0.5)."""
    return percentage_of_base(allowance, view.once(_slack))


@billing.rule("PEPPOL-EN16931-R043-1", "BG-20 BG-21 BG-27 BG-28", at=contexts.ALLOWANCE,
              kind=Kind.FORMAT, path="ram:ChargeIndicator/udt:Indicator")  # fmt: skip
def charge_indicator_is_true_or_false(allowance: Node, view: View) -> Values | None:
    """The charge indicator of an allowance or charge is written as true or false."""
    return None if allowance.name == _DISCOUNT else indicator_is_true_or_false(allowance, view)


@billing.rule("PEPPOL-EN16931-R043-2", "BT-147", at=contexts.ALLOWANCE, kind=Kind.FORMAT,
              path="ram:ChargeIndicator/udt:Indicator")  # fmt: skip
def discount_indicator_is_true_or_false(allowance: Node, view: View) -> Values | None:
    """The charge indicator of a price discount (BT-147) is written as true or false."""
    return indicator_is_true_or_false(allowance, view) if allowance.name == _DISCOUNT else None


@billing.rule("PEPPOL-EN16931-R120", "BT-131", at=LINE, flag=Flag.WARNING, kind=Kind.SUM)
def line_net_adds_up(line: Node, view: View) -> Values | None:
    """The line net amount is quantity times price, charges and allowances, within 0.02 (HUF: 0.5).

    BT-131 = BT-129 × BT-146 ÷ BT-149 + BT-141 - BT-136; BT-149 of the net price, else of the gross.
    """
    prices = f"{_AGREEMENT}/{_NET}", f"{_AGREEMENT}/{_GROSS}"
    return line_net(line, view.once(_slack), *prices)


@billing.rule("PEPPOL-EN16931-R044", "BT-147", at=GROSS_PRICE, kind=Kind.CODE_LIST,
              present=(f"{_DISCOUNT}/ram:ActualAmount",),
              path=f"{_DISCOUNT}/ram:ChargeIndicator/udt:Indicator")  # fmt: skip
def price_has_only_a_discount(price: Node, _: View) -> Values | None:
    """Gross and net price differ by a discount (BT-147), not by a charge."""
    indicators = price.texts(f"{_DISCOUNT}/ram:ChargeIndicator/udt:Indicator")
    return None if "false" in indicators else {"code": " ".join(indicators)}


@billing.rule("PEPPOL-EN16931-R046", "BT-146 BT-147 BT-148", at=GROSS_PRICE, kind=Kind.SUM,
              present=("ram:ChargeAmount",))  # fmt: skip
def net_price_is_gross_less_discount(price: Node, _: View) -> Values | None:
    """The net price (BT-146) is exactly the gross price (BT-148) less the discount (BT-147)."""
    net = price.up(1).number(f"{_NET}/ram:ChargeAmount")
    if net is None:
        return {"declared": None, "expected": None}
    gross = price.number("ram:ChargeAmount") or ZERO
    discount = _first_discount(price)
    expected = gross - discount
    if net == expected:
        return None
    return {"declared": net, "expected": expected, "gross": gross, "discount": discount}


def _first_discount(price: Node) -> Decimal:
    """The first amount of the discount, 0 without one. Raises MoreThanOneItem for two discounts."""
    firsts = [amount for each in price.all(_DISCOUNT)
              for amount in each.all("ram:ActualAmount")[:1]]  # fmt: skip
    if not firsts:
        return ZERO
    if len(firsts) > 1:
        raise MoreThanOneItem(firsts[0], f"{_DISCOUNT}/ram:ActualAmount", len(firsts))
    return decimal_of(firsts[0])
