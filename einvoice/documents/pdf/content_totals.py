"""The totals from the sum of the lines to the amount due, and the VAT breakdown."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

from einvoice.documents.pdf.content_lines import adjustment_name, rate
from einvoice.documents.pdf.figures import Figures
from einvoice.documents.pdf.words import Words
from einvoice.domain.codes import VAT_CATEGORIES
from einvoice.domain.invoice import DocumentKind, Invoice, TaxSubtotal
from einvoice.domain.money import ZERO

Content = dict[str, Any]


def totals(invoice: Invoice, words: Words, figures: Figures) -> list[Content]:
    """The rows of the totals; the template formats each by its `kind`."""
    return [
        {"label": label, "amount": amount, "kind": kind}
        for label, amount, kind in _rows(invoice, words, figures)
    ]


def _rows(invoice: Invoice, words: Words, figures: Figures) -> Iterator[tuple[str, str, str]]:
    sums, amount = invoice.totals, figures.amount
    if invoice.adjustments:
        yield words("total.lines"), amount(sums.lines), "plain"
        for entry in invoice.adjustments:
            signed = entry.amount if entry.charge else -entry.amount
            yield adjustment_name(entry, words, figures), amount(signed), "plain"
    yield words("total.net"), amount(sums.tax_exclusive), "plain"
    yield from _vat_rows(invoice, words, figures)
    credit = invoice.kind is DocumentKind.CREDIT_NOTE
    due = words("total.credited" if credit else "total.due")
    if sums.prepaid or sums.rounding or sums.payable != sums.tax_inclusive:
        yield words("total.gross"), amount(sums.tax_inclusive), "sum"
        if sums.prepaid:
            yield words("total.prepaid"), amount(-sums.prepaid), "plain"
        if sums.rounding:
            yield words("total.rounding"), amount(sums.rounding), "plain"
    yield due, figures.money(sums.payable), "due"
    if sums.tax_in_accounting_currency is not None and invoice.accounting_currency:
        code = invoice.accounting_currency
        label = words("total.accounting", currency=code)
        yield label, figures.money(sums.tax_in_accounting_currency, code), "small"


def _vat_rows(invoice: Invoice, words: Words, figures: Figures) -> Iterator[tuple[str, str, str]]:
    """One row for each rate with VAT; one row of zero if there is none."""
    charged = [entry for entry in invoice.taxes if entry.tax]
    if charged:
        for entry in charged:
            label = words("total.vat_rate", rate=rate(entry.category, figures))
            yield label, figures.amount(entry.tax), "plain"
    else:
        yield words("total.vat"), figures.amount(invoice.totals.tax or ZERO), "plain"


def vat_breakdown(invoice: Invoice, words: Words, figures: Figures) -> Content | None:
    """BG-23, with the exemption reasons below it."""
    if not invoice.taxes:
        return None
    return {
        "heading": words("vat.heading"),
        "head": [words(f"vat.{key}") for key in ("kind", "rate", "base", "tax")],
        "rows": [
            {
                "kind": _kind(entry, words),
                "rate": figures.percent(entry.category.rate or Decimal(0)),
                "base": figures.amount(entry.taxable),
                "tax": figures.amount(entry.tax),
            }
            for entry in invoice.taxes
        ],
        "reasons": list(_reasons(invoice, words)),
    }


def _kind(entry: TaxSubtotal, words: Words) -> str:
    """The name of the category, with its code if lines show that instead of a rate."""
    name = words(f"category.{_known(entry)}")
    return name if entry.category.rate is not None else f"{name} ({entry.category.code})"


def _known(entry: TaxSubtotal) -> str:
    return entry.category.code if entry.category.code in VAT_CATEGORIES else "S"


def _reasons(invoice: Invoice, words: Words) -> Iterator[str]:
    for entry in invoice.taxes:
        reason = " ".join(filter(None, (entry.exemption_reason, _bracketed(entry.exemption_code))))
        name = words(f"category.{_known(entry)}")
        if reason:
            yield reason if reason.casefold().startswith(name.casefold()) else f"{name}: {reason}"


def _bracketed(code: str | None) -> str | None:
    return f"({code})" if code else None
