"""Amounts are Decimal everywhere, and rounded by one function.

>>> cents(Decimal("0.125")), cents(Decimal("-0.125"))
(Decimal('0.13'), Decimal('-0.13'))
>>> plain(Decimal("1E+2")), plain(Decimal("0.10"))
('100', '0.10')
"""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal

CENT, THOUSANDTH = Decimal("0.01"), Decimal("0.001")
ZERO = Decimal(0)
# Fits products of two request numbers (15 integer and 15 fraction digits) and a rate, summed over
# 5,000 lines.
EXACT = Context(prec=100, rounding=ROUND_HALF_UP)
# ISO 4217: currencies whose minor unit is a thousandth.
THREE_DECIMALS = frozenset({"BHD", "IQD", "JOD", "KWD", "LYD", "OMR", "TND"})
_NOISE_DIGITS = 15  # decimal digits that a binary number of 64 bits always keeps
_SHORT_DIGITS = 12  # of a number that a person has written


def rounded_to(amount: Decimal, unit: Decimal) -> Decimal:
    """Round to a multiple of a unit such as 0.001, half away from zero."""
    return amount.quantize(unit, rounding=ROUND_HALF_UP, context=EXACT)


def cents(amount: Decimal) -> Decimal:
    """Round to two decimals, half away from zero (decisions 17.13)."""
    return amount.quantize(CENT, rounding=ROUND_HALF_UP, context=EXACT)


def even_cents(amount: Decimal) -> Decimal:
    """Round to two decimals, half to even.

    >>> even_cents(Decimal("0.125")), even_cents(Decimal("0.375"))
    (Decimal('0.12'), Decimal('0.38'))
    """
    return amount.quantize(CENT, rounding=ROUND_HALF_EVEN, context=EXACT)


def thousandths(amount: Decimal) -> Decimal:
    """Round to three decimals, half away from zero."""
    return rounded_to(amount, THOUSANDTH)


def is_paid(amount_paid: Decimal | None, payable: Decimal | None) -> bool:
    """Whether what is paid reaches the amount due.

    >>> is_paid(Decimal("121.00"), Decimal("121")), is_paid(None, Decimal("0")), is_paid(None, None)
    (True, True, False)
    """
    return payable is not None and (amount_paid or Decimal(0)) >= payable


def plain(amount: Decimal) -> str:
    """Plain digits, without an exponent."""
    return format(amount, "f")


def without_noise(amount: Decimal) -> Decimal | None:
    """The short number that binary arithmetic has missed; None if this is not such a result.

    Noise is a number of 16 or 17 digits that a program writes for a double, and that has at most
    twelve when it is rounded to the 15 digits which a double keeps.

    >>> without_noise(Decimal("0.30000000000000004")), without_noise(Decimal("1998.9999999999998"))
    (Decimal('0.3'), Decimal('1999'))
    >>> without_noise(Decimal("0.3333333333333333")), without_noise(Decimal("108.214735818"))
    (None, None)
    """
    digits = len(amount.as_tuple().digits)
    if not _NOISE_DIGITS < digits <= _NOISE_DIGITS + 2 or Decimal(repr(float(amount))) != amount:
        return None
    short = Context(prec=_NOISE_DIGITS, rounding=ROUND_HALF_UP).plus(amount).normalize()
    if len(short.as_tuple().digits) > _SHORT_DIGITS:
        return None
    return short if short.as_tuple().exponent <= 0 else short.quantize(Decimal(1))  # type: ignore[operator]
