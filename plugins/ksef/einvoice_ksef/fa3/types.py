"""The simple types of FA(3): the base of each, its lengths, bounds, patterns and values.

Names are those of structure.txt. Lengths count characters after the white space is treated as the
base says: `token` and numbers collapse it, `string` keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from einvoice_ksef.fa3 import codes


@dataclass(frozen=True, slots=True)
class SimpleType:
    """A type of texts.

    base      the type of XML Schema that it restricts
    patterns  every one of them is met
    values    the only ones, if any are named
    facets    further restrictions: name and value of XML Schema
    """

    base: str
    shortest: int | None = None
    longest: int | None = None
    patterns: tuple[str, ...] = ()
    values: tuple[str, ...] = ()
    facets: tuple[tuple[str, str], ...] = ()


def _text(longest: int, *patterns: str, shortest: int = 1) -> SimpleType:
    return SimpleType("token", shortest, longest, patterns)


def _written(pattern: str) -> SimpleType:
    """A text in which white space is not treated."""
    return SimpleType("string", patterns=(pattern,))


def _decimal(digits: int, fraction: int, pattern: str) -> SimpleType:
    facets = (("totalDigits", str(digits)), ("fractionDigits", str(fraction)))
    return SimpleType("decimal", patterns=(pattern,), facets=facets)


def _between(base: str, first: str, last: str, *patterns: str) -> SimpleType:
    facets = (("minInclusive", first), ("maxInclusive", last))
    return SimpleType(base, patterns=patterns, facets=facets)


def _day(first: str) -> SimpleType:
    return _between("date", first, "2050-01-01", r"((\d{4})-(\d{2})-(\d{2}))")


def _moment(first: str) -> SimpleType:
    return _between("dateTime", first, "2050-01-01T23:59:59Z")


def _upto(last: int, base: str = "integer") -> SimpleType:
    return SimpleType(base, values=tuple(str(number) for number in range(1, last + 1)))


def _one_of(*values: str, base: str = "token") -> SimpleType:
    return SimpleType(base, values=values)


_NIP: Final = r"[1-9]((\d[1-9])|([1-9]\d))\d{7}"
_KSEF_DAY: Final = (
    r"(20[2-9][0-9]|2[1-9][0-9]{2}|[3-9][0-9]{3})(0[1-9]|1[0-2])(0[1-9]|[1-2][0-9]|3[0-1])"
)
_KSEF_NUMBER: Final = (
    rf"({_NIP}|M\d{{9}}|[A-Z]{{3}}\d{{7}})-{_KSEF_DAY}"
    r"-([0-9A-F]{6})-?([0-9A-F]{6})-([0-9A-F]{2})"
)
_PROCEDURES: Final = ("WSTO_EE", "IED", "TT_D", "B_SPV", "B_SPV_DOSTAWA", "B_MPV_PROWIZJA")

TYPES: Final[Mapping[str, SimpleType]] = {
    "string": SimpleType("string"),
    "integer": SimpleType("integer"),
    "number": SimpleType(
        "nonNegativeInteger", facets=(("totalDigits", "14"), ("minExclusive", "0"))
    ),
    "text9": _text(9),
    "text16": _text(16),
    "text20": _text(20),
    "text32": _text(32),
    "text50": _text(50),
    "text256": _text(256),
    "text512": _text(512),
    "cell": _text(256, shortest=0),
    "footer": SimpleType("string", 1, 3500),
    "gln": _text(13),
    "email": _text(255, r"(.)+@(.)+", shortest=3),
    "foreign-id": SimpleType("string", 1, 50, facets=(("whiteSpace", "replace"),)),
    "account": SimpleType("string", 10, 34),
    "bic": _written(r"[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3}){0,1}"),
    "nip": _written(_NIP),
    "internal-id": _text(20, _NIP + r"-\d{5}"),
    "eu-vat": _written(r"(\d|[A-Z]|\+|\*){1,12}"),
    "krs": _written(r"\d{10}"),
    "regon": _written(r"\d{9}|\d{14}"),
    "ksef-number": SimpleType("token", patterns=(_KSEF_NUMBER,)),
    "payment-id": _text(13, r"[0-9]{3}[a-zA-Z0-9]{10}"),
    "payment-link": _text(
        512,
        r"(https?)://([a-zA-Z0-9][a-zA-Z0-9-]*\.)+[a-zA-Z]{2,}(:[0-9]{1,5})?(/[^\s?#]*)?"
        r"\?([^#\s]*&)?IPKSeF=[0-9]{3}[a-zA-Z0-9]{10}(&[^#\s]*)?(#.*)?",
    ),
    "amount": _decimal(18, 2, r"-?([1-9]\d{0,15}|0)(\.\d{1,2})?"),
    "price": _decimal(22, 8, r"-?([1-9]\d{0,13}|0)(\.\d{1,8})?"),
    "quantity": _decimal(22, 6, r"-?([1-9]\d{0,15}|0)(\.\d{1,6})?"),
    "percent": SimpleType(
        "decimal",
        facets=(
            ("totalDigits", "9"),
            ("fractionDigits", "6"),
            ("minInclusive", "0"),
            ("maxInclusive", "100"),
        ),
    ),
    "date-1990": _day("1990-01-01"),
    "date-2006": _day("2006-01-01"),
    "date-2016": _day("2016-07-01"),
    "time-2021": _moment("2021-10-01T00:00:00Z"),
    "time-2025": _moment("2025-09-01T00:00:00Z"),
    "1": _upto(1, "byte"),
    "1-2": _upto(2),
    "1-3": _upto(3),
    "1-4": _upto(4),
    "1-7": _upto(7),
    "1-11": _upto(11),
    "1-20": _upto(20),
    "3": _one_of("3", base="byte"),
    "transport": _one_of("1", "2", "3", "4", "5", "7", "8", base="integer"),
    "form-code": _one_of("FA", base="string"),
    "kind": _one_of("VAT", "KOR", "ZAL", "ROZ", "UPR", "KOR_ZAL", "KOR_ROZ"),
    "rate": _one_of(
        "23", "22", "8", "7", "5", "4", "3", "0 KR", "0 WDT", "0 EX", "zw", "oo", "np I", "np II"
    ),
    "procedure": _one_of(*_PROCEDURES, "I_42", "I_63"),
    "order-procedure": _one_of(*_PROCEDURES),
    "goods-group": _one_of(*(f"GTU_{number:02d}" for number in range(1, 14))),
    "column-type": _one_of("date", "datetime", "dec", "int", "time", "txt", base="string"),
    "country": _one_of(*codes.COUNTRIES, base="normalizedString"),
    "eu-country": _one_of(*codes.EU_COUNTRIES, base="normalizedString"),
    "currency": _one_of(*codes.CURRENCIES, base="normalizedString"),
}
