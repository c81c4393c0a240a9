"""docs/fields.md is made of the code, and JSON says all of EN 16931 (decisions 33.1)."""

from __future__ import annotations

from pathlib import Path

from einvoice.validation import terms
from einvoice.web.documentation import fields, term_paths

PAGE = Path(__file__).parents[2] / "docs" / "fields.md"
# BT-4 and BG numbers that EN 16931 does not have.
TERMS = {f"BT-{n}" for n in range(1, 166) if n != 4} | {f"BG-{n}" for n in range(1, 33)}


def test_the_page_is_that_of_the_code() -> None:
    """After a change `make fields` writes it again."""
    assert PAGE.read_text(encoding="utf-8") == fields.page()


def test_every_business_term_is_in_the_table() -> None:
    assert TERMS - set(terms.members()) == set()


def test_every_business_term_has_a_member_of_a_send_or_is_computed() -> None:
    """A member of the contract, to the letter; its objects and lists are those of groups."""
    known = set(fields.members_of_contract())
    groups = {name[:at] for name in known for at in range(len(name)) if name[at] == "."}
    groups |= {name.removesuffix("[]") for name in groups}
    lacking = {
        term: member
        for term, member in terms.members().items()
        if term in TERMS and not member.startswith("=") and member not in known | groups
    }

    assert lacking == {}


def test_every_business_term_has_a_place_in_ubl_and_in_cii() -> None:
    found = term_paths.traced()
    places = {
        term: found[member.removeprefix("=")]
        for term, member in terms.members().items()
        if term.startswith("BT-") and term in TERMS
    }

    assert [term for term, place in places.items() if not (place.ubl and place.cii)] == []


def test_every_member_of_a_send_is_a_term_or_is_explained() -> None:
    """Schemes and versions stand beside the identifier that they are of."""
    said = set(terms.members().values())
    silent = [
        name
        for name in fields.members_of_contract()
        if name not in said
        and name not in fields.PINT_MEMBERS
        and not name.endswith((".scheme", ".version"))
        and not any(name == other or name.startswith(f"{other}.") for other in fields.OTHERS)
    ]

    assert silent == []
