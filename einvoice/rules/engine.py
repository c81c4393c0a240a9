"""Judging a document: a view in, a verdict out.

    engine = Engine([CEN_UBL, PEPPOL_UBL])  # compiled once, kept
    verdict = engine.check(root)            # per document: engine.judge(engine.read(root))
    verdict = engine.check_invoice(invoice) # the same without XML, for what will be written

Which optimisations it uses does not change what it finds (optimisations/).
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import localcontext

from einvoice.domain.invoice import Invoice
from einvoice.rules.book import Book, Rule
from einvoice.rules.evaluation import Evaluation, RulesVerdict
from einvoice.rules.layers import Syntax
from einvoice.rules.matching import PlainMatcher
from einvoice.rules.model import view_of
from einvoice.rules.optimisations import ALL, Optimisations
from einvoice.rules.optimisations.automaton import Automaton
from einvoice.rules.optimisations.line_sums import LINE_TERMS, REFERENCES
from einvoice.rules.optimisations.repeated_lines import RepeatedLines
from einvoice.rules.reading import Element, LineCopies, read
from einvoice.rules.states import Matcher, Names
from einvoice.rules.values import EXACT
from einvoice.rules.view import View


class Engine:
    """The rules of all layers of one syntax. Raises ValueError for books of two syntaxes."""

    def __init__(self, books: Iterable[Book], optimisations: Optimisations = ALL) -> None:
        bound = tuple(books)
        self.syntax = _one_syntax(bound)
        self.optimisations = optimisations
        self.matcher = _matcher(bound, self.syntax, optimisations)
        self._compares_lines = any(book.gathers & REFERENCES for book in bound)

    def check(self, root: Element, source: bytes | None = None) -> RulesVerdict:
        """Judge a parsed document; no rule matches a root of another syntax.

        source  the bytes it was parsed from, in UTF-8: a long document is judged faster with them,
                and they are `View.source`
        """
        if self.optimisations.repeated_lines and not self._compares_lines:
            return self._check_with_copies(root, source)
        return self._judge_once(self._read(root, source))

    def check_invoice(self, invoice: Invoice) -> RulesVerdict:
        """Judge an invoice as the UBL document that will be written of it."""
        if self.syntax is not Syntax.UBL:
            raise ValueError("invoices are sent as UBL")
        return self._judge_once(view_of(invoice, self.matcher))

    def read(self, root: Element) -> View:
        """The view of a parsed document."""
        return read(root, self.matcher)

    def judge(self, view: View) -> RulesVerdict:
        """Run every rule that something in the document calls for."""
        evaluation = Evaluation(view)
        with localcontext(EXACT):
            self.matcher.evaluate(view, evaluation)
        return evaluation.verdict()

    def _check_with_copies(self, root: Element, source: bytes | None) -> RulesVerdict:
        """Judge with repeated lines as copies; in full, if a line that others repeat is wrong."""
        lines = RepeatedLines(
            LINE_TERMS.get(self.syntax, {}), source, line_sums=self.optimisations.line_sums
        )
        verdict = self._judge_once(self._read(root, source, lines))
        if verdict.findings and lines.repeat_one_of(found.place for found in verdict.findings):
            return self._judge_once(self._read(root, source))
        return verdict

    def _read(self, root: Element, source: bytes | None, lines: LineCopies | None = None) -> View:
        view = read(root, self.matcher, lines)
        view.source = source
        return view

    def _judge_once(self, view: View) -> RulesVerdict:
        """Judge a view and free its nodes, so that the garbage collector need not find them."""
        verdict = self.judge(view)
        view.release()
        return verdict


def _matcher(books: tuple[Book, ...], syntax: Syntax, optimisations: Optimisations) -> Matcher:
    rules: list[Rule] = [rule for book in books for rule in book.rules]
    gathered = frozenset(name for book in books for name in book.gathers)
    names = Names(syntax.prefixes, syntax.terms, LINE_TERMS.get(syntax, {}), gathered)
    if not optimisations.pattern_automaton:
        return PlainMatcher(rules, names, fast_paths=optimisations.fast_paths)
    return Automaton(rules, names, fast_paths=optimisations.fast_paths)


def _one_syntax(books: tuple[Book, ...]) -> Syntax:
    syntaxes = {book.layer.syntax for book in books}
    if len(syntaxes) != 1:
        raise ValueError("an engine judges one syntax")
    return syntaxes.pop()
