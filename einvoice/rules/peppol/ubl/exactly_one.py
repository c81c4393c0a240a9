"""Elements that occur exactly once at their place (R140 to R276), from release 3.0.22 on.

One rule for each row of exactly_one.csv, in a pattern of their own: no two contexts match a node.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from einvoice.rules.book import Chapter, Check, Condition, Context, Kind, Pattern, Values
from einvoice.rules.layers import Layer
from einvoice.rules.node import NO_NODES, Node
from einvoice.rules.view import View

exactly_one = Chapter(Layer.PEPPOL_UBL)

_Row = tuple[str, str, str, str, str]  # rule id, business terms, place, element, requirement
_pattern = Pattern()


def _rows() -> Iterator[_Row]:
    table = Path(__file__).with_name("exactly_one.csv").read_text(encoding="utf-8").splitlines()
    for line in [line for line in table if not line.startswith("#")][1:]:
        rule, terms, place, element, requires = line.split(";")
        yield rule, terms, place, element, requires


def _once(element: str) -> Check:
    def check(node: Node, _: View) -> Values | None:
        count = len(node.children.get(element, NO_NODES))
        return None if count == 1 else {"count": count}

    return check


def _all_once(elements: tuple[str, ...]) -> Condition:
    """The fast path of a place: each of these elements is there, and not repeated."""

    def holds(node: Node, _: View) -> bool:
        children = node.children
        for element in elements:  # noqa: SIM110  # all() would take three times as long
            if len(children.get(element, NO_NODES)) != 1:
                return False
        return True

    return holds


def _contexts(rows: list[_Row]) -> dict[str, Context]:
    """The context of each place, in the order of the table."""
    elements: dict[str, list[str]] = {}
    for _, _, place, element, _ in rows:
        elements.setdefault(place, []).append(element)
    return {
        place: _pattern.context(place, fast_path=_all_once(tuple(names)))
        for place, names in elements.items()
    }


def _add(rows: list[_Row]) -> None:
    contexts = _contexts(rows)
    for rule, terms, place, element, requires in rows:
        exactly_one.add(
            rule, terms, contexts[place], _once(element), requires, kind=Kind.CARDINALITY,
            parameters={"path": element, "most": 1, "times": "once"},
        )  # fmt: skip


_add(list(_rows()))
