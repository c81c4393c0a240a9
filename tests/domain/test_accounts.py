"""IBANs are recognised by form and check digits, and printed in groups."""

from __future__ import annotations

import pytest

from einvoice.domain.accounts import grouped, is_iban


@pytest.mark.parametrize(
    ("account", "valid"),
    [
        ("NO9386011117947", True),  # 15 characters, the shortest
        ("MT84MALT011000012345MTLCAST001S", True),  # 31, the longest in use
        ("be68 5390 0754 7034", True),
        ("BE68539007547035", False),
        ("BE86539007547034", False),
        ("68BE539007547034", False),
        ("BE6853900754-7034", False),
        ("", False),
    ],
)
def test_an_iban_has_its_form_and_check_digits(account: str, valid: bool) -> None:
    assert is_iban(account) == valid


@pytest.mark.parametrize(
    ("account", "printed"),
    [
        ("be68539007547034", "BE68 5390 0754 7034"),
        ("NO9386011117947", "NO93 8601 1117 947"),
        ("5390-0754 703", "5390-0754 703"),
    ],
)
def test_only_an_iban_is_printed_in_groups(account: str, printed: str) -> None:
    assert grouped(account).replace("\u00a0", " ") == printed
