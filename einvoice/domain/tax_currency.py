"""The VAT in the currency of an authority, where it is known without a rate: there is none."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from typing import Final

from einvoice.domain.invoice import Invoice

_NO_VAT: Final = Decimal("0.00")


def with_no_vat_in(invoice: Invoice, currency: str) -> Invoice:
    """An invoice in another currency that has no VAT, with its VAT in this one, which is 0.

    One that has VAT, or names a currency for it, is returned unchanged: the rate is the sender's.
    """
    totals = invoice.totals
    given = invoice.accounting_currency or totals.tax_in_accounting_currency is not None
    if given or totals.tax or invoice.currency == currency:
        return invoice
    totals = replace(totals, tax_in_accounting_currency=_NO_VAT)
    return replace(invoice, accounting_currency=currency, totals=totals)
