"""A document as rules read it: the tree of nodes, and what the pass over it noted.

A view belongs to the matcher it was filled with (reading.py from XML, model/ from an Invoice): its
nodes carry that matcher's states.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, TypeVar

from einvoice.rules.book import Rule
from einvoice.rules.evaluation_errors import EvaluationError, MoreThanOneItem
from einvoice.rules.node import NO_CHILDREN, NO_NODES, Node
from einvoice.rules.states import State
from einvoice.rules.triggers import ROOT, Trigger

T = TypeVar("T")

_UNKNOWN: Final = object()


class View:
    """One document. Rules only read it."""

    __slots__ = (
        "_errors",
        "_facts",
        "_gathered",
        "_text_nodes",
        "blank",
        "candidates",
        "groups",
        "renamed",
        "root",
        "source",
        "triggered",
    )

    def __init__(self, root: Node) -> None:
        self.root = root
        self.source: bytes | None = None  # the bytes of the document, where they are known
        self.groups: list[Node] = []  # nodes with children
        self.candidates: list[Node] = []  # nodes some context may match, in document order
        self.blank: list[Node] = []  # nodes without children and text
        self.renamed: set[Node] = set()  # the names that are not written with our prefix
        # Rules run because of presence or repetition, with their node → the first trigger.
        self.triggered: dict[tuple[Rule, Node], Node] = {}
        self._gathered: dict[str, list[Node]] = {}
        self._text_nodes: dict[Node, tuple[str, ...]] = {}
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
        """XPath text(): the pieces of a text between comments; usually one, none if empty."""
        pieces = self._text_nodes.get(node)
        if pieces is not None:
            return pieces
        return (node.text,) if node.text else ()

    def text_node(self, node: Node, path: str = "") -> str:
        """The one text node on the path, or of the node; "" if none. Raises MoreThanOneItem.

        A comment inside the text makes it two text nodes.
        """
        if not path and node not in self._text_nodes:
            return node.text
        found = node.all(path) if path else (node,)
        pieces = [piece for term in found for piece in self.text_nodes(term)]
        if len(pieces) > 1:
            raise MoreThanOneItem(found[0], path or node.name, len(pieces))
        return pieces[0] if pieces else ""

    def register(self, node: Node, state: State) -> None:
        """Note an element that is gathered, or whose presence triggers rules."""
        if state.gathered:
            self.gather(node)
        if state.present:
            self.trigger(node, state.present)

    def gather(self, node: Node) -> None:
        """Keep a node for `everywhere`."""
        self._gathered.setdefault(node.state.name, []).append(node)

    def gather_again(self, nodes: Iterable[Node]) -> None:
        """Keep nodes that the view gathered before once more: nodes of a line that is a copy."""
        for node in nodes:
            self._gathered[node.state.name].append(node)

    def trigger(self, node: Node, triggers: Sequence[Trigger]) -> None:
        """Note the rules that must be run because of this element."""
        for each in triggers:
            above = self.root if each.distance == ROOT else node.up(each.distance)
            self.triggered.setdefault((each.rule, above), node)

    def set_text_nodes(self, node: Node, pieces: tuple[str, ...]) -> None:
        """Keep the text nodes of a term that has comments or elements inside its text."""
        self._text_nodes[node] = pieces

    def release(self) -> None:
        """Break the reference cycles between parents and children, so that nodes are freed."""
        for node in self.groups:
            node.children = NO_CHILDREN
