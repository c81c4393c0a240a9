"""The texts that refusals make of what they carry."""

from __future__ import annotations

import pytest

from einvoice.domain.errors import FieldError, InvalidField


@pytest.mark.parametrize(
    ("count", "detail"),
    [
        (1, "/0: is wrong"),
        (2, "/0: is wrong and 1 more"),
        (4, "/0: is wrong and 3 more"),
    ],
)
def test_the_detail_names_the_first_field_and_counts_the_others(count, detail):
    errors = [FieldError(f"/{n}", "wrong", "is wrong") for n in range(count)]

    assert InvalidField(errors).detail == detail
