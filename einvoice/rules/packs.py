"""Dated rule packs: the releases in force on the day a document is judged.

A pack is never changed once documents were judged by it. The next release is another pack, made of
revised books (`Book.revised`), with the first day on which it is in force.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import date

from einvoice.rules.book import Book
from einvoice.rules.engine import Engine
from einvoice.rules.layers import Layer, Syntax
from einvoice.rules.optimisations import ALL, Optimisations
from einvoice.rules.scenarios import Declared, Scenario


@dataclass(frozen=True, slots=True)
class Pack:
    """The books in force in a period."""

    id: str  # permanent: stored with every verdict
    release: str  # the published name: "Peppol BIS Billing 3.0.21, EN 16931 1.3.16"
    valid_from: date
    valid_to: date | None  # the last day, None while no successor is known
    books: tuple[Book, ...]
    # Which rules count, and how, where the release differs from its rule set (`RuleSet.scenario`).
    scenario: Callable[[Declared], Scenario | None] | None = field(default=None, compare=False)
    _engines: dict[tuple[Syntax, Optimisations, str, frozenset[Layer] | None], Engine] = field(
        default_factory=dict, compare=False, repr=False
    )

    def engine(
        self,
        syntax: Syntax,
        optimisations: Optimisations = ALL,
        announced: Pack | None = None,
        layers: frozenset[Layer] | None = None,
    ) -> Engine:
        """The engine for the rules of one syntax, made when first needed.

        announced  the next pack: what it will refuse in addition is a warning
        layers     those whose rules are run; None: all. Raises ValueError if there is none of them
        """
        key = (syntax, optimisations, announced.id if announced else "", layers)
        found = self._engines.get(key)
        if found is None:
            books = [
                book
                for book in self.books
                if book.layer.syntax == syntax and (layers is None or book.layer in layers)
            ]
            if announced is not None:
                books += _announced(books, announced)
            found = self._engines[key] = Engine(books, optimisations)
        return found

    def judges(self, syntax: Syntax) -> bool:
        """Whether the pack has rules for documents of a syntax."""
        return any(book.layer.syntax == syntax for book in self.books)

    def book(self, layer: str) -> Book:
        """The book of a layer. Raises KeyError if the pack has none."""
        for book in self.books:
            if book.layer == layer:
                return book
        raise KeyError(layer)

    def binds(self, day: date) -> bool:
        return self.valid_from <= day and (self.valid_to is None or day <= self.valid_to)


def _announced(books: Iterable[Book], later: Pack) -> list[Book]:
    """The changes in layers that both packs have; none for a book that is unchanged."""
    layers = {book.layer: book for book in later.books}
    changed = [book for book in books if layers.get(book.layer, book) is not book]
    return [book.announced(layers[book.layer], later.valid_from) for book in changed]


def pack_of(packs: tuple[Pack, ...], day: date) -> Pack:
    """The pack in force on a day; the first pack for any day before it.

    Raises LookupError if no pack is in force.
    """
    for pack in packs:
        if pack.binds(day):
            return pack
    if day < packs[0].valid_from:
        return packs[0]
    raise LookupError(f"no rule pack is in force on {day}")
