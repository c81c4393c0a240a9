"""Texts as numbers, dates and truth values, the way XPath 2.0 reads them.

Decimals are exact: rules run inside `decimal.localcontext(EXACT)` (engine.py), whose precision is
enough for sums and products of any numbers in an invoice.

>>> to_cents(Decimal("0.125")), to_cents(Decimal("-0.125"))
(Decimal('0.13'), Decimal('-0.12'))
>>> decimals("1.250"), decimals("7"), decimals("1.2.3")
(3, 0, 3)
"""

from __future__ import annotations

import re
from datetime import date
from decimal import ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from einvoice.rules.evaluation_errors import InvalidBoolean, InvalidDate, InvalidNumber

if TYPE_CHECKING:
    from einvoice.rules.node import Node

EXACT: Final = Context(prec=2000)
ZERO: Final = Decimal(0)
ONE: Final = Decimal(1)
HUNDRED: Final = Decimal(100)
_CENT: Final = Decimal("0.01")
_HALF: Final = Decimal("0.5")
XML_SPACE: Final = " \t\r\n"

_DECIMAL: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)")
_DOUBLE: Final = re.compile(
    r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?|[+-]?INF|NaN"
)
_INTEGER: Final = re.compile(r"[+-]?[0-9]+")
_SPACES: Final = re.compile(r"[ \t\r\n]+")
_DATE: Final = re.compile(
    r"(-?(?:[1-9][0-9]{4,8}|[0-9]{4}))-([0-9]{2})-([0-9]{2})"
    r"(?:Z|([+-])(0[0-9]|1[0-4]):([0-5][0-9]))?"
)
_CALENDAR_YEARS, _CALENDAR_DAYS = 400, 146_097  # the period of the Gregorian calendar
_BOOLEANS: Final = {"true": True, "1": True, "false": False, "0": False}


@lru_cache(maxsize=4096)
def parse_decimal(text: str) -> Decimal | None:
    """xs:decimal: digits with at most one point, no exponent; None for any other text."""
    stripped = text.strip(XML_SPACE)
    if _DECIMAL.fullmatch(stripped) is None or len(stripped) > 500:
        return None
    return Decimal(stripped)


@lru_cache(maxsize=4096)
def parse_double(text: str) -> float | None:
    """xs:double: also exponents, INF and NaN; None for any other text."""
    stripped = text.strip(XML_SPACE)
    return float(stripped) if _DOUBLE.fullmatch(stripped) else None


def is_number(text: str) -> bool:
    """Whether number(text) is not NaN: signs, a point, an exponent and INF pass."""
    number = parse_double(text)
    return number is not None and number == number  # NaN differs from itself


def is_integer(text: str) -> bool:
    """Whether the text is an xs:integer: digits, with or without a sign."""
    return _INTEGER.fullmatch(text.strip(XML_SPACE)) is not None


def decimal_of(node: Node) -> Decimal:
    """xs:decimal(node). Raises InvalidNumber."""
    number = parse_decimal(node.text)
    if number is None:
        raise InvalidNumber(node)
    return number


def double_of(node: Node) -> float:
    """xs:double(node), also the cast in a comparison with a number. Raises InvalidNumber."""
    number = parse_double(node.text)
    if number is None:
        raise InvalidNumber(node)
    return number


def above(node: Node, bound: float) -> bool:
    """node > bound, in doubles; for Saxon, NaN is larger than any number. Raises InvalidNumber."""
    return not double_of(node) <= bound


def not_below(node: Node, bound: float) -> bool:
    """node >= bound, with the same treatment of NaN."""
    return not double_of(node) < bound


def boolean_of(node: Node) -> bool:
    """xs:boolean(node), also the cast in a comparison with a boolean. Raises InvalidBoolean."""
    truth = _BOOLEANS.get(node.text.strip(XML_SPACE))
    if truth is None:
        raise InvalidBoolean(node)
    return truth


def moment_of(node: Node) -> int:
    """xs:date(node) in minutes, for comparing; without a time zone, in UTC. Raises InvalidDate."""
    moment = parse_date(node.text)
    if moment is None:
        raise InvalidDate(node)
    return moment


@lru_cache(maxsize=4096)
def parse_date(text: str) -> int | None:
    """xs:date in minutes, of any year, with or without a time zone; None for any other text."""
    match = _DATE.fullmatch(text.strip(XML_SPACE))
    if match is None:
        return None
    cycles, year = divmod(int(match[1]), _CALENDAR_YEARS)
    try:
        day = date(year + _CALENDAR_YEARS, int(match[2]), int(match[3])).toordinal()
    except ValueError:
        return None
    offset = int(match[5] or 0) * 60 + int(match[6] or 0)
    minutes = (day + cycles * _CALENDAR_DAYS) * 1440
    return minutes + offset if match[4] == "-" else minutes - offset


def normalized(text: str) -> str:
    """normalize-space(): trimmed, with one space for each run of XML white space."""
    return text if text.isalnum() else _SPACES.sub(" ", text.strip(XML_SPACE))


def decimals(text: str) -> int:
    """The number of characters behind the first point of the text, as the rules count."""
    return len(text.partition(".")[2])


def to_cents(number: Decimal) -> Decimal:
    """round(number * 100) div 100: half goes towards plus infinity."""
    rounding = ROUND_HALF_DOWN if number.is_signed() else ROUND_HALF_UP
    return number.quantize(_CENT, rounding)


def share(base: Decimal, percent: Decimal) -> Decimal:
    """This percentage of the base. A division would be slow at the precision of `EXACT`."""
    return (base * percent).scaleb(-2)


def to_integer(number: Decimal) -> Decimal:
    """round(number): half goes towards plus infinity."""
    return (number + _HALF).to_integral_value(ROUND_FLOOR)
