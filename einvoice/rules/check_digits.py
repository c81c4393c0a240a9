"""Form and check digits of the identifiers that the Peppol and national rules test.

Each function returns whether a text has the form, and the check digits, of its scheme. The rules
normalize white space first where the official rule does. The functions return what the official
ones return, including their oddities: a GLN may have any length, an ABN need not consist of
digits, a foreign number passes the Italian VAT check, and a lower-case letter in an IBAN counts
with its own value.

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
>>> greek_tax_number("094259216"), greek_tax_number("094259217"), greek_tax_number("0942592")
(True, False, False)
>>> iban("BE68 5390 0754 7034"), iban("BE69539007547034")
(True, False)
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
_MATRICULE_WEIGHTS = (5, 4, 3, 2, 7, 6, 5, 4, 3, 2)
_FIRST_LEGAL_FORM = 20
_LUHN_DOUBLED = "0246813579"  # twice the digit, minus 9 if that exceeds 9
_IBAN = re.compile(r"[A-Z]{2}[0-9]{2}[a-zA-Z0-9]{0,30}")
_XML_SPACES = re.compile(r"[ \t\r\n]")
_CODE_POINT_A = 65 - 10  # in an IBAN, A counts 10, B 11 …
_CODE_POINT_0 = 48


def digits(text: str, length: int) -> bool:
    """Whether the text is exactly `length` ASCII digits."""
    return len(text) == length and _DIGITS.fullmatch(text) is not None


def gln(text: str) -> bool:
    """GLN, scheme 0088: any number of digits, the last one the GS1 check digit."""
    if _DIGITS.fullmatch(text) is None:
        return False
    tripled, single = text[-2::-2], text[-3::-2]
    total = 3 * sum(map(int, tripled)) + sum(map(int, single))
    return (10 - total % 10) % 10 == int(text[-1])


def gln_13(text: str) -> bool:
    """GLN of exactly 13 digits, as BIS Billing 3.0.22 requires."""
    return len(text) == 13 and gln(text)


def modulus_11(text: str) -> bool:
    """Digits, not all of them zero; the last one is the check digit of modulus 11.

    The weights are 2 to 7, repeated, from the digit before the check digit to the left.
    """
    if _DIGITS.fullmatch(text) is None or int(text) == 0:
        return False
    weights = cycle((2, 3, 4, 5, 6, 7))
    total = sum(int(digit) * weight for digit, weight in zip(text[-2::-1], weights, strict=False))
    return (11 - total % 11) % 11 == int(text[-1])


def norwegian(text: str) -> bool:
    """Norwegian organisation number, scheme 0192: nine digits, modulus 11."""
    return digits(text, 9) and modulus_11(text)


def danish(text: str) -> bool:
    """Danish CVR number, scheme 0184: eight digits, with or without DK before them."""
    return digits(text, 8) or (text.startswith("DK") and digits(text[2:], 8))


def danish_tax_number(text: str) -> bool:
    """Danish SE number, scheme 0198: DK and eight digits."""
    return text.startswith("DK") and digits(text[2:], 8)


def belgian(text: str) -> bool:
    """Belgian enterprise number, scheme 0208.

    Ten digits; the last two are 97 minus the remainder of the first eight divided by 97.
    """
    return digits(text, 10) and int(text[8:]) == 97 - int(text[:8]) % 97


def belgian_enterprise(text: str) -> bool:
    """A Belgian number that begins with 0 or 1, as BIS Billing 3.0.22 requires."""
    return text[:1] in ("0", "1") and belgian(text)


def luxembourg_vat(text: str) -> bool:
    """Luxembourg VAT number: LU in any case and eight digits.

    The last two are the remainder of the first six divided by 89.
    """
    number = text[2:]
    if text[:2].upper() != "LU" or not digits(number, 8):
        return False
    return int(number[6:]) == int(number[:6]) % 89


def luxembourg_matricule(text: str) -> bool:
    """Luxembourg matricule, scheme 0240: eleven digits; the fifth and sixth are the legal form.

    The last one is the check digit of modulus 11. For form 24 the next one passes too. A check
    digit of 10 passes no number.
    """
    form = text[4:6]
    if not digits(text, 11) or int(form) < _FIRST_LEGAL_FORM:
        return False
    weighted = zip(text[:10], _MATRICULE_WEIGHTS, strict=True)
    remainder = sum(int(digit) * weight for digit, weight in weighted) % 11
    check_digit = (11 - remainder) % 11
    passing = (check_digit, (check_digit + 1) % 11) if form == "24" else (check_digit,)
    return int(text[10]) in passing


def italian_office(text: str) -> bool:
    """Italian IPA office code, scheme 0201: six letters or digits."""
    return _IPA.fullmatch(text) is not None


def italian_tax_code(text: str) -> bool:
    """Codice fiscale, schemes 0210 and 9907: eleven digits, or the 16 characters of a person.

    Instead of the first of the eleven digits a sign passes.
    """
    if len(text) == 16:
        return _PERSONAL_CODE.fullmatch(text) is not None
    return len(text) == 11 and _INTEGER.fullmatch(text) is not None


def italian_vat(text: str) -> bool:
    """Partita IVA, scheme 0211: IT and eleven digits with a Luhn check digit.

    A text that does not begin with IT or it passes.
    """
    if text[:2] not in ("IT", "it"):
        return True
    number = text[2:]
    if not digits(number, 11):
        return False
    pairs = zip(number, cycle((False, True)), strict=False)
    total = sum(int(_LUHN_DOUBLED[int(digit)] if doubled else digit) for digit, doubled in pairs)
    return total % 10 == 0


def swedish(text: str) -> bool:
    """Swedish organisation number, scheme 0007: the tenth digit is the Luhn check digit.

    Digits after the tenth are not read; the rules limit the length.
    """
    if _DIGITS.fullmatch(text) is None or len(text) < 10:
        return False
    pairs = zip(reversed(text[:9]), cycle((True, False)), strict=False)
    total = sum(int(_LUHN_DOUBLED[int(digit)] if doubled else digit) for digit, doubled in pairs)
    return (10 - total % 10) % 10 == int(text[9])


def australian(text: str) -> bool:
    """Australian business number, scheme 0151: the weighted sum is a multiple of 89.

    Of eleven characters, 1 is subtracted from the first before weighting. Characters after the
    eleventh are not read.
    """
    if len(text) < len(_ABN_WEIGHTS):
        return False
    offsets = chain((49,), repeat(48))
    weighted = zip(text, offsets, _ABN_WEIGHTS, strict=False)
    return sum((ord(sign) - offset) * weight for sign, offset, weight in weighted) % 89 == 0


def dutch_vat(text: str) -> bool:
    """Dutch VAT number, scheme 9944: NL, nine digits, B, two digits."""
    return _DUTCH_VAT.fullmatch(text) is not None


def greek_tax_number(text: str) -> bool:
    """Greek tax number (AFM): nine digits, the last one a check digit; the rest is not read."""
    number = text[:9]
    if not digits(number, 9):
        return False
    weighted = sum(int(digit) << (8 - place) for place, digit in enumerate(number[:8]))
    return weighted % 11 % 10 == int(number[8])


def iban(text: str) -> bool:
    """IBAN with correct check digits (ISO 7064, modulus 97); white space is ignored."""
    account = _XML_SPACES.sub("", text)
    if _IBAN.fullmatch(account) is None:
        return False
    rotated = (account[4:] + account[:4]).encode()
    values = [code - (_CODE_POINT_A if code > 64 else _CODE_POINT_0) for code in rotated]
    return int("".join(map(str, values))) % 97 == 1
