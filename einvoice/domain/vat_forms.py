"""The forms of VAT identifiers by country: what stands after the country's prefix.

Sources: VIES, frequently asked questions, Q11 (the Union and Northern Ireland); the tax authorities
of the other countries, as python-stdnum cites them (`stdnum.<country>.vat`) where it has a module.
Check digits are tested where a prefix is to be added to digits alone: numbers of many registers
have the same length. Those of numbers with their prefix are left to the validation rules.

>>> has_form("DE", "123456788"), has_form("DE", "1234567890"), has_form("BE", "0403170701")
(True, False, True)
>>> vat_country("MC"), vat_country("GR"), vat_country("AX"), vat_country("US")
('FR', 'EL', 'FI', None)
"""

from __future__ import annotations

import re
from functools import cache

_D = "[0-9]"
_FORMS: dict[str, str] = {
    # The Union
    "AT": f"U{_D}{{8}}",
    "BE": f"[01]{_D}{{9}}",
    "BG": f"{_D}{{9,10}}",
    "CY": f"{_D}{{8}}[A-Z]",
    "CZ": f"{_D}{{8,10}}",
    "DE": f"{_D}{{9}}",
    "DK": f"{_D}{{8}}",
    "EE": f"{_D}{{9}}",
    "EL": f"{_D}{{9}}",
    "ES": f"(?:[A-Z]{_D}{{7}}[0-9A-Z]|{_D}{{8}}[A-Z])",
    "FI": f"{_D}{{8}}",
    "FR": f"[0-9A-HJ-NP-Z]{{2}}{_D}{{9}}",
    "HR": f"{_D}{{11}}",
    "HU": f"{_D}{{8}}",
    "IE": f"{_D}[0-9A-Z+*]{_D}{{5}}[A-W][A-I]?",
    "IT": f"{_D}{{11}}",
    "LT": f"(?:{_D}{{9}}|{_D}{{12}})",
    "LU": f"{_D}{{8}}",
    "LV": f"{_D}{{11}}",
    "MT": f"{_D}{{8}}",
    "NL": f"{_D}{{9}}B{_D}{{2}}",
    "PL": f"{_D}{{10}}",
    "PT": f"{_D}{{9}}",
    "RO": f"{_D}{{2,10}}",
    "SE": f"{_D}{{12}}",
    "SI": f"{_D}{{8}}",
    "SK": f"{_D}{{10}}",
    # Europe beside it
    "1A": f"{_D}{{9}}",  # Kosovo, whose code in EN 16931 is 1A
    "AD": f"[A-Z]{_D}{{6}}[A-Z]",
    "AL": f"[A-M]{_D}{{8}}[A-W]",
    "BA": f"{_D}{{12}}",
    "BY": f"{_D}{{9}}",
    "CH": f"E{_D}{{9}}(?:MWST|TVA|IVA|VAT)*",
    "FO": f"{_D}{{6}}",
    "GB": f"(?:{_D}{{9}}|{_D}{{12}}|GD{_D}{{3}}|HA{_D}{{3}})",
    "IS": f"{_D}{{5,6}}",
    "LI": f"{_D}{{5}}",
    "MD": f"(?:{_D}{{7}}|{_D}{{13}})",
    "ME": f"{_D}{{8}}",
    "MK": f"{_D}{{13}}",
    "NO": f"{_D}{{9}}(?:MVA)?",
    "RS": f"{_D}{{9}}",
    "RU": f"(?:{_D}{{10}}|{_D}{{12}})",
    "SM": f"{_D}{{3,5}}",
    "TR": f"{_D}{{10}}",
    "UA": f"{_D}{{9,12}}",
    "XI": f"(?:{_D}{{9}}|{_D}{{12}}|GD{_D}{{3}}|HA{_D}{{3}})",
    # Elsewhere: value added and goods and services taxes
    "AE": f"{_D}{{15}}",
    "AM": f"{_D}{{8}}",
    "AR": f"{_D}{{11}}",
    "AU": f"{_D}{{11}}",
    "AZ": f"{_D}{{10}}",
    "BH": f"{_D}{{15}}",
    "BR": f"{_D}{{14}}",
    "CA": f"{_D}{{9}}RT{_D}{{4}}",
    "CL": f"{_D}{{7,8}}[0-9K]",
    "CN": "[0-9A-HJ-NP-RT-UW-Y]{18}",
    "CO": f"{_D}{{9,10}}",
    "EC": f"{_D}{{13}}",
    "EG": f"{_D}{{9}}",
    "GE": f"(?:{_D}{{9}}|{_D}{{11}})",
    "ID": f"{_D}{{15,16}}",
    "IL": f"{_D}{{9}}",
    "IN": f"{_D}{{2}}[A-Z]{{5}}{_D}{{4}}[A-Z][0-9A-Z]Z[0-9A-Z]",
    "JP": f"T{_D}{{13}}",
    "KE": f"[AP]{_D}{{9}}[A-Z]",
    "KR": f"{_D}{{10}}",
    "KZ": f"{_D}{{12}}",
    "MA": f"(?:{_D}{{8}}|{_D}{{15}})",
    "MX": f"[A-ZÑ&]{{3,4}}{_D}{{6}}[0-9A-Z]{{3}}",
    "NZ": f"{_D}{{8,9}}",
    "OM": f"OM{_D}{{10}}",
    "PE": f"{_D}{{11}}",
    "PH": f"{_D}{{9}}(?:{_D}{{3}}|{_D}{{5}})?",
    "SA": f"3{_D}{{13}}3",
    "SG": f"(?:M[0-9A-Z]{_D}{{7}}[0-9A-Z]|{_D}{{8,9}}[A-Z]|[RST]{_D}{{2}}[A-Z]{{2}}{_D}{{4}}[A-Z])",
    "TH": f"{_D}{{13}}",
    "TW": f"{_D}{{8}}",
    "UY": f"{_D}{{12}}",
    "UZ": f"{_D}{{9}}",
    "VN": f"{_D}{{10}}(?:{_D}{{3}})?",
    "ZA": f"4{_D}{{9}}",
}
# Territories whose companies have the VAT numbers of another country, by the code of the address.
_OF_ANOTHER: dict[str, str] = {
    "AX": "FI",
    "GP": "FR",
    "GR": "EL",
    "IM": "GB",
    "MC": "FR",
    "MQ": "FR",
    "RE": "FR",
}
# Without a VAT, or outside the one of the country they belong to: no number becomes a VAT number.
_WITHOUT_VAT = """
    AI AQ AS BL BM BV CC CX EH FK GF GG GI GL GS GU HK HM IO JE KW KY MF MO MP MS NC NF NU PF PM
    PN PR QA SH SJ TC TF TK UM US VA VG VI WF YT
"""
_WITHOUT = frozenset(_WITHOUT_VAT.split())
# The form of a number with the prefix of a country that has no row.
_ANY_OTHER = "[0-9]{5,18}[A-Z]{0,2}"
PREFIXES = frozenset(_FORMS)


@cache
def pattern(prefix: str) -> re.Pattern[str] | None:
    """The form of a number after its prefix; None for a country without VAT numbers."""
    form = None if prefix in _WITHOUT else _FORMS.get(prefix, _ANY_OTHER)
    return re.compile(form) if form else None


def vat_country(country: str) -> str | None:
    """The prefix of the VAT numbers of a country or territory; None if their form is not known."""
    prefix = _OF_ANOTHER.get(country, country)
    return prefix if prefix in _FORMS else None


def has_form(prefix: str, rest: str) -> bool:
    """Whether this can stand after the prefix. In countries without a row, digits."""
    form = pattern(prefix)
    return form is not None and form.fullmatch(rest) is not None


def is_listed(prefix: str) -> bool:
    """Whether the form of the country's numbers is known."""
    return prefix in _FORMS


def is_plausible(prefix: str, number: str) -> bool:
    """Whether a number that was sent without its prefix is the country's VAT number.

    It has the form, and if it is of digits alone, correct check digits, where they are known.
    """
    if prefix not in _FORMS or not has_form(prefix, number):
        return False
    return not number.isdigit() or _checked(prefix, number)


def _checked(prefix: str, number: str) -> bool:
    # Imported with the first such number: most invoices have none.
    from stdnum import get_cc_module

    module = get_cc_module({"EL": "gr", "XI": "gb"}.get(prefix, prefix.lower()), "vat")
    return module is None or bool(module.is_valid(number))
