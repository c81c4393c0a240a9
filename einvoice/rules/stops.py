"""Why the official rules stop: they meet several values, or no number, where they need one.

A rule that raises one of these makes its layer say nothing about the document. The document is
broken all the same, so the engine turns the stop into a finding of our own (engine.py).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from einvoice.rules.node import Node


class Stopped(Exception):
    """A rule cannot be evaluated on this document. Carries what a person must mend."""

    id = "STOPPED"

    def __init__(self, node: Node, values: dict[str, object]) -> None:
        super().__init__(node.place)
        self.node = node
        self.values = values


class Several(Stopped):
    """More than one element where exactly one is expected."""

    id = "STOPPED-CARDINALITY"

    def __init__(self, node: Node, path: str, count: int) -> None:
        super().__init__(node, {"path": path, "count": count})


class NotANumber(Stopped):
    """A text that is no decimal where an amount, a rate or a quantity is expected."""

    id = "STOPPED-NUMBER"

    def __init__(self, node: Node) -> None:
        super().__init__(node, {"text": node.text[:80]})


class NotADate(NotANumber):
    """A text that is no date (YYYY-MM-DD)."""

    id = "STOPPED-DATE"


class NotABoolean(NotANumber):
    """A text that is neither true, false, 1 nor 0."""

    id = "STOPPED-BOOLEAN"


Side = Callable[[], bool]


def both(*sides: Side) -> bool:
    """`and` of the official processor: a side that stops does not count if another is false."""
    return not _any(sides, False)


def either(*sides: Side) -> bool:
    """`or` of the official processor: a side that stops does not count if another is true."""
    return _any(sides, True)


def _any(sides: tuple[Side, ...], wanted: bool) -> bool:
    """Is any side as wanted? Raises the first stop if no other side decides."""
    stop: Stopped | None = None
    for side in sides:
        try:
            if side() is wanted:
                return True
        except Stopped as stopped:
            stop = stop or stopped
    if stop is not None:
        raise stop
    return False
