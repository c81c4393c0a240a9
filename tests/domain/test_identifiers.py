"""Identifiers: participants, document types, and what can be an id at all."""

from __future__ import annotations

import doctest

import pytest

from einvoice.domain import identifiers
from einvoice.domain.identifiers import MAX_ID_LENGTH, is_id


def test_doctests_hold() -> None:
    assert doctest.testmod(identifiers).failed == 0


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        ("5d0a4c1e-7f57-4a39-93a5-5f0f4f6d8c1b", True),
        ("0208:" + "1" * 130, True),
        ("x" * MAX_ID_LENGTH, True),
        ("x" * (MAX_ID_LENGTH + 1), False),
        ("caf\u00e9", False),
        ("a\nb", False),
    ],
)
def test_an_id_is_short_printable_ascii(text: str, is_one: bool) -> None:
    assert is_id(text) is is_one
