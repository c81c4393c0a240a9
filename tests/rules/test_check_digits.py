"""Form and check digits of identifiers, with the oddities of the official functions."""

from __future__ import annotations

import pytest

from einvoice.rules.check_digits import greek_tax_number, iban
from einvoice.rules.values import is_integer, is_number


@pytest.mark.parametrize(
    ("text", "valid"),
    [
        ("094259216", True),
        ("0942592169999", True),  # what follows is not read
        ("094259217", False),
        ("09425921", False),
        ("09425921x", False),
        ("", False),
    ],
)
def test_a_greek_tax_number_has_a_check_digit(text, valid):
    assert greek_tax_number(text) is valid


@pytest.mark.parametrize(
    ("text", "valid"),
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
def test_an_iban_has_check_digits_and_may_contain_white_space(text, valid):
    assert iban(text) is valid


@pytest.mark.parametrize("text", ["1", "+1.5", "1E2", "INF", " 7 "])
def test_is_number_accepts_what_xpath_casts_to_a_double(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "NaN", "1,5", "0x1", "1 2"])
def test_is_number_rejects_other_texts_and_nan(text):
    assert not is_number(text)


@pytest.mark.parametrize(("text", "valid"), [("-7", True), (" +7 ", True), ("7.0", False)])
def test_is_integer_accepts_a_sign_and_white_space(text, valid):
    assert is_integer(text) is valid
