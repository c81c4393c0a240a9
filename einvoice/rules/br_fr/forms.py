"""The forms of texts that BR-FR asks for, equal in both syntaxes."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from einvoice.rules.values import normalized

Form = Callable[[str], bool]

_ID = re.compile(r"[A-Za-z0-9+\-_/]+")
_ADDRESS = re.compile(r"[A-Za-z0-9+\-_.]+")
_SIREN = re.compile(r"\d{9}")
_SIRET = re.compile(r"\d{14}")
_DAY = re.compile(r"(20\d\d)-?(0[1-9]|1[0-2])-?(0[1-9]|[12]\d|3[01])")
_DAYS = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_NUMBERS = {decimals: re.compile(rf"-?\d{{1,19}}(\.\d{{1,{decimals}}})?") for decimals in (2, 4, 6)}
_PERCENT = re.compile(r"\d{1,4}(\.\d{1,2})?")
# As they may be written: one decimal more or none says another text.
_RATES = (
    "0 0.0 0.00 10 10.0 10.00 13 13.0 13.00 20 20.0 20.00 8.5 8.50 19.6 19.60 2.1 2.10 5.5 5.50 "
    "7 7.0 7.00 20.6 20.60 1.05 0.9 0.90 1.75 9.2 9.20 9.6 9.60"
)
RATES = frozenset(_RATES.split())
_LONGEST_NUMBER, _LONGEST_PERCENT = 19, 4


def is_id(text: str) -> bool:
    """Letters, digits and + - _ / only, without a space."""
    return " " not in text and _ID.fullmatch(normalized(text)) is not None


def is_address(text: str) -> bool:
    """Letters, digits and + - _ . only."""
    return _ADDRESS.fullmatch(text) is not None


def is_siren(text: str) -> bool:
    """Nine digits, with white space around them."""
    return _SIREN.fullmatch(normalized(text)) is not None


def is_of(siret: str, siren: str) -> bool:
    """Whether a SIRET has 14 digits, the first nine of which are the SIREN."""
    return _SIRET.fullmatch(siret) is not None and siret[:9] == siren


def is_day(text: str) -> bool:
    """A day of 2000 to 2099, YYYY-MM-DD."""
    return len(text) == len("2000-01-01") and _is_day(text)


def is_packed_day(text: str) -> bool:
    """A day of 2000 to 2099, YYYYMMDD, whatever follows it."""
    return _is_day(text[:8])


def _is_day(text: str) -> bool:
    found = _DAY.fullmatch(text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    return day <= _DAYS[month - 1] and (month != 2 or day < 29 or year % 4 == 0)


def is_number(text: str, decimals: int) -> bool:
    """A number with a point, at most this many decimals, and 19 digits and sign in all."""
    return (
        _NUMBERS[decimals].fullmatch(text) is not None
        and len(text.replace(".", "")) <= _LONGEST_NUMBER
    )


def is_amount(text: str) -> bool:
    return is_number(normalized(text), 2)


def is_quantity(text: str) -> bool:
    return is_number(normalized(text), 4)


def is_price(text: str, *, signed: bool) -> bool:
    """A number with at most six decimals; a sign only where both parties sell."""
    bare = normalized(text)
    return is_number(bare, 6) and (signed or not bare.startswith("-"))


def is_percent(text: str) -> bool:
    """A number without sign, with at most two decimals, and four digits in all."""
    bare = normalized(text)
    return _PERCENT.fullmatch(bare) is not None and len(bare.replace(".", "")) <= _LONGEST_PERCENT


def is_filled(text: str) -> bool:
    return bool(normalized(text))


def at_most(characters: int) -> Form:
    """At most so many characters."""
    return partial(_is_at_most, characters)


def _is_at_most(characters: int, text: str) -> bool:
    return len(text) <= characters


def treatment_in(notes: str, subject: str) -> str:
    """The text of a subject in the joined notes of UBL, after its first #mark# ("" if none).

    >>> treatment_in("#PMT#40 €#BAR#B2B", "BAR")
    'B2B'
    """
    _, _, after = notes.partition(f"#{subject}#")
    return after.partition("#")[0]
