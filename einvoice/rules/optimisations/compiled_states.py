"""States of the automaton: which rules apply to an element of a name in a place of the document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from einvoice.rules.book import Condition, Context, DocumentCondition, Key
from einvoice.rules.evaluation import RuleGroups, holds
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node
from einvoice.rules.states import Matcher, State
from einvoice.rules.view import View

Matched = tuple[Context, RuleGroups]
# A context, or the contexts of one switch by their case, with the rules of each.
Alternative = tuple[Condition | None, Key | None, Mapping[object, Matched]]
HeldConditions = frozenset[DocumentCondition]


@dataclass(frozen=True, slots=True)
class ConditionalPattern:
    """A pattern whose matching context depends on the node, not only on its path."""

    alternatives: tuple[Alternative, ...]  # in order
    has_rules: bool  # that run without a trigger
    document_condition: DocumentCondition | None

    def match(self, node: Node, view: View) -> Matched | None:
        """The context that matches the node, with its rules; None if none does.

        A condition that raises does not match.
        """
        if not holds(self.document_condition, view):
            return None
        for condition, key, cases in self.alternatives:
            try:
                if condition is None or condition(node, view):
                    matched = cases.get(None if key is None else key(node))
                    if matched is not None:
                        return matched
            except EvaluationError:
                continue
        return None


class ConditionalPatterns(dict[HeldConditions, tuple[ConditionalPattern, ...]]):
    """The patterns to try, by which document conditions hold: no pattern of another country.

    Computed when first needed.
    """

    def __init__(self, patterns: tuple[ConditionalPattern, ...] = ()) -> None:
        self.patterns = patterns

    def __missing__(self, held: HeldConditions) -> tuple[ConditionalPattern, ...]:
        self[held] = possible = tuple(
            pattern
            for pattern in self.patterns
            if pattern.document_condition is None or pattern.document_condition in held
        )
        return possible


class CompiledState(State):
    """A set of positions (items) in the paths of all rules, and the rules that follow from it."""

    __slots__ = (
        "certain_contexts",
        "certain_rules",
        "conditional",
        "items",
        "pattern_of",
    )

    def __init__(self, matcher: Matcher, name: str, items: frozenset[int]) -> None:
        super().__init__(matcher, name)
        self.items = items
        self.certain_contexts: frozenset[Context] = frozenset()  # match in every document
        self.certain_rules: RuleGroups = ()
        self.conditional = ConditionalPatterns()  # those with rules that run without a trigger
        self.pattern_of: Mapping[Context, ConditionalPattern] = {}
