"""Fast paths of what most invoices consist of: plain lines, and VAT at the standard rate.

A line is plain if it has each element that the rules of the context `LINE` read exactly once, with
a correct value. Then none of these rules can be broken, and none is run. On any other line, correct
or not, the rules are run.
"""

from __future__ import annotations

from einvoice.rules.en16931.plain_line import has_plain_values
from einvoice.rules.en16931.ubl.facts import tax_categories
from einvoice.rules.node import Node
from einvoice.rules.view import View


def plain_line(line: Node, _: View) -> bool:
    """Number, name, quantity with unit, net price, net amount and VAT category, once each."""
    parts = line.children
    try:
        (number,) = parts["cbc:ID"]
        (net,) = parts["cbc:LineExtensionAmount"]
        (quantity,) = parts.get("cbc:InvoicedQuantity") or parts["cbc:CreditedQuantity"]
        (item,) = parts["cac:Item"]
        (name,) = item.children["cbc:Name"]
        (category,) = item.children["cac:ClassifiedTaxCategory"]
        (scheme,) = category.children["cac:TaxScheme"]
        (tax,) = scheme.children["cbc:ID"]
        (price,) = parts["cac:Price"]
        (amount,) = price.children["cbc:PriceAmount"]
    except (KeyError, ValueError):
        return False  # an element is missing or repeated
    if "cbc:ID" not in category.children:
        return False
    return has_plain_values(number, name, quantity, amount, net, tax)


def all_standard(_: Node, view: View) -> bool:
    """Whether all tax categories are S of VAT, so that no other can be used wrongly."""
    try:
        for category in view.once(tax_categories):
            (code,) = category.children["cbc:ID"]
            (scheme,) = category.children["cac:TaxScheme"]
            (tax,) = scheme.children["cbc:ID"]
            if code.text != "S" or tax.text != "VAT":
                return False
        for adjustment in view.everywhere("cac:AllowanceCharge"):
            (indicator,) = adjustment.children["cbc:ChargeIndicator"]
            if indicator.text not in ("true", "false"):
                return False
    except (KeyError, ValueError):
        return False  # an element is missing or repeated
    return True
