"""Declared totals must agree with the lines, exactly or rounded (decisions 0.2, 17.14, 32.1).

Under `exact`, the default, they equal the totals of `domain/totals`. Under `rounded` they equal
those that `domain/rounded_totals` rounds to cents. Both compare without a tolerance:
grandTotal = subtotal + taxAmount; payableAmount = grandTotal - prepaidAmount + payableRounding.
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal, localcontext

from einvoice.domain.errors import DeclaredTotalsMismatch
from einvoice.domain.money import EXACT, THREE_DECIMALS, ZERO, plain
from einvoice.domain.request import InvoiceRequest, TotalsRule
from einvoice.domain.rounded_totals import RoundedTotals, refused_tax, rounded
from einvoice.domain.totals import ComputedTotals, compute


def check_declared(invoice: InvoiceRequest, rule: TotalsRule = TotalsRule.EXACT) -> ComputedTotals:
    """The computed totals that the declared ones equal.

    Raises DeclaredTotalsMismatch, which names every difference, and what would hold.
    """
    with localcontext(EXACT):
        computed = compute(invoice)
        if rule is TotalsRule.ROUNDED:
            return _check_rounded(invoice, computed)
        wrong = list(_differences(invoice, computed))
        if wrong:
            raise _mismatch(invoice, wrong, computed, rounded(invoice, computed))
    return computed


def _check_rounded(invoice: InvoiceRequest, computed: ComputedTotals) -> ComputedTotals:
    found = rounded(invoice, computed)
    wrong = list(_rounded_differences(invoice, found))
    if found.agreed is None or wrong:
        usual = found.usual
        figures = _figures(invoice, usual) | {"computedTaxAmountPerLine": found.tax_per_line}
        if not list(_differences(invoice, computed)):
            wrong.append('as they are, they hold with options.totals "exact"')
            figures["holdsUnder"] = TotalsRule.EXACT.value
        raise DeclaredTotalsMismatch("; ".join(wrong), figures)
    return found.agreed


def _mismatch(
    invoice: InvoiceRequest, wrong: list[str], computed: ComputedTotals, found: RoundedTotals
) -> DeclaredTotalsMismatch:
    """The refusal under `exact`, with what holds under `rounded` where that is something else."""
    figures = _figures(invoice, computed)
    if found.agreed is not None and not list(_rounded_differences(invoice, found)):
        wrong.append('as they are, they hold with options.totals "rounded"')
        figures["holdsUnder"] = TotalsRule.ROUNDED.value
    elif (usual := found.usual) and (usual.subtotal, usual.tax) != (
        computed.subtotal,
        computed.tax,
    ):
        sums = plain(usual.subtotal), plain(usual.tax), plain(usual.subtotal + usual.tax)
        wrong.append(
            'with options.totals "rounded", subtotal {}, taxAmount {} and grandTotal {} '
            "hold".format(*sums)
        )
    return DeclaredTotalsMismatch("; ".join(wrong), figures)


def _differences(invoice: InvoiceRequest, computed: ComputedTotals) -> Iterator[str]:
    declared = invoice["totals"]
    subtotal, tax = declared["subtotal"], declared["taxAmount"]
    if subtotal != computed.subtotal:
        yield _words("subtotal", subtotal, computed.subtotal, "the lines come to")
    if tax != computed.tax:
        yield _words("taxAmount", tax, computed.tax, "the taxes per line come to")
        yield from _fractions(invoice)
    yield from _sums(invoice)


def _rounded_differences(invoice: InvoiceRequest, found: RoundedTotals) -> Iterator[str]:
    declared, usual = invoice["totals"], found.usual
    subtotal, tax = declared["subtotal"], declared["taxAmount"]
    if not found.has_subtotal:
        unit = "thousandths" if invoice["currency"] in THREE_DECIMALS else "cents"
        yield _words("subtotal", subtotal, usual.subtotal, f"the lines in {unit} come to")
    if found.agreed is None and (tax not in (usual.tax, found.tax_per_line) or found.has_subtotal):
        yield _rounded_tax(tax, found)
        yield from _fractions(invoice)
    yield from _sums(invoice)


def _rounded_tax(declared: Decimal, found: RoundedTotals) -> str:
    usual = found.usual.tax
    what = f"taxAmount is {plain(declared)}, but the VAT of each rate comes to {plain(usual)}"
    if found.refused:
        return f"{what}, and {refused_tax(found.refused)}"
    if found.tax_per_line != usual:
        return f"{what}, and that of each line to {plain(found.tax_per_line)}"
    return what


def _fractions(invoice: InvoiceRequest) -> Iterator[str]:
    rates = [line["taxRate"] for line in invoice["lineItems"] if 0 < line["taxRate"] < 1]
    if rates:
        rate, meant = plain(rates[0]), plain((rates[0] * 100).normalize())
        yield f"a taxRate of {rate} is {rate} %: if you mean {meant} %, write {meant}"


def _sums(invoice: InvoiceRequest) -> Iterator[str]:
    """Differences of the totals among each other."""
    declared = invoice["totals"]
    grand, net_and_tax = declared["grandTotal"], declared["subtotal"] + declared["taxAmount"]
    if grand != net_and_tax:
        yield _words("grandTotal", grand, net_and_tax, "subtotal + taxAmount is")
    if "payableAmount" not in declared:
        return
    payable, due = declared["payableAmount"], _payable(invoice, grand)
    if payable == due:
        return
    if "payableRounding" in declared:
        yield _words("payableAmount", payable, due, "with prepaidAmount and payableRounding it is")
        return
    yield _words("payableAmount", payable, due, "grandTotal - prepaidAmount is")
    if abs(payable - due) < 1:
        missing = plain(payable - due)
        yield f"if the amount due is rounded, send payableRounding {missing} too"


def _words(field: str, declared: Decimal, computed: Decimal, what: str) -> str:
    return f"{field} is {plain(declared)}, but {what} {plain(computed)}"


def _payable(invoice: InvoiceRequest, grand_total: Decimal) -> Decimal:
    declared = invoice["totals"]
    prepaid, rounding = declared.get("prepaidAmount", ZERO), declared.get("payableRounding", ZERO)
    return grand_total - prepaid + rounding


def _figures(invoice: InvoiceRequest, computed: ComputedTotals) -> dict[str, object]:
    """The members of the problem document (decisions 17.14)."""
    grand_total = computed.subtotal + computed.tax
    figures: dict[str, object] = {
        "computedSubtotal": computed.subtotal,
        "computedTaxAmount": computed.tax,
        "computedGrandTotal": grand_total,
        "computedLineExtensions": list(computed.extensions),
    }
    if "payableAmount" in invoice["totals"]:
        figures["computedPayableAmount"] = _payable(invoice, grand_total)
    return figures
