"""Validation rule 4, decisions 16 and 19.10: one comparison over the whole invoice, 0.02."""

from __future__ import annotations

from decimal import Decimal

import pytest

from einvoice.domain.errors import TotalsMismatch
from einvoice.domain.legacy_totals import LegacyLine, check_legacy

D = Decimal


def lines(*given: tuple[str, str, str]) -> list[LegacyLine]:
    return [LegacyLine(D(quantity), D(price), D(rate)) for quantity, price, rate in given]


@pytest.mark.parametrize("total", ["121.00", "121.02", "120.98", "121"])
def test_two_cents_either_way_pass(total):
    check_legacy(lines(("2", "50", "21")), D(total))


@pytest.mark.parametrize("total", ["121.03", "120.97", "121.020001", "-121"])
def test_more_than_two_cents_are_refused_with_the_computed_total(total):
    with pytest.raises(TotalsMismatch) as refusal:
        check_legacy(lines(("2", "50", "21")), D(total))

    assert refusal.value.extras() == {"computedTotalAmount": D("121.00")}


@pytest.mark.parametrize(
    ("rate", "total"),
    [
        ("21", "121"),
        ("0.21", "121"),
        ("0", "100"),
        ("1", "200"),
        ("1.01", "101.01"),
        ("5.5", "105.5"),
    ],
)
def test_a_rate_above_one_is_a_percentage(rate, total):
    """Decisions 0.7: the rule as written has no division by 100."""
    check_legacy(lines(("1", "100", rate)), D(total))


def test_rounding_is_per_line_and_the_tolerance_is_not():
    """Ten lines of 0.125 are 10 x 0.13."""
    ten = lines(*[("1", "0.125", "0")] * 10)

    check_legacy(ten, D("1.32"))
    with pytest.raises(TotalsMismatch):
        check_legacy(ten, D("1.25"))


def test_tax_is_taken_from_the_rounded_line():
    """round(round(0.125, 2) x 1, 2) is 0.13, so the line is 0.26 and not 0.25."""
    check_legacy(lines(("1", "0.125", "1")), D("0.28"))
    with pytest.raises(TotalsMismatch):
        check_legacy(lines(("1", "0.125", "1")), D("0.23"))
