"""Numbers that only national rules test, with what the official functions let pass."""

from __future__ import annotations

import pytest

from einvoice.rules.national.identifiers import is_greek, is_iban, is_integer, is_number


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("094259216", True),
        ("0942592169999", True),  # what follows is not looked at
        ("094259217", False),
        ("09425921", False),
        ("09425921x", False),
        ("", False),
    ],
)
def test_a_greek_tax_number_checks_its_ninth_digit(text, good):
    assert is_greek(text) is good


@pytest.mark.parametrize(
    ("text", "good"),
    [
        ("DE89 3704 0044 0532 0130 00", True),
        ("DE89370400440532013001", False),
        ("de89370400440532013000", False),
        ("GB82WEST12345698765432", True),
        ("GB82west12345698765432", False),  # letters in lower case have values of their own
        ("DE8937", False),
        ("", False),
    ],
)
def test_an_iban_is_one_whatever_its_blanks(text, good):
    assert is_iban(text) is good


@pytest.mark.parametrize("text", ["1", "+1.5", "1E2", "INF", " 7 "])
def test_what_counts_as_a_number(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "NaN", "1,5", "0x1", "1 2"])
def test_what_does_not_count_as_a_number(text):
    assert not is_number(text)


@pytest.mark.parametrize(("text", "good"), [("-7", True), (" +7 ", True), ("7.0", False)])
def test_a_whole_number_may_have_a_sign(text, good):
    assert is_integer(text) is good
