"""Conditions and keys of the contexts of the CEN rules for UBL."""

from __future__ import annotations

from contextlib import suppress

from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node
from einvoice.rules.values import XML_SPACE, boolean_of, normalized
from einvoice.rules.view import View

NO_CATEGORY = "\0"  # a category of another tax; "" is a missing code


def indicated(node: Node, charge: bool) -> bool:
    """Whether any charge indicator has this value; `1` and `0` count. Raises InvalidBoolean."""
    found = node.all("cbc:ChargeIndicator")
    if len(found) == 1:
        return boolean_of(found[0]) is charge
    return any(boolean_of(one) is charge for one in found)


ALLOWANCE, CHARGE = "allowance", "charge"
_INDICATED = {"true": CHARGE, "1": CHARGE, "false": ALLOWANCE, "0": ALLOWANCE}


def kind(adjustment: Node) -> str | None:
    """ALLOWANCE, CHARGE, or None without a valid indicator.

    With several indicators that differ it is an allowance, as in the official rules.
    """
    found = adjustment.all("cbc:ChargeIndicator")
    if len(found) == 1:
        return _INDICATED.get(found[0].text.strip(XML_SPACE))
    for name, charge in ((ALLOWANCE, False), (CHARGE, True)):
        with suppress(EvaluationError):
            if indicated(adjustment, charge):
                return name
    return None


def kind_above(part: Node) -> str | None:
    """Whether the parent is an ALLOWANCE or a CHARGE."""
    return None if part.parent is None else kind(part.parent)


def is_vat(node: Node) -> bool:
    """Whether any of the tax schemes is VAT, in any case. Raises MoreThanOneItem."""
    for scheme in node.all("cac:TaxScheme"):
        name = scheme.text_of("cbc:ID")
        if name == "VAT" or normalized(name.upper()) == "VAT":  # the first is faster
            return True
    return False


def vat_scheme(node: Node, _: View) -> bool:
    return is_vat(node)


def category(node: Node) -> str:
    """The code of a VAT category; NO_CATEGORY for another tax. Raises MoreThanOneItem."""
    code = normalized(node.text_of("cbc:ID"))
    return code if is_vat(node) else NO_CATEGORY


def kind_and_category(node: Node) -> tuple[str | None, str]:
    """`kind_above` and `category` of a tax category. Raises MoreThanOneItem."""
    return kind_above(node), category(node)


def credit_transfer(account: Node, _: View) -> bool:
    """Whether the account is of payment means 30 or 58 (BT-81), as written."""
    means = account.parent
    return means is not None and any(
        code in ("30", "58") for code in means.texts("cbc:PaymentMeansCode")
    )


def invoiced_object(identifier: Node, _: View) -> bool:
    """Whether document type 130 makes the reference the invoiced object (BT-18, BT-128)."""
    if "schemeID" not in identifier.attributes or identifier.parent is None:
        return False
    return "130" in identifier.parent.texts("cbc:DocumentTypeCode")


def is_only_vat(node: Node) -> bool:
    """Whether the single tax scheme is VAT. Raises MoreThanOneItem, unlike `is_vat`."""
    scheme = node.only("cac:TaxScheme")
    if scheme is None:
        return False
    name = scheme.text_of("cbc:ID")
    return name == "VAT" or normalized(name.upper()) == "VAT"
