"""Matching rules to nodes by the states of the automaton."""

from __future__ import annotations

from einvoice.rules.book import Context
from einvoice.rules.evaluation import RuleGroups
from einvoice.rules.node import Node
from einvoice.rules.optimisations.compiled_states import CompiledState, HeldConditions
from einvoice.rules.view import View


def rules_at(node: Node, view: View, held: HeldConditions) -> RuleGroups:
    """The rules of every context that matches a node, by their fast path."""
    state: CompiledState = node.state  # type: ignore[assignment]  # the view is of an automaton
    groups = state.certain_rules
    for pattern in state.conditional[held]:
        matched = pattern.match(node, view)
        if matched is not None:
            groups += matched[1]
    return groups


def matches(context: Context, node: Node, view: View, held: HeldConditions) -> bool:
    """Whether the context is the one of its pattern that matches the node."""
    required = context.pattern.document_condition
    if required is not None and required not in held:
        return False
    state: CompiledState = node.state  # type: ignore[assignment]  # the view is of an automaton
    if context in state.certain_contexts:
        return True
    pattern = state.pattern_of.get(context)
    matched = pattern.match(node, view) if pattern else None
    return matched is not None and matched[0] is context
