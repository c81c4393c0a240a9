"""Numbers as people type them."""

from __future__ import annotations

import doctest

from einvoice.domain import typed_numbers


def test_doctests_hold() -> None:
    assert doctest.testmod(typed_numbers).failed == 0
