"""Numbers as people type them, with a decimal point or comma and separators of thousands."""

from __future__ import annotations

import re
from decimal import Decimal

PLAIN = re.compile(r"-?[0-9]{1,30}(?:\.[0-9]{1,30})?")
_WITH_COMMA = re.compile(r"-?[0-9]{1,30},[0-9]{1,30}")
# This separator may be a decimal one or separate thousands, so the number is refused.
_MAY_BE_THOUSANDS = re.compile(r"-?[1-9][0-9]{0,2}([.,])[0-9]{3}")
# Both separators are there, or one of them twice, so it is known which one separates thousands.
_GROUPED = re.compile(
    r"-?[0-9]{1,3}(?:(?:\.[0-9]{3})+,[0-9]{1,30}|(?:,[0-9]{3})+\.[0-9]{1,30}"
    r"|(?:\.[0-9]{3}){2,9}|(?:,[0-9]{3}){2,9})"
)


def number_of(text: str, has_comma: bool) -> Decimal | str:
    """The number that a person typed; the text if it is none, or may mean two.

    A comma before three digits is nobody's for certain, a point is that of people without a comma.

    >>> texts = ("1.234,50", "1,234.5", "1.234.567", "1 234,5", "0,125", "1,234", "1.234")
    >>> [str(number_of(text, has_comma=True)) for text in texts]
    ['1234.50', '1234.5', '1234567', '1234.5', '0.125', '1,234', '1.234']
    >>> number_of("1.234", has_comma=True), number_of("1.234", has_comma=False)
    ('1.234', Decimal('1.234'))
    """
    compact = re.sub(r"[\s'’]", "", text)
    doubtful = _MAY_BE_THOUSANDS.fullmatch(compact)
    if doubtful and (has_comma or doubtful[1] == ","):
        return text
    if _GROUPED.fullmatch(compact):
        last = max(compact.rfind("."), compact.rfind(","))
        whole, part = re.sub("[.,]", "", compact[:last]), compact[last + 1 :]
        is_decimal = compact.count(compact[last]) == 1
        compact = f"{whole}.{part}" if is_decimal else whole + part
    elif _WITH_COMMA.fullmatch(compact):
        compact = compact.replace(",", ".")
    return Decimal(compact) if PLAIN.fullmatch(compact) else text
