"""The branding of a tenant: what its PDFs and the buyer's page show of its profile.

A profile is JSON with these keys, each of which may be absent: `displayName`, `colour`
(`#rrggbb`), `logo` (base64), `logoType` (a media type), `addressLines`, `iban`, `bic`,
`accountName`, `website`, `email`, `phone`.

>>> Branding.of("Acme NV", {"colour": "#0B5FFF", "iban": "BE68539007547034"}).colour
'#0b5fff'
>>> Branding.of("Acme NV", {"colour": "red"}).colour == DEFAULT_COLOUR
True
"""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass

DEFAULT_COLOUR = "#1f3a5f"
LOGO_TYPES = ("image/png", "image/jpeg")
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True, slots=True)
class Branding:
    """Parts that are None or empty are not printed."""

    name: str
    colour: str = DEFAULT_COLOUR
    logo: bytes | None = None
    logo_type: str | None = None
    address_lines: tuple[str, ...] = ()
    iban: str | None = None
    bic: str | None = None
    account_name: str | None = None
    website: str | None = None
    email: str | None = None
    phone: str | None = None

    @classmethod
    def of(cls, name: str, profile: Mapping[str, object]) -> Branding:
        """The branding in a profile; malformed values are absent. `name`: if none is set there."""
        logo = _logo(profile)
        return cls(
            name=_text(profile, "displayName") or name,
            colour=_colour(profile),
            logo=logo,
            logo_type=_text(profile, "logoType") if logo else None,
            address_lines=_lines(profile),
            iban=_text(profile, "iban"),
            bic=_text(profile, "bic"),
            account_name=_text(profile, "accountName"),
            website=_text(profile, "website"),
            email=_text(profile, "email"),
            phone=_text(profile, "phone"),
        )

    def look(self) -> Branding:
        """Name, colour and logo alone, for the document of another seller."""
        return Branding(self.name, self.colour, self.logo, self.logo_type)


def _text(profile: Mapping[str, object], key: str) -> str | None:
    value = profile.get(key)
    return value.strip() or None if isinstance(value, str) else None


def _lines(profile: Mapping[str, object]) -> tuple[str, ...]:
    lines = profile.get("addressLines")
    if not isinstance(lines, list):
        return ()
    return tuple(line.strip() for line in lines if isinstance(line, str) and line.strip())


def _colour(profile: Mapping[str, object]) -> str:
    colour = (_text(profile, "colour") or "").lower()
    return colour if _COLOUR.fullmatch(colour) else DEFAULT_COLOUR


def _logo(profile: Mapping[str, object]) -> bytes | None:
    """The logo's bytes, if it is of a type that can be drawn."""
    if _text(profile, "logoType") not in LOGO_TYPES:
        return None
    try:
        return b64decode(_text(profile, "logo") or "", validate=True) or None
    except ValueError:
        return None
