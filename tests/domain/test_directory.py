"""Keys that match parties to entries of the directory."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from einvoice.domain.directory import due_by_terms, name_key, search_text, tax_key


@given(st.text())
def test_the_key_of_a_key_is_itself(text):
    """Otherwise stored and requested keys could differ. ASCII names have a shortcut."""
    assert name_key(name_key(text)) == name_key(text)
    assert name_key(text + "é") == name_key(text.upper() + "É") or not text.isascii()


@pytest.mark.parametrize(
    ("text", "key"),
    [(None, None), ("", None), (" - . / ", None), ("nl 1234/B-01.x", "NL1234B01X")],
)
def test_a_tax_key_has_no_separators(text, key):
    assert tax_key(text) == key


def test_a_search_text_has_one_key_a_line():
    """Without the fields that are not set."""
    assert search_text(["Acme  NV", None, "", "BE 1"]) == "acme nv\nbe 1"


@pytest.mark.parametrize(
    ("issued", "days", "due"),
    [
        (date(2026, 11, 21), None, None),
        (date(2026, 11, 21), 0, date(2026, 11, 21)),
        (date(2026, 11, 21), 30, date(2026, 12, 21)),
        (date(9999, 12, 1), 30, date.max),
        (date(9999, 12, 1), 31, None),
    ],
)
def test_the_due_date_follows_from_the_payment_terms(issued, days, due):
    """An invoice date is any date; terms may lead beyond the calendar."""
    assert due_by_terms(issued, days) == due
