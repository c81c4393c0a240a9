"""NIP, the tax number of Poland: ten digits, the last of which is a check digit.

>>> is_correct("5265877635"), is_correct("5265877636"), is_correct("526587763")
(True, False, False)
"""

from __future__ import annotations

import re
from typing import Final

_FORM: Final = re.compile(r"[1-9](?:\d[1-9]|[1-9]\d)\d{7}", re.ASCII)
LENGTH: Final = 10
_WEIGHTS: Final = (6, 5, 7, 2, 3, 4, 5, 6, 7)
_MODULUS: Final = 11


def is_written(text: str) -> bool:
    """Whether the text has the form of a NIP."""
    return _FORM.fullmatch(text) is not None


def is_correct(text: str) -> bool:
    """Whether the text has the form and the check digit of a NIP."""
    if not is_written(text):
        return False
    total = sum(weight * int(digit) for weight, digit in zip(_WEIGHTS, text, strict=False))
    return total % _MODULUS == int(text[-1])
