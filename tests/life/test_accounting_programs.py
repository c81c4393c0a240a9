"""Totals as accounting programs make them hold under `rounded`, and the document says them.

Each program is written from its documented rules; none of its code is here.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Decimal, localcontext
from typing import Any

import pytest

from einvoice.domain.declared_totals import check_declared
from einvoice.domain.derive import derive
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import Routing
from einvoice.domain.money import EXACT
from einvoice.domain.request import SendDefaults, TotalsRule
from einvoice.domain.rounded_totals import rounded
from einvoice.domain.totals import compute
from einvoice.web import json
from einvoice.web.shared.send_bodies import read_send
from tests.life.dry import a_body

CENT = Decimal("0.01")
PARTIES = ParticipantId.parse("0208:0123456749"), ParticipantId.parse("0088:9520000000004")


@dataclass(frozen=True)
class Position:
    """A line as the programs have it; the discount of the line is an amount."""

    quantity: Decimal
    price: Decimal
    discount: Decimal
    rate: Decimal

    @property
    def amount(self) -> Decimal:
        return self.quantity * self.price - self.discount


Sums = tuple[Decimal, Decimal]  # without VAT, VAT


def half_up(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_UP)


def half_even(amount: Decimal) -> Decimal:
    return amount.quantize(CENT, ROUND_HALF_EVEN)


def by_rate(positions: Iterable[Position], amounts: Iterable[Decimal]) -> dict[Decimal, Decimal]:
    sums: dict[Decimal, Decimal] = {}
    for position, amount in zip(positions, amounts, strict=True):
        sums[position.rate] = sums.get(position.rate, Decimal(0)) + amount
    return sums


def odoo_per_line(positions: list[Position]) -> Sums:
    """Company setting "Round per Line", the default (`tax_calculation_rounding_method` of
    addons/account/models/company.py): amount and tax of each line are rounded, then added."""
    amounts = [half_up(each.amount) for each in positions]
    taxes = [half_up(a * p.rate / 100) for a, p in zip(amounts, positions, strict=True)]
    return sum(amounts, Decimal(0)), sum(taxes, Decimal(0))


def odoo_globally(positions: list[Position]) -> Sums:
    """ "Round Globally" up to version 16: subtotals of lines are kept in cents, taxes are added
    before they are rounded, by tax."""
    net = sum([half_up(each.amount) for each in positions], Decimal(0))
    exact = by_rate(positions, [each.amount for each in positions])
    return net, sum([half_up(base * rate / 100) for rate, base in exact.items()], Decimal(0))


def odoo_18_globally(positions: list[Position]) -> Sums:
    """ "Round Globally" from version 17 on: the sum of bases is rounded too, and the difference is
    distributed over the lines."""
    net = half_up(sum([each.amount for each in positions], Decimal(0)))
    exact = by_rate(positions, [each.amount for each in positions])
    return net, sum([half_up(base * rate / 100) for rate, base in exact.items()], Decimal(0))


def erpnext(rounding: Callable[[Decimal], Decimal]) -> Callable[[list[Position]], Sums]:
    """erpnext/controllers/taxes_and_totals.py: `amount` of an item has the precision of the
    currency; taxes of items are added, and each row of taxes is rounded. Numbers are rounded by the
    method of System Settings: Banker's Rounding, or Commercial Rounding."""

    def make(positions: list[Position]) -> Sums:
        amounts = [rounding(each.amount) for each in positions]
        bases = by_rate(positions, amounts)
        taxes = [rounding(base * rate / 100) for rate, base in bases.items()]
        return sum(amounts, Decimal(0)), sum(taxes, Decimal(0))

    return make


def erpnext_row_wise(rounding: Callable[[Decimal], Decimal]) -> Callable[[list[Position]], Sums]:
    """Accounts Settings, "Round Tax Amount Row-wise": the tax of each item is rounded."""

    def make(positions: list[Position]) -> Sums:
        amounts = [rounding(each.amount) for each in positions]
        taxes = [rounding(a * p.rate / 100) for a, p in zip(amounts, positions, strict=True)]
        return sum(amounts, Decimal(0)), sum(taxes, Decimal(0))

    return make


def dolibarr(positions: list[Position]) -> Sums:
    """htdocs/core/lib/price.lib.php, `calcul_price_total`: net and gross of a line are rounded, and
    its VAT is their difference; wiki.dolibarr.org, "VAT setup, calculation and rounding rules"."""
    nets = [half_up(each.amount) for each in positions]
    gross = [half_up(each.amount * (100 + each.rate) / 100) for each in positions]
    return sum(nets, Decimal(0)), sum(gross, Decimal(0)) - sum(nets, Decimal(0))


def per_rate(positions: list[Position]) -> Sums:
    """DATEV and Exact: amounts of lines in cents, and the VAT of the sum of each rate (DATEV), or
    of each VAT code (Exact), as both print them at the end of an invoice.

    Sources: § 14 Abs. 4 Nr. 7 and 8 UStG; exact.com, "De btw-bedragen gesplitst op de factuur
    weergeven". It is what EN 16931 computes: BR-CO-10, BR-CO-17.
    """
    return erpnext(half_up)(positions)


PROGRAMS: dict[str, Callable[[list[Position]], Sums]] = {
    "Odoo, round per line": odoo_per_line,
    "Odoo, round globally, up to 16": odoo_globally,
    "Odoo, round globally, from 17 on": odoo_18_globally,
    "ERPNext, commercial rounding": erpnext(half_up),
    "ERPNext, banker's rounding": erpnext(half_even),
    "ERPNext, row-wise": erpnext_row_wise(half_up),
    "ERPNext, row-wise, banker's rounding": erpnext_row_wise(half_even),
    "Dolibarr": dolibarr,
    "DATEV": per_rate,
    "Exact": per_rate,
}


def some_positions(chance: random.Random, *, decimals: int = 4) -> list[Position]:
    def drawn(most: int) -> Decimal:
        places = chance.randint(0, decimals)
        return Decimal(chance.randint(0, most * 10**places)).scaleb(-places)

    rates = chance.sample([Decimal(21), Decimal(12), Decimal(6), Decimal("5.5"), Decimal(0)], 2)
    return [
        Position(
            drawn(30), drawn(90), chance.choice([Decimal(0), drawn(2).quantize(CENT)]),
            chance.choice(rates),
        )
        for _ in range(chance.randint(1, 12))
    ]  # fmt: skip


def request_of(positions: list[Position], sums: Sums) -> Any:
    net, tax = sums
    lines = [
        {
            "description": "Item", "quantity": each.quantity, "unitPrice": each.price,
            "taxRate": each.rate, "allowances": [{"amount": each.discount}],
        }
        for each in positions
    ]  # fmt: skip
    body = a_body(*lines, totals=(net, tax, net + tax), rule="rounded")
    return read_send(json.write(body))


def faults(name: str, count: int) -> list[str]:
    """What does not hold of invoices that a program makes."""
    chance, found = random.Random(name), []
    for _ in range(count):
        positions = some_positions(chance)
        sums = PROGRAMS[name](positions)
        request = request_of(positions, sums)["invoice"]
        with localcontext(EXACT):
            agreed = rounded(request, compute(request)).agreed
        if agreed is None:
            found.append(f"{name}: {positions} {sums} is refused")
            continue
        defaults = SendDefaults(totals=TotalsRule.ROUNDED)
        totals = derive(request, Routing(*PARTIES, "ref"), defaults).invoice.totals
        if (totals.tax_exclusive, totals.tax) != sums or totals.rounding:
            found.append(f"{name}: {sums} is not {totals}")
    return found


@pytest.mark.parametrize("name", PROGRAMS)
def test_totals_of_a_program_hold_and_stand_in_the_document(name):
    assert faults(name, 40) == []


@pytest.mark.more
@pytest.mark.parametrize("name", PROGRAMS)
def test_totals_of_a_program_hold_for_thousands_of_invoices(name):
    assert faults(name, 1_500) == []


def test_the_programs_differ():
    """Else the ways of rounding would not be told apart by these tests."""
    chance = random.Random(1)
    invoices = [some_positions(chance) for _ in range(300)]
    made = {name: [make(positions) for positions in invoices] for name, make in PROGRAMS.items()}
    same = {name: {other for other in made if made[other] == made[name]} for name in made}

    assert {frozenset(each) for each in same.values() if len(each) > 1} == {
        frozenset({"ERPNext, commercial rounding", "DATEV", "Exact"}),
        frozenset({"ERPNext, row-wise", "Odoo, round per line"}),
    }


def test_a_cent_more_or_less_than_any_way_of_rounding_is_refused():
    """There are several sums, and no tolerance."""
    positions = [Position(Decimal(3), Decimal("10.01"), Decimal(0), Decimal(20))]
    net, tax = per_rate(positions)
    assert check_declared(request_of(positions, (net, tax))["invoice"], TotalsRule.ROUNDED)
    for wrong in ((net + CENT, tax), (net - CENT, tax), (net, tax + CENT), (net, tax - CENT)):
        request = request_of(positions, wrong)["invoice"]
        with localcontext(EXACT):
            assert rounded(request, compute(request)).agreed is None
