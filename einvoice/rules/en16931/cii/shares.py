"""What each VAT category's lines, allowances and charges add up to.

Worked out once a document for each category (and rate) that a breakdown asks for, so the cost stays
linear in the lines however many breakdowns there are. An amount of a category that no breakdown
names is never read: officially it could not stop the rules either.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from einvoice.rules.en16931.cii.paths import ALLOWANCES, LINE_SUMMATION, LINES, indicated
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, decimal_of, to_cents
from einvoice.rules.view import View

_Rates = dict[Decimal, Decimal]
_Taxed = tuple[Sequence[Node], Node]  # the tax groups of a line or an allowance, and its amount


@dataclass(slots=True)
class Shares:
    """The taxable amounts of one document by VAT category, in decimals."""

    root: Node
    _taxable: dict[str, Decimal] = field(default_factory=dict)
    _rated: dict[str, _Rates] = field(default_factory=dict)

    def taxable(self, category: str) -> Decimal:
        """Lines plus charges minus allowances of a category. Raises Stopped."""
        if category not in self._taxable:
            self._taxable[category] = (
                to_cents(_sum(self._lines(category)))
                + to_cents(_sum(self._allowances(category, charge=True)))
                - to_cents(_sum(self._allowances(category, charge=False)))
            )
        return self._taxable[category]

    def at_rate(self, category: str, rate: Decimal) -> Decimal:
        """The same for one rate of a category. Raises Stopped."""
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
        for line in self.root.all(f"{LINES}/ram:SpecifiedLineTradeSettlement"):
            taxes = line.all("ram:ApplicableTradeTax")
            if _has_category(taxes, category):
                for summation in line.all(LINE_SUMMATION):
                    net = summation.only("ram:LineTotalAmount")
                    if net is not None:
                        yield taxes, net

    def _allowances(self, category: str, charge: bool) -> Iterator[_Taxed]:
        for group in self.root.all(ALLOWANCES):
            if not indicated(group, charge):
                continue
            taxes = group.all("ram:CategoryTradeTax")
            if _has_category(taxes, category):
                for amount in group.all("ram:ActualAmount")[:1]:
                    yield taxes, amount


def _has_category(taxes: Sequence[Node], category: str) -> bool:
    for tax in taxes:
        for code in tax.all("ram:CategoryCode"):
            if code.text == category:
                return True
    return False


def _sum(found: Iterator[_Taxed]) -> Decimal:
    return sum((decimal_of(amount) for _, amount in found), ZERO)


def _added_by_rate(found: Iterator[_Taxed]) -> _Rates:
    added: _Rates = defaultdict(Decimal)
    for taxes, amount in found:
        rates = [rate for tax in taxes for rate in tax.all("ram:RateApplicablePercent")]
        if len(rates) == 1:
            added[decimal_of(rates[0])] += decimal_of(amount)
            continue
        numbers = (tax.number("ram:RateApplicablePercent") for tax in taxes)
        for rate in {number for number in numbers if number is not None}:
            added[rate] += decimal_of(amount)
    return added


def shares(view: View) -> Shares:
    return Shares(view.root)
