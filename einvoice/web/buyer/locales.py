"""In which language the buyer reads, and how amounts and days are written there.

The browser's languages decide, in their order; then the buyer's country; then English. A language
without a region is taken as it is spoken in the buyer's country.

>>> str(chosen(["pt", "de"], "AT")), str(chosen([], "SE")), str(chosen(["zh"], "FI"))
('de_AT', 'sv_SE', 'en_FI')
>>> amount(Decimal("1234.5"), "EUR", chosen(["de"], None)).replace("\\xa0", " ")
'1.234,50 €'
>>> amount(Decimal("100.25"), "JPY", chosen(["en"], None))
'¥100.25'
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache
from importlib import resources
from types import MappingProxyType

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.languages import get_official_languages
from babel.numbers import format_currency, get_currency_precision

Words = Mapping[str, str]
DEFAULT_LANGUAGE = "en"
_TAG = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z]{4})?(?:[-_]([A-Za-z]{2}))?\b.*")


def _read() -> dict[str, Words]:
    text = resources.files(__package__).joinpath("words.toml").read_text("utf-8")
    return {language: MappingProxyType(words) for language, words in tomllib.loads(text).items()}


WORDS: Mapping[str, Words] = MappingProxyType(_read())


def chosen(tags: Iterable[str], country: str | None) -> Locale:
    """The locale for a browser that asks for these languages, best first."""
    for tag in tags:
        match = _TAG.fullmatch(tag)
        if match and match[1].lower() in WORDS:
            return _locale(match[1].lower(), (match[2] or country or "").upper())
    return _locale(_spoken(country), country or "")


def words(locale: Locale) -> Words:
    """The page's words in the locale's language."""
    return WORDS[locale.language]


@lru_cache(maxsize=512)
def _locale(language: str, region: str) -> Locale:
    """As the language is written there, or just the language."""
    try:
        return Locale.parse(f"{language}_{region}" if region else language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse(language)


@lru_cache(maxsize=512)
def _spoken(country: str | None) -> str:
    """What most people of a country read, if the page speaks it."""
    spoken = get_official_languages(country or "", de_facto=True)
    return spoken[0] if spoken and spoken[0] in WORDS else DEFAULT_LANGUAGE


def amount(value: Decimal, currency: str, locale: Locale) -> str:
    """The amount, never rounded: it has the currency's own digits, or more where it needs them."""
    digits = get_currency_precision(currency)
    exact = value == round(value, digits)
    return format_currency(
        value, currency, locale=locale, currency_digits=exact, decimal_quantization=exact
    )


def day(value: date | datetime, locale: Locale) -> str:
    """The day with the month in words, which is unambiguous in every locale."""
    return format_date(value, "long", locale=locale)
