"""The text of UBL elements: groups start with their first term and end with their last."""

from __future__ import annotations

import pytest

from einvoice.documents.ubl.text import TextBuilder


@pytest.fixture
def build() -> TextBuilder:
    return TextBuilder("Invoice", 'xmlns="urn:example"', "EUR")


def content(build: TextBuilder) -> str:
    return build.finished().removeprefix('<Invoice xmlns="urn:example">').removesuffix("</Invoice>")


@pytest.mark.parametrize("absent", [None, "", " ", "\n"])
def test_a_group_without_terms_is_not_written(build, absent):
    """PEPPOL-EN16931-R008: no empty elements."""
    outer = build.group(build.root, "cac:Party")
    build.text(build.group(outer, "cac:PartyName"), "cbc:Name", absent)

    assert content(build) == ""


def test_groups_nest(build):
    party = build.group(build.root, "cac:Party")
    build.text(build.group(party, "cac:PartyName"), "cbc:Name", "A")
    build.text(party, "cbc:ID", "1")

    expected = (
        "<cac:Party><cac:PartyName><cbc:Name>A</cbc:Name></cac:PartyName>"
        "<cbc:ID>1</cbc:ID></cac:Party>"
    )
    assert content(build) == expected


def test_a_group_that_ended_cannot_be_continued(build):
    """The description of a document must follow the order of the document."""
    first = build.group(build.root, "cac:Party")
    build.text(first, "cbc:ID", "1")
    build.text(build.group(build.root, "cac:Contact"), "cbc:ID", "2")

    with pytest.raises(ValueError, match="cac:Party has ended"):
        build.text(first, "cbc:Name", "too late")


@pytest.mark.parametrize(
    ("given", "written"),
    [("a&b<c>", "a&amp;b&lt;c&gt;"), ("a\rb", "a&#13;b"), ('"a"', '"a"')],
)
def test_text_is_escaped(build, given, written):
    build.text(build.root, "cbc:ID", given)

    assert content(build) == f"<cbc:ID>{written}</cbc:ID>"


def test_attributes_are_escaped(build):
    """A parser turns plain line breaks and tabs in attributes into spaces."""
    build.text(build.root, "cbc:ID", "1", {"name": 'a"&\n\t'})

    assert content(build) == '<cbc:ID name="a&quot;&amp;&#10;&#9;">1</cbc:ID>'
