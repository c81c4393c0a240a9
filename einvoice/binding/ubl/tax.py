"""Money of the whole document: allowances and charges, VAT breakdown, totals (BG-20 to BG-23)."""

from __future__ import annotations

from decimal import Decimal

from einvoice.binding.builder import Builder, GroupT, given
from einvoice.domain.invoice import AllowanceCharge, Invoice, TaxCategory, TaxSubtotal, Totals
from einvoice.domain.money import plain


def adjustment(build: Builder[GroupT], parent: GroupT, entry: AllowanceCharge) -> None:
    """An allowance or charge of the document (BG-20, BG-21) or of a line (BG-27, BG-28)."""
    group = build.group(parent, "cac:AllowanceCharge")
    build.text(group, "cbc:ChargeIndicator", "true" if entry.charge else "false")
    build.text(group, "cbc:AllowanceChargeReasonCode", entry.reason_code)
    build.text(group, "cbc:AllowanceChargeReason", entry.reason)
    build.number(group, "cbc:MultiplierFactorNumeric", entry.percentage)
    build.amount(group, "cbc:Amount", entry.amount)
    build.amount(group, "cbc:BaseAmount", entry.base_amount)
    if entry.category is not None:
        category(build, build.group(group, "cac:TaxCategory"), entry.category)


def category(build: Builder[GroupT], group: GroupT, entry: TaxCategory) -> None:
    """A VAT category with its rate."""
    build.text(group, "cbc:ID", entry.code)
    build.number(group, "cbc:Percent", entry.rate)
    _vat_scheme(build, group)


def _vat_scheme(build: Builder[GroupT], category: GroupT) -> None:
    build.text(build.group(category, "cac:TaxScheme"), "cbc:ID", "VAT")


def tax_totals(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """The breakdown in the invoice's currency; below it the total in the accounting currency."""
    group = build.group(root, "cac:TaxTotal")
    total = invoice.totals.tax
    if total is None and invoice.taxes:  # BT-110 may be left out, UBL needs an amount here
        total = sum((subtotal.tax for subtotal in invoice.taxes), Decimal("0.00"))
    build.amount(group, "cbc:TaxAmount", total)
    for entry in invoice.taxes:
        _subtotal(build, group, entry)
    accounted = invoice.totals.tax_in_accounting_currency
    if accounted is not None:
        attributes = given(currencyID=invoice.accounting_currency or invoice.currency)
        second = build.group(root, "cac:TaxTotal")
        build.text(second, "cbc:TaxAmount", plain(accounted), attributes)


def _subtotal(build: Builder[GroupT], total: GroupT, entry: TaxSubtotal) -> None:
    group = build.group(total, "cac:TaxSubtotal")
    build.amount(group, "cbc:TaxableAmount", entry.taxable)
    build.amount(group, "cbc:TaxAmount", entry.tax)
    category = build.group(group, "cac:TaxCategory")
    build.text(category, "cbc:ID", entry.category.code)
    build.number(category, "cbc:Percent", entry.category.rate)
    build.text(category, "cbc:TaxExemptionReasonCode", entry.exemption_code)
    build.text(category, "cbc:TaxExemptionReason", entry.exemption_reason)
    _vat_scheme(build, category)


def monetary_total(build: Builder[GroupT], root: GroupT, totals: Totals) -> None:
    group = build.group(root, "cac:LegalMonetaryTotal")
    build.amount(group, "cbc:LineExtensionAmount", totals.lines)
    build.amount(group, "cbc:TaxExclusiveAmount", totals.tax_exclusive)
    build.amount(group, "cbc:TaxInclusiveAmount", totals.tax_inclusive)
    build.amount(group, "cbc:AllowanceTotalAmount", totals.allowances)
    build.amount(group, "cbc:ChargeTotalAmount", totals.charges)
    build.amount(group, "cbc:PrepaidAmount", totals.prepaid)
    build.amount(group, "cbc:PayableRoundingAmount", totals.rounding)
    build.amount(group, "cbc:PayableAmount", totals.payable)
