"""Fast path of plain lines, whose net amount is the quantity times the price and nothing else."""

from __future__ import annotations

from einvoice.rules.en16931.cii.fast_path import line_amounts
from einvoice.rules.node import Node
from einvoice.rules.peppol.tolerance import SLACK
from einvoice.rules.values import parse_decimal
from einvoice.rules.view import View


def quantity_times_price(line: Node, _: View) -> bool:
    """Whether the amounts agree, without allowances, charges or a base quantity."""
    try:
        quantity, charge, total = line_amounts(line)
    except (KeyError, ValueError):
        return False  # an element is missing or repeated
    if "ram:BasisQuantity" in charge.up(1).children:
        return False
    if "ram:SpecifiedTradeAllowanceCharge" in total.up(2).children:
        return False
    times, amount = parse_decimal(quantity.text), parse_decimal(charge.text)
    net = parse_decimal(total.text)
    if times is None or amount is None or net is None:
        return False
    return abs(net - times * amount) <= SLACK
