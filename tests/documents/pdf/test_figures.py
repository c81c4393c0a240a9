"""Figures have the format of the buyer's country and all digits of the document."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest

from einvoice.documents.pdf.figures import Figures
from einvoice.documents.pdf.glyphs import SIGN, Glyphs
from einvoice.documents.pdf.words import LANGUAGES
from einvoice.domain.codes import CURRENCIES

NBSP, THIN = "\u00a0", "\u202f"


@pytest.mark.parametrize(
    ("locale", "currency", "amount", "shown"),
    [
        ("de_DE", "EUR", "1234567.8", "1.234.567,80"),
        ("fr_FR", "EUR", "1234.5", f"1{THIN}234,50"),
        ("sv_SE", "SEK", "1234.5", f"1{NBSP}234,50"),
        ("de_CH", "CHF", "1234.5", "1’234.50"),
        ("en_GB", "GBP", "1234.5", "1,234.50"),
        ("en_GB", "JPY", "1234", "1,234"),
        ("en_GB", "JPY", "1234.50", "1,234.5"),  # all digits of the document are kept
        ("en_GB", "KWD", "1.5", "1.500"),
        ("en_GB", "CLF", "1.5", "1.5000"),
        ("en_GB", "EUR", "0.125", "0.125"),
        ("en_GB", "EUR", "0", "0.00"),
        ("en_GB", "EUR", "-0.00", "0.00"),
        ("en_GB", "EUR", "-5", "-5.00"),
        ("en_AE", "AED", "1234.5", "1,234.50"),
        ("en_GB", "EUR", "999999999999999.99", "999,999,999,999,999.99"),
    ],
)
def test_amounts_have_the_decimals_of_their_currency(locale, currency, amount, shown) -> None:
    value = Decimal(amount)

    assert Figures(locale, currency, [value]).amount(value).replace("−", "-") == shown


def test_all_amounts_of_an_invoice_have_the_same_decimals() -> None:
    figures = Figures("en_GB", "EUR", [Decimal("1.125"), Decimal(2)])

    assert [figures.amount(Decimal(2)), figures.amount(Decimal("1.125"))] == ["2.000", "1.125"]


@pytest.mark.parametrize(
    ("locale", "currency", "shown"),
    [
        ("de_DE", "EUR", f"1.234,50{NBSP}€"),
        ("nl_NL", "EUR", f"€{NBSP}1.234,50"),
        ("en_IE", "EUR", "€1,234.50"),
        ("en_GB", "XXX", f"XXX{NBSP}1,234.50"),
    ],
)
def test_the_currency_is_placed_as_the_locale_does(locale, currency, shown) -> None:
    value = Decimal("1234.50")

    assert Figures(locale, currency, [value]).money(value) == shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_currency_can_be_printed_in_every_language(language: str) -> None:
    for currency in sorted(CURRENCIES):
        shown = Figures(language, currency, []).money(Decimal("1234567.00"))
        assert SIGN not in str(Glyphs().fit(shown)), (currency, shown)
        assert "1" in shown, (currency, shown)


@pytest.mark.parametrize(
    ("value", "quantity", "price", "rate"),
    [
        ("2.00", "2", "2.00", "2%"),
        ("0.12500", "0.125", "0.125", "0.125%"),
        ("1E+2", "100", "100.00", "100%"),
        ("0.00000001", "0.00000001", "0.00000001", "0.00000001%"),
    ],
)
def test_quantities_prices_and_rates_are_never_rounded(value, quantity, price, rate) -> None:
    figures, number = Figures("en_GB", "EUR", []), Decimal(value)

    assert figures.number(number) == quantity
    assert figures.price(number) == price
    assert figures.percent(number) == rate


def test_months_are_words() -> None:
    assert Figures("de_DE", "EUR", []).day(date(2026, 2, 1)) == "1. Februar 2026"
