"""Declared totals must equal the computed ones exactly (decisions 0.2).

line extension = quantity x unitPrice / priceBaseQuantity - allowances + charges
subtotal       = line extensions - document allowances + document charges
taxAmount      = sum of round(amount x taxRate / 100, 2) over lines, allowances (-) and charges (+)
grandTotal     = subtotal + taxAmount;  payableAmount = grandTotal - prepaidAmount
(decisions 0.2, 17.14, 19.15). Products are exact. Only a division that does not end within 16
digits is rounded, to the 8 fraction digits a request can carry, so that a subtotal can match it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext

from einvoice.domain.codes import category_code
from einvoice.domain.errors import DeclaredTotalsMismatch, FieldError, InvalidField, Phrase
from einvoice.domain.money import EXACT, ZERO, cents, plain
from einvoice.domain.request import AdjustmentRequest, InvoiceRequest, LineRequest

_EIGHT_DECIMALS = Decimal("1E-8")


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A document allowance or charge with its VAT; both amounts are positive."""

    request: AdjustmentRequest
    charge: bool
    category: str
    rate: Decimal
    tax: Decimal


@dataclass(frozen=True, slots=True)
class ComputedTotals:
    """Totals of lines, allowances and charges; extensions are not rounded, taxes are."""

    extensions: tuple[Decimal, ...]
    line_taxes: tuple[Decimal, ...]
    adjustments: tuple[Adjustment, ...]
    subtotal: Decimal
    tax: Decimal


def check_declared(invoice: InvoiceRequest) -> ComputedTotals:
    """The computed totals. Raises DeclaredTotalsMismatch, which names every difference."""
    with localcontext(EXACT):
        computed = compute(invoice)
        wrong = list(_differences(invoice, computed))
        if wrong:
            raise DeclaredTotalsMismatch("; ".join(wrong), _figures(invoice, computed))
    return computed


def compute(invoice: InvoiceRequest) -> ComputedTotals:
    """The totals. The caller sets the EXACT context, in which no sum or product is rounded."""
    lines = invoice["lineItems"]
    extensions = tuple([extension(line) for line in lines])
    taxes = tuple([_tax(ext, ln["taxRate"]) for ext, ln in zip(extensions, lines, strict=True)])
    subtotal, tax = sum(extensions, ZERO), sum(taxes, ZERO)
    adjustments = tuple(_adjustments(invoice))
    for adjustment in adjustments:
        amount = adjustment.request["amount"]
        subtotal += amount if adjustment.charge else -amount
        tax += adjustment.tax if adjustment.charge else -adjustment.tax
    return ComputedTotals(extensions, taxes, adjustments, subtotal, tax)


def extension(line: LineRequest) -> Decimal:
    """Quantity times price, less the line's allowances, plus its charges; not rounded."""
    amount = line["quantity"] * line["unitPrice"]
    if "priceBaseQuantity" in line:
        amount = _quotient(amount, line["priceBaseQuantity"])
    for allowance in line.get("allowances", ()):
        amount -= allowance["amount"]
    for charge in line.get("charges", ()):
        amount += charge["amount"]
    return amount


def _quotient(amount: Decimal, divisor: Decimal) -> Decimal:
    exact = amount / divisor
    exponent = exact.as_tuple().exponent
    endless = isinstance(exponent, int) and exponent < -16
    return exact.quantize(_EIGHT_DECIMALS) if endless else exact


def _tax(amount: Decimal, rate: Decimal) -> Decimal:
    return cents(amount * rate / 100) if rate else ZERO


def _adjustments(invoice: InvoiceRequest) -> Iterator[Adjustment]:
    allowances, charges = invoice.get("allowances", []), invoice.get("charges", [])
    if not allowances and not charges:
        return
    shared = _shared_vat(invoice["lineItems"])
    for name, requests in (("allowances", allowances), ("charges", charges)):
        for index, request in enumerate(requests):
            rate, category = _vat(request, shared, f"/invoice/{name}/{index}/taxRate")
            tax = _tax(request["amount"], rate)
            yield Adjustment(request, name == "charges", category, rate, tax)


def _vat(
    request: AdjustmentRequest, shared: tuple[Decimal, str] | None, pointer: str
) -> tuple[Decimal, str]:
    """Rate and category as sent, else those that all lines share.

    Raises InvalidField where the lines differ.
    """
    if "taxRate" in request:
        rate = request["taxRate"]
        return rate, category_code(request.get("taxCategory"), rate)
    if shared is None:
        words = "is required when the lines have more than one VAT rate or category"
        raise InvalidField([FieldError(pointer, "required", words, Phrase("vat"))])
    return shared[0], request.get("taxCategory") or shared[1]


def _shared_vat(lines: list[LineRequest]) -> tuple[Decimal, str] | None:
    found = {(ln["taxRate"], category_code(ln.get("taxCategory"), ln["taxRate"])) for ln in lines}
    return found.pop() if len(found) == 1 else None


def _differences(invoice: InvoiceRequest, computed: ComputedTotals) -> Iterator[str]:
    declared = invoice["totals"]
    subtotal, tax, grand = declared["subtotal"], declared["taxAmount"], declared["grandTotal"]
    if subtotal != computed.subtotal:
        yield _words("subtotal", subtotal, computed.subtotal, "the lines come to")
    if tax != computed.tax:
        yield _words("taxAmount", tax, computed.tax, "the taxes per line come to")
        rates = [line["taxRate"] for line in invoice["lineItems"] if 0 < line["taxRate"] < 1]
        if rates:
            rate, meant = plain(rates[0]), plain((rates[0] * 100).normalize())
            yield f"a taxRate of {rate} is {rate} %: if you mean {meant} %, write {meant}"
    if grand != subtotal + tax:
        yield _words("grandTotal", grand, subtotal + tax, "subtotal + taxAmount is")
    if "payableAmount" in declared and declared["payableAmount"] != _payable(invoice, grand):
        payable = _payable(invoice, grand)
        yield _words(
            "payableAmount", declared["payableAmount"], payable, "grandTotal - prepaidAmount is"
        )


def _words(field: str, declared: Decimal, computed: Decimal, what: str) -> str:
    return f"{field} is {plain(declared)}, but {what} {plain(computed)}"


def _payable(invoice: InvoiceRequest, grand_total: Decimal) -> Decimal:
    return grand_total - invoice["totals"].get("prepaidAmount", ZERO)


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
