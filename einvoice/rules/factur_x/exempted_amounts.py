"""Taxable amounts of EXTENDED: by VAT category, rate and reason of exemption, within a document.

Each amount is read once, so the cost is linear in the number of lines, however many rows the VAT
breakdown has. Amounts taxed by several groups count for each.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import product

from einvoice.rules.cii_paths import LINE, LINE_STATUS, SETTLEMENT, single_text
from einvoice.rules.en16931.cii.paths import ALLOWANCES, LINE_SUMMATION, indicated
from einvoice.rules.node import Node
from einvoice.rules.values import ZERO, decimal_of, normalized, to_cents
from einvoice.rules.view import View

_LINES, _ALLOWANCES, _CHARGES, _SERVICES = "lines", "allowances", "charges", "services"
_ADDED = (_LINES, _CHARGES, _SERVICES)
_NO_RATE = "O"  # the category whose amounts are added whatever the rate
_Reason = tuple[str, str]  # code and text
_Key = tuple[str, Decimal | None, _Reason | None]  # category, rate, reason; None: any


@dataclass(frozen=True, slots=True)
class Expected:
    """A taxable amount, and of how many amounts it is the sum."""

    amount: Decimal
    count: int


@dataclass(slots=True)
class _Sums:
    """Sums of one key; each is rounded by itself."""

    by_kind: dict[str, Decimal] = field(default_factory=lambda: defaultdict(Decimal))
    count: int = 0

    def expected(self) -> Expected:
        added = sum((to_cents(self.by_kind[kind]) for kind in _ADDED), ZERO)
        return Expected(added - to_cents(self.by_kind[_ALLOWANCES]), self.count)


_NOTHING = Expected(ZERO, 0)


@dataclass(slots=True)
class ExemptedAmounts:
    """The taxable amounts of a document, with and without the reason of exemption."""

    sums: dict[_Key, _Sums] = field(default_factory=dict)

    def of_row(self, row: Node, category: str, *, with_reason: bool) -> Expected | None:
        """The amounts that a row of the VAT breakdown should have; None for one without a rate.

        Raises EvaluationError.
        """
        rate = None if category == _NO_RATE else row.number("ram:RateApplicablePercent")
        if rate is None and category != _NO_RATE:
            return None
        found = self.sums.get((category, rate, _reason((row,)) if with_reason else None))
        return found.expected() if found else _NOTHING

    def add(self, kind: str, taxes: Sequence[Node], amounts: Iterable[Node]) -> None:
        """Add amounts that one group, or several, tax. Raises EvaluationError."""
        keys = list(_keys(taxes))
        if not keys:
            return
        amount = sum(map(decimal_of, amounts), ZERO)
        for key in keys:
            sums = self.sums.setdefault(key, _Sums())
            sums.by_kind[kind] += amount
            sums.count += 1


def _keys(taxes: Sequence[Node]) -> Iterator[_Key]:
    categories = {code for tax in taxes for code in tax.texts("ram:CategoryCode")}
    if not categories:
        return
    numbers = (number for tax in taxes for number in tax.all("ram:RateApplicablePercent"))
    rates = {decimal_of(number) for number in numbers}
    reason = _reason(taxes)
    for category in categories:
        of_it = {None} if category == _NO_RATE else rates
        yield from product((category,), of_it, (None, reason))


def _reason(taxes: Sequence[Node]) -> _Reason:
    """Raises MoreThanOneItem."""
    codes = [code for tax in taxes for code in tax.all("ram:ExemptionReasonCode")]
    texts = [text for tax in taxes for text in tax.all("ram:ExemptionReason")]
    return normalized(single_text(codes)), normalized(single_text(texts))


def exempted_amounts(view: View) -> ExemptedAmounts:
    """The taxable amounts of the document, to be kept by View.once. Raises EvaluationError."""
    made = ExemptedAmounts()
    for line in view.root.all(LINE):
        if counts(line):
            for settlement in line.all("ram:SpecifiedLineTradeSettlement"):
                nets = settlement.all(f"{LINE_SUMMATION}/ram:LineTotalAmount")
                made.add(_LINES, settlement.all("ram:ApplicableTradeTax"), nets)
    for group in view.root.all(ALLOWANCES):
        taxes, amounts = group.all("ram:CategoryTradeTax"), group.all("ram:ActualAmount")
        if indicated(group, charge=True):
            made.add(_CHARGES, taxes, amounts)
        else:
            is_allowance = indicated(group, charge=False)
            made.add(_ALLOWANCES, taxes, amounts if is_allowance else ())
    for service in view.root.all(f"{SETTLEMENT}/ram:SpecifiedLogisticsServiceCharge"):
        made.add(_SERVICES, service.all("ram:AppliedTradeTax"), service.all("ram:AppliedAmount"))
    return made


def counts(line: Node) -> bool:
    """Whether a line is part of sums: one that is DETAIL, or has no status."""
    status = line.all(LINE_STATUS)
    return not status or any(each.text == "DETAIL" for each in status)
