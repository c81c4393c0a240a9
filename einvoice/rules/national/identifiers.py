"""Numbers as the national rules test them: Greek tax numbers, IBANs, and what counts as a number.

What both syntaxes test by register stands in `peppol/check_digits.py`. Here too each function
answers as the official rules do: letters may stand in an IBAN in lower case (and count otherwise).

>>> is_greek("094259216"), is_greek("094259217"), is_greek("0942592")
(True, False, False)
>>> is_iban("BE68 5390 0754 7034"), is_iban("BE69539007547034")
(True, False)
>>> is_number("1E2"), is_number("NaN"), is_integer(" -7 "), is_integer("7.0")
(True, False, True, False)
"""

from __future__ import annotations

import re

from einvoice.rules.peppol.check_digits import digits
from einvoice.rules.values import XML_SPACE, normalized, parse_double

_INTEGER = re.compile(r"[+-]?[0-9]+")
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{0,30}")
_SPACES = re.compile(r"[ \t\r\n]")
_CODE_POINT_A = 65 - 10  # A counts 10, B 11 …
_CODE_POINT_0 = 48


def is_number(text: str) -> bool:
    """Would a calculation take it? Signs, a point and an exponent pass too."""
    number = parse_double(text)
    return number is not None and number == number  # NaN differs from itself


def is_integer(text: str) -> bool:
    """A whole number, with or without a sign."""
    return _INTEGER.fullmatch(text.strip(XML_SPACE)) is not None


def is_greek(text: str) -> bool:
    """A tax number: nine digits, the last checks the others; what follows is not looked at."""
    number = text[:9]
    if not digits(number, 9):
        return False
    weighted = sum(int(digit) << (8 - place) for place, digit in enumerate(number[:8]))
    return weighted % 11 % 10 == int(number[8])


def is_iban(text: str) -> bool:
    """An IBAN with the right check digits; white space in it does not count."""
    account = normalized(_SPACES.sub("", text))
    if _IBAN.fullmatch(account) is None:
        return False
    turned = (account[4:] + account[:4]).encode()
    values = [code - (_CODE_POINT_A if code > 64 else _CODE_POINT_0) for code in turned]
    return int("".join(map(str, values))) % 97 == 1
