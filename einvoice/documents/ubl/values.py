"""Business values as UBL elements: amounts, dates, identifiers, periods, tax schemes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from decimal import Decimal

from einvoice.documents.ubl.names import Basic, cac, cbc
from einvoice.domain.invoice import Identifier, Period
from einvoice.domain.money import plain

VAT = cac.TaxScheme(cbc.ID("VAT"))
INVOICED_OBJECT = cbc.DocumentTypeCode("130")  # marks a reference as BT-18 or BT-128


def amount(element: Basic, value: Decimal | None, currency: str) -> str:
    return "" if value is None else element(plain(value), currencyID=currency)


def number(element: Basic, value: Decimal | None) -> str:
    return "" if value is None else element(plain(value))


def day(element: Basic, value: date | None) -> str:
    return "" if value is None else element(value.isoformat())


def identified(element: Basic, value: Identifier | None) -> str:
    return "" if value is None else element(value.value, schemeID=value.scheme)


def period(value: Period | None, tax_point_code: str | None = None) -> str:
    """BG-14, BG-26; UBL keeps the code of the VAT point (BT-8) in the period of the invoice."""
    dates = value or Period()
    return cac.InvoicePeriod(
        day(cbc.StartDate, dates.start),
        day(cbc.EndDate, dates.end),
        cbc.DescriptionCode(tax_point_code),
    )


def reference(element: Callable[..., str], number: str | None) -> str:
    """A reference to another document by its number alone."""
    return element(cbc.ID(number))
