"""VAT identifiers from tax ids in any spelling (decisions 17.3 and 17.5).

>>> vat_id("BE 0123.456.749", None), vat_id("123456749", "BE")
('BE0123456749', 'BE0123456749')
>>> vat_id("556036-0793", "SE"), vat_id("552100554", "FR"), vat_id("123456789B01", "NL")
('SE556036079301', 'FR96552100554', 'NL123456789B01')
>>> vat_id("094259216", "GR"), leading_country("EL094259216"), leading_country("B12345674")
('EL094259216', 'EL', None)
>>> print(vat_id("12345678", "NL"))
None
"""

from __future__ import annotations

import re

from einvoice.domain.codes import is_country

_OTHERS = re.compile("[^0-9]+")
# Every blank Unicode knows within the first plane, and the three marks people write between digits.
_MARKS = dict.fromkeys([i for i in range(0x3001) if chr(i).isspace()] + [ord(c) for c in ".-/"])


def cleaned(tax_id: str) -> str:
    """Without blanks . - / and in capitals."""
    return tax_id.translate(_MARKS).upper()


def digits(text: str) -> str:
    """The ASCII digits of the text, in order."""
    return _OTHERS.sub("", text)


def leading_country(value: str) -> str | None:
    """The country code a cleaned tax id begins with: ISO 3166, EL or XI; else None."""
    lead = value[:2]
    return lead if lead == "EL" or is_country(lead) else None


def vat_id(tax_id: str, country: str | None) -> str | None:
    """BT-31 / BT-48 with its country prefix, or None where the tax id cannot be one.

    `country` (of the address) is used when the tax id does not begin with one itself.
    """
    value = cleaned(tax_id)
    lead = leading_country(value)
    if lead:
        return _completed(lead, value[2:])
    if not value or not country:
        return None
    return _prefixed(country, value)


def _completed(lead: str, rest: str) -> str:
    """A VAT id that names its country: kept, but for what is often left out."""
    number = rest.isascii() and rest.isdigit()
    if lead == "SE" and number and len(rest) == 10:
        rest += "01"
    elif lead == "BE" and number and len(rest) == 9:
        rest = "0" + rest
    return ("EL" if lead == "GR" else lead) + rest


def _prefixed(country: str, value: str) -> str | None:
    """A national number made into a VAT id by its country's own construction."""
    number = len(value) if value.isascii() and value.isdigit() else 0
    if country == "BE" and number in (9, 10):
        return "BE" + value.zfill(10)
    if country == "SE" and number in (10, 12):
        return "SE" + (value if number == 12 else value + "01")
    if country == "FR" and number in (9, 14):
        return f"FR{_french_key(value[:9])}{value[:9]}"
    if country == "NL" and number == 8:
        return None  # a number of the commercial register, not of the tax office
    return ("EL" if country == "GR" else country) + value


def _french_key(siren: str) -> str:
    return f"{(12 + 3 * (int(siren) % 97)) % 97:02d}"
