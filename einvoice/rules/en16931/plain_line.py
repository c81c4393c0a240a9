"""Conditions for plain values of a line, in both syntaxes (see the modules `fast_path`)."""

from __future__ import annotations

from einvoice.rules.node import Node
from einvoice.rules.values import XML_SPACE, decimals, parse_decimal


def has_plain_values(
    number: Node, name: Node, quantity: Node, price: Node, net: Node, tax: Node
) -> bool:
    """Number and name, a quantity with unit, a net price of 0 or more, an amount in cents, VAT."""
    unit_price = parse_decimal(price.text)
    return bool(
        number.text.strip(XML_SPACE)
        and name.text.strip(XML_SPACE)
        and "unitCode" in quantity.attributes
        and unit_price is not None
        and unit_price >= 0
        and decimals(net.text) <= 2
        and tax.text == "VAT"
    )
