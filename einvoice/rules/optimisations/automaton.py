"""The path automaton: finds the rules that apply to each element in one pass.

All paths of all contexts and of all "must not occur" and "at most one" rules are compiled into one
automaton that is walked along with the document. Its states are built when a document first
reaches them and then kept: a document of a known shape costs one dictionary look-up an element.

A state knows, for the element just entered:

- `certain_rules`: rules whose context matches here in every document; `conditional`: patterns whose
  context depends on a condition, by what holds in the document. They are evaluated after the pass,
  when the whole document is known;
- `present`: rules to be run because this element occurs, with the distance to their node;
- `repeated`: rules to be run because this element occurs a second time.

Shadowing is computed once for each state: within a pattern, contexts behind the first one without
a condition never match.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby

from einvoice import cpu_deadline
from einvoice.rules.book import BLANK, Context, Rule, never
from einvoice.rules.evaluation import Evaluation, holds, in_groups
from einvoice.rules.matching import fits
from einvoice.rules.optimisations.compiled_evaluation import matches, rules_at
from einvoice.rules.optimisations.compiled_states import (
    Alternative,
    CompiledState,
    ConditionalPattern,
    ConditionalPatterns,
    HeldConditions,
    Matched,
)
from einvoice.rules.states import Names, State
from einvoice.rules.triggers import ROOT, Trigger
from einvoice.rules.view import View

BELOW = "**"  # the step for "//" inside a path: any number of levels
END = ""  # nothing follows the last step
_MAX_STATES = 20_000  # more than the shapes of real documents need
_NODES = 100  # judged between two looks at the deadline


class Automaton:
    """Compiled from the rules of all layers of one syntax. States are added as documents need."""

    def __init__(self, rules: Iterable[Rule], names: Names, *, fast_paths: bool = True) -> None:
        self._names = names
        self._fast_paths = fast_paths
        self._steps: list[str] = []
        self._accepts: dict[int, list[Context]] = defaultdict(list)
        self._present: dict[int, list[Trigger]] = defaultdict(list)
        self._repeated: dict[int, list[Trigger]] = defaultdict(list)
        self._attributes: dict[int, dict[str, list[Trigger]]] = defaultdict(dict)
        self._anywhere: dict[str, list[int]] = defaultdict(list)
        self._any_name: list[int] = []
        self._anchored: list[int] = []
        self._by_context: dict[Context, list[Rule]] = defaultdict(list)
        self._states: dict[tuple[str, frozenset[int]], CompiledState] = {}
        compiled = tuple(rules)
        self._blank_rules = tuple(rule for rule in compiled if BLANK in rule.context.paths)
        conditions = (rule.context.pattern.document_condition for rule in compiled)
        self.document_conditions = tuple(dict.fromkeys(c for c in conditions if c is not None))
        for context in _contexts(compiled):
            for path in context.paths:
                if path != BLANK:
                    self._accepts[self._compile(path)].append(context)
        for rule in compiled:
            if rule.check is not never:
                self._add(rule)
        self._start = CompiledState(self, "", frozenset(self._anchored))

    def root(self, tag: str) -> State:
        """The state of the document element."""
        state = self._start.moves.get(tag)
        return state if state is not None else self.enter(self._start, tag)

    def enter(self, state: State, tag: str) -> State:
        """The state of a child with this tag; built when it first occurs, then in `state.moves`."""
        above: CompiledState = state  # type: ignore[assignment]  # this automaton makes no other
        name = self._names.name(tag)
        items = {item + 1 for item in above.items if fits(self._steps[item], name)}
        items |= {item for item in above.items if self._steps[item] == BELOW}
        items |= {item + 1 for item in self._anywhere.get(name, ())}
        items |= {item + 1 for item in self._any_name if fits(self._steps[item], name)}
        items |= {item + 1 for item in items if self._steps[item] == BELOW}
        key = (name, frozenset(items))
        found = self._states.get(key)
        if found is None:
            found = self._build(*key)
        if len(self._states) < _MAX_STATES:
            self._states[key] = found
            state.moves[tag] = found
        return found

    def held_conditions(self, view: View) -> HeldConditions:
        """The conditions of patterns that hold in the document."""
        return frozenset(each for each in self.document_conditions if holds(each, view))

    def evaluate(self, view: View, evaluation: Evaluation) -> None:
        """Run every rule that something in the document calls for."""
        held = self.held_conditions(view)
        for (rule, node), trigger in view.triggered.items():
            if matches(rule.context, node, view, held):
                evaluation.run((rule,), node, trigger)
        for number, node in enumerate(view.candidates):
            if number % _NODES == 0:
                cpu_deadline.check()
            evaluation.run_groups(rules_at(node, view, held), node)
        for node in view.blank:
            evaluation.run(self._blank_rules, node)

    def _add(self, rule: Rule) -> None:
        if not rule.present and not rule.repeated:
            self._by_context[rule.context].append(rule)
            return
        for base in rule.context.paths:
            for path in rule.present:
                self._add_presence(rule, base, path)
            for path in rule.repeated:
                self._add_repetition(rule, base, path)

    def _add_presence(self, rule: Rule, base: str, path: str) -> None:
        anywhere = path.startswith("//")
        steps, _, attribute = path.removeprefix("//").partition("@")
        steps = steps.rstrip("/")
        last = self._compile((steps or "*") if anywhere else f"{base}/{steps}".rstrip("/"))
        trigger = Trigger(rule, ROOT if anywhere else _depth(steps))
        if attribute:
            self._attributes[last].setdefault(attribute, []).append(trigger)
        else:
            self._present[last].append(trigger)

    def _add_repetition(self, rule: Rule, base: str, path: str) -> None:
        """Two of any element on the path are two of the last."""
        last = self._compile(f"{base}/{path}")
        for above in range(_depth(path)):
            self._repeated[last - above].append(Trigger(rule, _depth(path) - above))

    def _compile(self, path: str) -> int:
        """Add a path; the item that is reached when all of it has matched."""
        anchored = path.startswith("/")
        names = path.removeprefix("/").split("/")
        first = len(self._steps)
        if anchored:
            self._anchored.append(first)
        elif "*" in names[0]:
            self._any_name.append(first)
        else:
            self._anywhere[names[0]].append(first)
        self._steps.extend(name or BELOW for name in names)
        self._steps.append(END)
        return first + len(names)

    def _build(self, name: str, items: frozenset[int]) -> CompiledState:
        state = CompiledState(self, name, items)
        self._names.mark(state)
        self._set_rules(state)
        in_order = sorted(items)  # as the rules were added: of several errors the last is reported
        state.present = _unique(t for item in in_order for t in self._present.get(item, ()))
        state.repeated = _unique(t for item in in_order for t in self._repeated.get(item, ()))
        state.attributes = self._attributes_at(items)
        state.candidate = bool(state.certain_rules or state.conditional.patterns)
        state.registered = bool(state.present or state.gathered)
        return state

    def _set_rules(self, state: CompiledState) -> None:
        contexts = {context for item in state.items for context in self._accepts.get(item, ())}
        certain, conditional = self._by_certainty(contexts)
        state.certain_contexts = frozenset(certain)
        state.certain_rules = in_groups(
            (rule for context in certain for rule in self._by_context.get(context, ())),
            self._fast_paths,
        )
        state.conditional = ConditionalPatterns(
            tuple(pattern for pattern in conditional if pattern.has_rules)
        )
        state.pattern_of = {
            context: pattern
            for pattern in conditional
            for _, _, cases in pattern.alternatives
            for context, _ in cases.values()
        }

    def _attributes_at(self, items: frozenset[int]) -> dict[str, tuple[Trigger, ...]]:
        found: dict[str, list[Trigger]] = defaultdict(list)
        for item in items:
            for name, triggers in self._attributes.get(item, {}).items():
                found[name] += triggers
        return {name: _unique(triggers) for name, triggers in found.items()}

    def _by_certainty(
        self, contexts: set[Context]
    ) -> tuple[list[Context], list[ConditionalPattern]]:
        """Sort what matches into contexts that certainly apply and patterns with a condition."""
        certain: list[Context] = []
        conditional: list[ConditionalPattern] = []
        for pattern in sorted({c.pattern for c in contexts}, key=lambda p: p.number):
            chain = _until_certain(c for c in contexts if c.pattern == pattern)
            if pattern.document_condition is None and _is_certain(chain[0][0]):
                certain.append(chain[0][0])
            else:
                has_rules = any(self._by_context.get(c) for rivals in chain for c in rivals)
                alternatives = tuple(self._alternative(rivals) for rivals in chain)
                conditional.append(
                    ConditionalPattern(alternatives, has_rules, pattern.document_condition)
                )
        return certain, conditional

    def _alternative(self, rivals: list[Context]) -> Alternative:
        """One context, or all cases of one switch, with the rules of each."""
        cases: dict[object, Matched] = {
            context.case: (
                context,
                in_groups(self._by_context.get(context, ()), self._fast_paths),
            )
            for context in rivals
        }
        return rivals[0].condition, rivals[0].key, cases


def _is_certain(context: Context) -> bool:
    return context.condition is None and context.key is None


def _until_certain(contexts: Iterable[Context]) -> list[list[Context]]:
    """One pattern's contexts in order, up to the first that shadows all behind it."""
    chain: list[list[Context]] = []
    ordered = sorted(contexts, key=lambda context: context.order)
    for _, same in groupby(ordered, key=lambda context: context.order):
        chain.append(list(same))
        if _is_certain(chain[-1][0]):
            break
    return chain


def _contexts(rules: Iterable[Rule]) -> list[Context]:
    """Every context of every pattern that a rule belongs to; those without rules shadow others."""
    patterns = dict.fromkeys(rule.context.pattern for rule in rules)
    return [context for pattern in patterns for context in pattern.contexts]


def _depth(path: str) -> int:
    return len(path.split("/")) if path else 0


def _unique(triggers: Iterable[Trigger]) -> tuple[Trigger, ...]:
    return tuple(dict.fromkeys(triggers))
