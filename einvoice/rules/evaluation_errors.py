"""Dynamic errors of XPath 2.0, such as several items, or no number, where a rule needs one.

The official rules are XPath expressions. An error in one of them ends the evaluation of its layer,
which then says nothing about the document. The document is wrong all the same, so the engine
reports the error as a fatal finding of our own (engine.py), with the `id` of the error's class.

`code` is the error's name in XPath (https://www.w3.org/TR/xpath20/#id-errors).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from einvoice.rules.node import Node


class EvaluationError(Exception):
    """A rule cannot be evaluated on this document. Carries the node to correct."""

    id: ClassVar[str] = "STOPPED"
    code: ClassVar[str] = ""

    def __init__(self, node: Node, values: dict[str, object]) -> None:
        super().__init__(node.place)
        self.node = node
        self.values = values


class MoreThanOneItem(EvaluationError):
    """A sequence of more than one item where at most one is allowed."""

    id = "STOPPED-CARDINALITY"
    code = "err:XPTY0004"

    def __init__(self, node: Node, path: str, count: int) -> None:
        super().__init__(node, {"path": path, "count": count})


class InvalidCast(EvaluationError):
    """A text that is not of the type it is cast to."""

    code = "err:FORG0001"

    def __init__(self, node: Node) -> None:
        super().__init__(node, {"text": node.text[:80]})


class InvalidNumber(InvalidCast):
    """A text that is not a number, as an amount, a rate or a quantity."""

    id = "STOPPED-NUMBER"


class InvalidDate(InvalidCast):
    """A text that is not a date (YYYY-MM-DD)."""

    id = "STOPPED-DATE"


class InvalidBoolean(InvalidCast):
    """A text that is not true, false, 1 or 0."""

    id = "STOPPED-BOOLEAN"


Operand = Callable[[], bool]


def both(*operands: Operand) -> bool:
    """XPath `and`: false if any operand is, even if another raises. Raises EvaluationError."""
    return not _any_is(False, operands)


def either(*operands: Operand) -> bool:
    """XPath `or`: true if any operand is, even if another raises. Raises EvaluationError."""
    return _any_is(True, operands)


def _any_is(wanted: bool, operands: tuple[Operand, ...]) -> bool:
    """Whether an operand has this value. Raises the first error if none has.

    XPath leaves the order open; the official processor evaluates on after an error.
    """
    first_error: EvaluationError | None = None
    for operand in operands:
        try:
            if operand() is wanted:
                return True
        except EvaluationError as error:
            first_error = first_error or error
    if first_error is not None:
        raise first_error
    return False
