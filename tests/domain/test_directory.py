"""Keys that match parties to entries of the directory."""

from __future__ import annotations

import doctest

from hypothesis import given
from hypothesis import strategies as st

from einvoice.domain import directory
from einvoice.domain.directory import name_key


def test_doctests_hold():
    assert doctest.testmod(directory).failed == 0


@given(st.text())
def test_the_key_of_a_key_is_itself(text):
    """Otherwise stored and requested keys could differ. ASCII names have a shortcut."""
    assert name_key(name_key(text)) == name_key(text)
    assert name_key(text + "é") == name_key(text.upper() + "É") or not text.isascii()
