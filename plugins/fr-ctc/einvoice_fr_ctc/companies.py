"""Numbers of French companies: SIREN, SIRET, VAT number, and their addresses in the directory.

>>> siren_of("FR 83 404 833 048"), siren_of("40483304800022"), siren_of("404833048_SALES")
('404833048', '404833048', '404833048')
>>> siren_of("BE0123456749") is None
True
"""

from __future__ import annotations

import re
from typing import Final

from einvoice.domain.identifiers import ParticipantId

DIRECTORY: Final = "0225"  # addresses of the directory
SIREN, SIRET, VAT = "0002", "0009", "9957"
SCHEMES: Final = frozenset({DIRECTORY, SIREN, SIRET, VAT})
SIREN_DIGITS, SIRET_DIGITS = 9, 14
_NUMBER: Final = re.compile(r"(?:FR[0-9A-Z]{2})?([0-9]{9})(?:[0-9]{5})?(?:[_].*)?", re.ASCII)


def siren_of(text: str) -> str | None:
    """The SIREN in a SIREN, a SIRET, a French VAT number or an address of the directory."""
    compact = "".join(text.split()).upper()
    found = _NUMBER.fullmatch(compact)
    return found[1] if found else None


def siren_in(participant: ParticipantId | None) -> str | None:
    """The SIREN of a participant; None if it has no French id."""
    if participant is None or participant.scheme not in SCHEMES:
        return None
    return siren_of(participant.value)


def address_of(siren: str) -> ParticipantId:
    """The address of a company as a whole in the directory."""
    return ParticipantId(DIRECTORY, siren)


def vat_number_of(siren: str) -> str:
    """The VAT number of a company, whose key is computed from its SIREN.

    >>> vat_number_of("404833048")
    'FR83404833048'
    """
    key = (12 + 3 * (int(siren) % 97)) % 97
    return f"FR{key:02}{siren}"
