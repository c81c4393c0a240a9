"""The fields of an invoice without a place in FA(3), with a warning for each.

All else has an element, is one of the further descriptions (`terms`), or is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from einvoice.domain.codes import EXEMPTION_CODES
from einvoice.domain.invoice import AllowanceCharge, Invoice, Line
from einvoice.domain.request import SendWarning
from einvoice_ksef.fa3 import advances, terms, units
from einvoice_ksef.fa3.write import CASH_ACCOUNTING, KINDS
from einvoice_ksef.fa3.write_lines import EXCHANGE_RATE
from einvoice_ksef.fa3.write_sums import ZLOTY

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
    if EXCHANGE_RATE in (invoice.further or {}) and invoice.currency == ZLOTY:
        yield "invoice.exchangeRate", "a rate of exchange in an invoice in PLN"
    if invoice.prepayments and not advances.settled(invoice):
        yield "invoice.prepayments", "prepayments of such a document"
    if invoice.payee and invoice.payee.identifier and invoice.payee.legal_id:
        yield "invoice.payee.identifier", "a second number of the payee"
    for means in invoice.payment[:1]:
        if means.card:
            yield "invoice.paymentMeans.card", "the payment card"
        if means.text and units.payment_form(means.code) is not None:
            yield "invoice.paymentMeans.methodText", "the words for a method of its own list"
    if KINDS.get(invoice.type_code) != "KOR" and any(each.issue_date for each in invoice.preceding):
        yield "invoice.precedingInvoice.issueDate", "the date of an invoice for an advance"
    yield from _reasons_of_no_vat(invoice)
    yield from _computed(invoice.adjustments, "invoice")
    yield from _codes(invoice.adjustments, "invoice")
    for number, line in enumerate(invoice.lines):
        yield from _of_line(line, f"invoice.lineItems[{number}]")


def _reasons_of_no_vat(invoice: Invoice) -> Iterator[tuple[str, str]]:
    """Why no VAT is charged: FA(3) names a legal basis of an exemption (E) alone."""
    others = [tax for tax in invoice.taxes if tax.category.code != "E"]
    if any(tax.exemption_reason for tax in others):
        yield "invoice.taxExemption.reason", "why no VAT is charged, but for exemptions (E)"
    own = (EXEMPTION_CODES.get(tax.category.code) for tax in others)
    if any(tax.exemption_code not in (None, code) for tax, code in zip(others, own, strict=True)):
        yield "invoice.taxExemption.reasonCode", "another code than that of the VAT category"


def _of_line(line: Line, at: str) -> Iterator[tuple[str, str]]:
    if line.adjustments:
        yield from _computed(line.adjustments, at)
        yield from _codes(line.adjustments, at, beside_words=True)
    for number, code in enumerate(line.item.classifications):
        if code.version and terms.own_classification(code) is None:
            yield f"{at}.classifications[{number}].version", "the version of a list"


def _placed(
    adjustments: Iterable[AllowanceCharge], at: str
) -> Iterator[tuple[str, AllowanceCharge]]:
    """Each allowance and charge, and its field."""
    counts = {True: 0, False: 0}
    for each in adjustments:
        kind = "charges" if each.charge else "allowances"
        yield f"{at}.{kind}[{counts[each.charge]}]", each
        counts[each.charge] += 1


def _computed(adjustments: Iterable[AllowanceCharge], at: str) -> Iterator[tuple[str, str]]:
    """The basis from which an allowance or charge was computed."""
    for field, each in _placed(adjustments, at):
        if each.percentage is not None or each.base_amount is not None:
            yield f"{field}.percent", "a percentage and its base amount"


def _codes(
    adjustments: Iterable[AllowanceCharge], at: str, *, beside_words: bool = False
) -> Iterator[tuple[str, str]]:
    """The code of the reason of an allowance or charge. That of a line stands for missing words."""
    for field, each in _placed(adjustments, at):
        if each.reason_code and (each.reason or not beside_words):
            yield f"{field}.reasonCode", "the code of a reason"
