"""Whether two JSON bodies say the same, however they are written.

>>> same_meaning(b'{"price": 1.50, "count": 2}', b'{"count":2,"price":1.5}')
True
>>> same_meaning(b'{"price": 1.50}', b'{"price": "1.50"}'), same_meaning(b"{", b"{")
(False, False)
"""

from __future__ import annotations

import json
from decimal import Decimal, InvalidOperation

MAX_VALUES = 300_000  # as a body that is read may have


def same_meaning(one: bytes, other: bytes) -> bool:
    """Whether both are JSON with equal values; the order of members and white space say nothing."""
    if max(one.count(b","), other.count(b",")) > MAX_VALUES:
        return False
    try:
        return bool(_read(one) == _read(other))
    except (ValueError, InvalidOperation, RecursionError):
        return False


def _read(body: bytes) -> object:
    return json.loads(body, parse_float=Decimal)
