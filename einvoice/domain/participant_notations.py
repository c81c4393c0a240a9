"""Notations of participant identifiers, and the one that the network registers.

Codes and examples: the participant identifier schemes of Peppol's code lists. A notation that is
not understood stays as it is: the network, or the rules, refuse it.

>>> in_network("0208", "BE 0403.170.701"), in_network("0208", "403170701")
('0403170701', '0403170701')
>>> in_network("9925", "0403.170.701"), in_network("9930", "DE 123 456 788")
('BE0403170701', 'DE123456788')
>>> in_network("0204", "04011000-12345-03"), in_network("0208", "12")
('04011000-12345-03', '12')
>>> scheme_meant("0403170701"), scheme_meant("DE123456788"), scheme_meant("9520000000004")
('0208:0403170701', '9930:DE123456788', '0088:9520000000004')
"""

from __future__ import annotations

import re

from einvoice.domain.codes import VAT_SCHEME

# Numbers that are digits alone: SIREN and SIRET, organisationsnummer, GLN, KVK, ABN, hojin bango,
# organisasjonsnummer, CVR, registrikood, kennitala.
_DIGITS_ONLY = frozenset(
    ("0002", "0007", "0009", "0088", "0106", "0151", "0184", "0188", "0191", "0192", "0196")
)
_BELGIAN_COMPANY, _BELGIAN_VAT = "0208", "9925"
_COMPACT = frozenset((*_DIGITS_ONLY, *VAT_SCHEME, _BELGIAN_COMPANY, "0183"))
_SEPARATORS = re.compile(r"[\s./\-]+")
_LETTERS = re.compile(r"[A-Za-z]+")
_BELGIAN = re.compile("0[0-9]{9}|1[0-9]{9}|[1-9][0-9]{8}")
_GLN = re.compile("[0-9]{13}")
_VAT = re.compile("([A-Z]{2})[0-9A-Z]{7,14}")
_SCHEME_OF_VAT = {prefix: scheme for scheme, prefix in VAT_SCHEME.items()}


def in_network(scheme: str, value: str) -> str:
    """The value of an identifier as it is registered; as it is, if it is in no known notation."""
    if scheme not in _COMPACT or (value.isdigit() and scheme in _DIGITS_ONLY):
        return value
    number = _SEPARATORS.sub("", value)
    if scheme == _BELGIAN_COMPANY:
        return _belgian(_LETTERS.sub("", number)) or value
    if scheme == _BELGIAN_VAT:
        return _belgian_vat(number) or value
    if scheme in _DIGITS_ONLY:
        return number if number.isascii() and number.isdigit() else value
    return number if number.isascii() and number.isalnum() else value


def _belgian(number: str) -> str | None:
    """An enterprise number of ten digits; one from before 2007 has nine."""
    return number.zfill(10) if _BELGIAN.fullmatch(number) else None


def _belgian_vat(number: str) -> str | None:
    prefix, digits = (number[:2], number[2:]) if number[:2].upper() == "BE" else ("BE", number)
    found = _belgian(digits)
    return f"{prefix}{found}" if found else None


def scheme_meant(text: str) -> str | None:
    """The identifier that a number without a scheme is likely to be; None if nothing is likely."""
    number = _SEPARATORS.sub("", text[:100]).upper()
    belgian = _belgian(number.removeprefix("BE"))
    if belgian and (97 - int(belgian[:8]) % 97) == int(belgian[8:]):
        return f"{_BELGIAN_COMPANY}:{belgian}"
    if _GLN.fullmatch(number) and _is_gln(number):
        return f"0088:{number}"
    match = _VAT.fullmatch(number)
    if match and match[1] in _SCHEME_OF_VAT:
        return f"{_SCHEME_OF_VAT[match[1]]}:{number}"
    return None


def _is_gln(number: str) -> bool:
    """Whether the last digit is the check digit of GS1."""
    odd, even = sum(map(int, number[0:12:2])), sum(map(int, number[1:12:2]))
    return (odd + 3 * even + int(number[12])) % 10 == 0
