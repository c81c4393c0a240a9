"""Until when KSeF tokens can be used to log in.

>>> end_of("20260401-EC-0123456789-0123456789-00|nip-1111111111|secret").isoformat()
'2027-11-30'

Nothing is known of tokens that are issued later:

>>> end_of("20270105-EC-0123456789-0123456789-00|nip-1111111111|secret")
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date
from typing import Final


@dataclass(frozen=True, slots=True)
class TokenEnd:
    """Tokens issued up to a day, the last day on which they work, and who says so."""

    issued_until: date
    works_until: date
    source: str


TOKEN_ENDS: Final = (
    TokenEnd(
        date(2026, 12, 31),
        date(2027, 11, 30),
        "announcement of the API team, CIRFMF/ksef-api issue 834, 2026-09-10; the regulation "
        "(Dz.U. 2025 poz. 1815, § 13) still says 2026-12-31",
    ),
)
_ISSUED: Final = re.compile(r"(20\d{2})(\d{2})(\d{2})-")


def end_of(token: str) -> date | None:
    """The last day of a token, by the day of issue with which it begins; None: not known."""
    issued = _issued(token) or date.min
    return next((each.works_until for each in TOKEN_ENDS if issued <= each.issued_until), None)


def _issued(token: str) -> date | None:
    found = _ISSUED.match(token)
    try:
        return date(*map(int, found.groups())) if found else None
    except ValueError:
        return None
