"""States: what the pass over a document has to do at an element of a name.

A matcher (matching.py, optimisations/automaton.py) makes the states; each node carries the one of
its element. A tag leads from the state of the parent to the state of the child.
"""

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from einvoice.rules.evaluation import Evaluation
    from einvoice.rules.triggers import Trigger
    from einvoice.rules.view import View


class State:
    """The actions of the pass at an element."""

    __slots__ = (
        "attributes",
        "candidate",
        "gathered",
        "line",
        "matcher",
        "moves",
        "name",
        "present",
        "registered",
        "repeated",
        "term",
    )

    def __init__(self, matcher: Matcher | None, name: str) -> None:
        self.matcher = matcher
        self.name = name
        self.moves: dict[object, State] = {}  # tag as the parser gives it, or name → state
        self.present: tuple[Trigger, ...] = ()
        self.repeated: tuple[Trigger, ...] = ()
        self.attributes: dict[str, tuple[Trigger, ...]] = {}
        self.gathered = False
        self.line = False  # of an invoice line
        self.term = False  # an element with a value of its own, not a group
        self.candidate = False  # some context may match
        self.registered = False  # it is gathered, or its presence triggers rules

    @classmethod
    def detached(cls, name: str) -> State:
        """A state without a matcher, for nodes that only examples and tests hold."""
        return cls(None, name)

    def enter(self, tag: str) -> State:
        """The state of a child with this tag, which is not in `moves`."""
        if self.matcher is None:
            return State.detached(tag)
        return self.matcher.enter(self, tag)


class Matcher(Protocol):
    """Finds the rules of each node."""

    def root(self, tag: str) -> State:
        """The state of the document element."""
        ...

    def enter(self, state: State, tag: str) -> State:
        """The state of a child with this tag below an element with this state."""
        ...

    def evaluate(self, view: View, evaluation: Evaluation) -> None:
        """Run every rule that applies to the document."""
        ...


@dataclass(frozen=True, slots=True)
class Names:
    """The names of one syntax, and which of them the pass treats in a special way."""

    prefixes: Mapping[str, str]  # namespace → prefix
    terms: re.Pattern[str]
    lines: Container[str]
    gathered: frozenset[str]

    def name(self, tag: str) -> str:
        """The name of a tag: `{namespace}local` with the prefix of a known namespace."""
        if not tag.startswith("{"):
            return tag
        namespace, _, local = tag[1:].partition("}")
        prefix = self.prefixes.get(namespace)
        return tag if prefix is None else f"{prefix}:{local}"

    def mark(self, state: State) -> None:
        """Set what follows from the name of a state."""
        state.gathered = state.registered = state.name in self.gathered
        state.line = state.name in self.lines
        state.term = self.terms.match(state.name) is not None
