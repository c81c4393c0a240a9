"""Factur-X (ZUGFeRD): CII inside a PDF, in five profiles.

Release 1.09.2 of Factur-X, which is ZUGFeRD 2.5.2 (2026-08-04, in force since 2026-09-01). Each
profile has a schema of its own, and a copy of those rules of EN 16931 that fit what it uses. Some
of them differ from those of CEN; EXTENDED has many of its own. MINIMUM and BASIC WL have no lines,
so they are no invoices of EN 16931, which a report says unless the rule set was asked for.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from einvoice.domain.identifiers import EN16931_SPECIFICATION
from einvoice.rules.layers import Layer
from einvoice.rules.rule_sets import Declared, Scenario


class Profile(StrEnum):
    """A profile, by the name that the metadata of its PDFs have."""

    MINIMUM = "MINIMUM"
    BASIC_WL = "BASIC WL"
    BASIC = "BASIC"
    EN16931 = "EN 16931"
    EXTENDED = "EXTENDED"


_EN16931 = EN16931_SPECIFICATION
_PUBLISHERS = ("urn:factur-x.eu:1p0", "urn:zugferd.de:2p0")

PROFILES: Mapping[str, Profile] = {
    _EN16931: Profile.EN16931,
    **{
        identifier: profile
        for publisher in _PUBLISHERS
        for identifier, profile in (
            (f"{publisher}:minimum", Profile.MINIMUM),
            (f"{publisher}:basicwl", Profile.BASIC_WL),
            (f"{_EN16931}#compliant#{publisher}:basic", Profile.BASIC),
            (f"{_EN16931}#conformant#{publisher}:extended", Profile.EXTENDED),
        )
    },
}
_SCENARIOS: Mapping[Profile, Scenario] = {
    Profile.EN16931: Scenario(
        layers=frozenset({Layer.FACTURX_EN16931}), schema=Path("factur-x/Factur-X_EN16931.xsd")
    ),
    Profile.BASIC: Scenario(
        layers=frozenset({Layer.FACTURX_BASIC}), schema=Path("factur-x/Factur-X_BASIC.xsd")
    ),
    Profile.EXTENDED: Scenario(
        layers=frozenset({Layer.FACTURX_EXTENDED}), schema=Path("factur-x/Factur-X_EXTENDED.xsd")
    ),
    Profile.BASIC_WL: Scenario(
        layers=frozenset({Layer.FACTURX_BASIC_WL}),
        schema=Path("factur-x/Factur-X_BASICWL.xsd"),
        unjudged="profile",
    ),
    Profile.MINIMUM: Scenario(
        layers=frozenset({Layer.FACTURX_MINIMUM}),
        schema=Path("factur-x/Factur-X_MINIMUM.xsd"),
        unjudged="profile",
    ),
}


def profile_of(document: Declared) -> Profile | None:
    """The profile that a document says it is of; None for another specification."""
    return PROFILES.get(document.specification or "")


def is_profile(document: Declared) -> bool:
    """Whether a document is Factur-X; one of EN 16931 is if it is attached to a PDF."""
    profile = profile_of(document)
    return profile is not None and (document.in_pdf or profile is not Profile.EN16931)


def scenario_of(document: Declared) -> Scenario:
    """How a document is judged; as one of EN 16931 if it says nothing of Factur-X."""
    return _SCENARIOS[profile_of(document) or Profile.EN16931]
