"""KSeF numbers and the addresses of QR codes, by the examples of the ministry's guides."""

from __future__ import annotations

from datetime import date

import pytest

from einvoice_ksef import numbers
from einvoice_ksef.numbers import InvalidNumber, KsefNumber


@pytest.mark.parametrize(
    "text",
    ["5265877635-20250826-0100001AF629-AF", "5265877635-20250626-010080DD2B5E-26"],
)
def test_published_numbers_are_valid(text):
    assert str(KsefNumber.parse(text)) == text


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("5265877635-20250826-0100001AF629-AE", "wrong checksum"),
        ("5265877636-20250826-0100001AF629-AF", "wrong checksum"),
        ("5265877635-20250826-0100001af629-AF", "has not the form"),
        ("5265877635-20250826-0100001AF629-A", "has not the form"),
        ("5265877635-20250826-0100001AF629-AF\n", "has not the form"),
        ("5265877635-20251326-0100001AF629-" + numbers.checksum("5265877635-20251326-0100001AF629"),
         "has no day"),
        ("", "has not the form"),
    ],
)  # fmt: skip
def test_another_text_is_refused_with_the_reason(text, reason):
    with pytest.raises(InvalidNumber, match=reason):
        KsefNumber.parse(text)


def test_every_changed_character_changes_the_checksum():
    number = "5265877635-20250826-0100001AF629"
    for place, character in enumerate(number):
        other = "1" if character != "1" else "2"

        assert numbers.checksum(number[:place] + other + number[place + 1 :]) != "AF"


def test_the_address_of_the_code_is_that_of_the_guide():
    """The digest is as published; of what document is not."""
    published = (
        "https://qr-test.ksef.mf.gov.pl/invoice/1111111111/01-02-2026/"
        "UtQp9Gpc51y-u3xApZjIjgkpZ01js-J8KflSPW8WzIE"
    )
    digest = published.rpartition("/")[2]
    host = "qr-test.ksef.mf.gov.pl"

    assert numbers.verification_url(host, "1111111111", date(2026, 2, 1), digest) == published


def test_a_digest_has_no_padding_and_no_signs_that_addresses_escape():
    assert numbers.hash_of(b"") == "47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU"
