"""The fields of an invoice without a place in FA(3), with a warning for each.

All else has an element, is one of the further descriptions (`terms`), or is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from einvoice.domain.invoice import AllowanceCharge, Invoice, Line
from einvoice.domain.request import SendWarning
from einvoice_ksef.fa3 import terms, units
from einvoice_ksef.fa3.write import CASH_ACCOUNTING, KINDS

CODE: Final = "not-in-document"


def warnings(invoice: Invoice) -> Iterator[SendWarning]:
    """One for each field that has a value and no place."""
    for field, what in _left_out(invoice):
        yield SendWarning(CODE, f"FA(3) has no place for {what}: it is left out.", field)


def _left_out(invoice: Invoice) -> Iterator[tuple[str, str]]:
    if invoice.tax_point_code not in (None, CASH_ACCOUNTING):
        yield "invoice.taxPointCode", "when VAT becomes due, but for the day of payment (432)"
    if invoice.accounting_currency not in (None, "PLN"):
        yield "invoice.totals.taxAmountInTaxCurrency", "VAT in another currency than PLN"
    if invoice.payee and invoice.payee.identifier and invoice.payee.legal_id:
        yield "invoice.payee.identifier", "a second number of the payee"
    for means in invoice.payment[:1]:
        if means.card:
            yield "invoice.paymentMeans.card", "the payment card"
        if means.text and units.payment_form(means.code) is not None:
            yield "invoice.paymentMeans.methodText", "the words for a method of its own list"
    if KINDS.get(invoice.type_code) != "KOR" and any(each.issue_date for each in invoice.preceding):
        yield "invoice.precedingInvoice.issueDate", "the date of an invoice for an advance"
    yield from _computed(invoice.adjustments, "invoice")
    for number, line in enumerate(invoice.lines):
        yield from _of_line(line, f"invoice.lineItems[{number}]")


def _of_line(line: Line, at: str) -> Iterator[tuple[str, str]]:
    if line.adjustments:
        yield from _computed(line.adjustments, at)
    for number, code in enumerate(line.item.classifications):
        if code.version and terms.own_classification(code) is None:
            yield f"{at}.classifications[{number}].version", "the version of a list"


def _computed(adjustments: Iterable[AllowanceCharge], at: str) -> Iterator[tuple[str, str]]:
    """The basis from which an allowance or charge was computed."""
    counts = {True: 0, False: 0}
    for each in adjustments:
        kind = "charges" if each.charge else "allowances"
        if each.percentage is not None or each.base_amount is not None:
            yield f"{at}.{kind}[{counts[each.charge]}].percent", "a percentage and its base amount"
        counts[each.charge] += 1
