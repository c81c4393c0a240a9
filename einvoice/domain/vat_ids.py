"""VAT identifiers (BT-31, BT-48) from tax ids in any notation (decisions 17.3 and 17.5).

>>> vat_id("BE 0123.456.749", None), vat_id("123456749", "BE")
('BE0123456749', 'BE0123456749')
>>> vat_id("556036-0793", "SE"), vat_id("552100554", "FR"), vat_id("123456789B01", "NL")
('SE556036079301', 'FR96552100554', 'NL123456789B01')
>>> vat_id("094259216", "GR"), country_prefix("EL094259216"), country_prefix("B12345674")
('EL094259216', 'EL', None)
>>> print(vat_id("12345678", "NL"))
None
"""

from __future__ import annotations

import re

from einvoice.domain.codes import is_country

_NOT_DIGITS = re.compile("[^0-9]+")
# Unicode white space up to U+3000, and the three separators that people write between digits.
_SEPARATORS = dict.fromkeys(
    [i for i in range(0x3001) if chr(i).isspace()] + [ord(c) for c in ".-/"]
)


def compact(tax_id: str) -> str:
    """The tax id in capitals, without white space and the separators . - /"""
    return tax_id.translate(_SEPARATORS).upper()


def digits(text: str) -> str:
    """The ASCII digits of the text, in order."""
    return _NOT_DIGITS.sub("", text)


def country_prefix(value: str) -> str | None:
    """The country code that a compact tax id begins with: ISO 3166, EL or XI; else None."""
    lead = value[:2]
    return lead if lead == "EL" or is_country(lead) else None


def vat_id(tax_id: str, country: str | None) -> str | None:
    """The VAT identifier with its country prefix, or None if the tax id cannot be one.

    `country` (of the address) is used if the tax id has no country prefix.
    """
    value = compact(tax_id)
    lead = country_prefix(value)
    if lead:
        return _completed(lead, value[2:])
    if not value or not country:
        return None
    return _prefixed(country, value)


def _completed(lead: str, rest: str) -> str:
    """A tax id with a country prefix: kept, and completed with digits that are often left out."""
    number = rest.isascii() and rest.isdigit()
    if lead == "SE" and number and len(rest) == 10:
        rest += "01"
    elif lead == "BE" and number and len(rest) == 9:
        rest = "0" + rest
    return ("EL" if lead == "GR" else lead) + rest


def _prefixed(country: str, value: str) -> str | None:
    """A national number without prefix, made into a VAT id as its country does."""
    number = len(value) if value.isascii() and value.isdigit() else 0
    if country == "BE" and number in (9, 10):
        return "BE" + value.zfill(10)
    if country == "SE" and number in (10, 12):
        return "SE" + (value if number == 12 else value + "01")
    if country == "FR" and number in (9, 14):
        return f"FR{_french_key(value[:9])}{value[:9]}"
    if country == "NL" and number == 8:
        return None  # a number of the commercial register (KVK), not a tax number
    return ("EL" if country == "GR" else country) + value


def _french_key(siren: str) -> str:
    """The two check digits of a French VAT id, computed from the SIREN."""
    return f"{(12 + 3 * (int(siren) % 97)) % 97:02d}"
