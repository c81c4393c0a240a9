"""Declaring rules: contexts in their official order, chapters of rules, one book for each layer.

A *context* selects the nodes that a rule is run on. Contexts belong to *patterns*; within one
pattern only the first context that matches a node applies, so an earlier context shadows a later
one. A *chapter* is the rules of one topic's file; a *book* is all rules of a layer in one release.

A rule is a function of the context's node and the view of the whole document. It returns None if
the document satisfies it, else the values that its texts need (`BROKEN` if there are none). As
officially, it reports at most once for a node, and the place is always that node.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from enum import StrEnum
from importlib import import_module
from typing import TYPE_CHECKING, ClassVar

from einvoice.rules.docstrings import first_line
from einvoice.rules.layers import Layer
from einvoice.rules.node import Node

if TYPE_CHECKING:
    from einvoice.rules.view import View

Values = Mapping[str, object]
BROKEN: Values = {}
# In place of a name that a chapter gathers: its rules compare lines with each other.
COMPARED_LINES = "compared lines"
Check = Callable[[Node, "View"], Values | None]
Condition = Callable[[Node, "View"], bool]
Key = Callable[[Node], object]  # hashable
DocumentCondition = Callable[["View"], bool]

BLANK = "*[blank]"  # the path of every element that has no children and only white space


class Flag(StrEnum):
    """Whether a broken rule makes the document invalid."""

    FATAL = "fatal"
    WARNING = "warning"
    INFORMATION = "information"  # the document stays green


class Kind(StrEnum):
    """The kind of requirement, which selects the wording of its explanation."""

    PRESENCE = "presence"
    ABSENCE = "absence"
    CARDINALITY = "cardinality"
    SUM = "sum"
    CODE_LIST = "code list"
    FORMAT = "format"
    CATEGORY = "category"
    OTHER = "other"


class Pattern:
    """Contexts in official order; the first that matches a node is the only one.

    A country's pattern has a condition on the whole document, such as a seller of that country: its
    contexts match only if that holds.
    """

    _count: ClassVar[int] = 0

    def __init__(self, document_condition: DocumentCondition | None = None) -> None:
        self.document_condition = document_condition
        Pattern._count += 1
        self.number = Pattern._count
        self.contexts: list[Context] = []  # also those without rules: they shadow others
        self._order = 0

    def context(
        self, *paths: str, when: Condition | None = None, fast_path: Condition | None = None
    ) -> Context:
        """The next context of this pattern: nodes on one of the paths, if the condition holds."""
        self._order += 1
        context = Context(paths, when, self, self._order, fast_path=fast_path)
        self.contexts.append(context)
        return context

    def everywhere(self) -> Mapping[Context, Context]:
        """The contexts of a new pattern that has these in any document, by those of this one."""
        pattern = Pattern()
        copies = {context: replace(context, pattern=pattern) for context in self.contexts}
        pattern.contexts.extend(copies.values())
        return copies

    def switch(self, *paths: str, key: Key, when: Condition | None = None) -> Switch:
        """The next contexts of this pattern, one for each value of the key."""
        self._order += 1
        return Switch(paths, when, self, self._order, key)


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """The nodes on one of the paths for which the condition holds. Compared by identity.

    Paths: "/ubl:Invoice/cac:Delivery" from the root, "cac:Party/cbc:EndpointID" anywhere, "a//b" at
    any depth, "*" any name, "*Amount" or "ram:*ID" any name with this beginning and end. A context
    whose condition raises does not match. BLANK selects empty elements; its context is the only one
    of its pattern and has no condition.
    """

    paths: tuple[str, ...]
    condition: Condition | None
    pattern: Pattern
    order: int
    key: Key | None = None  # of a switch: matches if the key of the node is `case`
    case: object = None
    fast_path: Condition | None = None  # of all its rules


@dataclass(frozen=True, slots=True)
class Switch:
    """Contexts that differ only in one value of the node, such as the code of a VAT category."""

    paths: tuple[str, ...]
    condition: Condition | None
    pattern: Pattern
    order: int
    key: Key
    cases: dict[object, Context] = field(default_factory=dict)

    def case(self, value: object) -> Context:
        """The context of the nodes whose key has this value."""
        if value not in self.cases:
            self.cases[value] = Context(
                self.paths, self.condition, self.pattern, self.order, self.key, value
            )
            self.pattern.contexts.append(self.cases[value])
        return self.cases[value]


def never(_: Node, __: View) -> Values | None:
    """The check of a rule that cannot be broken as officially written: listed, but never run."""
    return None


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """One official rule. Its key is (layer, id)."""

    layer: Layer
    id: str
    flag: Flag
    terms: tuple[str, ...]  # business terms and groups: "BT-31", "BG-4"
    kind: Kind
    context: Context
    check: Check
    requirement: str | None  # in our own words, one sentence; None: the docstring of the check
    parameters: Values  # what the texts need besides the values of a finding: path, list, terms
    # Relative paths: the check is run only if one of them is present ("a/b", "a/@x", "//b" for
    # anywhere) or repeated. These rules cost nothing on a correct document.
    present: tuple[str, ...] = ()
    repeated: tuple[str, ...] = ()
    # Shared by rules without `present` and `repeated`; true only if none of them can be broken.
    # Then none is run: one check of a line instead of a dozen.
    fast_path: Condition | None = None

    @property
    def requires(self) -> str:
        """The requirement in our own words, one sentence."""
        return first_line(self.check) if self.requirement is None else self.requirement


class Chapter:
    """The rules of one topic in one layer, in the order of the invoice."""

    def __init__(self, layer: Layer, gathers: tuple[str, ...] = ()) -> None:
        self.layer = layer
        self.gathers = gathers  # names that its rules pass to `View.everywhere`
        self.rules: list[Rule] = []

    def rule(
        self,
        id: str,  # noqa: A002
        terms: str,
        *,
        at: Context,
        flag: Flag = Flag.FATAL,
        kind: Kind = Kind.OTHER,
        present: tuple[str, ...] = (),
        repeated: tuple[str, ...] = (),
        fast_path: Condition | None = None,
        **parameters: object,
    ) -> Callable[[Check], Check]:
        """Declare a function as a rule; the first line of its docstring is the requirement."""

        def add(check: Check) -> Check:
            self.add(
                id, terms, at, check, None, flag, kind, present, repeated, parameters, fast_path
            )
            return check

        return add

    def add(
        self,
        id: str,  # noqa: A002
        terms: str,
        at: Context,
        check: Check,
        requires: str | None,
        flag: Flag = Flag.FATAL,
        kind: Kind = Kind.OTHER,
        present: tuple[str, ...] = (),
        repeated: tuple[str, ...] = (),
        parameters: Values = BROKEN,
        fast_path: Condition | None = None,
    ) -> None:
        """Declare one rule of a table (tables.py makes the checks).

        `requires`: the requirement; None: the first line of the docstring of the check.
        """
        self.rules.append(
            Rule(
                self.layer, id, flag, tuple(terms.split()), kind, at, check,
                requires, parameters, present, repeated, at.fast_path or fast_path,
            )
        )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Book:
    """All rules of a layer in one release."""

    layer: Layer
    release: str
    rules: tuple[Rule, ...]
    gathers: frozenset[str]

    @classmethod
    def of(cls, layer: Layer, release: str, chapters: Iterable[Chapter]) -> Book:
        """The book of these chapters. Raises ValueError if an id is declared twice."""
        bound = tuple(chapters)
        rules = tuple(rule for chapter in bound for rule in chapter.rules)
        twice = [key for key, count in Counter(rule.id for rule in rules).items() if count > 1]
        if twice:
            raise ValueError(f"{layer}: declared twice: {', '.join(sorted(twice))}")
        gathers = frozenset(name for chapter in bound for name in chapter.gathers)
        return cls(layer, release, rules, gathers)

    def revised(
        self,
        release: str,
        *,
        without: Iterable[str] = (),
        flags: Mapping[str, Flag] | None = None,
        chapters: Iterable[Chapter] = (),
    ) -> Book:
        """The next release: without some rules, with changed flags, with new or replaced rules."""
        added = Book.of(self.layer, release, chapters)
        removed = {*without, *(rule.id for rule in added.rules)}
        kept = [
            replace(rule, flag=(flags or {}).get(rule.id, rule.flag))
            for rule in self.rules
            if rule.id not in removed
        ]
        return Book(self.layer, release, (*kept, *added.rules), self.gathers | added.gathers)

    def announced(self, later: Book, binding_from: date) -> Book:
        """The fatal rules of the next release that are not fatal in this one, as warnings.

        A rule is the same if its check is: a changed context alone is no change.
        """
        layer = self.layer.announced(binding_from)
        known = {(rule.id, rule.check) for rule in self.rules if rule.flag is Flag.FATAL}
        rules = tuple(
            replace(rule, layer=layer, flag=Flag.WARNING)
            for rule in later.rules
            if rule.flag is Flag.FATAL and (rule.id, rule.check) not in known
        )
        return Book(layer, later.release, rules, later.gathers)

    def selected(
        self,
        layer: Layer,
        release: str,
        *,
        ids: Container[str] | None = None,
        flags: Mapping[str, Flag] | None = None,
    ) -> Book:
        """A book of some rules of this one, under another layer and with its own flags.

        `ids` None selects all. For a publisher that repeats rules of another one. Raises ValueError
        for a layer of another syntax.
        """
        if layer.syntax != self.layer.syntax:
            raise ValueError(f"{layer} is of another syntax than {self.layer}")
        rules = tuple(
            replace(rule, layer=layer, flag=(flags or {}).get(rule.id, rule.flag))
            for rule in self.rules
            if ids is None or rule.id in ids
        )
        return Book(layer, release, rules, self.gathers)


class DeferredBook(Book):
    """A book that is imported when its rules are first needed, so that others pay nothing for it.

    layer, release  of the book
    module, name    where the book is
    """

    module: str
    name: str

    def __init__(self, layer: Layer, release: str, module: str, name: str) -> None:
        for field_name, value in zip(
            ("layer", "release", "module", "name"), (layer, release, module, name), strict=True
        ):
            object.__setattr__(self, field_name, value)

    @property
    def _book(self) -> Book:
        book: Book = getattr(import_module(self.module), self.name)
        return book

    @property
    def rules(self) -> tuple[Rule, ...]:
        return self._book.rules

    @property
    def gathers(self) -> frozenset[str]:
        return self._book.gathers
