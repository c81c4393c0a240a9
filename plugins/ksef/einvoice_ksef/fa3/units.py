"""Units and means of payment: the words and codes of FA(3) beside those of EN 16931.

Units of FA(3) are free texts. Those that have a Polish name here are written by it; any other is
written as its code of UN/ECE Recommendation 20 or 21.

>>> unit_text("C62"), unit_text("EA"), unit_code("szt."), unit_code("KGM"), unit_code("paleta")
('szt.', 'EA', 'C62', 'KGM', None)
"""

from __future__ import annotations

import re
from typing import Final

_UNITS: Final = {
    "C62": "szt.", "HUR": "godz.", "MIN": "min", "DAY": "dzień", "WEE": "tydz.", "MON": "mies.",
    "ANN": "rok", "KGM": "kg", "GRM": "g", "TNE": "t", "LTR": "l", "MLT": "ml", "MTR": "m",
    "KMT": "km", "CMT": "cm", "MTK": "m2", "MTQ": "m3", "KWH": "kWh", "MWH": "MWh", "SET": "kpl.",
    "PR": "para", "XPK": "opak.", "LS": "ryczałt",
}  # fmt: skip
_CODES: Final = {text: code for code, text in _UNITS.items()} | {
    "szt": "C62", "sztuka": "C62", "sztuki": "C62", "godz": "HUR", "h": "HUR", "usł.": "C62",
    "usł": "C62", "usługa": "C62", "kpl": "SET", "opak": "XPK", "m²": "MTK", "m³": "MTQ",
    "litr": "LTR", "tona": "TNE", "doba": "DAY",
}  # fmt: skip
_CODE: Final = re.compile(r"[A-Z0-9]{2,3}", re.ASCII)

# Codes of UNTDID 4461 → FormaPlatnosci: cash, card, cheque, transfer, mobile.
_FORMS: Final = {
    "10": "1",
    "48": "2", "54": "2", "55": "2",
    "20": "4",
    "30": "6", "31": "6", "42": "6", "58": "6",
    "68": "7",
}  # fmt: skip
_MEANS: Final = {"1": "10", "2": "48", "4": "20", "6": "30", "7": "68"}
_FORM_WORDS: Final = {"3": "Bon", "5": "Kredyt"}
OTHER_MEANS: Final = "ZZZ"
_NAMES: Final = {
    "49": "Polecenie zapłaty",
    "59": "Polecenie zapłaty SEPA",
    "57": "Umowa stała",
    "97": "Rozliczenie wzajemne",
    "1": "Nieokreślona",
}


def unit_text(code: str) -> str:
    """The values of FA(3) for a unit."""
    return _UNITS.get(code, code)


def unit_code(text: str) -> str | None:
    """The code of a unit; None if the text is none."""
    found = _CODES.get(text) or _CODES.get(text.lower())
    return found or (text if _CODE.fullmatch(text) else None)


def payment_form(code: str) -> str | None:
    """FormaPlatnosci of a payment means (BT-81); None if it is another one."""
    return _FORMS.get(code)


def payment_words(code: str, text: str | None) -> str:
    """The description of another payment means."""
    return text or _NAMES.get(code, code)


def payment_means(form: str) -> tuple[str, str | None]:
    """Code and text of the payment means (BT-81, BT-82) of a FormaPlatnosci."""
    return _MEANS.get(form, OTHER_MEANS), _FORM_WORDS.get(form)


def payment_code(words: str) -> tuple[str, str | None]:
    """Code and text of the payment means that is described by words."""
    code = next((code for code, name in _NAMES.items() if name == words), None)
    return (code, None) if code else (OTHER_MEANS, words)
