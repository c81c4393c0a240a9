"""The document as the rules see it: the tree of nodes, and what the pass met on its way.

A view belongs to the automaton that filled it (reading.py from XML, writing-side views from an
Invoice): its nodes carry that automaton's states.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from einvoice.rules.automaton import ROOT, State, Waiting
from einvoice.rules.book import Rule
from einvoice.rules.evaluation_errors import EvaluationError, MoreThanOneItem
from einvoice.rules.node import NO_CHILDREN, NO_NODES, Node

T = TypeVar("T")

_UNKNOWN = object()


class View:
    """One document, filled; the rules only read it."""

    __slots__ = (
        "_errors",
        "_facts",
        "_gathered",
        "_split",
        "blank",
        "groups",
        "hits",
        "pending",
        "root",
    )

    def __init__(self, root: Node) -> None:
        self.root = root
        self.groups: list[Node] = []  # nodes that hold nodes
        self.hits: list[Node] = []  # nodes with a context, in document order
        self.blank: list[Node] = []  # nodes that hold neither an element nor a text
        # Rules that presence or repetition woke, with their node → the first that woke them.
        self.pending: dict[tuple[Rule, Node], Node] = {}
        self._gathered: dict[str, list[Node]] = {}
        self._split: dict[Node, tuple[str, ...]] = {}
        self._facts: dict[Callable[[View], object], object] = {}
        self._errors: dict[Callable[[View], object], EvaluationError] = {}

    def everywhere(self, name: str) -> Sequence[Node]:
        """Every node of this name in document order, if a chapter `gathers` the name."""
        return self._gathered.get(name, NO_NODES)

    def once(self, fact: Callable[[View], T]) -> T:
        """A fact about the whole document, computed once. An error it raised is raised again."""
        value = self._facts.get(fact, _UNKNOWN)
        if value is not _UNKNOWN:
            return value  # type: ignore[return-value]
        if fact in self._errors:
            raise self._errors[fact].with_traceback(None)
        try:
            computed = self._facts[fact] = fact(self)
        except EvaluationError as error:
            self._errors[fact] = error
            raise
        return computed

    def text_nodes(self, node: Node) -> tuple[str, ...]:
        """text(): what comments cut a term's text into; one piece as a rule, none if empty."""
        pieces = self._split.get(node)
        if pieces is not None:
            return pieces
        return (node.text,) if node.text else ()

    def text_node(self, node: Node, path: str = "") -> str:
        """The one text node on the path, or of the node; "" if none. Raises MoreThanOneItem.

        A comment inside the text makes it two text nodes.
        """
        if not path and node not in self._split:
            return node.text
        found = node.all(path) if path else (node,)
        pieces = [piece for term in found for piece in self.text_nodes(term)]
        if len(pieces) > 1:
            raise MoreThanOneItem(found[0], path or node.name, len(pieces))
        return pieces[0] if pieces else ""

    def met(self, node: Node, state: State) -> None:
        """The pass enters an element that is gathered, or for which rules wait."""
        if state.gathered:
            self.gather(node)
        if state.present:
            self.wake(node, state.present)

    def gather(self, node: Node) -> None:
        """Keep a node for rules that ask for its name everywhere."""
        self._gathered.setdefault(node.state.name, []).append(node)

    def wake(self, node: Node, waiting: Sequence[Waiting]) -> None:
        """Rules that wait for this element, or for it being there again, must now be run."""
        for one in waiting:
            above = self.root if one.distance == ROOT else node.up(one.distance)
            self.pending.setdefault((one.rule, above), node)

    def cut(self, node: Node, pieces: tuple[str, ...]) -> None:
        """The pass found comments or elements inside a term's text."""
        self._split[node] = pieces

    def release(self) -> None:
        """Let go of the nodes: parent and child hold each other, which only the collector frees."""
        for node in self.groups:
            node.children = NO_CHILDREN
