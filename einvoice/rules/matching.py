"""Matching rules to nodes by trying every context: the plain version.

At each node, in every pattern, the first context that matches is the only one, and its rules are
run. A context matches if the steps of one of its paths lead down to the node, the condition of its
pattern holds in the document, and its own condition holds at the node. A rule with `present` or
`repeated` runs only if a node below is on one of these paths.

`optimisations/automaton.py` finds the same rules in one pass over the document.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter

from einvoice.rules.book import BLANK, Context, Pattern, Rule
from einvoice.rules.evaluation import Evaluation, holds, in_groups
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node
from einvoice.rules.states import Names, State
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

ANY_DEPTH = ""  # the step between the slashes of "a//b"


class PlainMatcher:
    """Matches contexts by walking up from each node."""

    def __init__(self, rules: Iterable[Rule], names: Names, *, fast_paths: bool = True) -> None:
        self._rules: dict[Context, list[Rule]] = {}
        for rule in rules:
            self._rules.setdefault(rule.context, []).append(rule)
        self._patterns = list(dict.fromkeys(context.pattern for context in self._rules))
        self._names = names
        self._fast_paths = fast_paths

    def root(self, tag: str) -> State:
        """The state of the document element."""
        return self._state(tag)

    def enter(self, state: State, tag: str) -> State:
        """The state of a child, whatever its parent's is."""
        return self._state(tag)

    def _state(self, tag: str) -> State:
        state = State(self, self._names.name(tag))
        self._names.mark(state)
        state.candidate = True
        return state

    def evaluate(self, view: View, evaluation: Evaluation) -> None:
        """Run the rules of every context that matches a node: first those with a trigger.

        Of several errors in one place the last is reported, so the order is that of the automaton.
        """
        contexts = [
            (node, context)
            for node in view.candidates
            for pattern in self._patterns
            if (context := _first_match(pattern, node, view)) is not None
        ]
        self._run_triggered(contexts, view, evaluation)
        for node, context in contexts:
            rules = [rule for rule in self._rules.get(context, ()) if not _has_trigger(rule)]
            evaluation.run_groups(in_groups(rules, self._fast_paths), node)

    def _run_triggered(
        self, contexts: Iterable[tuple[Node, Context]], view: View, evaluation: Evaluation
    ) -> None:
        """Run the rules with a trigger, in the order of their triggers in the document."""
        order = {node: number for number, node in enumerate(view.candidates)}
        found: list[tuple[int, Rule, Node, Node]] = []
        for node, context in contexts:
            for rule in self._rules.get(context, ()):
                triggers = [
                    (order.get(each, len(order)), each) for each in _triggers(rule, node, view)
                ]
                if triggers:
                    number, trigger = min(triggers, key=itemgetter(0))
                    found.append((number, rule, node, trigger))
        for _, rule, node, trigger in sorted(found, key=itemgetter(0)):
            evaluation.run((rule,), node, trigger)


def _first_match(pattern: Pattern, node: Node, view: View) -> Context | None:
    """The context of the pattern that matches the node; None if none does."""
    if not holds(pattern.document_condition, view):
        return None
    for context in sorted(pattern.contexts, key=lambda context: context.order):
        if applies(context, node, view):
            return context
    return None


def applies(context: Context, node: Node, view: View) -> bool:
    """Whether a context matches a node, apart from the earlier ones of its pattern."""
    return any(leads_to(path, node) for path in context.paths) and _meets(context, node, view)


def _meets(context: Context, node: Node, view: View) -> bool:
    """Whether the condition and the case of a context hold at the node; not if they raise."""
    try:
        condition, key = context.condition, context.key
        return (condition is None or condition(node, view)) and (
            key is None or key(node) == context.case
        )
    except EvaluationError:
        return False


def leads_to(path: str, node: Node) -> bool:
    """Whether a path from the root (with a leading slash) or from anywhere leads to the node."""
    if path == BLANK:
        return not node.children and not node.text.strip(XML_SPACE)
    from_root = path.startswith("/")
    return _steps_lead_to(path.removeprefix("/").split("/"), node, from_root)


def _steps_lead_to(steps: Sequence[str], node: Node | None, from_root: bool) -> bool:
    if not steps:
        return node is None or not from_root
    if node is None:
        return False
    *above, step = steps
    if step == ANY_DEPTH:
        return _steps_lead_to(above, node, from_root) or _steps_lead_to(
            steps, node.parent, from_root
        )
    return fits(step, node.name) and _steps_lead_to(above, node.parent, from_root)


def fits(step: str, name: str) -> bool:
    """Whether a step of a path is this name; "*" stands for any characters, once in a step."""
    first, star, last = step.partition("*")
    return name.startswith(first) and name.endswith(last) if star else name == step


def _has_trigger(rule: Rule) -> bool:
    return bool(rule.present or rule.repeated)


def _triggers(rule: Rule, node: Node, view: View) -> Iterator[Node]:
    """The nodes that make a rule run on a node: on its `present` paths, or repeated ones."""
    for path in rule.present:
        steps, _, attribute = path.partition("@")
        if not path.startswith("//"):
            found = _below(node, steps.rstrip("/"))
        elif node is view.root:
            found = (each for each in view.candidates if leads_to(steps[2:].rstrip("/"), each))
        else:
            continue
        yield from (each for each in found if not attribute or attribute in each.attributes)
    for path in rule.repeated:
        names = path.split("/")
        for depth in range(1, len(names) + 1):
            found = _below(node, "/".join(names[:depth]))
            yield from (each for each in found if each.position > 1)


def _below(node: Node, path: str) -> Iterator[Node]:
    """The nodes on a path below a node; the node itself for an empty path."""
    if not path:
        yield node
        return
    step, _, rest = path.partition("/")
    for name, children in node.children.items():
        if fits(step, name):
            for child in children:
                yield from _below(child, rest)
