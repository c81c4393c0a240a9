"""Fast paths of what most invoices consist of: plain lines, plain allowances and charges.

They are plain if they have each group that the rules of their context read exactly once, with a
correct value. Then none of these rules can be broken, and none is run. On any other, correct or
not, the rules are run.
"""

from __future__ import annotations

from einvoice.rules.en16931.cii.paths import has_breakdown
from einvoice.rules.en16931.plain_line import has_plain_values
from einvoice.rules.node import Node
from einvoice.rules.values import decimals
from einvoice.rules.view import View


def plain_line(line: Node, view: View) -> bool:
    """Number, name, quantity with unit, net price, net amount and VAT category, once each."""
    try:
        (document,) = line.children["ram:AssociatedDocumentLineDocument"]
        (number,) = document.children["ram:LineID"]
        (product,) = line.children["ram:SpecifiedTradeProduct"]
        (name,) = product.children["ram:Name"]
        quantity, price, net = line_amounts(line)
        (settlement,) = line.children["ram:SpecifiedLineTradeSettlement"]
        (tax,) = settlement.children["ram:ApplicableTradeTax"]
        (kind,) = tax.children["ram:TypeCode"]
    except (KeyError, ValueError):
        return False  # an element is missing or repeated
    if "ram:CategoryCode" not in tax.children or not view.once(has_breakdown):
        return False
    return has_plain_values(number, name, quantity, price, net, kind)


def line_amounts(line: Node) -> tuple[Node, Node, Node]:
    """Quantity, net price and net amount of a line.

    Raises KeyError or ValueError if an element on the way to them is missing or repeated.
    """
    (delivery,) = line.children["ram:SpecifiedLineTradeDelivery"]
    (quantity,) = delivery.children["ram:BilledQuantity"]
    (agreement,) = line.children["ram:SpecifiedLineTradeAgreement"]
    (price,) = agreement.children["ram:NetPriceProductTradePrice"]
    (charge,) = price.children["ram:ChargeAmount"]
    (settlement,) = line.children["ram:SpecifiedLineTradeSettlement"]
    (summation,) = settlement.children["ram:SpecifiedTradeSettlementLineMonetarySummation"]
    (net,) = summation.children["ram:LineTotalAmount"]
    return quantity, charge, net


def plain_adjustment(indicator: Node, _: View) -> bool:
    """An allowance or charge: one amount in cents, a reason, at most one base, in cents."""
    parts = indicator.up(1).children
    amounts, bases = parts.get("ram:ActualAmount", ()), parts.get("ram:BasisAmount", ())
    return (
        len(amounts) == 1
        and decimals(amounts[0].text) <= 2
        and ("ram:Reason" in parts or "ram:ReasonCode" in parts)
        and (not bases or (len(bases) == 1 and decimals(bases[0].text) <= 2))
    )


def plain_taxed_adjustment(indicator: Node, view: View) -> bool:
    """An allowance or charge of the document: as of a line, and one VAT category."""
    taxes = indicator.up(1).children.get("ram:CategoryTradeTax", ())
    if len(taxes) != 1 or "ram:CategoryCode" not in taxes[0].children:
        return False
    kinds = taxes[0].children.get("ram:TypeCode", ())
    return len(kinds) == 1 and kinds[0].text == "VAT" and plain_adjustment(indicator, view)
