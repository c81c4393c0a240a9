"""Allowances and charges of the document, of lines and of prices."""

from __future__ import annotations

from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.codelists import code_list
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.peppol.tolerance import SLACK
from einvoice.rules.peppol.ubl import contexts
from einvoice.rules.values import ZERO, normalized, share
from einvoice.rules.view import View

allowances = Chapter(Layer.PEPPOL_UBL)

_FACTORS = "BT-92 BT-93 BT-94 BT-99 BT-100 BT-101 BT-136 BT-137 BT-138 BT-141 BT-142 BT-143"


def within_slack(declared: Decimal, expected: Decimal, slack: Decimal = SLACK) -> bool:
    """Whether the amounts differ by at most the tolerance."""
    return -slack <= expected - declared <= slack


@allowances.rule("PEPPOL-EN16931-R041", "BT-93 BT-100 BT-137 BT-142", at=contexts.PERCENTAGE_ALONE,
                 kind=Kind.PRESENCE, path="cbc:BaseAmount")  # fmt: skip
def percentage_has_a_base(_: Node, __: View) -> Values | None:
    """An allowance or charge with a percentage has a base (BT-93, BT-100, BT-137, BT-142)."""
    return BROKEN


@allowances.rule("PEPPOL-EN16931-R042", "BT-94 BT-101 BT-138 BT-143", at=contexts.BASE_ALONE,
                 kind=Kind.PRESENCE, path="cbc:MultiplierFactorNumeric")  # fmt: skip
def base_has_a_percentage(_: Node, __: View) -> Values | None:
    """An allowance or charge with a base has a percentage (BT-94, BT-101, BT-138, BT-143)."""
    return BROKEN


@allowances.rule("PEPPOL-EN16931-R040", _FACTORS, at=contexts.ALLOWANCE, kind=Kind.SUM,
                 present=("cbc:BaseAmount",))  # fmt: skip
def amount_is_the_percentage_of_its_base(allowance: Node, _: View) -> Values | None:
    """An allowance or charge amount is base amount times percentage, within 0.02.

    BT-92 = BT-93 × BT-94, BT-99 = BT-100 × BT-101, BT-136 = BT-137 × BT-138,
    BT-141 = BT-142 × BT-143.
    """
    return percentage_of_base(allowance, SLACK)


def percentage_of_base(allowance: Node, slack: Decimal) -> Values | None:
    """Whether the amount is its percentage of the base, within the tolerance."""
    declared = allowance.number("cbc:Amount")
    base, percentage = (
        allowance.number("cbc:BaseAmount"),
        allowance.number("cbc:MultiplierFactorNumeric"),
    )
    if base is None or percentage is None:
        return None
    expected = share(base, percentage)
    if within_slack(ZERO if declared is None else declared, expected, slack):
        return None
    return {"declared": declared, "expected": expected, "base": base, "rate": percentage}


@allowances.rule("PEPPOL-EN16931-R043", "BG-20 BG-21 BG-27 BG-28", at=contexts.ALLOWANCE,
                 kind=Kind.CODE_LIST, path="cbc:ChargeIndicator")  # fmt: skip
def charge_indicator_is_true_or_false(allowance: Node, view: View) -> Values | None:
    """The charge indicator of an allowance or charge is written as true or false."""
    text = normalized(view.text_node(allowance, "cbc:ChargeIndicator"))
    return None if text in ("true", "false") else {"code": text}


@allowances.rule("PEPPOL-EN16931-R044", "BT-147", at=contexts.PRICE_ALLOWANCE,
                 kind=Kind.CODE_LIST, path="cbc:ChargeIndicator")  # fmt: skip
def price_has_only_a_discount(allowance: Node, _: View) -> Values | None:
    """Gross and net price differ by a discount (BT-147), not by a charge."""
    text = normalized(allowance.text_of("cbc:ChargeIndicator"))
    return None if text == "false" else {"code": text}


@allowances.rule("PEPPOL-EN16931-R046", "BT-146 BT-147 BT-148", at=contexts.PRICE_ALLOWANCE,
                 kind=Kind.SUM, present=("cbc:BaseAmount",))  # fmt: skip
def net_price_is_gross_less_discount(allowance: Node, _: View) -> Values | None:
    """The net price (BT-146) is exactly the gross price (BT-148) less the discount (BT-147)."""
    net = allowance.up(1).number("cbc:PriceAmount")
    if net is None:
        return {"declared": None, "expected": None}
    gross = allowance.number("cbc:BaseAmount")
    discount = allowance.number("cbc:Amount")
    expected = None if gross is None or discount is None else gross - discount
    if net == expected:
        return None
    return {"declared": net, "expected": expected, "gross": gross, "discount": discount}


_ALLOWANCE_REASONS = code_list("uncl5189")
_CHARGE_REASONS = code_list("uncl7161")


@allowances.rule("PEPPOL-EN16931-CL002", "BT-98 BT-140", at=contexts.ALLOWANCE_REASON,
                 kind=Kind.CODE_LIST, list="uncl5189")  # fmt: skip
def allowance_reason_is_a_code(code: Node, view: View) -> Values | None:
    """The reason code of an allowance (BT-98, BT-140) is a code of UNTDID 5189."""
    found = normalized(view.text_node(code))
    return None if found in _ALLOWANCE_REASONS else {"code": found}


@allowances.rule("PEPPOL-EN16931-CL003", "BT-105 BT-145", at=contexts.CHARGE_REASON,
                 kind=Kind.CODE_LIST, list="uncl7161")  # fmt: skip
def charge_reason_is_a_code(code: Node, view: View) -> Values | None:
    """The reason code of a charge (BT-105, BT-145) is a code of UNTDID 7161."""
    found = normalized(view.text_node(code))
    return None if found in _CHARGE_REASONS else {"code": found}
