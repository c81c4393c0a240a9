"""The identifiers whose form or check digit the Peppol layers test, both syntaxes alike.

Each function answers for a text as it stands; the rules decide whether blanks are stripped first.
They answer exactly as the official functions do, oddities included: the GLN has no fixed length, an
ABN need not consist of digits, a foreign number passes the Italian VAT check.

>>> gln("7300010000001"), gln("7300010000002"), gln("0")
(True, False, True)
>>> norwegian("123456785"), norwegian("123456786")
(True, False)
>>> belgian("0403019261"), belgian("0403019262")
(True, False)
>>> swedish("5560004755"), swedish("5560004756"), swedish("556000475")
(True, False, False)
>>> australian("51824753556"), australian("51824753557")
(True, False)
>>> italian_vat("IT12345678903"), italian_vat("IT12345678904"), italian_vat("FR1")
(True, False, True)
"""

from __future__ import annotations

import re
from itertools import chain, cycle, repeat

_DIGITS = re.compile(r"[0-9]+")
_INTEGER = re.compile(r"[+-]?[0-9]+")
_IPA = re.compile(r"[A-Za-z0-9]{6}")
_PERSONAL_CODE = re.compile(
    r"[A-Za-z]{6}(?:[+ -][0-9]|[0-9][0-9 ])[A-Za-z](?:[+ -][0-9]|[0-9][0-9 ]).{3}[0-9][A-Za-z]",
    re.DOTALL,
)
_DUTCH_VAT = re.compile(r"NL[0-9]{9}B[0-9]{2}")
_ABN_WEIGHTS = (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
_DOUBLED = "0246813579"


def digits(text: str, length: int) -> bool:
    """Exactly so many ASCII digits."""
    return len(text) == length and _DIGITS.fullmatch(text) is not None


def gln(text: str) -> bool:
    """0088: digits of any number, the last one the GS1 check digit."""
    if _DIGITS.fullmatch(text) is None:
        return False
    weights = cycle((3, 1))
    total = sum(int(digit) * weight for digit, weight in zip(text[-2::-1], weights, strict=False))
    return (10 - total % 10) % 10 == int(text[-1])


def modulus_11(text: str) -> bool:
    """Weights 2 to 7 from the right; the last digit completes the sum to a multiple of 11."""
    if _DIGITS.fullmatch(text) is None or int(text) == 0:
        return False
    weights = cycle((2, 3, 4, 5, 6, 7))
    total = sum(int(digit) * weight for digit, weight in zip(text[-2::-1], weights, strict=False))
    return (11 - total % 11) % 11 == int(text[-1])


def norwegian(text: str) -> bool:
    """0192: nine digits, modulus 11."""
    return digits(text, 9) and modulus_11(text)


def danish(text: str) -> bool:
    """0184: eight digits, with or without DK before them."""
    return digits(text, 8) or (text.startswith("DK") and digits(text[2:], 8))


def danish_tax_number(text: str) -> bool:
    """0198: DK and eight digits."""
    return text.startswith("DK") and digits(text[2:], 8)


def belgian(text: str) -> bool:
    """0208: ten digits, the last two 97 minus the first eight modulo 97."""
    return digits(text, 10) and int(text[8:]) == 97 - int(text[:8]) % 97


def italian_office(text: str) -> bool:
    """0201: six letters or digits."""
    return _IPA.fullmatch(text) is not None


def italian_tax_code(text: str) -> bool:
    """0210, 9907: eleven digits, or the sixteen characters of a person."""
    if len(text) == 16:
        return _PERSONAL_CODE.fullmatch(text) is not None
    return len(text) == 11 and _INTEGER.fullmatch(text) is not None


def italian_vat(text: str) -> bool:
    """0211: IT and eleven digits of which every second is doubled; others are not judged."""
    if text[:2] not in ("IT", "it"):
        return True
    number = text[2:]
    if not digits(number, 11):
        return False
    pairs = zip(number, cycle((False, True)), strict=False)
    return (
        sum(int(_DOUBLED[int(digit)] if doubled else digit) for digit, doubled in pairs) % 10 == 0
    )


def swedish(text: str) -> bool:
    """0007: digits, of the first nine every second doubled from the right; the tenth completes."""
    if _DIGITS.fullmatch(text) is None or len(text) < 10:
        return False
    pairs = zip(reversed(text[:9]), cycle((True, False)), strict=False)
    total = sum(int(_DOUBLED[int(digit)] if doubled else digit) for digit, doubled in pairs)
    return (10 - total % 10) % 10 == int(text[9])


def australian(text: str) -> bool:
    """0151: the first eleven characters, weighted, make a multiple of 89."""
    if len(text) < len(_ABN_WEIGHTS):
        return False
    offsets = chain((49,), repeat(48))
    weighted = zip(text, offsets, _ABN_WEIGHTS, strict=False)
    return sum((ord(sign) - offset) * weight for sign, offset, weight in weighted) % 89 == 0


def dutch_vat(text: str) -> bool:
    """NL, nine digits, B, two digits."""
    return _DUTCH_VAT.fullmatch(text) is not None
