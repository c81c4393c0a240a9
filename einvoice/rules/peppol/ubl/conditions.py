"""Conditions and keys of the contexts of the Peppol rules for UBL."""

from __future__ import annotations

from einvoice.rules.book import Condition
from einvoice.rules.node import Node
from einvoice.rules.values import normalized
from einvoice.rules.view import View


def percentage_alone(allowance: Node, _: View) -> bool:
    return allowance.has("cbc:MultiplierFactorNumeric") and not allowance.has("cbc:BaseAmount")


def base_alone(allowance: Node, _: View) -> bool:
    return allowance.has("cbc:BaseAmount") and not allowance.has("cbc:MultiplierFactorNumeric")


def direct_debit(means: Node, _: View) -> bool:
    return normalized(means.text_of("cbc:PaymentMeansCode")) in ("49", "59")


def scheme(identifier: Node) -> str:
    """The schemeID of an identifier, as written; "" without one."""
    return identifier.attributes.get("schemeID", "")


def vat_number_of(*beginnings: str) -> Condition:
    """The condition that a number is a VAT number and begins with one of these."""

    def matches(number: Node, _: View) -> bool:
        tax = normalized(number.up(1).text_of("cac:TaxScheme/cbc:ID"))
        return tax == "VAT" and normalized(number.text).startswith(beginnings)

    return matches


dutch_vat_number = vat_number_of("NL")


def on_allowance(code: Node, _: View) -> bool:
    return "false" in code.up(1).texts("cbc:ChargeIndicator")


def on_charge(code: Node, _: View) -> bool:
    return "true" in code.up(1).texts("cbc:ChargeIndicator")


def exemption(category: Node) -> str:
    """The exemption reason code (BT-121) of a VAT category, in capitals.

    Raises MoreThanOneItem.
    """
    return category.text_of("cbc:TaxExemptionReasonCode").upper()
