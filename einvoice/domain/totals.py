"""The totals of the lines of an invoice, without rounding of line amounts (decisions 0.2).

line extension = quantity x unitPrice / priceBaseQuantity - allowances + charges
subtotal       = line extensions - document allowances + document charges
taxAmount      = sum of round(amount x taxRate / 100, 2) over lines, allowances (-) and charges (+)
(decisions 0.2, 19.15). Products are exact: a total may have as many decimals as quantity and price
together. Only a division that does not end within 16 digits is rounded, to 8 decimals, so that a
subtotal can match it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal

from einvoice.domain.errors import FieldError, InvalidField, Phrase
from einvoice.domain.money import ZERO, cents
from einvoice.domain.request import AdjustmentRequest, ExemptionRequest, InvoiceRequest, LineRequest
from einvoice.domain.vat import Vat, category_of, vat_of_lines

_EIGHT_DECIMALS = Decimal("1E-8")


@dataclass(frozen=True, slots=True)
class Adjustment:
    """A document allowance or charge with its VAT; both amounts are positive."""

    request: AdjustmentRequest
    charge: bool
    category: str
    rate: Decimal
    tax: Decimal

    @property
    def vat(self) -> Vat:
        return self.category, self.rate


@dataclass(frozen=True, slots=True)
class ComputedTotals:
    """Totals of lines, allowances and charges. Taxes are rounded; extensions are not, unless they
    are described in `domain/rounded_totals`.

    group_taxes  the VAT of each category and rate, where it is not the sum of `line_taxes`
    """

    extensions: tuple[Decimal, ...]
    line_taxes: tuple[Decimal, ...]
    adjustments: tuple[Adjustment, ...]
    subtotal: Decimal
    tax: Decimal
    group_taxes: Mapping[Vat, Decimal] | None = None


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
    shared = _shared_vat(invoice)
    general = invoice.get("taxExemption", {})
    for name, requests in (("allowances", allowances), ("charges", charges)):
        for index, request in enumerate(requests):
            pointer = f"/invoice/{name}/{index}/taxRate"
            category, rate = _vat(request, shared, general, pointer)
            tax = _tax(request["amount"], rate)
            yield Adjustment(request, name == "charges", category, rate, tax)


def _vat(
    request: AdjustmentRequest, shared: Vat | None, general: ExemptionRequest, pointer: str
) -> Vat:
    """Category and rate as sent, else those that all lines share. `general`: the exemption of the
    invoice.

    Raises InvalidField where the lines differ.
    """
    if "taxRate" in request:
        rate = request["taxRate"]
        return category_of(request.get("taxCategory"), rate, general), rate
    if shared is None:
        message = "is required when the lines have more than one VAT rate or category"
        raise InvalidField([FieldError(pointer, "required", message, Phrase("vat"))])
    return request.get("taxCategory") or shared[0], shared[1]


def _shared_vat(invoice: InvoiceRequest) -> Vat | None:
    found = set(vat_of_lines(invoice))
    return found.pop() if len(found) == 1 else None
