"""Tables of cases that differ in data only: one test tries all rows, and names those that fail.

A case of `pytest.mark.parametrize` costs 1.3 ms if its test does nothing, where three processes run
tests: each of them collects it, and one reports its beginning and its end to the one that prints.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Final

import pytest

MAX_NAME: Final = 200

Test = Callable[..., None]


def each_row(
    names: str | tuple[str, ...],
    rows: Iterable[Any],
    ids: Iterable[object] | Callable[[Any], object] | None = None,
) -> Callable[[Test], Test]:
    """Run a test for each row, in place of `pytest.mark.parametrize` with the same arguments.

    All rows are tried, with the same fixtures: it is for tests that leave nothing behind.

    Raises in the test: ExceptionGroup of the rows that fail, each with its name.
    """
    given = tuple(each.strip() for each in names.split(",")) if isinstance(names, str) else names
    values = [row if len(given) > 1 else (row,) for row in rows]
    titles = _titles(values, ids)
    assert values, "a table without rows tests nothing"

    def decorated(test: Test) -> Test:
        @functools.wraps(test)
        def tried(**fixtures: Any) -> None:
            faults: list[Exception] = []
            for title, row in zip(titles, values, strict=True):
                try:
                    test(**fixtures, **dict(zip(given, row, strict=True)))
                except (Exception, pytest.fail.Exception) as fault:  # noqa: BLE001 - it is named
                    faults.append(_named(fault, title))
            if faults:
                raise ExceptionGroup(f"{len(faults)} of {len(values)} rows", faults)

        asked = inspect.signature(test)
        others = [each for name, each in asked.parameters.items() if name not in given]
        tried.__signature__ = asked.replace(parameters=others)  # type: ignore[attr-defined]
        return tried

    return decorated


def _titles(rows: list[Any], ids: Iterable[object] | Callable[[Any], object] | None) -> list[str]:
    if ids is not None and not callable(ids):
        return [str(each) for each in ids]
    word = ids or repr
    return [", ".join(str(word(each)) for each in row)[:MAX_NAME] for row in rows]


def _named(fault: BaseException, title: str) -> Exception:
    named = fault if isinstance(fault, Exception) else AssertionError(str(fault))
    named.add_note(f"row: {title}")
    return named
