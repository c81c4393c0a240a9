"""Bank accounts: checking and formatting IBANs.

>>> is_iban("BE68 5390 0754 7034"), is_iban("BE68 5390 0754 7035"), is_iban("5390-0754703")
(True, False, False)
>>> mistyped("BE68 5390 0754 7035"), mistyped("BE68539007547034"), mistyped("5390-0754703")
(True, False, False)
>>> grouped("BE68539007547034").split()
['BE68', '5390', '0754', '7034']
"""

from __future__ import annotations

import re
from typing import Final

_IBAN: Final = re.compile(r"[A-Z]{2}[0-9]{2}[A-Z0-9]{11,30}")


def compact(text: str) -> str:
    """An account number or BIC in capitals, without spaces."""
    return "".join(text.split()).upper()


def is_iban(account: str) -> bool:
    """Whether the form and the check digits (modulo 97) are those of an IBAN (ISO 13616)."""
    text = compact(account)
    return _IBAN.fullmatch(text) is not None and _remainder(text) == 1


def mistyped(account: str) -> bool:
    """Whether it has the form of an IBAN, but not its check digits."""
    text = compact(account)
    return _IBAN.fullmatch(text) is not None and _remainder(text) != 1


def _remainder(iban: str) -> int:
    """The remainder modulo 97 (ISO 7064)."""
    return int("".join(str(int(c, 36)) for c in iban[4:] + iban[:4])) % 97


def grouped(account: str) -> str:
    """An IBAN in groups of four, as banks print it; any other account unchanged."""
    if not is_iban(account):
        return account
    text = compact(account)
    return "\N{NO-BREAK SPACE}".join(text[at : at + 4] for at in range(0, len(text), 4))
