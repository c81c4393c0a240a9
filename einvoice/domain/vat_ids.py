"""VAT identifiers (BT-31, BT-48) from tax ids in any notation (decisions 17.3, 17.5 and 31.1).

A tax id is a VAT number if it has the form of its country's. Its prefix is added, and digits that
follow from the others, if the result has that form; nothing else becomes a VAT number.

>>> vat_id("BE 0123.456.749", None), vat_id("123456749", "BE")
('BE0123456749', 'BE0123456749')
>>> vat_id("556036-0793", "SE"), vat_id("552100554", "FR"), vat_id("123456789B01", "NL")
('SE556036079301', 'FR96552100554', 'NL123456789B01')
>>> vat_id("094259216", "GR"), country_prefix("EL094259216"), country_prefix("B12345674")
('EL094259216', 'EL', None)
>>> vat_id("12345678", "NL"), vat_id("12/345/67890", "DE"), vat_id("RSSMRA85T10A562S", "IT")
(None, None, None)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from einvoice.domain.codes import is_country
from einvoice.domain.tax_words import means_none, without_words
from einvoice.domain.vat_forms import has_form, is_listed, is_plausible, vat_country

_NOT_DIGITS = re.compile("[^0-9]+")
# Unicode white space up to U+3000, and the three separators that people write between digits.
_SEPARATORS = dict.fromkeys(
    [i for i in range(0x3001) if chr(i).isspace()] + [ord(c) for c in ".-/"]
)
# Schemes of importers and sellers from outside of the Union: no country, and no prefix to add.
_ONE_STOP_SHOP = re.compile("EU[0-9]{9}|IM[0-9]{10}")
# Number, kind of taxpayer (2 and 3 have a number of the Union, 5 is a VAT group), county.
_HUNGARIAN = re.compile("([0-9]{8})[235][0-9]{2}")
_KOSOVO = "1A"  # begins French numbers too, so it is a prefix only in Kosovo
_GERMAN_TAX_NUMBER = re.compile("[0-9]/[0-9]")


def compact(tax_id: str) -> str:
    """The tax id in capitals, without white space and the separators . - /"""
    return tax_id.translate(_SEPARATORS).upper()


def digits(text: str) -> str:
    """The ASCII digits of the text, in order."""
    return _NOT_DIGITS.sub("", text)


def country_prefix(value: str) -> str | None:
    """The country code that a compact tax id begins with: ISO 3166, EL or XI; else None."""
    lead = value[:2]
    return lead if lead == "EL" or (is_country(lead) and lead != _KOSOVO) else None


@dataclass(frozen=True, slots=True)
class TaxNumber:
    """A kind of tax id.

    number    compact, without words; "" if there is none
    shown     as it was sent, without words
    vat_id    with its prefix, if it is a VAT number
    derived   whether the VAT number has a prefix or digits that were not sent
    absent    whether words say that there is none
    named     whether words call it a VAT number
    one_stop  whether it is a number of the one-stop shop
    """

    number: str = ""
    shown: str = ""
    vat_id: str | None = None
    derived: bool = False
    absent: bool = False
    named: bool = False
    one_stop: bool = False


def tax_number(text: str, country: str | None) -> TaxNumber:
    """The kind of a tax id in any notation; `country` (of the address) is used without a prefix."""
    value = compact(text)
    if not value:
        return TaxNumber()
    found = _read(text, value, country)
    if found.vat_id or found.one_stop:
        return found
    if means_none(text):
        return TaxNumber(absent=True)
    rest, named = without_words(text)
    if rest == text:
        return found
    behind = _read(rest, compact(rest), country)
    if behind.vat_id is None and not named and not rest[:1].isdigit():
        return found  # RCS Paris 303 265 045
    return replace(behind, named=named)


def vat_id(tax_id: str, country: str | None) -> str | None:
    """The VAT identifier with its country prefix, or None if the tax id cannot be one.

    `country` (of the address) is used if the tax id has no country prefix.
    """
    return tax_number(tax_id, country).vat_id


def country_of(number: str) -> str | None:
    """The country of the address that a compact VAT number with its prefix tells, if it does."""
    lead = country_prefix(number)
    if lead is None or _prefixed(lead, number[2:]) is None:
        return None
    return {"EL": "GR", "XI": "GB"}.get(lead, lead)


def _read(text: str, value: str, country: str | None) -> TaxNumber:
    shown = text.strip()
    if _ONE_STOP_SHOP.fullmatch(value):
        return TaxNumber(value, shown, one_stop=True)
    lead = country_prefix(value)
    if country == _KOSOVO and value.startswith(_KOSOVO):
        lead = _KOSOVO
    if _GERMAN_TAX_NUMBER.search(text) and (lead or country) == "DE":
        return TaxNumber(value, shown)
    if lead and _may_lead(lead, country) and (found := _prefixed(lead, value[2:])):
        return TaxNumber(value, shown, found, derived=len(found) > len(value))
    prefix = vat_country(country) if country else None
    if prefix and (rest := _national(prefix, value)):
        return TaxNumber(value, shown, prefix + rest, derived=True)
    return TaxNumber(value, shown)


def _may_lead(lead: str, country: str | None) -> bool:
    """Whether two letters are a prefix here; that of a country whose numbers are not known is one
    at its own addresses only: CVR, CUI and NIP begin with countries too."""
    return is_listed("EL" if lead == "GR" else lead) or country in (None, lead)


def _prefixed(lead: str, rest: str) -> str | None:
    """A number with a country prefix: as sent, completed with digits that are often left out, or
    without those that are no part of it."""
    prefix = "EL" if lead == "GR" else lead
    completed = _completed(prefix, rest) or rest
    return prefix + completed if has_form(prefix, completed) else None


def _completed(prefix: str, rest: str) -> str | None:
    number = len(rest) if rest.isascii() and rest.isdigit() else 0
    if prefix == "SE" and number == 10:
        return rest + "01"
    if prefix == "BE" and number == 9 and rest[0] != "0":  # one that had nine digits
        return "0" + rest
    if prefix == "HU" and (match := _HUNGARIAN.fullmatch(rest)):
        return match[1]
    return None


def _national(prefix: str, value: str) -> str | None:
    """The rest after the prefix of a number that was sent without it; None for other numbers."""
    if prefix == "FR" and value.isascii() and value.isdigit() and len(value) in (9, 14):
        value = _french_key(value[:9]) + value[:9]
    elif prefix == "NO" and not value.endswith("MVA"):
        return None  # a number of the register, which not every company with VAT has to be
    completed = _completed(prefix, value) or value
    return completed if is_plausible(prefix, completed) else None


def _french_key(siren: str) -> str:
    """The two check digits of a French VAT id, computed from the SIREN."""
    return f"{(12 + 3 * (int(siren) % 97)) % 97:02d}"
