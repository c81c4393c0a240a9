"""Payments spread over the VAT rates of their invoices.

>>> parts = spread(Decimal("100"), {Decimal(20): Decimal(120), Decimal("5.5"): Decimal("105.50")})
>>> {str(rate): str(part) for rate, part in parts.items()}
{'20': '53.22', '5.5': '46.78'}
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import ROUND_HALF_UP, Decimal
from typing import Final

_CENT: Final = Decimal("0.01")


def spread(amount: Decimal, rates: Mapping[Decimal, Decimal]) -> dict[Decimal, Decimal]:
    """The part of a payment for each rate, as the amounts with VAT are; the last rate gets what is
    left by rounding. Raises ValueError without amounts."""
    whole = sum(rates.values(), Decimal(0))
    if not whole:
        raise ValueError("the invoice names no VAT rates over which a payment could be spread")
    *others, last = rates
    parts = {rate: (amount * rates[rate] / whole).quantize(_CENT, ROUND_HALF_UP) for rate in others}
    return parts | {last: amount - sum(parts.values(), Decimal(0))}
