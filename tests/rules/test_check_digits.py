"""Form and check digits of identifiers, with the oddities of the official functions."""

from __future__ import annotations

import pytest

from einvoice.rules.check_digits import (
    australian,
    belgian,
    danish,
    danish_tax_number,
    dutch_vat,
    gln,
    greek_tax_number,
    iban,
    italian_office,
    italian_tax_code,
    italian_vat,
    modulus_11,
    norwegian,
    swedish,
)
from einvoice.rules.values import is_integer, is_number
from tests.tables import each_row

VALID = [
    (gln, "7300010000001"),
    (gln, "9570000000009"),
    (gln, "0000000000000"),
    (gln, "0"),  # any length passes
    (gln, "55"),
    (modulus_11, "123456785"),
    (modulus_11, "900000030"),  # the sum is a multiple of 11
    (modulus_11, "0000000019"),
    (norwegian, "974396769"),
    (danish, "12345678"),
    (danish, "00000000"),
    (danish, "DK12345678"),
    (danish_tax_number, "DK12345678"),
    (belgian, "0403019261"),
    (belgian, "0000000097"),  # without a remainder the check digits are 97
    (belgian, "0000009797"),
    (belgian, "0000009601"),
    (italian_office, "UFY9MH"),
    (italian_office, "ufy9mh"),
    (italian_tax_code, "12345678901"),
    (italian_tax_code, "+1234567890"),  # a sign passes for a digit
    (italian_tax_code, "RSSMRA85T10A562S"),
    (italian_tax_code, "rssmra85t10a562s"),
    (italian_tax_code, "RSSMRA+5T10A562S"),
    (italian_tax_code, "RSSMRA8 T-0A562S"),
    (italian_tax_code, "RSSMRA85T10A5\n2S"),  # three characters of any kind
    (italian_vat, "IT12345678903"),
    (italian_vat, "it12345678903"),
    (italian_vat, "IT00000000000"),
    (italian_vat, "FR1"),  # foreign numbers are not tested
    (italian_vat, ""),
    (swedish, "5560004755"),
    (swedish, "2120000142"),
    (swedish, "0000000000"),
    (swedish, "55600047559"),  # digits after the tenth are not read
    (australian, "51824753556"),
    (australian, "10000000000"),  # 1 is subtracted from the first digit only
    (australian, "518247535569"),  # characters after the eleventh are not read
    (australian, "100000000bo"),  # any character counts, with its code point
    (dutch_vat, "NL123456789B01"),
    (greek_tax_number, "094259216"),
    (greek_tax_number, "000000000"),
    (greek_tax_number, "000000130"),  # a remainder of 10 is written as 0
    (greek_tax_number, "0942592169999"),  # what follows is not read
    (iban, "DE89 3704 0044 0532 0130 00"),
    (iban, "DE89\t3704\n00440532\r013000"),
    (iban, "GB82WEST12345698765432"),
    (iban, "GB53west12345698765432"),  # letters in lower case have values of their own
    (iban, "AA75"),
    (iban, "GB98WEST12345698765430000000000000"),  # 34 characters
]

INVALID = [
    (gln, "7300010000002"),
    (gln, "7300010000010"),
    (gln, "5"),
    (gln, ""),
    (gln, "730001000000x"),
    (gln, "x7300010000001"),
    (gln, "7300010000001\n"),
    (gln, "７"),  # a digit, but not of ASCII
    (modulus_11, "000000000"),
    (modulus_11, "0"),
    (modulus_11, ""),
    (modulus_11, "12345678x"),
    (modulus_11, "123456786"),
    *((modulus_11, f"90000009{digit}") for digit in range(10)),  # 10 is not a digit
    (norwegian, "000000000"),
    (norwegian, "0123456785"),
    (norwegian, "12345678"),
    (norwegian, "0000000019"),
    (danish, "1234567"),
    (danish, "123456789"),
    (danish, "1234567x"),
    (danish, "DK1234567"),
    (danish, "DK123456789"),
    (danish, "dk12345678"),
    (danish, "SE12345678"),
    (danish_tax_number, "12345678"),
    (danish_tax_number, "DK1234567"),
    (danish_tax_number, "DK123456789"),
    (danish_tax_number, "SE12345678"),
    (belgian, "0403019262"),
    (belgian, "403019261"),
    (belgian, "00403019261"),
    (belgian, "0000000000"),
    (belgian, "0000009700"),
    (belgian, "040301926x"),
    (italian_office, "UFY9M"),
    (italian_office, "UFY9MHX"),
    (italian_office, "UFY-9M"),
    (italian_tax_code, "1234567890"),
    (italian_tax_code, "123456789012"),
    (italian_tax_code, "1234567890x"),
    (italian_tax_code, "RSSMRA85T10A562"),
    (italian_tax_code, "RSSMRA85T10A562SX"),
    (italian_tax_code, "RSSMR185T10A562S"),
    (italian_tax_code, "RSSMRA 5T10A5621"),
    (italian_tax_code, "1234567890123456"),
    (italian_vat, "IT12345678904"),
    (italian_vat, "it12345678904"),
    (italian_vat, "IT1234567890"),
    (italian_vat, "IT123456789030"),
    (italian_vat, "IT1234567890x"),
    (italian_vat, "IT10000000000"),  # digits at odd positions count once …
    (italian_vat, "IT05000000000"),  # … at even positions twice, less 9 if above 9
    (swedish, "5560004756"),
    (swedish, "556000475"),
    (swedish, "556000475x"),
    (swedish, "x560004755"),
    (swedish, "556000-4755"),
    (australian, "51824753557"),
    (australian, "5182475355"),
    (australian, "00000000000"),
    (dutch_vat, "NL123456789B1"),
    (dutch_vat, "NL123456789B012"),
    (dutch_vat, "NL12345678B01"),
    (dutch_vat, "BE123456789B01"),
    (dutch_vat, "nl123456789b01"),
    (greek_tax_number, "094259217"),
    (greek_tax_number, "000000131"),
    (greek_tax_number, "09425921"),
    (greek_tax_number, "09425921x"),
    (greek_tax_number, ""),
    (iban, "DE88370400440532013000"),
    (iban, "DE89370400440532013001"),
    (iban, "de89370400440532013000"),
    (iban, "GB82west12345698765432"),
    (iban, "DE8937"),
    (iban, "AA76"),
    (iban, "AA7"),
    (iban, "DE89-3704-0044-0532-0130-00"),
    (iban, "DE89\u00a0370400440532013000"),  # only XML white space is removed
    (iban, "GB42WEST123456987654300000000000000"),  # 35 characters, with correct check digits
    (iban, ""),
]


def case(row):
    function, text = row
    return f"{function.__name__}-{text!r}"


@each_row("row", VALID, ids=case)
def test_a_valid_identifier_passes(row):
    function, text = row

    assert function(text) is True


@each_row("row", INVALID, ids=case)
def test_an_invalid_identifier_does_not_pass(row):
    function, text = row

    assert function(text) is False


@pytest.mark.parametrize("text", ["1", "+1.5", "1E2", "INF", " 7 "])
def test_is_number_accepts_what_xpath_casts_to_a_double(text):
    assert is_number(text)


@pytest.mark.parametrize("text", ["", "NaN", "1,5", "0x1", "1 2"])
def test_is_number_rejects_other_texts_and_nan(text):
    assert not is_number(text)


@pytest.mark.parametrize(
    ("text", "valid"),
    [("-7", True), (" +7 ", True), ("7.0", False), ("", False), ("1 2", False), ("7x", False)],
)
def test_is_integer_accepts_a_sign_and_white_space(text, valid):
    assert is_integer(text) is valid
