"""A table of cases is one test that tries every row and names those that fail."""

from __future__ import annotations

import inspect

import pytest

from tests.tables import each_row


def test_every_row_is_tried_and_those_that_fail_are_named() -> None:
    seen: list[int] = []

    @each_row(("number", "limit"), [(1, 2), (3, 2), (4, 2)])
    def compared(number: int, limit: int) -> None:
        seen.append(number)
        assert number < limit

    with pytest.raises(ExceptionGroup, match="2 of 3 rows") as failed:
        compared()

    assert seen == [1, 3, 4]
    notes = [fault.__notes__ for fault in failed.value.exceptions]
    assert notes == [["row: 3, 2"], ["row: 4, 2"]]


def test_a_row_of_one_value_may_have_a_name_and_the_test_its_fixtures() -> None:
    @each_row("text", ["a", "b"], ids=["first", "second"])
    def fails(folder: str, text: str) -> None:
        pytest.fail(f"{folder}/{text}")

    with pytest.raises(ExceptionGroup) as failed:
        fails(folder="x")

    assert list(inspect.signature(fails).parameters) == ["folder"]
    assert [str(fault).split("\n")[0] for fault in failed.value.exceptions] == ["x/a", "x/b"]
    assert [fault.__notes__ for fault in failed.value.exceptions] == [
        ["row: first"], ["row: second"]
    ]  # fmt: skip


def test_a_table_without_rows_is_a_fault() -> None:
    with pytest.raises(AssertionError, match="without rows"):
        each_row("text", [])
