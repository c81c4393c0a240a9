"""The parties of documents that are reported to a tax authority: their ids, and where they are.

A country of `tax_data` knows its parties by participant ids of one scheme. The scope of a report
says between whom the document is.

Sources: specifications TDD AE 1.0.4, OM 1.0.1 and SK 1.0.0 of OpenPeppol, PINT AE 1.0.4.

>>> from einvoice.domain.identifiers import ParticipantId
>>> country_of(ParticipantId("0245", "2020317068"))
'SK'
>>> id_fault("SK", ParticipantId("9950", "SK2020317068"))
'a party in SK has a participant id of the scheme 0245: the tax number (DIČ) of 10 digits'
>>> scope_of("SK", None, "AT").value
'abroadInPeppol'
"""

from __future__ import annotations

from typing import Final

from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.tax_data import REPORTED_ONLY, SPECIFICATIONS, Scope

# Member states of the European Union (ISO 3166-1 alpha-2).
MEMBER_STATES: Final = frozenset({
    "AT", "BE", "BG", "CY", "CZ", "DE", "DK", "EE", "ES", "FI", "FR", "GR", "HR", "HU", "IE", "IT",
    "LT", "LU", "LV", "MT", "NL", "PL", "PT", "RO", "SE", "SI", "SK",
})  # fmt: skip


def country_of(participant: ParticipantId) -> str | None:
    """The country that reports, whose parties have ids of this scheme; None if there is none."""
    schemes = {each.party_scheme: each.country for each in SPECIFICATIONS.values()}
    return schemes.get(participant.scheme)


def is_reported_only(participant: ParticipantId | None) -> bool:
    """Whether it stands for a buyer who gets nothing: the document is reported only."""
    return participant is not None and participant.canonical in REPORTED_ONLY


def id_fault(country: str, participant: ParticipantId) -> str | None:
    """The fault of the id of a party in the country; None if it is an id of its parties."""
    of, value = SPECIFICATIONS[country], participant.value
    is_number = value.isascii() and value.isdigit() and len(value) == of.party_digits
    if participant.scheme == of.party_scheme and (of.party_digits is None or is_number):
        return None
    return (
        f"a party in {country} has a participant id of the scheme {of.party_scheme}: "
        f"{of.party_number}"
    )


def scope_of(country: str, other: ParticipantId | None, other_country: str | None) -> Scope:
    """The scope of a report to the country's authority.

    other          the party that is not the reporting one, and the country of its address; without
                   one its participant id decides
    """
    place = other_country or (country_of(other) if other else None) or country
    if place == country:
        return Scope.DOMESTIC
    if country == "SK":
        return Scope.ABROAD_IN_PEPPOL if place in MEMBER_STATES else Scope.ABROAD
    return Scope.ABROAD if other is None or is_reported_only(other) else Scope.ABROAD_IN_PEPPOL
