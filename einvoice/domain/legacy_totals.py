"""The totals of the deprecated v1 send (decisions 16, 19.10).

lineTotal = round(quantity x unitPrice, 2); lineTax = round(lineTotal x rate, 2); the sum of both
over all lines may differ from totalAmount by 0.02. The rule as written has no division by 100, but
rates are percentages everywhere else: a vatRate above 1 is a percentage, one up to 1 a fraction.

>>> check_legacy([LegacyLine(Decimal(2), Decimal(50), Decimal(21))], Decimal("121.02")).tax
Decimal('21.00')
>>> fraction(Decimal(21)), fraction(Decimal("0.21")), fraction(Decimal(1))
(Decimal('0.21'), Decimal('0.21'), Decimal('1'))
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal, localcontext

from einvoice.domain.errors import TotalsMismatch
from einvoice.domain.money import EXACT, ZERO, cents, plain
from einvoice.domain.totals import ComputedTotals

TOLERANCE = Decimal("0.02")


@dataclass(frozen=True, slots=True)
class LegacyLine:
    quantity: Decimal
    unit_price: Decimal
    vat_rate: Decimal


def check_legacy(lines: Iterable[LegacyLine], total_amount: Decimal) -> ComputedTotals:
    """The totals of the lines, rounded line by line.

    Raises TotalsMismatch when they differ from `total_amount` by more than 0.02 in all.
    """
    with localcontext(EXACT):
        amounts = [(cents(line.quantity * line.unit_price), line.vat_rate) for line in lines]
        taxes = [cents(amount * fraction(rate)) for amount, rate in amounts]
        extensions = [amount for amount, _ in amounts]
        subtotal, tax = sum(extensions, ZERO), sum(taxes, ZERO)
        computed = subtotal + tax
        if abs(computed - total_amount) > TOLERANCE:
            raise TotalsMismatch(
                f"totalAmount is {plain(total_amount)}, but the lines with VAT come to "
                f"{plain(computed)}: more than {TOLERANCE} apart",
                computed,
            )
    return ComputedTotals(tuple(extensions), tuple(taxes), (), subtotal, tax)


def fraction(vat_rate: Decimal) -> Decimal:
    """The rate as a fraction: 21 and 0.21 are both 21 %; no rate is 1 % or less (decisions 16)."""
    return vat_rate / 100 if vat_rate > 1 else vat_rate
