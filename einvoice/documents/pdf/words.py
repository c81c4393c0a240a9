"""Labels of the pages, in the language of the buyer's address."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Final

from babel import Locale, UnknownLocaleError

from einvoice.domain.invoice import Address

FALLBACK: Final = "en"
LANGUAGES: Final = ("en", "de", "fr", "nl", "sv", "es", "it", "pl", "ro")
_HERE: Final = Path(__file__).parent / "labels"

_BY_COUNTRY: Final = {
    "AT": "de", "BE": "nl", "CH": "de", "DE": "de", "ES": "es", "FR": "fr", "IT": "it", "LI": "de",
    "LU": "fr", "MC": "fr", "NL": "nl", "PL": "pl", "RO": "ro", "SE": "sv", "SM": "it", "VA": "it",
}  # fmt: skip
# In countries with several languages, by postcode: (first, last, language).
_BY_POSTCODE: Final = {
    "BE": ((1000, 1499, "fr"), (4000, 7999, "fr")),
    "CH": ((1000, 2999, "fr"), (6500, 6999, "it")),
}
# Symbols that need no translation (UN/ECE Recommendation 20).
_SYMBOLS: Final = {
    "KGM": "kg", "GRM": "g", "TNE": "t", "MTR": "m", "KMT": "km", "CMT": "cm", "MMT": "mm",
    "MTK": "m²", "MTQ": "m³", "LTR": "l", "MLT": "ml", "HLT": "hl", "KWH": "kWh", "MWH": "MWh",
    "KWT": "kW", "P1": "%", "GBT": "GB", "4L": "MB", "SEC": "s",
}  # fmt: skip


class Words:
    """Labels in one language: `words("total.due")`."""

    def __init__(self, language: str) -> None:
        self.language = language if language in LANGUAGES else FALLBACK
        self._labels = _labels(self.language)

    def __call__(self, key: str, **values: str) -> str:
        text = self._labels[key]
        return text.format(**values) if values else text

    def unit(self, code: str) -> str:
        """The name or symbol of a unit (UN/ECE Recommendation 20); the code if it is unknown."""
        return _SYMBOLS.get(code) or self._labels.get(f"unit.{code}", code)


@cache
def _labels(language: str) -> dict[str, str]:
    tables = tomllib.loads((_HERE / f"{language}.toml").read_text("utf-8"))
    return {f"{table}.{key}": text for table, keys in tables.items() for key, text in keys.items()}


def locale_of(address: Address | None) -> str:
    """The locale for a reader at this address, such as `nl_BE`: a language with labels, and the
    number formats of the country."""
    country = (address.country if address else None) or ""
    language = _of_postcode(country, address) or _BY_COUNTRY.get(country, FALLBACK)
    return str(parsed(f"{language}_{country}"))


def parsed(name: str) -> Locale:
    """The locale of that name, else of its language, else English, which has British formats."""
    for known in (name, name.partition("_")[0]):
        try:
            found = Locale.parse(known)
        except (UnknownLocaleError, ValueError):
            continue
        return found if str(found) != FALLBACK else Locale.parse("en_GB")
    return Locale.parse("en_GB")


def _of_postcode(country: str, address: Address | None) -> str | None:
    digits = "".join(c for c in (address.postal_code if address else None) or "" if c.isdecimal())
    if not digits:
        return None
    code = int(digits[:4])
    for first, last, language in _BY_POSTCODE.get(country, ()):
        if first <= code <= last:
            return language
    return None
