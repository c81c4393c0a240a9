"""Amounts in cents that add up: lines, allowances and charges, totals (decisions 17.13)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

from einvoice.domain.derive.text import filled
from einvoice.domain.errors import FieldError, InvalidField
from einvoice.domain.invoice import AllowanceCharge, TaxCategory, TaxSubtotal, Totals
from einvoice.domain.money import CENT, ZERO, cents
from einvoice.domain.request import AdjustmentRequest, InvoiceRequest, SendWarning, TotalsRequest
from einvoice.domain.totals import ComputedTotals
from einvoice.domain.vat import Vat


def adjustment(
    request: AdjustmentRequest, charge: bool, category: TaxCategory | None = None
) -> AllowanceCharge:
    """One allowance or charge, rounded to cents. `category` is None on a line."""
    return AllowanceCharge(
        charge=charge,
        amount=cents(request["amount"]),
        base_amount=request.get("baseAmount"),
        percentage=request.get("percent"),
        category=category,
        reason=filled(request.get("reason")),
        reason_code=filled(request.get("reasonCode")),
    )


def adjustments(
    computed: ComputedTotals, vat: Mapping[Vat, TaxCategory]
) -> tuple[AllowanceCharge, ...]:
    return tuple(
        [adjustment(item.request, item.charge, vat[item.vat]) for item in computed.adjustments]
    )


def line_amounts(
    computed: ComputedTotals, extras: Sequence[AllowanceCharge], warnings: list[SendWarning]
) -> list[Decimal]:
    """BT-131 of each line: rounded, then adjusted by cents until they add up to the subtotal."""
    amounts = [cents(extension) for extension in computed.extensions]
    target = cents(computed.subtotal) - _sum(extras, charge=True) + _sum(extras, charge=False)
    missing = target - sum(amounts, ZERO)
    if missing:
        spread(missing, amounts, computed.extensions)
    _note_rounding(amounts, computed.extensions, warnings)
    return amounts


def spread(
    missing: Decimal, amounts: list[Decimal], exact: Sequence[Decimal], unit: Decimal = CENT
) -> None:
    """Distribute `missing` in units, first to the lines with the largest opposite rounding."""
    step = unit if missing > 0 else -unit
    order = sorted(range(len(amounts)), key=lambda i: (exact[i] - amounts[i]) * step, reverse=True)
    for turn in range(int(missing / step)):
        amounts[order[turn % len(order)]] += step


def _note_rounding(
    amounts: Sequence[Decimal], exact: Sequence[Decimal], warnings: list[SendWarning]
) -> None:
    rounded = [i for i, amount in enumerate(amounts) if amount != exact[i]]
    if rounded:
        field, values = f"invoice.lineItems[{rounded[0]}]", {"count": str(len(rounded))}
        warnings.append(SendWarning("line-amount-rounded", "", field, "lines", values))


def check_tax_currency(request: InvoiceRequest) -> None:
    """Raise InvalidField for a VAT amount in a currency that was not sent, or with more decimals
    than the document may have: it is never rounded (BR-DEC-15).

    A currency without the amount is left to the rules (BR-53).
    """
    amount = request["totals"].get("taxAmountInTaxCurrency")
    if amount is None:
        return
    if not request.get("taxCurrency"):
        message = "is required with totals.taxAmountInTaxCurrency"
        raise InvalidField([FieldError("/invoice/taxCurrency", "required", message)])
    if amount != cents(amount):
        pointer, message = "/invoice/totals/taxAmountInTaxCurrency", "has more than two decimals"
        raise InvalidField([FieldError(pointer, "too-many-decimals", message)])


def totals(
    declared: TotalsRequest,
    amounts: Sequence[Decimal],
    extras: Sequence[AllowanceCharge],
    taxes: Sequence[TaxSubtotal],
) -> Totals:
    """BG-22. The rounding (BT-114) is what was declared, with the difference between the parts and
    the grand total."""
    lines = sum(amounts, ZERO)
    allowances, charges = _sum(extras, charge=False), _sum(extras, charge=True)
    exclusive = lines - allowances + charges
    tax = sum([subtotal.tax for subtotal in taxes], ZERO)
    accounted = declared.get("taxAmountInTaxCurrency")
    prepaid = cents(declared.get("prepaidAmount", ZERO))
    payable = cents(declared["grandTotal"]) - prepaid
    if "payableRounding" in declared:
        payable += cents(declared["payableRounding"])
    rounding = payable + prepaid - exclusive - tax
    return Totals(
        lines=lines,
        tax_exclusive=exclusive,
        tax_inclusive=exclusive + tax,
        payable=payable,
        tax=tax,
        tax_in_accounting_currency=cents(accounted) if accounted is not None else None,
        allowances=allowances if any(not extra.charge for extra in extras) else None,
        charges=charges if any(extra.charge for extra in extras) else None,
        prepaid=prepaid or None,
        rounding=rounding or None,
    )


def _sum(extras: Sequence[AllowanceCharge], *, charge: bool) -> Decimal:
    return sum([extra.amount for extra in extras if extra.charge is charge], ZERO)
