"""Money of the whole document: allowances and charges, VAT breakdown, totals (BG-20 to BG-23)."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from einvoice.documents.tree import Node, repetition
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import AllowanceCharge, TaxCategory, TaxSubtotal, Totals


def read_adjustments(node: Node) -> tuple[AllowanceCharge, ...]:
    """The allowances and charges of a document or a line."""
    return tuple(_adjustment(entry) for entry in node.all(cac.AllowanceCharge))


def read_category(node: Node) -> TaxCategory:
    return TaxCategory(node.need_text(cbc.ID), node.number(cbc.Percent))


@dataclass(frozen=True, slots=True)
class Taxes:
    """Up to two cac:TaxTotal: one with the breakdown, one in the accounting currency."""

    total: Decimal | None = None  # BT-110
    subtotals: tuple[TaxSubtotal, ...] = ()  # BG-23
    in_accounting_currency: Decimal | None = None  # BT-111


def read_taxes(invoice: Node, currency: str, accounting_currency: str | None) -> Taxes:
    totals = invoice.all(cac.TaxTotal)
    main = next((total for total in totals if total.has(cac.TaxSubtotal)), None)
    main = main or next((total for total in totals if _currency(total) == currency), None)
    others = [total for total in totals if total is not main]
    for total in others:
        if total is not others[0] or _currency(total) != accounting_currency:
            allowed = accounting_currency or "none"
            words = f"a further VAT total in {_currency(total)}, where {allowed} may be"
            raise repetition(total.element, words)
    return Taxes(
        total=main.number(cbc.TaxAmount) if main else None,
        subtotals=tuple(_subtotal(entry) for entry in main.all(cac.TaxSubtotal)) if main else (),
        in_accounting_currency=others[0].number(cbc.TaxAmount) if others else None,
    )


def read_totals(invoice: Node, taxes: Taxes) -> Totals:
    total = invoice.need(cac.LegalMonetaryTotal)
    return Totals(
        lines=total.need_number(cbc.LineExtensionAmount),
        tax_exclusive=total.need_number(cbc.TaxExclusiveAmount),
        tax_inclusive=total.need_number(cbc.TaxInclusiveAmount),
        payable=total.need_number(cbc.PayableAmount),
        tax=taxes.total,
        tax_in_accounting_currency=taxes.in_accounting_currency,
        allowances=total.number(cbc.AllowanceTotalAmount),
        charges=total.number(cbc.ChargeTotalAmount),
        prepaid=total.number(cbc.PrepaidAmount),
        rounding=total.number(cbc.PayableRoundingAmount),
    )


def _adjustment(node: Node) -> AllowanceCharge:
    category = node.one(cac.TaxCategory)
    return AllowanceCharge(
        charge=node.flag(cbc.ChargeIndicator),
        amount=node.need_number(cbc.Amount),
        base_amount=node.number(cbc.BaseAmount),
        percentage=node.number(cbc.MultiplierFactorNumeric),
        category=read_category(category) if category else None,
        reason=node.text(cbc.AllowanceChargeReason),
        reason_code=node.text(cbc.AllowanceChargeReasonCode),
    )


def _subtotal(node: Node) -> TaxSubtotal:
    category = node.need(cac.TaxCategory)
    return TaxSubtotal(
        taxable=node.need_number(cbc.TaxableAmount),
        tax=node.need_number(cbc.TaxAmount),
        category=read_category(category),
        exemption_reason=category.text(cbc.TaxExemptionReason),
        exemption_code=category.text(cbc.TaxExemptionReasonCode),
    )


def _currency(total: Node) -> str | None:
    return total.attribute(cbc.TaxAmount, "currencyID")
