"""`and` and `or` of the official processor go on when one side cannot be evaluated."""

from __future__ import annotations

import pytest

from einvoice.rules.node import Node
from einvoice.rules.stops import Several, both, either
from einvoice.rules.view import View


def yes() -> bool:
    return True


def no() -> bool:
    return False


def stops() -> bool:
    raise Several(Node.tree("cbc:ID", "1"), "cbc:ID", 2)


@pytest.mark.parametrize("sides", [(stops, yes), (yes, stops), (no, stops, yes)])
def test_either_is_true_if_a_side_is_whatever_stops(sides):
    assert either(*sides)


@pytest.mark.parametrize("sides", [(stops, no), (no, stops), (yes, stops, no)])
def test_both_is_false_if_a_side_is_whatever_stops(sides):
    assert not both(*sides)


@pytest.mark.parametrize(
    ("join", "sides"),
    [(either, (stops, no)), (either, (no, stops)), (both, (stops, yes)), (both, (yes, stops))],
)
def test_a_stop_that_no_side_decides_stops(join, sides):
    with pytest.raises(Several):
        join(*sides)


@pytest.mark.parametrize(
    ("join", "sides", "truth"),
    [(either, (no, yes), True), (either, (no, no), False), (both, (yes, yes), True)],
)
def test_without_a_stop_they_are_the_usual_ones(join, sides, truth):
    assert join(*sides) is truth


def test_a_fact_that_stops_is_worked_out_once():
    """A hostile document cannot have the same search made for each of its lines."""
    asked = []

    def fact(view: View) -> bool:
        asked.append(view)
        return stops()

    view = View(Node.tree("ubl:Invoice", {}))
    for _ in range(3):
        with pytest.raises(Several):
            view.once(fact)

    assert len(asked) == 1
