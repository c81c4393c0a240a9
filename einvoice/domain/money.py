"""Amounts are Decimal everywhere, and rounded by one function.

>>> cents(Decimal("0.125")), cents(Decimal("-0.125"))
(Decimal('0.13'), Decimal('-0.13'))
>>> plain(Decimal("1E+2")), plain(Decimal("0.10"))
('100', '0.10')
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

CENT = Decimal("0.01")
ZERO = Decimal(0)
# Fits products of two request numbers (15 integer and 8 fraction digits) summed over 5,000 lines.
EXACT = Context(prec=60, rounding=ROUND_HALF_UP)


def cents(amount: Decimal) -> Decimal:
    """Round to two decimals, half away from zero (decisions 17.13)."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP, context=EXACT)


def plain(amount: Decimal) -> str:
    """Plain digits, without an exponent."""
    return format(amount, "f")
