"""The language of the buyer's page, and the form of its amounts and dates.

It is the first language of the browser that the page has, else that of the buyer's country, else
English. A language without a region gets the buyer's country.

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
    """The locale for these language tags, in order of preference, and the buyer's country."""
    for tag in tags:
        match = _TAG.fullmatch(tag)
        if match and match[1].lower() in WORDS:
            return _locale(match[1].lower(), (match[2] or country or "").upper())
    return _locale(_spoken(country), country or "")


def words(locale: Locale) -> Words:
    """The texts of the page in the locale's language."""
    return WORDS[locale.language]


@lru_cache(maxsize=512)
def _locale(language: str, region: str) -> Locale:
    """The locale of language and region, else of the language alone."""
    try:
        return Locale.parse(f"{language}_{region}" if region else language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse(language)


@lru_cache(maxsize=512)
def _spoken(country: str | None) -> str:
    """The main language of a country, if the page has it."""
    spoken = get_official_languages(country or "", de_facto=True)
    return spoken[0] if spoken and spoken[0] in WORDS else DEFAULT_LANGUAGE


def amount(value: Decimal, currency: str, locale: Locale) -> str:
    """The amount with the currency's decimals, or more if it has more: it is never rounded."""
    digits = get_currency_precision(currency)
    exact = value == round(value, digits)
    return format_currency(
        value, currency, locale=locale, currency_digits=exact, decimal_quantization=exact
    )


def day(value: date | datetime, locale: Locale) -> str:
    """The day with the name of the month, which is unambiguous in every locale."""
    return format_date(value, "long", locale=locale)
