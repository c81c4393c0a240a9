"""Lines that repeat one before them: most of a long invoice need not be read node by node.

Lines are written by a program, so most of them are the same text but for a few terms: number, name,
quantity, price, net amount. A line that was read is a *precedent*: its text is cut at these terms,
and a line that has the same text between them, good words and numbers in them, and whose net
amount is quantity times price, breaks a rule only if the precedent breaks it. It joins the view as
a copy of the precedent with its own net amount, which sums need, and no rule is run on it.

That holds as long as rules read of these terms no more than the quick looks at a line do
(evident.py): tests/rules/test_precedents.py asks every rule of every pack. And it is only ever used
to find nothing: where a view with copies breaks a rule, the document is read again in full, and
that decides (engine.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Any

from lxml import etree

from einvoice.rules.automaton import State
from einvoice.rules.book import Syntax
from einvoice.rules.node import Node
from einvoice.rules.values import decimals
from einvoice.rules.view import View

if TYPE_CHECKING:
    from einvoice.rules.reading import Element

_UNREAD = 3  # lines before the first precedent: a short invoice gains nothing
_MOST = 8  # precedents in a document
_PATIENCE = 16  # lines that may repeat none, beside as many as do
_DIGITS = 6  # before and after the point: products are exact in any context
_NET = 2  # of the three numbers
_CLOSE = Decimal("0.01")  # half of what BIS Billing allows, so that no rounding matters

_BETWEEN_TAGS = re.compile(r">([^<]*)<")


@dataclass(frozen=True, slots=True)
class LineTerms:
    """The terms in which lines of a syntax differ, as paths below the line."""

    words: frozenset[str]  # any words are as good as others
    quantity: str
    price: str
    net: str
    base: str  # the quantity that the price is for: 1, or the numbers may not differ
    unusual: tuple[str, ...]  # names that bind these numbers to others: such a line sets none

    @property
    def numbers(self) -> tuple[str, str, str]:
        return self.quantity, self.price, self.net  # so _NET is the last


def _ubl(quantity: str) -> LineTerms:
    return LineTerms(
        words=frozenset({
            "cbc:ID", "cbc:Note", "cbc:AccountingCost", "cac:OrderLineReference/cbc:LineID",
            "cac:Item/cbc:Name", "cac:Item/cbc:Description",
            "cac:Item/cac:BuyersItemIdentification/cbc:ID",
            "cac:Item/cac:SellersItemIdentification/cbc:ID",
        }),
        quantity=quantity,
        price="cac:Price/cbc:PriceAmount",
        net="cbc:LineExtensionAmount",
        base="cac:Price/cbc:BaseQuantity",
        unusual=("AllowanceCharge",),
    )  # fmt: skip


_AGREEMENT = "ram:SpecifiedLineTradeAgreement"
_PRICE = f"{_AGREEMENT}/ram:NetPriceProductTradePrice"
_PRODUCT = "ram:SpecifiedTradeProduct"
_CII = LineTerms(
    words=frozenset({
        "ram:AssociatedDocumentLineDocument/ram:LineID",
        "ram:AssociatedDocumentLineDocument/ram:IncludedNote/ram:Content",
        f"{_PRODUCT}/ram:SellerAssignedID", f"{_PRODUCT}/ram:BuyerAssignedID",
        f"{_PRODUCT}/ram:Name", f"{_PRODUCT}/ram:Description",
        f"{_AGREEMENT}/ram:BuyerOrderReferencedDocument/ram:LineID",
    }),
    quantity="ram:SpecifiedLineTradeDelivery/ram:BilledQuantity",
    price=f"{_PRICE}/ram:ChargeAmount",
    net="ram:SpecifiedLineTradeSettlement/ram:SpecifiedTradeSettlementLineMonetarySummation"
    "/ram:LineTotalAmount",
    base=f"{_PRICE}/ram:BasisQuantity",
    unusual=("AllowanceCharge", "GrossPriceProductTradePrice"),
)  # fmt: skip

LINE_TERMS: Mapping[Syntax, Mapping[str, LineTerms]] = {
    Syntax.UBL: {
        "cac:InvoiceLine": _ubl("cbc:InvoicedQuantity"),
        "cac:CreditNoteLine": _ubl("cbc:CreditedQuantity"),
    },
    Syntax.CII: {"ram:IncludedSupplyChainTradeLineItem": _CII},
}


@dataclass(frozen=True, slots=True)
class Precedent:
    """A line that was read, with its text cut at the terms in which others may differ."""

    node: Node
    terms: LineTerms
    before: tuple[str, ...]  # the text before each of these terms
    rest: str
    places: tuple[int, ...]  # of quantity, price and net among them; none if they may not differ
    forms: tuple[re.Pattern[str], ...]  # of these three: as many decimals, or fewer
    gathered: tuple[Node, ...]  # the nodes below the line that the view gathers

    @classmethod
    def of(cls, element: Element, node: Node, terms: LineTerms) -> Precedent | None:
        """The precedent that a line sets; None if it is written in an unusual way."""
        written = _written(element)
        if any(sign in written for sign in ("<!", "<?", *terms.unusual)):
            return None
        pieces = _BETWEEN_TAGS.split(written)
        tags, texts = pieces[::2], pieces[1::2]
        leaves = list(_leaves(element, node.state, ""))
        held = [
            place
            for place, tag in enumerate(tags[:-1])
            if tag[0] != "/" != tag[-1] and tags[place + 1][0] == "/"
        ]
        if len(held) != len(leaves):  # some are empty
            return None
        named = {
            path: place for path, place in zip(leaves, held, strict=True) if leaves.count(path) == 1
        }
        numbers = _free_numbers(named, texts, terms)
        free = [place for path, place in named.items() if path in terms.words or path in numbers]
        return cls(
            node,
            terms,
            *_cut(tags, texts, free),
            tuple(free.index(named[path]) for path in numbers),
            tuple(_form(decimals(texts[named[path]])) for path in numbers),
            tuple(_gathered_below(node)),
        )

    def repeated(self, written: str, parent: Node, view: View) -> Node | None:
        """The line of this text as a copy of the precedent; None if it must be judged itself."""
        found = self._differing(written) if self.node.parent is parent else None
        if found is None or not all(map(str.strip, found)):
            return None
        numbers = [found[place] for place in self.places]
        if numbers and not self._fit(numbers):
            return None
        for node in self.gathered:
            view.gather(node)
        return self._copied(parent, numbers[_NET] if numbers else None, view)

    def _differing(self, written: str) -> list[str] | None:
        """What stands in the place of each term, if all else is as in the precedent."""
        found: list[str] = []
        position = 0
        for text in self.before:
            if not written.startswith(text, position):
                return None
            position += len(text)
            end = written.find("<", position)
            found.append(written[position:end])
            position = end
        same = len(written) == position + len(self.rest) and written.endswith(self.rest)
        return found if same else None

    def _fit(self, numbers: Sequence[str]) -> bool:
        """Are these plain numbers, no finer than the precedent's, of which two make the third?"""
        for text, form in zip(numbers, self.forms, strict=True):
            if form.fullmatch(text) is None:
                return False
        quantity, price, net = map(Decimal, numbers)
        return abs(net - quantity * price) <= _CLOSE

    def _copied(self, parent: Node, net: str | None, view: View) -> Node:
        """A line that shares all nodes of the precedent but those on the way to its net amount."""
        original = self.node
        line = Node(original.state, parent, 1, "", original.attributes, original.children)
        if net is None:
            return line
        group = line
        for name in self.terms.net.split("/"):
            (original,) = original.children[name]
            below = Node(original.state, group, 1, "", original.attributes, original.children)
            group.children = {**group.children, name: (below,)}
            view.groups.append(group)
            group = below
        group.text = net
        return line


class Precedents:
    """Those of one document."""

    def __init__(self, terms: Mapping[str, LineTerms]) -> None:
        self._terms = terms
        self._known: list[Precedent] = []
        self._repeated = self._strangers = 0

    @property
    def used(self) -> bool:
        """Is any line a copy?"""
        return self._repeated > 0

    def repeated(self, element: Element, parent: Node, view: View) -> Node | None:
        """The line as a copy of one before it; None if it must be read."""
        if not self._known or self._strangers > _PATIENCE + self._repeated:
            return None
        written = _written(element)
        if "&#" in written:  # blanks that do not look like blanks
            return None
        for precedent in self._known:
            copy = precedent.repeated(written, parent, view)
            if copy is not None:
                self._repeated += 1
                return copy
        return None

    def add(self, element: Element, line: Node) -> None:
        """A line that was read may be a precedent for others."""
        self._strangers += 1
        if _UNREAD < self._strangers <= _UNREAD + _MOST:
            precedent = Precedent.of(element, line, self._terms[line.name])
            if precedent is not None:
                self._known.append(precedent)


def _written(element: Any) -> str:
    """The line as lxml writes it: tags, attributes and escapes always in the same way."""
    return etree.tostring(element, encoding="unicode", with_tail=False)


def _leaves(element: Element, state: State, path: str) -> Iterator[str]:
    """The paths of all elements that hold no other, in document order."""
    for child in element:
        below = state.moves.get(child.tag) or state.enter(child.tag)
        name = f"{path}/{below.name}" if path else below.name
        if len(child):
            yield from _leaves(child, below, name)
        else:
            yield name


def _free_numbers(
    places: Mapping[str, int], texts: Sequence[str], terms: LineTerms
) -> tuple[str, ...]:
    """The paths of quantity, price and net amount, if they are there and plain."""
    if terms.base in places and texts[places[terms.base]] != "1":
        return ()
    if all(
        path in places and _form(_DIGITS).fullmatch(texts[places[path]]) for path in terms.numbers
    ):
        return terms.numbers
    return ()


@cache
def _form(decimals: int) -> re.Pattern[str]:
    """A plain number with at most so many decimals."""
    digits = f"[0-9]{{1,{_DIGITS}}}"
    return re.compile(rf"{digits}(?:\.[0-9]{{1,{decimals}}})?" if decimals else digits)


def _cut(
    tags: Sequence[str], texts: Sequence[str], free: Sequence[int]
) -> tuple[tuple[str, ...], str]:
    """The written line without the texts at these places: what is before each, and the rest."""
    before: list[str] = []
    text = ""
    for place, (tag, held) in enumerate(zip(tags, texts, strict=False)):
        text += f"{tag}>"
        if place in free:
            before.append(text)
            text = "<"
        else:
            text += f"{held}<"
    return tuple(before), text + tags[-1]


def _gathered_below(node: Node) -> Iterator[Node]:
    for kids in node.children.values():
        for kid in kids:
            if kid.state.gathered:
                yield kid
            yield from _gathered_below(kid)
