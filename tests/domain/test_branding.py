"""A profile is any JSON; its branding can always be printed."""

from __future__ import annotations

from base64 import b64encode

import pytest

from einvoice.domain.branding import DEFAULT_COLOUR, Branding

PNG = b"\x89PNG\r\n\x1a\n"
LOGO = b64encode(PNG).decode()


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


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        (["Street 1", 7, None, " ", " 9000 Gent "], ("Street 1", "9000 Gent")),
        ("Street 1", ()),
        (None, ()),
    ],
)
def test_only_texts_are_address_lines(given: object, lines: tuple[str, ...]) -> None:
    assert Branding.of("Acme NV", {"addressLines": given}).address_lines == lines


@pytest.mark.parametrize("given", ["", "  ", 7, None])
def test_a_blank_text_is_absent(given: object) -> None:
    found = Branding.of("Acme NV", {"displayName": given, "iban": given})

    assert (found.name, found.iban) == ("Acme NV", None)


@pytest.mark.parametrize(
    ("given", "colour"),
    [("#0B5FFF", "#0b5fff"), ("0b5fff", None), ("#0b5ff", None), ("#0b5fff0", None), (7, None)],
)
def test_a_colour_has_six_digits(given: object, colour: str | None) -> None:
    assert Branding.of("Acme NV", {"colour": given}).colour == (colour or DEFAULT_COLOUR)


def test_the_look_of_a_profile_has_no_contact_data() -> None:
    profile = {
        "displayName": "Acme",
        "colour": "#0b5fff",
        "logo": LOGO,
        "logoType": "image/png",
        "addressLines": ["Street 1"],
        "iban": "BE68539007547034",
        "phone": "1",
    }

    assert Branding.of("", profile).look() == Branding("Acme", "#0b5fff", PNG, "image/png")
