"""Who and where a customer is in the monthly reports: legal persons and country codes.

Source: End User Statistics Report 1.1, 2.2 (an end user is a legal person); code lists of TSR and
EUSR (ISO 3166-1 with 1A for Kosovo; ZZ in the TSR only).

>>> one = legal_person(ParticipantId("9925", "BE0403019261"))
>>> one == legal_person(ParticipantId("0208", "0403019261"))
True
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

from einvoice.domain.identifiers import ParticipantId
from einvoice.rules.codelists import code_list

UNKNOWN_COUNTRY: Final = "ZZ"
_NORTHERN_IRELAND: Final = "XI"  # in the list of EN 16931 for VAT numbers; no country of ISO 3166
_COUNTRIES: Final = code_list("iso3166_cen").codes - {_NORTHERN_IRELAND}
# Schemes, the form of ids that contain the number of a register, and the scheme of that register.
_SAME: Final = tuple(
    (scheme, re.compile(form, re.ASCII), register)
    for scheme, form, register in (
        ("9925", r"be([01][0-9]{9})", "0208"),
        ("9930", r"(de[0-9]{9})", "0246"),
        ("0246", r"(de[0-9]{9})-[0-9]{5}", "0246"),
        ("0009", r"([0-9]{9})[0-9]{5}", "0002"),
        ("0002", r"([0-9]{9})[0-9]{5}", "0002"),
        ("0225", r"([0-9]{9})(?:_.*)?", "0002"),
        ("9957", r"fr[0-9a-z]{2}([0-9]{9})", "0002"),
        ("9955", r"se([0-9]{10})01", "0007"),
        ("9906", r"it([0-9]{11})", "0211"),
        ("0211", r"it([0-9]{11})", "0211"),
        ("0213", r"fi([0-9]{8})", "0212"),
    )
)


def legal_person(participant: ParticipantId) -> str:
    """The same for all ids of a legal person that contain the same number; not the id itself."""
    scheme, value = participant.scheme, participant.value.lower()
    for of, form, register in _SAME:
        match = form.fullmatch(value) if of == scheme else None
        if match is not None:
            scheme, value = register, match[1]
            break
    return hashlib.sha256(f"{scheme}:{value}".encode()).hexdigest()[:32]


def country(code: str | None) -> str | None:
    """The code as both reports take it; None for any other. Northern Ireland is GB.

    >>> country("1A"), country("XI"), country("UK")
    ('1A', 'GB', None)
    """
    if code == _NORTHERN_IRELAND:
        return "GB"
    return code if code in _COUNTRIES else None
