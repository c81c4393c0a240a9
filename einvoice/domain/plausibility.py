"""Allowed values of an invoice that are probably wrong: warnings, never refusals (decisions 20.3).

>>> gtin("4006381333931"), gtin("4006381333932"), gtin("400638133393"), gtin("A")
(True, False, False, False)
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from einvoice.domain.accounts import mistyped
from einvoice.domain.files import looks_like
from einvoice.domain.identifiers import XRECHNUNG_CUSTOMIZATION
from einvoice.domain.invoice import (
    AllowanceCharge,
    DocumentKind,
    Invoice,
    Line,
    SupportingDocument,
    TaxCategory,
)
from einvoice.domain.leitweg_ids import SCHEME as LEITWEG_SCHEME
from einvoice.domain.leitweg_ids import has_check_digits, is_leitweg_id
from einvoice.domain.money import plain
from einvoice.domain.request import SendWarning

GTIN_SCHEME: Final = "0160"
_GTIN_LENGTHS: Final = (8, 12, 13, 14)
_FAR: Final = timedelta(days=366)
# ISO 4217: currencies without a minor unit.
WHOLE_CURRENCIES: Final = frozenset(
    {"BIF", "CLP", "DJF", "GNF", "ISK", "JPY", "KMF", "KRW", "PYG", "RWF", "UGX", "UYI", "VND",
     "VUV", "XAF", "XOF", "XPF"}
)  # fmt: skip
# Codes of UN/ECE Recommendation 20 that programs write for a piece (Stück) or a pallet: what they
# mean, and the codes of what is meant.
DOUBTFUL_UNITS: Final = {"STK": ("stick", "C62, H87"), "PAL": ("pascal", "XPX")}


def implausible(invoice: Invoice, today: date | None) -> Iterator[SendWarning]:
    """A warning for each kind of implausible value, at the first field that has one.

    `today`: the issue date is not compared if it is None.
    """
    yield from _dates(invoice, today)
    yield from _sign(invoice)
    yield from _decimals(invoice)
    yield from _files(invoice.supporting)
    yield from _accounts(invoice)
    yield from _lines(invoice.lines)
    yield from _adjustments(invoice.adjustments)
    if invoice.customization.startswith(XRECHNUNG_CUSTOMIZATION):
        yield from doubtful_references(invoice)


def doubtful_references(invoice: Invoice) -> Iterator[SendWarning]:
    """A buyer reference (BT-10) that should be a Leitweg-ID, or has wrong check digits."""
    reference, address = invoice.buyer_reference or "", invoice.buyer.endpoint
    field, values = "invoice.buyerReference", {"reference": reference}
    if is_leitweg_id(reference):
        if not has_check_digits(reference):
            yield SendWarning("leitweg-id-check-digits-wrong", field=field, values=values)
    elif address is not None and address.scheme == LEITWEG_SCHEME:
        yield SendWarning("buyer-reference-not-a-leitweg-id", field=field, values=values)


def _dates(invoice: Invoice, today: date | None) -> Iterator[SendWarning]:
    issued, due = invoice.issue_date, invoice.due_date
    if today is not None and abs(issued - today) > _FAR:
        day = {"day": str(issued)}
        yield SendWarning("issue-date-far-off", field="invoice.issueDate", values=day)
    if due is not None and due < issued:
        days = {"due": str(due), "issued": str(issued)}
        yield SendWarning("due-date-before-issue-date", field="invoice.dueDate", values=days)


def _sign(invoice: Invoice) -> Iterator[SendWarning]:
    total = invoice.totals.tax_inclusive
    if total >= 0:
        return
    field, values = "invoice.totals.grandTotal", {"total": plain(total)}
    if invoice.kind.form is DocumentKind.CREDIT_NOTE:
        yield SendWarning("credit-note-negative", field=field, values=values)
    else:
        yield SendWarning("invoice-negative", field=field, values=values)


def _decimals(invoice: Invoice) -> Iterator[SendWarning]:
    """A total with a fraction of a currency that has none."""
    total, currency = invoice.totals.tax_inclusive, invoice.currency
    if currency in WHOLE_CURRENCIES and total % 1:
        field, values = "invoice.totals.grandTotal", {"currency": currency, "total": plain(total)}
        yield SendWarning("currency-without-decimals", field=field, values=values)


def _files(supporting: Sequence[SupportingDocument]) -> Iterator[SendWarning]:
    """A warning for each attachment whose first bytes do not fit its type."""
    for place, each in enumerate(supporting):
        file = each.attachment
        if file is not None and not looks_like(file.mime_type, file.content):
            field = f"invoice.attachments[{place}].content"
            values = {"filename": file.filename, "type": file.mime_type}
            yield SendWarning("attachment-type-doubtful", field=field, values=values)


def _accounts(invoice: Invoice) -> Iterator[SendWarning]:
    accounts = [
        account
        for means in invoice.payment
        for account in (means.debited_account, *[transfer.account for transfer in means.transfers])
    ]
    wrong = next((account for account in accounts if account and mistyped(account)), None)
    if wrong is not None:
        field = "invoice.paymentMeans.iban"
        yield SendWarning("iban-check-digits-wrong", field=field, values={"iban": wrong})


def _lines(lines: Sequence[Line]) -> Iterator[SendWarning]:
    wrong = [place for place, line in enumerate(lines) if _has_wrong_gtin(line)]
    if wrong:
        field = f"invoice.lineItems[{wrong[0]}].standardItemId.id"
        values = {"count": str(len(wrong))}
        yield SendWarning("gtin-check-digit-wrong", field=field, values=values)
    yield from _units(lines)
    yield from _low_rate("lineItems", [line.item.category for line in lines])


def _units(lines: Sequence[Line]) -> Iterator[SendWarning]:
    """A unit that means another thing in the list of UN/ECE than on an invoice."""
    units = {line.unit for line in lines}
    for unit in sorted(DOUBTFUL_UNITS.keys() & units):
        name, meant = DOUBTFUL_UNITS[unit]
        places = [place for place, line in enumerate(lines) if line.unit == unit]
        values = {"count": str(len(places)), "unit": unit, "name": name, "meant": meant}
        field = f"invoice.lineItems[{places[0]}].unitCode"
        yield SendWarning("unit-doubtful", field=field, values=values)


def _adjustments(adjustments: Sequence[AllowanceCharge]) -> Iterator[SendWarning]:
    yield from _low_rate("allowances", [each.category for each in adjustments if not each.charge])
    yield from _low_rate("charges", [each.category for each in adjustments if each.charge])


def _has_wrong_gtin(line: Line) -> bool:
    item = line.item.standard_id
    return item is not None and item.scheme == GTIN_SCHEME and not gtin(item.value)


def _low_rate(name: str, categories: Sequence[TaxCategory | None]) -> Iterator[SendWarning]:
    """A warning at the first VAT rate between 0 and 1 % among the entries of a list."""
    for place, category in enumerate(categories):
        rate = category.rate if category else None
        if rate is not None and 0 < rate < 1:
            values = {"sent": plain(rate), "meant": plain((rate * 100).normalize())}
            field = f"invoice.{name}[{place}].taxRate"
            yield SendWarning("tax-rate-below-one", field=field, values=values)
            return


def gtin(text: str) -> bool:
    """Whether it is a GTIN-8, -12, -13 or -14 with the right check digit (GS1, modulus 10)."""
    if len(text) not in _GTIN_LENGTHS or not (text.isascii() and text.isdigit()):
        return False
    total = sum(int(c) * (3, 1)[place % 2] for place, c in enumerate(reversed(text[:-1])))
    return (total + int(text[-1])) % 10 == 0
