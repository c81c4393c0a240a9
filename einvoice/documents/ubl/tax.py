"""Money of the whole document: allowances and charges, VAT breakdown, totals (BG-20 to BG-23)."""

from __future__ import annotations

from decimal import Decimal

from einvoice.documents.ubl.names import Aggregate, cac, cbc
from einvoice.documents.ubl.values import VAT, amount, number
from einvoice.domain.invoice import AllowanceCharge, Invoice, TaxCategory, TaxSubtotal, Totals


def adjustment(entry: AllowanceCharge, currency: str) -> str:
    """An allowance or charge of the document (BG-20, BG-21) or of a line (BG-27, BG-28)."""
    return cac.AllowanceCharge(
        cbc.ChargeIndicator("true" if entry.charge else "false"),
        cbc.AllowanceChargeReasonCode(entry.reason_code),
        cbc.AllowanceChargeReason(entry.reason),
        number(cbc.MultiplierFactorNumeric, entry.percentage),
        amount(cbc.Amount, entry.amount, currency),
        amount(cbc.BaseAmount, entry.base_amount, currency),
        category(cac.TaxCategory, entry.category) if entry.category else "",
    )


def category(element: Aggregate, entry: TaxCategory, *exemption: str) -> str:
    """A VAT category with its rate and, in the breakdown, why nothing is charged."""
    return element(cbc.ID(entry.code), number(cbc.Percent, entry.rate), *exemption, VAT)


def tax_totals(invoice: Invoice) -> str:
    """The breakdown in the invoice's currency; below it the total in the accounting currency."""
    currency, totals = invoice.currency, invoice.totals
    return _breakdown(invoice) + cac.TaxTotal(
        amount(
            cbc.TaxAmount,
            totals.tax_in_accounting_currency,
            invoice.accounting_currency or currency,
        )
    )


def _breakdown(invoice: Invoice) -> str:
    total = invoice.totals.tax
    if total is None and invoice.taxes:  # BT-110 may be left out, UBL needs an amount here
        total = sum((subtotal.tax for subtotal in invoice.taxes), Decimal("0.00"))
    return cac.TaxTotal(
        amount(cbc.TaxAmount, total, invoice.currency),
        "".join([_subtotal(subtotal, invoice.currency) for subtotal in invoice.taxes]),
    )


def _subtotal(entry: TaxSubtotal, currency: str) -> str:
    return cac.TaxSubtotal(
        amount(cbc.TaxableAmount, entry.taxable, currency),
        amount(cbc.TaxAmount, entry.tax, currency),
        category(
            cac.TaxCategory,
            entry.category,
            cbc.TaxExemptionReasonCode(entry.exemption_code),
            cbc.TaxExemptionReason(entry.exemption_reason),
        ),
    )


def monetary_total(totals: Totals, currency: str) -> str:
    return cac.LegalMonetaryTotal(
        amount(cbc.LineExtensionAmount, totals.lines, currency),
        amount(cbc.TaxExclusiveAmount, totals.tax_exclusive, currency),
        amount(cbc.TaxInclusiveAmount, totals.tax_inclusive, currency),
        amount(cbc.AllowanceTotalAmount, totals.allowances, currency),
        amount(cbc.ChargeTotalAmount, totals.charges, currency),
        amount(cbc.PrepaidAmount, totals.prepaid, currency),
        amount(cbc.PayableRoundingAmount, totals.rounding, currency),
        amount(cbc.PayableAmount, totals.payable, currency),
    )
