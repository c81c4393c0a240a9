"""Leitweg-ID: how German public buyers are addressed, as buyer reference (BT-10) or address (0204).

Two or three parts between hyphens: the authority (2 to 12 digits), what the buyer adds (up to 30
letters and digits, optional), and two check digits. The whole without hyphens, with A = 10 to
Z = 35, is 1 modulo 97 (ISO 7064, MOD 97-10). Source: Leitweg-ID format specification 2.0.2, KoSIT.

>>> is_leitweg_id("04011000-12345-03"), is_leitweg_id("992-90009-96"), is_leitweg_id("4500012345")
(True, True, False)
>>> has_check_digits("04011000-12345-03"), has_check_digits("04011000-12345-04")
(True, False)
>>> has_check_digits("991-03730-19"), has_check_digits("05711-06001-79")
(True, True)
"""

from __future__ import annotations

import re
from typing import Final

SCHEME: Final = "0204"  # of electronic addresses (EAS) and participants
_FORM = re.compile(r"[0-9]{2,12}(?:-[0-9A-Za-z]{1,30})?-[0-9]{2}", re.ASCII)


def is_leitweg_id(text: str) -> bool:
    """Whether a text has the form of a Leitweg-ID, whatever its check digits."""
    return _FORM.fullmatch(text) is not None


def has_check_digits(text: str) -> bool:
    """Whether the check digits of a Leitweg-ID are right; its letters count in capitals."""
    number = "".join(str(int(letter, 36)) for letter in text if letter != "-")
    return int(number) % 97 == 1
