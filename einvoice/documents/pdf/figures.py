"""Formats amounts, prices, quantities, rates and dates for the reader's locale.

Nothing is rounded: Babel, which rounds half to even, is given as many decimals as a value has, so
an amount with more decimals than its currency keeps them all.

>>> from decimal import Decimal
>>> german = Figures("de_DE", "EUR", [Decimal("1234.5")])
>>> german.amount(Decimal("1234.5")), german.amount(Decimal("-0.125"))
('1.234,50', '−0,125')
>>> Figures("sv_SE", "JPY", [Decimal("1500.00")]).amount(Decimal("1500.00"))
'1\\xa0500'
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from copy import copy
from datetime import date
from decimal import Decimal
from typing import Final

from babel import Locale
from babel.dates import format_date
from babel.numbers import (
    NumberPattern,
    format_decimal,
    get_currency_precision,
    get_currency_symbol,
    parse_pattern,
)

from einvoice.documents.pdf.words import parsed
from einvoice.domain.money import EXACT, ZERO

_GROUPED: Final = "#,##0"
# Between the letters of a currency and the digits, in patterns made for currency symbols.
_GLUED: Final = re.compile(r"(?<=[^\W\d_])(?=[0-9])|(?<=[0-9])(?=[^\W\d_])")


class Figures:
    """Formats the figures of one invoice: all amounts have the same number of decimals."""

    def __init__(self, locale: str, currency: str, amounts: Iterable[Decimal]) -> None:
        self.locale: Locale = parsed(locale)
        self.currency = currency
        self._digits = max([get_currency_precision(currency), *map(_decimals, amounts)])

    def amount(self, value: Decimal) -> str:
        """An amount without its currency, for a column."""
        return self._decimal(value, max(self._digits, _decimals(value)))

    def money(self, value: Decimal, currency: str | None = None) -> str:
        """An amount with the symbol or code of its currency."""
        code = currency or self.currency
        digits = self._digits if code == self.currency else get_currency_precision(code)
        pattern = _money_pattern(self.locale, max(digits, _decimals(value)), code)
        text: str = pattern.apply(value or ZERO, self.locale, currency=code, currency_digits=False)
        return _GLUED.sub("\N{NO-BREAK SPACE}", text.replace("-", "\N{MINUS SIGN}"))

    def price(self, value: Decimal) -> str:
        """A price, with at least the decimals of the currency."""
        return self._decimal(value, max(self._digits, _decimals(value)))

    def number(self, value: Decimal) -> str:
        """A quantity, with its own decimals."""
        return self._decimal(value, _decimals(value))

    def percent(self, value: Decimal) -> str:
        """A rate in percent: 21 is 21 %."""
        pattern = copy(parse_pattern(self.locale.percent_formats[None].pattern))
        pattern.frac_prec = (0, _decimals(value))
        text: str = pattern.apply(EXACT.divide(value, Decimal(100)), self.locale)
        return text

    def day(self, value: date) -> str:
        """A date with the month's name, such as 21 November 2026, which is unambiguous."""
        return format_date(value, "long", self.locale)

    def short_day(self, value: date) -> str:
        return format_date(value, "medium", self.locale)

    def country(self, code: str) -> str:
        """The name of a country. XI (Northern Ireland) is no ISO code: it has the name of GB."""
        name: str = self.locale.territories.get("GB" if code == "XI" else code, code)
        return name

    @property
    def point(self) -> str:
        """The decimal separator."""
        point: str = self.locale.number_symbols["latn"]["decimal"]
        return point

    def _decimal(self, value: Decimal, digits: int) -> str:
        pattern = f"{_GROUPED}.{'0' * digits}" if digits else _GROUPED
        text = format_decimal(value or ZERO, pattern, self.locale, numbering_system="latn")
        return text.replace("-", "\N{MINUS SIGN}")


def _decimals(value: Decimal) -> int:
    """The number of decimals without trailing zeros."""
    exponent = EXACT.normalize(value).as_tuple().exponent
    return max(0, -exponent) if isinstance(exponent, int) else 0


def _money_pattern(locale: Locale, digits: int, currency: str) -> NumberPattern:
    text = locale.currency_formats["standard"].pattern
    if get_currency_symbol(currency, locale) in ("¤", "XXX"):
        text = "¤¤\N{NO-BREAK SPACE}#,##0.00"
    pattern = copy(parse_pattern(text))
    pattern.frac_prec = (digits, digits)
    return pattern
