"""Conditions of joint invoices for the rules of UBL and CII."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps

from einvoice.rules.book import Check, Values
from einvoice.rules.node import Node
from einvoice.rules.view import View


def only_if(holds: Callable[[View], bool]) -> Callable[[Check], Check]:
    """Run the check of documents only for which the condition holds; it keeps its docstring."""

    def limited(check: Check) -> Check:
        @wraps(check)
        def of_some(node: Node, view: View) -> Values | None:
            return check(node, view) if holds(view) else None

        return of_some

    return limited


@dataclass(frozen=True, slots=True)
class Sums:
    """A declared amount, what it is made of, and by how much they may differ. None: no number."""

    declared: float | None
    expected: float | None
    tolerance: float

    @property
    def values(self) -> Values:
        return {"declared": self.declared, "expected": self.expected}


def is_close(sums: Sums) -> bool:
    """Whether both are numbers and differ by no more than the tolerance."""
    if sums.declared is None or sums.expected is None:
        return False
    return abs(sums.declared - sums.expected) <= sums.tolerance
