"""Matching rules to nodes by the states of the automaton."""

from __future__ import annotations

from einvoice import cpu_deadline
from einvoice.rules.book import Context
from einvoice.rules.evaluation import RuleGroups
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node
from einvoice.rules.optimisations.compiled_states import CompiledState, HeldConditions
from einvoice.rules.view import View

_NODES = 100  # judged between two looks at the deadline


def rules_at(node: Node, view: View, held: HeldConditions) -> RuleGroups:
    """The rules of every context that matches a node, by their fast path."""
    state: CompiledState = node.state  # type: ignore[assignment]  # the view is of an automaton
    groups = state.certain_rules
    for pattern in state.conditional[held]:
        matched = pattern.match(node, view)
        if matched is not None:
            groups += matched[1]
    return groups


def broken_nodes(view: View, held: HeldConditions) -> list[Node]:
    """The nodes at which a rule is broken or raises; each is left at the first that does.

    Rules have no side effects, so they can be run again. Most of the time of a document is spent
    here: at most nodes the checks are known, and only called.
    """
    found: list[Node] = []
    for number, node in enumerate(view.candidates):
        if number % _NODES == 0:
            cpu_deadline.check()
        state: CompiledState = node.state  # type: ignore[assignment]  # the view is of an automaton
        checks = state.plain_checks[held]
        if checks is None:
            if not _all_pass(node, state, view, held):
                found.append(node)
            continue
        try:
            for check in checks:
                if check(node, view) is not None:
                    found.append(node)
                    break
        except EvaluationError:
            found.append(node)
    return found


def _all_pass(node: Node, state: CompiledState, view: View, held: HeldConditions) -> bool:
    """Whether no rule is broken at a node and none raises.

    What `rules_at` and `ConditionalPattern.match` do is inlined.
    """
    groups = state.certain_rules
    try:
        for pattern in state.conditional[held]:
            for condition, key, cases in pattern.alternatives:
                if condition is None or condition(node, view):
                    matched = cases.get(None if key is None else key(node))
                    if matched is not None:
                        groups += matched[1]
                        break
        for fast_path, rules in groups:
            if fast_path is None or not fast_path(node, view):
                for rule in rules:
                    check = rule.check
                    if check(node, view) is not None:
                        return False
    except EvaluationError:
        return False
    return True


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
