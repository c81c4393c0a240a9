"""Sums in doubles, where the official CII rules compute in them.

Some CII rules add untyped texts, which XPath turns into doubles, so three amounts of 0.10 are not
exactly 0.30. Rounding to cents hides that almost always; these functions keep it true always.

>>> rounded(2.5), rounded(-2.5), rounded(0.49999999999999994)
(3.0, -2.0, 0.0)
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from decimal import Decimal

from einvoice.rules.node import Node
from einvoice.rules.values import double_of


def rounded(number: float) -> float:
    """round(): half goes towards plus infinity; infinities and NaN stay what they are."""
    if not math.isfinite(number):
        return number
    below = math.floor(number)
    return float(below if number - below < 0.5 else below + 1)


def total(nodes: Iterable[Node]) -> float:
    """The sum in document order. Raises InvalidNumber."""
    amount = 0.0
    for node in nodes:
        amount += double_of(node)
    return amount


def cents(number: float) -> float:
    """round(number * 10 * 10) div 100."""
    return rounded(number * 10 * 10) / 100


def exact(number: float) -> Decimal | None:
    """The decimal that a double really is; None for infinities and NaN."""
    return Decimal(number) if math.isfinite(number) else None


def equals(nodes: Iterable[Node], number: float) -> bool:
    """Is any of the texts this number? Raises InvalidNumber."""
    return any(double_of(node) == number for node in nodes)


def above(nodes: Iterable[Node], bound: float) -> bool:
    """Is any of the texts a larger number? The text NaN counts as larger than all, as in Saxon.

    Raises InvalidNumber.
    """
    for node in nodes:
        number = double_of(node)
        if number > bound or math.isnan(number):
            return True
    return False
