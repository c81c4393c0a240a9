"""Money of the whole document: allowances and charges, VAT breakdown, totals (BG-20 to BG-23)."""

from __future__ import annotations

from decimal import Decimal

from einvoice.domain.invoice import AllowanceCharge, Invoice, TaxCategory, TaxSubtotal, Totals
from einvoice.domain.money import plain
from einvoice.rules.model.fill import Fill
from einvoice.rules.node import Node


def adjustment(fill: Fill, parent: Node, entry: AllowanceCharge) -> None:
    """An allowance or charge of the document or of a line."""
    group = fill.group(parent, "cac:AllowanceCharge")
    fill.text(group, "cbc:ChargeIndicator", "true" if entry.charge else "false")
    fill.text(group, "cbc:AllowanceChargeReasonCode", entry.reason_code)
    fill.text(group, "cbc:AllowanceChargeReason", entry.reason)
    fill.number(group, "cbc:MultiplierFactorNumeric", entry.percentage)
    fill.amount(group, "cbc:Amount", entry.amount)
    fill.amount(group, "cbc:BaseAmount", entry.base_amount)
    if entry.category is not None:
        category(fill, group, "cac:TaxCategory", entry.category)


def category(fill: Fill, parent: Node, name: str, entry: TaxCategory) -> Node:
    """A VAT category with its rate."""
    group = fill.group(parent, name)
    fill.text(group, "cbc:ID", entry.code)
    fill.number(group, "cbc:Percent", entry.rate)
    fill.text(fill.group(group, "cac:TaxScheme"), "cbc:ID", "VAT")
    return group


def tax_totals(fill: Fill, root: Node, invoice: Invoice) -> None:
    """The breakdown in the invoice's currency; beside it the total in the accounting currency."""
    group = fill.group(root, "cac:TaxTotal")
    total = invoice.totals.tax
    if total is None and invoice.taxes:  # BT-110 may be left out, UBL needs an amount here
        total = sum((subtotal.tax for subtotal in invoice.taxes), Decimal("0.00"))
    fill.amount(group, "cbc:TaxAmount", total)
    for entry in invoice.taxes:
        _subtotal(fill, group, entry)
    accounted = invoice.totals.tax_in_accounting_currency
    if accounted is not None:
        currency = invoice.accounting_currency or invoice.currency
        attributes = {"currencyID": currency} if currency else {}
        second = fill.group(root, "cac:TaxTotal")
        fill.text(second, "cbc:TaxAmount", plain(accounted), attributes)


def _subtotal(fill: Fill, total: Node, entry: TaxSubtotal) -> None:
    group = fill.group(total, "cac:TaxSubtotal")
    fill.amount(group, "cbc:TaxableAmount", entry.taxable)
    fill.amount(group, "cbc:TaxAmount", entry.tax)
    named = category(fill, group, "cac:TaxCategory", entry.category)
    fill.text(named, "cbc:TaxExemptionReasonCode", entry.exemption_code)
    fill.text(named, "cbc:TaxExemptionReason", entry.exemption_reason)


def monetary_total(fill: Fill, root: Node, totals: Totals) -> None:
    group = fill.group(root, "cac:LegalMonetaryTotal")
    fill.amount(group, "cbc:LineExtensionAmount", totals.lines)
    fill.amount(group, "cbc:TaxExclusiveAmount", totals.tax_exclusive)
    fill.amount(group, "cbc:TaxInclusiveAmount", totals.tax_inclusive)
    fill.amount(group, "cbc:AllowanceTotalAmount", totals.allowances)
    fill.amount(group, "cbc:ChargeTotalAmount", totals.charges)
    fill.amount(group, "cbc:PrepaidAmount", totals.prepaid)
    fill.amount(group, "cbc:PayableRoundingAmount", totals.rounding)
    fill.amount(group, "cbc:PayableAmount", totals.payable)
