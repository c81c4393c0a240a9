"""Judging a document: a view in, a verdict out.

    engine = Engine([CEN_UBL, PEPPOL_UBL])  # compiled once, kept
    verdict = engine.check(root)            # per document: engine.judge(engine.read(root))
    verdict = engine.check_invoice(invoice) # the same without XML, for what will be written

A rule that cannot be evaluated (evaluation_errors.py) ends the verdict of its layer, as it does
officially: the layer is named in `verdict.silent` and the error is a fatal finding of our own. What
the layer's other rules found is kept: it is correct, and helps to correct the document.
"""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import localcontext

from einvoice.domain.invoice import Invoice
from einvoice.rules.automaton import Automaton, Holding, Looked
from einvoice.rules.book import Book, Context, Flag, Layer, Rule, Syntax, Values
from einvoice.rules.evaluation_errors import EvaluationError
from einvoice.rules.line_sums import LINE_TERMS
from einvoice.rules.model import view_of
from einvoice.rules.node import Node
from einvoice.rules.reading import Element, read
from einvoice.rules.repeated_lines import RepeatedLines
from einvoice.rules.values import EXACT
from einvoice.rules.view import View
from einvoice.rules.vocabulary import PREFIXES, TERMS


@dataclass(frozen=True, slots=True)
class RuleFinding:
    """One place that breaks one rule, with the values its texts need."""

    layer: Layer
    id: str
    flag: Flag
    place: str
    values: Values
    rule: Rule | None = field(repr=False)  # None: an evaluation error, not an official rule


@dataclass(frozen=True, slots=True)
class RulesVerdict:
    """What all layers said about one document."""

    findings: tuple[RuleFinding, ...]
    silent: frozenset[Layer]  # layers with an evaluation error: officially they say nothing

    @property
    def fatal(self) -> bool:
        return any(finding.flag is Flag.FATAL for finding in self.findings)


class Engine:
    """The rules of all layers of one syntax, compiled into one automaton."""

    def __init__(self, books: Iterable[Book]) -> None:
        bound = tuple(books)
        self.syntax = _one_syntax(bound)
        self.automaton = Automaton(
            (rule for book in bound for rule in book.rules),
            PREFIXES[self.syntax],
            frozenset(name for book in bound for name in book.gathers),
            TERMS[self.syntax],
            LINE_TERMS[self.syntax],
        )

    def check(self, root: Element) -> RulesVerdict:
        """Judge a parsed document; a root of another syntax meets no rule."""
        with _collector_paused():
            return self._check(root)

    def _check(self, root: Element) -> RulesVerdict:
        """Judge with repeated lines as copies; in full, if a line that others repeat is wrong."""
        repeated_lines = RepeatedLines(LINE_TERMS[self.syntax])
        verdict = self._judge_once(read(root, self.automaton, repeated_lines))
        places = tuple(f"{place}/" for place in repeated_lines.template_places())
        if places and any(f"{found.place}/".startswith(places) for found in verdict.findings):
            return self._judge_once(self.read(root))
        return verdict

    def check_invoice(self, invoice: Invoice) -> RulesVerdict:
        """Judge an invoice as the UBL document that will be written of it."""
        if self.syntax is not Syntax.UBL:
            raise ValueError("invoices are sent as UBL")
        with _collector_paused():
            return self._judge_once(view_of(invoice, self.automaton))

    def _judge_once(self, view: View) -> RulesVerdict:
        """Judge a view and free it: whoever else held it would have the collector walk it."""
        verdict = self.judge(view)
        view.release()
        return verdict

    def read(self, root: Element) -> View:
        """The view of a parsed document."""
        return read(root, self.automaton)

    def judge(self, view: View) -> RulesVerdict:
        """Run every rule that something in the document calls for."""
        with localcontext(EXACT):
            held = self.automaton.held(view)
            run = _Run(view, held)
            for (rule, node), met in view.pending.items():
                if rule.context in node.state.certain or _chosen(rule.context, node, view):
                    run.rules((rule,), node, met)
            for node in view.hits:
                if not _in_order(node, view, held):
                    run.contexts(node)
            for node in view.blank:
                run.rules(self.automaton.blank, node)
        return run.verdict()


@contextmanager
def _collector_paused() -> Iterator[None]:
    """A view is tens of thousands of live objects and no garbage: collecting costs a third more."""
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


class _Run:
    """What has been found so far in one document."""

    def __init__(self, view: View, held: Holding) -> None:
        self._view = view
        self._held = held
        self._findings: list[RuleFinding] = []
        self._errors: dict[tuple[Layer, str, str], RuleFinding] = {}

    def contexts(self, node: Node) -> None:
        """Run the rules of every context that the node meets, and note what each says."""
        for fast_path, rules in due(node, self._view, self._held):
            if fast_path is None or not fast_path(node, self._view):
                self.rules(rules, node)

    def rules(self, rules: tuple[Rule, ...], node: Node, met: Node | None = None) -> None:
        """Run the rules of one context on its node; one that raises does not end the others.

        `met` woke them: its place is told as "found", for the official place is far above it.
        """
        view = self._view
        for rule in rules:
            try:
                values = rule.check(node, view)
            except EvaluationError as error:
                finding = _error_finding(rule, error)
                self._errors[finding.layer, finding.id, finding.place] = finding
            else:
                if values is not None:
                    if met is not None:
                        values = {**values, "found": met.place}
                    found = RuleFinding(rule.layer, rule.id, rule.flag, node.place, values, rule)
                    self._findings.append(found)

    def verdict(self) -> RulesVerdict:
        silent = frozenset(layer for layer, _, _ in self._errors)
        return RulesVerdict((*self._findings, *self._errors.values()), silent)


def due(node: Node, view: View, held: Holding) -> Looked:
    """The rules of every context that matches a node, by their fast path."""
    looked = node.state.sure
    for choice in node.state.asked[held]:
        matched = choice.made(node, view)
        if matched is not None:
            looked += matched[1]
    return looked


def _in_order(node: Node, view: View, held: Holding) -> bool:
    """Does no rule of the node's contexts say anything? The common case, so it takes no notes.

    Rules only look, so where one speaks or stops they can all be asked once more, one by one.
    What `due` does is written out, for this is where the time goes.
    """
    looked = node.state.sure
    try:
        for choice in node.state.asked[held]:
            for condition, key, cases in choice.tries:
                if condition is None or condition(node, view):
                    matched = cases.get(None if key is None else key(node))
                    if matched is not None:
                        looked += matched[1]
                        break
        for fast_path, rules in looked:
            if fast_path is None or not fast_path(node, view):
                for rule in rules:
                    check = rule.check
                    if check(node, view) is not None:
                        return False
    except EvaluationError:
        return False
    return True


def _chosen(context: Context, node: Node, view: View) -> bool:
    """Is it the one of its pattern's contexts that the node meets?"""
    choice = node.state.where.get(context)
    matched = choice.made(node, view) if choice else None
    return matched is not None and matched[0] is context


def _error_finding(rule: Rule, error: EvaluationError) -> RuleFinding:
    values = {"rule": rule.id, **error.values}
    return RuleFinding(rule.layer, error.id, Flag.FATAL, error.node.place, values, None)


def _one_syntax(books: tuple[Book, ...]) -> Syntax:
    syntaxes = {book.layer.syntax for book in books}
    if len(syntaxes) != 1:
        raise ValueError("an engine judges one syntax")
    return syntaxes.pop()
