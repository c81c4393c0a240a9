"""A profile is any JSON; its branding can always be printed."""

from __future__ import annotations

import doctest
from base64 import b64encode

import pytest

from einvoice.domain import branding
from einvoice.domain.branding import DEFAULT_COLOUR, Branding

PNG = b"\x89PNG\r\n\x1a\n"
LOGO = b64encode(PNG).decode()


def test_doctests_hold() -> None:
    assert doctest.testmod(branding).failed == 0


def test_a_tenant_without_a_profile_has_its_name_and_the_default_colour() -> None:
    assert Branding.of("Acme NV", {}) == Branding("Acme NV", DEFAULT_COLOUR)


def test_the_profile_fills_the_branding() -> None:
    profile = {
        "displayName": " Acme ",
        "addressLines": ["Street 1", " ", "9000 Gent"],
        "logo": LOGO,
        "logoType": "image/png",
        "website": "acme.example",
    }

    found = Branding.of("Acme NV", profile)

    assert found.name == "Acme"
    assert found.address_lines == ("Street 1", "9000 Gent")
    assert (found.logo, found.logo_type) == (PNG, "image/png")
    assert found.website == "acme.example"


@pytest.mark.parametrize(
    ("logo", "logo_type"),
    [
        (LOGO, "image/svg+xml"),  # SVG can refer to other files
        (LOGO, None),
        ("not base64", "image/png"),
        ("", "image/png"),
        (7, "image/png"),
    ],
)
def test_a_logo_that_cannot_be_drawn_is_ignored(logo: object, logo_type: object) -> None:
    found = Branding.of("Acme NV", {"logo": logo, "logoType": logo_type})

    assert (found.logo, found.logo_type) == (None, None)
