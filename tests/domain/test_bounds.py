"""Bounds of the lists in answers."""

from __future__ import annotations

import pytest

from einvoice.domain import bounds
from einvoice.domain.errors import FieldError, InvalidField


@pytest.mark.parametrize(("count", "stored"), [(1_000, 1_000), (1_001, 1_001), (1_002, 1_001)])
def test_one_entry_more_than_is_listed_is_stored(count: int, stored: int) -> None:
    """So the answer can still say that there were more."""
    assert len(bounds.to_store([0] * count)) == stored


@pytest.mark.parametrize(
    ("count", "truncated"), [(1, {}), (1_000, {}), (1_001, {"truncated": True})]
)
def test_at_most_a_thousand_wrong_fields_are_listed(count: int, truncated: object) -> None:
    wrong = [FieldError(f"/{n}", "unknown-field", "is unknown") for n in range(count)]
    extras = dict(InvalidField(wrong).extras())
    errors = extras.pop("errors")

    assert isinstance(errors, list)
    assert [error["pointer"] for error in errors] == [f"/{n}" for n in range(min(count, 1_000))]
    assert extras == truncated
