"""XPath `and` and `or` go on when one operand cannot be evaluated; the error classes of rules."""

from __future__ import annotations

import pytest

from einvoice.rules.evaluation_errors import (
    EvaluationError,
    InvalidBoolean,
    InvalidDate,
    InvalidNumber,
    MoreThanOneItem,
    both,
    either,
)
from einvoice.rules.node import Node
from einvoice.rules.view import View


def yes() -> bool:
    return True


def no() -> bool:
    return False


def error() -> bool:
    raise MoreThanOneItem(Node.tree("cbc:ID", "1"), "cbc:ID", 2)


@pytest.mark.parametrize("operands", [(error, yes), (yes, error), (no, error, yes)])
def test_either_is_true_if_an_operand_is_true_and_another_raises(operands):
    assert either(*operands)


@pytest.mark.parametrize("operands", [(error, no), (no, error), (yes, error, no)])
def test_both_is_false_if_an_operand_is_false_and_another_raises(operands):
    assert not both(*operands)


@pytest.mark.parametrize(
    ("join", "operands"),
    [(either, (error, no)), (either, (no, error)), (both, (error, yes)), (both, (yes, error))],
)
def test_an_error_is_raised_if_no_operand_decides(join, operands):
    with pytest.raises(MoreThanOneItem):
        join(*operands)


def test_of_several_errors_the_first_is_raised():
    """Its node is the place of the finding."""

    def later() -> bool:
        raise InvalidNumber(Node.tree("cbc:Percent", "x"))

    with pytest.raises(MoreThanOneItem):
        either(error, later)


@pytest.mark.parametrize(
    ("join", "operands", "truth"),
    [(either, (no, yes), True), (either, (no, no), False), (both, (yes, yes), True)],
)
def test_without_an_error_they_are_or_and_and(join, operands, truth):
    assert join(*operands) is truth


@pytest.mark.parametrize("kind", [InvalidNumber, InvalidDate, InvalidBoolean])
def test_a_finding_cites_at_most_eighty_characters_of_a_text(kind: type[EvaluationError]):
    found = kind(Node.tree("cbc:Percent", "9" * 81))  # type: ignore[call-arg,arg-type]

    assert found.values == {"text": "9" * 80}


def test_a_fact_that_raises_is_computed_once():
    """A hostile document cannot have the same search made for each of its lines."""
    calls = []

    def fact(view: View) -> bool:
        calls.append(view)
        return error()

    view = View(Node.tree("ubl:Invoice", {}))
    for _ in range(3):
        with pytest.raises(MoreThanOneItem):
            view.once(fact)

    assert len(calls) == 1
