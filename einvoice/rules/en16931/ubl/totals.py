"""Document totals (BG-22): each is given, and agrees with the amounts it is computed from."""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Decimal

from einvoice.rules.book import Chapter, Kind, Values
from einvoice.rules.en16931.ubl import contexts
from einvoice.rules.en16931.ubl.conditions import indicated
from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node
from einvoice.rules.tables import present, two_decimals
from einvoice.rules.values import ZERO, decimal_of, to_cents
from einvoice.rules.view import View

totals = Chapter(Layer.CEN_UBL, gathers=("cac:InvoiceLine", "cac:CreditNoteLine"))

present(
    totals,
    contexts.TOTALS,
    [
        ("BR-12", "BG-22 BT-106", "cbc:LineExtensionAmount"),
        ("BR-13", "BG-22 BT-109", "cbc:TaxExclusiveAmount"),
        ("BR-14", "BG-22 BT-112", "cbc:TaxInclusiveAmount"),
        ("BR-15", "BG-22 BT-115", "cbc:PayableAmount"),
    ],
)
two_decimals(
    totals,
    contexts.TOTALS,
    [
        ("BR-DEC-09", "BT-106", "cbc:LineExtensionAmount"),
        ("BR-DEC-10", "BT-107", "cbc:AllowanceTotalAmount"),
        ("BR-DEC-11", "BT-108", "cbc:ChargeTotalAmount"),
        ("BR-DEC-12", "BT-109", "cbc:TaxExclusiveAmount"),
        ("BR-DEC-14", "BT-112", "cbc:TaxInclusiveAmount"),
        ("BR-DEC-16", "BT-113", "cbc:PrepaidAmount"),
        ("BR-DEC-17", "BT-114", "cbc:PayableRoundingAmount"),
        ("BR-DEC-18", "BT-115", "cbc:PayableAmount"),
    ],
)


def _compared(declared: Decimal | None, expected: Decimal | None) -> Values | None:
    if declared is not None and declared == expected:
        return None
    return {"declared": declared, "expected": expected}


def _sum(amounts: Iterable[Decimal | None]) -> Decimal:
    return to_cents(sum((amount for amount in amounts if amount is not None), ZERO))


@totals.rule("BR-CO-10", "BT-106 BT-131", at=contexts.TOTALS, kind=Kind.SUM)
def line_nets_add_up(total: Node, view: View) -> Values | None:
    """The sum of line net amounts (BT-106) is the sum of BT-131 of all lines."""
    declared = total.number("cbc:LineExtensionAmount")
    lines = (*view.everywhere("cac:InvoiceLine"), *view.everywhere("cac:CreditNoteLine"))
    return _compared(declared, _sum(line.number("cbc:LineExtensionAmount") for line in lines))


def _adjustments_add_up(total: Node, path: str, charge: bool) -> Values | None:
    declared = total.number(path)
    siblings = total.parent.all("cac:AllowanceCharge") if total.parent is not None else ()
    adjustments = [sibling for sibling in siblings if indicated(sibling, charge)]
    broken = _compared(declared, _sum(each.number("cbc:Amount") for each in adjustments))
    return broken if adjustments or total.has(path) else None


@totals.rule("BR-CO-11", "BT-107 BT-92", at=contexts.TOTALS, kind=Kind.SUM)
def allowances_add_up(total: Node, _: View) -> Values | None:
    """The sum of allowances (BT-107) is the sum of the allowances of the document (BT-92)."""
    return _adjustments_add_up(total, "cbc:AllowanceTotalAmount", False)


@totals.rule("BR-CO-12", "BT-108 BT-99", at=contexts.TOTALS, kind=Kind.SUM)
def charges_add_up(total: Node, _: View) -> Values | None:
    """The sum of charges (BT-108) is the sum of the charges of the document (BT-99)."""
    return _adjustments_add_up(total, "cbc:ChargeTotalAmount", True)


@totals.rule("BR-CO-13", "BT-109 BT-106 BT-107 BT-108", at=contexts.TOTALS, kind=Kind.SUM)
def total_without_vat_adds_up(total: Node, _: View) -> Values | None:
    """The total without VAT is lines less allowances plus charges.

    BT-109 = BT-106 - BT-107 + BT-108.
    """
    declared = total.number("cbc:TaxExclusiveAmount")
    lines = total.number("cbc:LineExtensionAmount")
    if declared is None or lines is None:
        return {"declared": declared, "expected": None}
    charges = total.number("cbc:ChargeTotalAmount")
    allowances = total.number("cbc:AllowanceTotalAmount")
    if charges is None and allowances is None:
        return _compared(declared, lines)  # not rounded by the official rule
    return _compared(declared, to_cents(lines + (charges or ZERO) - (allowances or ZERO)))


@totals.rule("BR-CO-16", "BT-115 BT-112 BT-113 BT-114", at=contexts.TOTALS, kind=Kind.SUM)
def amount_due_adds_up(total: Node, _: View) -> Values | None:
    """The amount due is the total with VAT less the prepaid amount plus the rounding.

    BT-115 = BT-112 - BT-113 + BT-114.
    """
    due = total.number("cbc:PayableAmount")
    gross = total.number("cbc:TaxInclusiveAmount")
    if due is None or gross is None:
        return {"declared": due, "expected": None}
    prepaid = total.number("cbc:PrepaidAmount")
    rounding = total.number("cbc:PayableRoundingAmount")
    # The official rule rounds a side only if a prepaid amount or a rounding is part of it.
    left = gross if prepaid is None else to_cents(gross - prepaid)
    unrounded = due if rounding is None else to_cents(due - rounding)
    return None if unrounded == left else {"declared": due, "expected": left + (rounding or ZERO)}


@totals.rule("BR-CO-15", "BT-112 BT-109 BT-110", at=contexts.DOCUMENT, kind=Kind.SUM)
def total_with_vat_adds_up(invoice: Node, _: View) -> Values | None:
    """The total with VAT is the total without VAT plus the VAT in the invoice currency.

    BT-112 = BT-109 + BT-110.
    """
    for currency in invoice.texts("cbc:DocumentCurrencyCode"):
        taxes = list(_taxes(invoice, currency))
        if len(taxes) != 1:
            return {"declared": None, "expected": None, "currency": currency, "count": len(taxes)}
        declared = list(invoice.numbers("cac:LegalMonetaryTotal", "cbc:TaxInclusiveAmount"))
        nets = list(invoice.numbers("cac:LegalMonetaryTotal", "cbc:TaxExclusiveAmount"))
        if len(nets) > 1:
            raise MoreThanOneItem(invoice, "cac:LegalMonetaryTotal", len(nets))
        expected = to_cents(nets[0] + taxes[0]) if nets else None
        if expected is None or expected not in declared:
            return {"declared": declared[0] if declared else None, "expected": expected}
    return None


def _taxes(invoice: Node, currency: str) -> Iterable[Decimal]:
    for total in invoice.all("cac:TaxTotal"):
        amounts = [
            amount
            for amount in total.all("cbc:TaxAmount")
            if amount.attributes.get("currencyID") == currency
        ]
        if len(amounts) > 1:
            raise MoreThanOneItem(amounts[0], "cbc:TaxAmount", len(amounts))
        if amounts:
            yield decimal_of(amounts[0])
