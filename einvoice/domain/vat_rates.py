"""Rates of VAT by country: the standard one first, then the reduced ones.

Offered by forms; no rule reads them. EU: the Commission's "VAT rates applied in the Member
States", with the changes of Estonia, Romania and Slovakia (2025), Finland and Lithuania (2026);
others: their tax authorities. As of 2026-11.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from types import MappingProxyType

_TEXTS = {
    "AE": "5", "AT": "20 13 10", "BE": "21 12 6", "BG": "20 9", "CH": "8.1 3.8 2.6",
    "CY": "19 9 5 3", "CZ": "21 12", "DE": "19 7", "DK": "25", "EE": "24 13 9", "ES": "21 10 4",
    "FI": "25.5 13.5 10", "FR": "20 10 5.5 2.1", "GB": "20 5", "GR": "24 13 6", "HR": "25 13 5",
    "HU": "27 18 5", "IE": "23 13.5 9 4.8", "IS": "24 11", "IT": "22 10 5 4", "LT": "21 12 5",
    "LU": "17 14 8 3", "LV": "21 12 5", "MT": "18 12 7 5", "NL": "21 9", "NO": "25 15 12",
    "OM": "5", "PL": "23 8 5", "PT": "23 13 6", "RO": "21 11", "SE": "25 12 6", "SI": "22 9.5 5",
    "SK": "23 19 5",
}  # fmt: skip
RATES: Mapping[str, tuple[Decimal, ...]] = MappingProxyType(
    {country: tuple(map(Decimal, text.split())) for country, text in _TEXTS.items()}
)


def of(country: str) -> tuple[Decimal, ...]:
    """The rates of a country by its code; none where they are not known.

    >>> [str(rate) for rate in of("be")], of("XX")
    (['21', '12', '6'], ())
    """
    return RATES.get(country.strip().upper(), ())
