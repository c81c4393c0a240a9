"""The language of pages, and the form of their amounts and dates.

It is the first language of the browser that there are words for, else that of a country, else
English. A language without a region gets the country.

>>> str(chosen(["pt", "de"], "AT")), str(chosen([], "SE")), str(chosen(["zh"], "FI"))
('de_AT', 'sv_SE', 'en_FI')
>>> amount(Decimal("1234.5"), "EUR", chosen(["de"], None)).replace("\\xa0", " ")
'1.234,50 €'
>>> amount(Decimal("100.25"), "JPY", chosen(["en"], None))
'¥100.25'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from datetime import date, datetime
from decimal import Decimal
from functools import lru_cache

from babel import Locale, UnknownLocaleError
from babel.dates import format_date, format_datetime, format_skeleton, format_time
from babel.languages import get_official_languages
from babel.numbers import (
    format_compact_decimal,
    format_currency,
    format_decimal,
    get_currency_precision,
)
from babel.units import format_unit

from einvoice.domain.codes import COUNTRIES

DEFAULT_LANGUAGE = "en"
# In the order in which they are offered, each by its own name.
LANGUAGES = {
    "en": "English",
    "de": "Deutsch",
    "fr": "Français",
    "nl": "Nederlands",
    "sv": "Svenska",
    "es": "Español",
    "it": "Italiano",
    "pl": "Polski",
    "ro": "Română",
}
_TAG = re.compile(r"([A-Za-z]{2})(?:[-_][A-Za-z]{4})?(?:[-_]([A-Za-z]{2}))?\b.*")


# Forms of dates that a person may choose; the default is the form of the locale.
DATE_FORMS = {
    "iso": "yyyy-MM-dd",
    "dots": "dd.MM.yyyy",
    "slashes": "dd/MM/yyyy",
    "american": "MM/dd/yyyy",
}


def chosen(tags: Iterable[str], country: str | None) -> Locale:
    """The locale for these language tags, in order of preference, and a country."""
    for tag in tags:
        match = _TAG.fullmatch(tag)
        if match and match[1].lower() in LANGUAGES:
            return _locale(match[1].lower(), (match[2] or country or "").upper())
    return _locale(_spoken(country), country or "")


def chosen_in(language: str, tags: Iterable[str]) -> Locale:
    """The locale of a language, in the region of the first tag of that language.

    >>> str(chosen_in("en", ["de-AT", "en-GB", "en-US"])), str(chosen_in("fr", ["de-CH"]))
    ('en_GB', 'fr')
    """
    same = (tag for tag in tags if tag.lower().replace("_", "-").partition("-")[0] == language)
    return chosen([*same, language], None)


@lru_cache(maxsize=512)
def _locale(language: str, region: str) -> Locale:
    """The locale of language and region, else of the language alone."""
    try:
        return Locale.parse(f"{language}_{region}" if region else language)
    except (UnknownLocaleError, ValueError):
        return Locale.parse(language)


@lru_cache(maxsize=512)
def _spoken(country: str | None) -> str:
    """The main language of a country, if there are words for it."""
    spoken = get_official_languages(country or "", de_facto=True)
    return spoken[0] if spoken and spoken[0] in LANGUAGES else DEFAULT_LANGUAGE


def amount(value: Decimal, currency: str, locale: Locale) -> str:
    """The amount with the currency's decimals, or more if it has more: it is never rounded."""
    digits = get_currency_precision(currency)
    exact = value == round(value, digits)
    return format_currency(
        value, currency, locale=locale, currency_digits=exact, decimal_quantization=exact
    )


def day(value: date | datetime, locale: Locale, form: str | None = None) -> str:
    """The day with the name of the month, which is unambiguous in every locale, or in a form of
    DATE_FORMS.

    >>> [day(date(2026, 3, 1), Locale("en"), each) for each in ("iso", "dots", "other", None)]
    ['2026-03-01', '01.03.2026', 'March 1, 2026', 'March 1, 2026']
    """
    return format_date(value, DATE_FORMS.get(form or "", "long"), locale=locale)


def short_day(value: date, locale: Locale) -> str:
    """Day and month, where the year is known and there is little room."""
    return format_skeleton("MMMd", value, locale=locale)


def brief_day(value: date, today: date, locale: Locale, form: str | None = None) -> str:
    """Day and month, with the year where it is not the present one, or in a form of DATE_FORMS.

    >>> brief_day(date(2026, 3, 1), date(2026, 11, 1), Locale("en", "GB"))
    '1 Mar'
    >>> brief_day(date(2025, 3, 1), date(2026, 11, 1), Locale("en", "GB"))
    '1 Mar 2025'
    """
    if form in DATE_FORMS:
        return day(value, locale, form)
    return format_skeleton("MMMd" if value.year == today.year else "yMMMd", value, locale=locale)


def figure(value: Decimal, currency: str, locale: Locale) -> str:
    """The number of an amount, with the decimals of its currency as `amount` has them.

    >>> [figure(Decimal(each), "EUR", Locale("en")) for each in ("-1234.5", "1.125")]
    ['-1,234.50', '1.125']
    """
    digits = get_currency_precision(currency)
    pattern = "#,##0" + (f".{'0' * digits}" if digits else "")
    exact = value == round(value, digits)
    return format_decimal(
        value, pattern if exact else None, locale=locale, decimal_quantization=exact
    )


def compact(value: Decimal, locale: Locale) -> str:
    """A round number in few characters.

    >>> [compact(Decimal(each), Locale("en")) for each in (0, 500, 2500, 100000, 2000000)]
    ['0', '500', '2.5K', '100K', '2M']
    """
    return format_compact_decimal(value, locale=locale, fraction_digits=1)


def month(value: date, locale: Locale) -> str:
    """The month with its year.

    >>> month(date(2026, 11, 1), Locale("pl"))
    'listopad 2026'
    """
    return format_skeleton("yMMMM", value, locale=locale)


def duration(seconds: Decimal | float, locale: Locale) -> str:
    """A time in the largest unit, from seconds to days, that it has two of.

    >>> [duration(each, Locale("en")) for each in (0.412, 90, 600, 90000)]
    ['0.4 sec', '90 sec', '10 min', '25 hr']
    """
    for unit, length in (("day", 86400), ("hour", 3600), ("minute", 60)):
        if seconds >= 2 * length:
            return format_unit(round(float(seconds) / length), unit, "short", locale=locale)
    digits = 0 if seconds >= 10 else 1
    return format_unit(round(float(seconds), digits), "second", "short", locale=locale)


def moment(value: datetime, locale: Locale, form: str | None = None) -> str:
    """Day and time in UTC."""
    if form in DATE_FORMS:
        return f"{day(value, locale, form)} {format_time(value, 'medium', locale=locale)} UTC"
    return f"{format_datetime(value, 'medium', locale=locale)} UTC"


def number(value: int | Decimal, locale: Locale) -> str:
    """A number with the separators of the locale."""
    return format_decimal(value, locale=locale)


_CLDR = {"1A": "XK"}  # codes of EN 16931 that the names of the locales have as another


@lru_cache(maxsize=64)
def countries(locale: Locale) -> tuple[tuple[str, str], ...]:
    """The countries of ISO 3166-1, (code, name), in the order of their names.

    >>> dict(countries(Locale("sv")))["AT"]
    'Österrike'
    """
    named = ((code, locale.territories.get(_CLDR.get(code, code), code)) for code in COUNTRIES)
    return tuple(sorted(named, key=lambda each: _sorted_as(each[1])))


def _sorted_as(name: str) -> str:
    """The name without accents and case."""
    plain = unicodedata.normalize("NFKD", name)
    return "".join(each for each in plain if not unicodedata.combining(each)).casefold()
