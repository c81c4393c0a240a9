"""Amounts of PINT of a country whose lines have three decimals, as in Oman.

The lines and their VAT are in thousandths, as the rules compute them (IBR-168-OM). The breakdown
and the totals stay in cents, of which the shared rules allow no smaller part (ibr-091, ibr-co-14).
Where the VAT of the lines comes to more or less than what was declared, and Oman does not tolerate
the difference (a thousandth for each line), the document says the former; the amount due stays as
declared, by the rounding (BT-114).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from decimal import Decimal, localcontext

from einvoice.domain.derive.amounts import spread
from einvoice.domain.invoice import AllowanceCharge, Invoice, Line, TaxSubtotal
from einvoice.domain.money import CENT, EXACT, ZERO, cents, plain, rounded_to
from einvoice.domain.pint import Country
from einvoice.domain.request import SendWarning

Fine = tuple[Invoice, tuple[SendWarning, ...], frozenset[str]]  # warnings, and codes of former ones


def in_smallest_unit(invoice: Invoice, country: Country) -> Fine:
    """The invoice with the amounts of its lines in the unit of the country."""
    if country.unit == CENT:
        return invoice, (), frozenset()
    with localcontext(EXACT):
        exact = [_exact(line) for line in invoice.lines]
        ways = _ways(exact, country.unit)
        fine = next((x for x in ways if cents(sum(x, ZERO)) == invoice.totals.lines), None)
        settled = frozenset({"line-amount-rounded"} if fine == exact else ())
        if fine is not None:
            pairs = zip(invoice.lines, fine, strict=True)
            invoice = replace(invoice, lines=tuple([replace(x, extension=y) for x, y in pairs]))
        taxes = tuple([_taxed(each, invoice, country) for each in invoice.taxes])
        warnings = tuple(
            [_warning(x, y) for x, y in zip(invoice.taxes, taxes, strict=True) if x.tax != y.tax]
        )
        return _with_taxes(invoice, taxes), warnings, settled


def _ways(exact: Sequence[Decimal], unit: Decimal) -> Iterator[list[Decimal]]:
    """The amounts in units: each rounded, and with a sum that is the rounded one of all."""
    yield [rounded_to(amount, unit) for amount in exact]
    fine = [rounded_to(amount, unit) for amount in exact]
    spread(rounded_to(sum(exact, ZERO), unit) - sum(fine, ZERO), fine, exact, unit)
    yield fine


def line_tax(line: Line, country: Country) -> Decimal:
    """The VAT of a line, of which only the standard rate charges any."""
    category = line.item.category
    percent = category.rate if category.code == "S" else None
    return rounded_to(line.extension * (percent or ZERO) / 100, country.unit)


def _exact(line: Line) -> Decimal:
    amount = line.quantity * line.price.net / (line.price.base_quantity or 1)
    return amount + sum([each.amount if each.charge else -each.amount for each in line.adjustments])


def _taxed(tax: TaxSubtotal, invoice: Invoice, country: Country) -> TaxSubtotal:
    """The row with the VAT of its lines, where the declared one is further away than allowed."""
    if tax.category.code != "S":
        return tax
    lines = [line for line in invoice.lines if line.item.category == tax.category]
    adjusted = [_adjustment_tax(x) for x in invoice.adjustments if x.category == tax.category]
    computed = cents(sum([line_tax(line, country) for line in lines], ZERO) + sum(adjusted, ZERO))
    if abs(tax.tax - computed) <= country.unit * len(invoice.lines):
        return tax
    return replace(tax, tax=computed)


def _adjustment_tax(entry: AllowanceCharge) -> Decimal:
    rate = (entry.category.rate if entry.category else None) or ZERO
    amount = entry.amount * rate / 100
    return amount if entry.charge else -amount


def _warning(before: TaxSubtotal, after: TaxSubtotal) -> SendWarning:
    values = {
        "rate": plain(after.category.rate or ZERO),
        "sum": plain(before.tax),
        "computed": plain(after.tax),
    }
    return SendWarning("line-amount-rounded", "", "invoice.totals.taxAmount", "vat", values)


def _with_taxes(invoice: Invoice, taxes: tuple[TaxSubtotal, ...]) -> Invoice:
    before, tax = invoice.totals, sum([each.tax for each in taxes], ZERO)
    if tax == before.tax:
        return invoice
    inclusive = before.tax_exclusive + tax
    rounding = before.payable + (before.prepaid or ZERO) - inclusive
    totals = replace(before, tax=tax, tax_inclusive=inclusive, rounding=rounding or None)
    return replace(invoice, taxes=taxes, totals=totals)
