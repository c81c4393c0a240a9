"""Expected taxable amounts (BT-116): lines, allowances and charges summed by VAT category.

Each sum is computed once per document, for the categories and rates of the breakdown, so the cost
is linear in the number of lines. Amounts of a category that is not in the breakdown are not read:
in the official rules, too, they cannot cause an error.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from einvoice.rules.cii_paths import LINE
from einvoice.rules.en16931.cii.paths import ALLOWANCES, LINE_SUMMATION, indicated
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, decimal_of, to_cents
from einvoice.rules.view import View

_Rates = dict[Decimal, Decimal]
_Taxed = tuple[Sequence[Node], Iterable[Node]]  # tax groups, and the amounts that they tax


@dataclass(slots=True)
class TaxableAmounts:
    """The taxable amounts of one document by VAT category, in decimals."""

    root: Node
    _settlements: list[tuple[Sequence[Node], list[Node]]] | None = None
    _taxable: dict[str, Decimal] = field(default_factory=dict)
    _rated: dict[str, _Rates] = field(default_factory=dict)

    def taxable(self, category: str) -> Decimal:
        """Lines plus charges less allowances of a category. Raises EvaluationError."""
        if category not in self._taxable:
            self._taxable[category] = (
                to_cents(_sum(self._lines(category)))
                + to_cents(_sum(self._allowances(category, charge=True)))
                - to_cents(_sum(self._allowances(category, charge=False)))
            )
        return self._taxable[category]

    def at_rate(self, category: str, rate: Decimal) -> Decimal:
        """The taxable amount of one rate of a category. Raises EvaluationError."""
        if category not in self._rated:
            self._rated[category] = self._by_rate(category)
        return self._rated[category].get(rate, ZERO)

    def _by_rate(self, category: str) -> _Rates:
        taxable: _Rates = defaultdict(Decimal)
        for sign, found in (
            (1, self._lines(category)),
            (1, self._allowances(category, charge=True)),
            (-1, self._allowances(category, charge=False)),
        ):
            for rate, amounts in _added_by_rate(found).items():
                taxable[rate] += sign * to_cents(amounts)
        return taxable

    def _lines(self, category: str) -> Iterator[_Taxed]:
        if self._settlements is None:
            self._settlements = _by_taxes(self.root)
        for taxes, settlements in self._settlements:
            if _has_category(taxes, category):
                yield taxes, _nets(settlements)

    def _allowances(self, category: str, charge: bool) -> Iterator[_Taxed]:
        for group in self.root.all(ALLOWANCES):
            if not indicated(group, charge):
                continue
            taxes = group.all("ram:CategoryTradeTax")
            if _has_category(taxes, category):
                yield taxes, group.all("ram:ActualAmount")[:1]


def _by_taxes(root: Node) -> list[tuple[Sequence[Node], list[Node]]]:
    """Tax groups and settlements of lines; repeated lines share the tax groups of the first."""
    shared: dict[Node, tuple[Sequence[Node], list[Node]]] = {}
    for settlement in root.all(f"{LINE}/ram:SpecifiedLineTradeSettlement"):
        taxes = settlement.all("ram:ApplicableTradeTax")
        if taxes:
            shared.setdefault(taxes[0], (taxes, []))[1].append(settlement)
    return list(shared.values())


def _nets(settlements: Iterable[Node]) -> Iterator[Node]:
    """Raises MoreThanOneItem."""
    for settlement in settlements:
        for summation in settlement.all(LINE_SUMMATION):
            net = summation.only("ram:LineTotalAmount")
            if net is not None:
                yield net


def _has_category(taxes: Sequence[Node], category: str) -> bool:
    for tax in taxes:
        for code in tax.all("ram:CategoryCode"):
            if code.text == category:
                return True
    return False


def _sum(found: Iterator[_Taxed]) -> Decimal:
    return sum((decimal_of(amount) for _, amounts in found for amount in amounts), ZERO)


def _added_by_rate(found: Iterator[_Taxed]) -> _Rates:
    added: _Rates = defaultdict(Decimal)
    for taxes, amounts in found:
        rates: set[Decimal] | None = None
        for amount in amounts:
            rates = _rates(taxes) if rates is None else rates
            number = decimal_of(amount) if rates else ZERO
            for rate in rates:
                added[rate] += number
    return added


def _rates(taxes: Sequence[Node]) -> set[Decimal]:
    """Raises EvaluationError."""
    numbers = (tax.number("ram:RateApplicablePercent") for tax in taxes)
    return {number for number in numbers if number is not None}


def taxable_amounts(view: View) -> TaxableAmounts:
    """The taxable amounts of the document, to be kept by View.once."""
    return TaxableAmounts(view.root)
