"""Bounds of the lists in answers (decisions 20.10).

>>> listed("warnings", ["a", "b"])
{'warnings': ['a', 'b']}
>>> listed("warnings", ["a", "b", "c"], at_most=2)
{'warnings': ['a', 'b'], 'truncated': True}
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

MAX_LISTED = 1_000

T = TypeVar("T")


def listed(name: str, entries: Sequence[object], at_most: int = MAX_LISTED) -> dict[str, object]:
    """The member `name` with the first entries, and `truncated` if there are more."""
    member: dict[str, object] = {name: list(first(entries, at_most))}
    return member | {"truncated": True} if is_cut(entries, at_most) else member


def first(entries: Sequence[T], at_most: int = MAX_LISTED) -> Sequence[T]:
    """The entries that a list shows."""
    return entries[:at_most]


def is_cut(entries: Sequence[object], at_most: int = MAX_LISTED) -> bool:
    """Whether there are more entries than a list shows."""
    return len(entries) > at_most


def to_store(entries: Sequence[T]) -> tuple[T, ...]:
    """The entries that are stored: one more than is listed, to know that there are more."""
    return tuple(entries[: MAX_LISTED + 1])
