"""File names of artefacts."""

from __future__ import annotations

import doctest

import pytest

from einvoice.domain import artefacts
from einvoice.domain.artefacts import RECEIPT


def test_doctests_hold() -> None:
    assert doctest.testmod(artefacts).failed == 0


@pytest.mark.parametrize(
    ("number", "name"),
    [
        ("2026-001", "receipt-2026-001.xml"),
        ('2026/0"1\n', "receipt-2026-0-1.xml"),
        ("../..", "receipt-invoice.xml"),
        ("", "receipt-invoice.xml"),
        (None, "receipt-invoice.xml"),
        ("9" * 200, f"receipt-{'9' * 80}.xml"),
    ],
)
def test_a_file_name_holds_an_invoice_number_safely(number: str | None, name: str) -> None:
    """It is sent in a header and used on any file system."""
    assert RECEIPT.file_name_of(number) == name
