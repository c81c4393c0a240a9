"""Rules for the groups of the VAT breakdown (BG-23), except those of the categories L, M and O.

The contexts of L, M and O match first.
"""

from __future__ import annotations

from decimal import Decimal

from einvoice.rules.book import BROKEN, Chapter, Kind, Values
from einvoice.rules.en16931.cii import contexts
from einvoice.rules.en16931.cii.conditions import is_vat
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import present, two_decimals
from einvoice.rules.values import ONE, normalized, share, to_cents, to_integer
from einvoice.rules.view import View

breakdown = Chapter(Layer.CEN_CII)
_BASE, _TAX, _RATE = "ram:BasisAmount", "ram:CalculatedAmount", "ram:RateApplicablePercent"

present(breakdown, contexts.BREAKDOWN, [("BR-45", "BT-116", _BASE), ("BR-46", "BT-117", _TAX)])
two_decimals(
    breakdown,
    contexts.BREAKDOWN,
    [("BR-DEC-19", "BT-116", _BASE), ("BR-DEC-20", "BT-117", _TAX)],
)


@breakdown.rule("BR-47", "BT-118", at=contexts.BREAKDOWN, kind=Kind.PRESENCE)
def has_a_category(tax: Node, _: View) -> Values | None:
    """A VAT breakdown has a category."""
    return None if is_vat(tax) and tax.has("ram:CategoryCode") else BROKEN


@breakdown.rule("BR-48", "BT-119", at=contexts.BREAKDOWN, kind=Kind.PRESENCE)
def has_a_rate(tax: Node, _: View) -> Values | None:
    """A VAT breakdown has a rate (BT-119), unless it is not subject to VAT (O)."""
    rated = tax.has(_RATE) or "O" in tax.texts("ram:CategoryCode")
    return None if is_vat(tax) and rated else BROKEN


@breakdown.rule("BR-CO-17", "BT-116 BT-117 BT-119", at=contexts.BREAKDOWN, kind=Kind.SUM)
def tax_is_base_times_rate(tax: Node, _: View) -> Values | None:
    """The VAT of a category is its taxable amount times its rate, within 1.

    BT-117 = BT-116 × BT-119 ÷ 100.
    """
    vat = normalized(tax.text_of("ram:TypeCode").upper()) == "VAT"
    rate = tax.number(_RATE) if vat else None
    amount = tax.number(_TAX)
    if rate is None or to_integer(rate) == 0:
        if amount is not None and to_integer(amount) == 0:
            return None
        return {"declared": amount, "expected": 0, "rate": rate}
    base = tax.number(_BASE) if amount is not None else None
    if amount is None or base is None:
        return BROKEN
    return _within_one(amount, base, rate)


def _within_one(amount: Decimal, base: Decimal, rate: Decimal) -> Values | None:
    expected = to_cents(share(abs(base), rate))
    if abs(amount) - ONE <= expected <= abs(amount) + ONE:
        return None
    return {"declared": amount, "expected": expected, "base": base, "rate": rate}
