"""Advances that an invoice settles: it has what is left after them (art. 106f ust. 3, ROZ).

Each is in the prepayments of the send, with its amounts and its rate of VAT. An invoice that names
invoices of advances without their amounts is written as one over the whole (VAT).
"""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from einvoice.domain.invoice import Invoice, Prepayment
from einvoice.domain.money import ZERO
from einvoice_ksef import numbers
from einvoice_ksef.fa3.elements import Elements, collapsed

SETTLING: Final = "ROZ"
MAX_ADVANCES: Final = 100
_TYPES: Final = ("380", "389")
_ZLOTY: Final = "PLN"


def settled(invoice: Invoice) -> tuple[Prepayment, ...]:
    """The advances that the invoice settles."""
    return invoice.prepayments if invoice.type_code in _TYPES else ()


def paid(invoice: Invoice) -> Decimal:
    """What was paid by the advances that the invoice settles, with VAT."""
    return sum((each.tax.taxable + each.tax.tax for each in settled(invoice)), ZERO)


def check(to: Elements, invoice: Invoice) -> None:
    """Note why the advances cannot be settled."""
    total, prepaid = paid(invoice), invoice.totals.prepaid or ZERO
    if prepaid < total:
        words = f"is {prepaid}; the prepayments that it contains are {total} with VAT"
        to.refuse("totals/prepaidAmount", "contradicts", words)
    if settled(invoice) and invoice.currency != _ZLOTY and invoice.totals.tax:
        words = (
            "are settled in PLN only: of VAT in another currency, what is left in PLN after the "
            "advances is not known here. Submit such an invoice as FA(3)"
        )
        to.refuse("prepayments", "no-place", words)


def names(invoice: Invoice) -> Iterator[str]:
    """The invoices of advances: by their KSeF number where it is known, else by their own.

    Those that are settled, then the other preceding ones.
    """
    known: dict[str, str] = {}
    for each in invoice.preceding:
        number = collapsed(each.number)
        known[number] = each.authority_number or number
    own = [collapsed(each.number) for each in settled(invoice)]
    yield from dict.fromkeys((*(known.get(number, number) for number in own), *known.values()))


def add(to: Elements, number: str) -> None:
    """The invoice of an advance, of this number."""
    with to.group("FakturaZaliczkowa"):
        if numbers.is_number(number):
            to.add("NrKSeFFaZaliczkowej", number)
        else:
            to.add("NrKSeFZN", 1)
            to.add("NrFaZaliczkowej", number, "precedingInvoice/number")
