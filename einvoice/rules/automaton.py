"""The path automaton: what every rule of a syntax waits for, answered in one pass.

All paths of all contexts and of all "must not occur" and "at most one" rules are compiled into one
automaton that is walked along with the document. Its states are built when a document first
reaches them and then kept: a known document shape costs one dictionary look-up an element.

A state knows, for the element just entered:

- `sure`: rules whose context certainly matches here; `asked`: patterns whose context depends on a
  condition, by what holds in the document. They are evaluated after the pass, when all of it is
  known, and some of the rules only if their fast path does not apply;
- `present`: rules that run only because this element is there, with the distance to their node;
- `repeated`: rules that run only because this element is there a second time.

Shadowing is decided here once for each state: within a pattern, contexts behind the first one
without a condition can never match.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from einvoice.rules.book import BLANK, Condition, Context, Given, Key, Rule, never
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.node import Node

if TYPE_CHECKING:
    from einvoice.rules.view import View

Looked = tuple[tuple[Condition | None, tuple[Rule, ...]], ...]  # rules by their fast path
Matched = tuple[Context, Looked]
Holding = frozenset[Given]
Try = tuple[Condition | None, Key | None, Mapping[object, Matched]]  # the cases of one switch

ROOT = -1  # distance of a rule at the root that was reached by a path from anywhere
BELOW = "**"  # the step for "//" inside a path: any number of levels
END = ""  # nothing follows the last step
_KEPT_STATES = 20_000  # enough for every shape of a real document; a hostile one gains nothing


@dataclass(frozen=True, slots=True)
class Waiting:
    """A rule that runs when something is met, and how far above that its node is."""

    rule: Rule
    distance: int


@dataclass(frozen=True, slots=True)
class Choice:
    """One pattern's contexts that may match here, in order: tried until one answers.

    Contexts of one switch are one try. A condition that stops does not match.
    """

    tries: tuple[Try, ...]
    asked: bool  # has rules that wait for nothing
    given: Given | None  # without which none matches

    def made(self, node: Node, view: View) -> Matched | None:
        """The context that this node meets, with its rules; None if no one matches."""
        if self.given is not None and not _holds(self.given, view):
            return None
        for condition, key, cases in self.tries:
            try:
                if condition is None or condition(node, view):
                    matched = cases.get(None if key is None else key(node))
                    if matched is not None:
                        return matched
            except EvaluationError:
                continue
        return None


class Asked(dict[Holding, tuple[Choice, ...]]):
    """What holds in a document → the choices to be tried then; worked out when first needed."""

    def __init__(self, choices: tuple[Choice, ...] = ()) -> None:
        self.choices = choices

    def __missing__(self, held: Holding) -> tuple[Choice, ...]:
        chosen = (each for each in self.choices if each.given is None or each.given in held)
        self[held] = asked = tuple(chosen)
        return asked


class State:
    """Where in the vocabulary an element stands, and what waits there."""

    __slots__ = (
        "active",
        "asked",
        "attributes",
        "automaton",
        "certain",
        "gathered",
        "items",
        "line",
        "moves",
        "name",
        "present",
        "repeated",
        "sure",
        "term",
        "visited",
        "where",
    )

    def __init__(self, automaton: Automaton | None, name: str, items: frozenset[int]) -> None:
        self.automaton = automaton
        self.name = name
        self.items = items
        self.moves: dict[str, State] = {}  # tag as the parser gives it, or name → state
        self.sure: Looked = ()
        self.certain: frozenset[Context] = frozenset()  # whose rules those are
        self.where: Mapping[Context, Choice] = {}  # of contexts that depend on a condition
        self.asked = Asked()  # of those, the ones with rules that wait for nothing
        self.present: tuple[Waiting, ...] = ()
        self.repeated: tuple[Waiting, ...] = ()
        self.attributes: Mapping[str, tuple[Waiting, ...]] = {}
        self.gathered = False
        self.line = False  # one of many, of which most repeat others
        self.term = False  # an element with a value of its own, not a group
        self.visited = False  # some context may match, so the rules come by after the pass
        self.active = False  # it is gathered, or rules wait for it to be there

    @classmethod
    def detached(cls, name: str) -> State:
        """A state outside every automaton, for nodes that only examples and tests hold."""
        return cls(None, name, frozenset())

    def enter(self, tag: str) -> State:
        """The state of a child with this tag, which this state has not met before."""
        if self.automaton is None:
            return State.detached(tag)
        return self.automaton.enter(self, tag)


class Automaton:
    """Compiled from the rules of all layers of one syntax. Not changed after the first document."""

    def __init__(
        self,
        rules: Iterable[Rule],
        prefixes: Mapping[str, str],
        gathered: Iterable[str],
        terms: re.Pattern[str],
        lines: Container[str] = (),
    ) -> None:
        self._prefixes = prefixes  # namespace → prefix
        self._gathered = frozenset(gathered)
        self._terms = terms
        self._lines = lines
        self._steps: list[str] = []
        self._accepts: dict[int, list[Context]] = defaultdict(list)
        self._present: dict[int, list[Waiting]] = defaultdict(list)
        self._repeated: dict[int, list[Waiting]] = defaultdict(list)
        self._attributes: dict[int, dict[str, list[Waiting]]] = defaultdict(dict)
        self._anywhere: dict[str, list[int]] = defaultdict(list)
        self._any_name: list[int] = []
        self._anchored: list[int] = []
        self._by_context: dict[Context, list[Rule]] = defaultdict(list)
        self._states: dict[tuple[str, frozenset[int]], State] = {}
        asked = tuple(rules)
        self.blank = tuple(rule for rule in asked if BLANK in rule.context.paths)
        given = (rule.context.pattern.given for rule in asked)
        self.givens = tuple(dict.fromkeys(each for each in given if each is not None))
        for context in _contexts(asked):
            for path in context.paths:
                if path == BLANK:
                    continue
                self._accepts[self._compile(path)].append(context)
        for rule in asked:
            if rule.check is not never:
                self._add(rule)
        self._start = State(self, "", frozenset(self._anchored))

    def root(self, tag: str) -> State:
        """The state of the document element."""
        state = self._start.moves.get(tag)
        return state if state is not None else self.enter(self._start, tag)

    def held(self, view: View) -> Holding:
        """What patterns are given that holds in this document; what stops does not hold."""
        return frozenset(given for given in self.givens if _holds(given, view))

    def enter(self, state: State, tag: str) -> State:
        """Where `tag` leads from `state`; built on first sight, then kept in `state.moves`."""
        name = self._name(tag)
        items = {item + 1 for item in state.items if _fits(self._steps[item], name)}
        items |= {item for item in state.items if self._steps[item] == BELOW}
        items |= {item + 1 for item in self._anywhere.get(name, ())}
        items |= {item + 1 for item in self._any_name if _fits(self._steps[item], name)}
        items |= {item + 1 for item in items if self._steps[item] == BELOW}
        key = (name, frozenset(items))
        found = self._states.get(key)
        if found is None:
            found = self._build(*key)
        if len(self._states) < _KEPT_STATES:
            self._states[key] = found
            state.moves[tag] = found
        return found

    def _name(self, tag: str) -> str:
        if not tag.startswith("{"):
            return tag
        namespace, _, local = tag[1:].partition("}")
        prefix = self._prefixes.get(namespace)
        return tag if prefix is None else f"{prefix}:{local}"

    def _add(self, rule: Rule) -> None:
        if not rule.present and not rule.repeated:
            self._by_context[rule.context].append(rule)
            return
        for base in rule.context.paths:
            for path in rule.present:
                self._await(rule, base, path, repeated=False)
            for path in rule.repeated:
                self._await(rule, base, path, repeated=True)

    def _await(self, rule: Rule, base: str, path: str, *, repeated: bool) -> None:
        anywhere = path.startswith("//")
        steps, _, attribute = path.removeprefix("//").partition("@")
        steps = steps.rstrip("/")
        depth = len(steps.split("/")) if steps else 0
        last = self._compile((steps or "*") if anywhere else f"{base}/{steps}".rstrip("/"))
        if repeated:
            for above in range(depth):
                self._repeated[last - above].append(Waiting(rule, depth - above))
        elif attribute:
            waiting = Waiting(rule, ROOT if anywhere else depth)
            self._attributes[last].setdefault(attribute, []).append(waiting)
        else:
            self._present[last].append(Waiting(rule, ROOT if anywhere else depth))

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

    def _build(self, name: str, items: frozenset[int]) -> State:
        state = State(self, name, items)
        contexts = {context for item in items for context in self._accepts.get(item, ())}
        state.certain, choices = self._meet(contexts)
        asked = tuple(choice for choice in choices if choice.asked)
        state.asked = Asked(asked)
        state.where = {
            context: choice
            for choice in choices
            for _, _, cases in choice.tries
            for context, _ in cases.values()
        }
        certain = sorted(state.certain, key=lambda c: c.pattern.number)
        state.sure = _looked(
            rule for context in certain for rule in self._by_context.get(context, ())
        )
        state.present = _unique(w for item in items for w in self._present.get(item, ()))
        state.repeated = _unique(w for item in items for w in self._repeated.get(item, ()))
        state.attributes = self._attributes_at(items)
        state.gathered = name in self._gathered
        state.line = name in self._lines
        state.term = self._terms.match(name) is not None
        state.visited = bool(state.sure or asked)
        state.active = bool(state.present or state.gathered)
        return state

    def _attributes_at(self, items: frozenset[int]) -> Mapping[str, tuple[Waiting, ...]]:
        met: dict[str, list[Waiting]] = defaultdict(list)
        for item in items:
            for name, waiting in self._attributes.get(item, {}).items():
                met[name] += waiting
        return {name: _unique(waiting) for name, waiting in met.items()}

    def _meet(self, contexts: set[Context]) -> tuple[frozenset[Context], tuple[Choice, ...]]:
        """Sort what matches into contexts that certainly apply and patterns with a condition."""
        sure: list[Context] = []
        choices: list[Choice] = []
        for pattern in sorted({c.pattern for c in contexts}, key=lambda p: p.number):
            chain = _until_certain(c for c in contexts if c.pattern == pattern)
            if pattern.given is None and _certain(chain[0][0]):
                sure.append(chain[0][0])
            else:
                asked = any(self._by_context.get(c) for rivals in chain for c in rivals)
                tries = tuple(self._try(rivals) for rivals in chain)
                choices.append(Choice(tries, asked, pattern.given))
        return frozenset(sure), tuple(choices)

    def _try(self, rivals: list[Context]) -> Try:
        """One context, or all cases of one switch, with the rules of each."""
        cases: dict[object, Matched] = {
            context.case: (context, _looked(self._by_context.get(context, ())))
            for context in rivals
        }
        return rivals[0].condition, rivals[0].key, cases


def _looked(rules: Iterable[Rule]) -> Looked:
    """The rules by the fast path that they share; None for those that have none."""
    shared: dict[Condition | None, list[Rule]] = defaultdict(list)
    for rule in rules:
        shared[rule.fast_path].append(rule)
    return tuple((fast_path, tuple(sharing)) for fast_path, sharing in shared.items())


def _holds(given: Given, view: View) -> bool:
    try:
        return view.once(given)
    except EvaluationError:
        return False


def _certain(context: Context) -> bool:
    return context.condition is None and context.key is None


def _until_certain(contexts: Iterable[Context]) -> list[list[Context]]:
    """One pattern's contexts in order, up to the first that shadows all behind it."""
    chain: list[list[Context]] = []
    ordered = sorted(contexts, key=lambda context: context.order)
    for _, same in groupby(ordered, key=lambda context: context.order):
        chain.append(list(same))
        if _certain(chain[-1][0]):
            break
    return chain


def _contexts(rules: Iterable[Rule]) -> list[Context]:
    """Every context of every pattern that a rule belongs to; those without rules shadow others."""
    patterns = dict.fromkeys(rule.context.pattern for rule in rules)
    return [context for pattern in patterns for context in pattern.contexts]


def _fits(step: str, name: str) -> bool:
    first, star, last = step.partition("*")
    if not star:
        return step == name
    return step != BELOW and name.startswith(first) and name.endswith(last)


def _unique(waiting: Iterable[Waiting]) -> tuple[Waiting, ...]:
    return tuple(dict.fromkeys(waiting))
