"""Totals of lines that are rounded, as accounting programs make them (decisions
32.1).

An amount of a line is rounded to cents before it is added (BT-131 and BT-106 of EN 16931 have two
decimals), and VAT is rounded per line or per rate (BR-CO-17). Programs differ in what they round,
so there are several sums of the same lines, each without a tolerance:

| What is rounded | to | by |
|---|---|---|
| line amounts | the nearest cent, half away from zero | most |
| line amounts | the nearest cent, half to even | ERPNext |
| the sum of line amounts, once | the nearest cent | Odoo, "round globally" |
| VAT of a rate | of the amounts in cents | EN 16931, ERPNext, DATEV, Exact |
| VAT of a line | of the amount in cents | Odoo, ERPNext (row wise) |
| VAT of a rate | of the amounts before they are rounded | Odoo, "round globally" |
| VAT of a line | of the amount before it is rounded | decisions 0.2 |
| gross and net amount of a line, whose difference is the VAT | | Dolibarr |

Of currencies with three decimals (rials, dinars) all of this may be in thousandths in place of
cents.

A VAT that differs from its rate's by 1.00 or more is refused, as by the rules (BR-CO-17).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import NamedTuple

from einvoice.domain.money import THREE_DECIMALS, ZERO, cents, even_cents, plain, thousandths
from einvoice.domain.request import InvoiceRequest
from einvoice.domain.totals import Adjustment, ComputedTotals
from einvoice.domain.vat import Vat, vat_of_lines

Rounding = Callable[[Decimal], Decimal]


class Part(NamedTuple):
    """A line, a document charge, or an allowance, whose amounts are negative."""

    vat: Vat
    exact: Decimal
    amount: Decimal  # rounded


@dataclass(frozen=True, slots=True)
class Base:
    """The amounts of lines, allowances and charges in one way of rounding."""

    parts: Sequence[Part]
    extensions: tuple[Decimal, ...]
    subtotal: Decimal
    rounding: Rounding


@dataclass(frozen=True, slots=True)
class RefusedTax:
    """A VAT of a rate that rule BR-CO-17 refuses."""

    rate: Decimal
    tax: Decimal
    computed: Decimal


@dataclass(frozen=True, slots=True)
class RoundedTotals:
    """The totals that declared ones were compared with.

    agreed        the totals that they equal; None if they equal none
    usual         totals by EN 16931: amounts in cents, and VAT per rate; in thousandths where the
                  currency has them
    tax_per_line  the VAT of amounts in cents, rounded line by line
    has_subtotal  whether the declared subtotal is one of the sums
    refused       the VAT of a rate, where that alone is wrong
    """

    agreed: ComputedTotals | None
    usual: ComputedTotals
    tax_per_line: Decimal
    has_subtotal: bool
    refused: RefusedTax | None


def rounded(invoice: InvoiceRequest, exact: ComputedTotals) -> RoundedTotals:
    """Compare the declared subtotal and VAT. The caller sets the context EXACT.

    `exact`: the totals of the invoice that are not rounded.
    """
    subtotal, tax = invoice["totals"]["subtotal"], invoice["totals"]["taxAmount"]
    bases = list(_bases(invoice, exact))
    first, has_subtotal, refused = bases[0], False, None
    for base in bases:
        if base.subtotal != subtotal:
            continue
        has_subtotal = True
        for taxes in _equal(base, tax):
            wrong = _refused(base.parts, taxes)
            if wrong is None:
                agreed = _totals(exact, base, taxes)
                return RoundedTotals(agreed, agreed, tax, has_subtotal, None)
            refused = refused or wrong
    usual = _totals(exact, first, _per_rate(first.parts, first.rounding))
    per_line = sum(_per_line(first.parts, first.rounding).values(), ZERO)
    return RoundedTotals(None, usual, per_line, has_subtotal, refused)


def refused_tax(refused: RefusedTax) -> str:
    """Why the VAT of a rate is refused."""
    return (
        f"{plain(refused.tax)} at {plain(refused.rate)} % is 1.00 or more from "
        f"{plain(refused.computed)}, which rule BR-CO-17 refuses"
    )


def _bases(invoice: InvoiceRequest, exact: ComputedTotals) -> Iterator[Base]:
    vats = vat_of_lines(invoice)
    fine = invoice["currency"] in THREE_DECIMALS
    ways = (cents, even_cents)
    for rounding in (thousandths, *ways) if fine else ways:
        unit = thousandths if rounding is thousandths else cents
        extensions = tuple([rounding(extension) for extension in exact.extensions])
        parts = [
            *map(Part, vats, exact.extensions, extensions),
            *[_adjusted(each, unit) for each in exact.adjustments],
        ]
        yield Base(parts, extensions, sum([part.amount for part in parts], ZERO), rounding)
    parts = [part._replace(amount=part.exact) for part in parts]
    whole = sum([part.exact for part in parts], ZERO)
    for rounding in (thousandths, cents) if fine else (cents,):
        yield Base(parts, exact.extensions, rounding(whole), rounding)


def _adjusted(adjustment: Adjustment, unit: Rounding) -> Part:
    sign, amount = 1 if adjustment.charge else -1, adjustment.request["amount"]
    return Part(adjustment.vat, sign * amount, sign * unit(amount))


def _equal(base: Base, tax: Decimal) -> Iterator[Mapping[Vat, Decimal]]:
    """The VAT of each rate in the ways of rounding whose sum is the declared VAT."""
    for way in _WAYS:
        taxes = way(base.parts, base.rounding)
        if sum(taxes.values(), ZERO) == tax:
            yield taxes


def _per_rate(parts: Iterable[Part], rounding: Rounding) -> dict[Vat, Decimal]:
    return {
        vat: rounding(amount * vat[1] / 100)
        for vat, amount in _grouped((part.vat, part.amount) for part in parts).items()
    }


def _per_line(parts: Iterable[Part], rounding: Rounding) -> dict[Vat, Decimal]:
    return _grouped((part.vat, rounding(part.amount * part.vat[1] / 100)) for part in parts)


def _exact_per_rate(parts: Iterable[Part], rounding: Rounding) -> dict[Vat, Decimal]:
    return _per_rate([part._replace(amount=part.exact) for part in parts], rounding)


def _exact_per_line(parts: Iterable[Part], rounding: Rounding) -> dict[Vat, Decimal]:
    return _per_line([part._replace(amount=part.exact) for part in parts], rounding)


def _gross_less_net(parts: Iterable[Part], rounding: Rounding) -> dict[Vat, Decimal]:
    return _grouped(
        (part.vat, rounding(part.exact * (100 + part.vat[1]) / 100) - rounding(part.exact))
        for part in parts
    )


_WAYS = (_per_rate, _per_line, _exact_per_rate, _exact_per_line, _gross_less_net)


def _grouped(amounts: Iterable[tuple[Vat, Decimal]]) -> dict[Vat, Decimal]:
    found: dict[Vat, Decimal] = {}
    for vat, amount in amounts:
        found[vat] = found.get(vat, ZERO) + amount
    return found


def _refused(parts: Iterable[Part], taxes: Mapping[Vat, Decimal]) -> RefusedTax | None:
    for vat, computed in _per_rate(parts, cents).items():
        if abs(taxes[vat] - computed) >= 1:
            return RefusedTax(vat[1], taxes[vat], computed)
    return None


def _totals(exact: ComputedTotals, base: Base, taxes: Mapping[Vat, Decimal]) -> ComputedTotals:
    return replace(
        exact,
        extensions=base.extensions,
        subtotal=base.subtotal,
        tax=sum(taxes.values(), ZERO),
        group_taxes=taxes,
    )
