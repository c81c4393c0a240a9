"""Lines that repeat one before them: most of a long invoice need not be read node by node.

Lines are written by a program, so most are the same text but for a few terms: number, name,
amounts. A line that was read is a *precedent*: its text is cut at these terms, and a line that has
the same text between them, words that are not blank, and amounts that fit together in the same way
(line_sums.py) breaks a rule only if the precedent breaks it. It joins the view as a copy of the
precedent with its own net amount, which sums need, and no rule is run on it.

Where a line that others repeat is wrong, the document is read again in full (engine.py).

That holds as long as rules ask no more of these terms: tests/rules/test_precedents.py watches what
every rule reads, and compares verdicts with those of documents read in full.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from lxml import etree

from einvoice.rules.automaton import State
from einvoice.rules.line_sums import Leaf, LineTerms, Sums
from einvoice.rules.node import Node
from einvoice.rules.values import decimals
from einvoice.rules.view import View

if TYPE_CHECKING:
    from einvoice.rules.reading import Element

_UNCOMPARED = 5  # lines before the first comparison: a short invoice gains nothing
_MOST = 12  # lines that may be precedents
_PATIENCE = 16  # lines that may repeat none, beside as many as do
_NET = 2  # the number of the net amount (line_sums.py)

_BETWEEN_TAGS = re.compile(r">([^<]*)<")


@dataclass(frozen=True, slots=True)
class Precedent:
    """A line that was read, with its text cut at the terms in which others may differ."""

    node: Node
    net: tuple[str, ...]  # the names on the way to the net amount
    before: tuple[str, ...]  # the text before each of these terms
    rest: str
    sums: Sums | None  # None: the amounts may not differ
    amounts: tuple[int, ...]  # which of the terms they are
    forms: tuple[re.Pattern[str], ...]  # of the amounts: as many decimals, or fewer
    gathered: tuple[Node, ...]  # the nodes below the line that the view gathers

    @classmethod
    def of(cls, element: Element, node: Node, terms: LineTerms) -> Precedent | None:
        """The precedent that a line sets; None if it is written in an unusual way."""
        written = _written(element)
        pieces = _BETWEEN_TAGS.split(written)
        tags, texts = pieces[::2], pieces[1::2]
        leaves = _leaves(element, node.state, tags, texts, terms)
        if "<!" in written or "<?" in written or leaves is None:
            return None
        paths = Counter(leaf.path for leaf in leaves)
        words = {
            leaf.place for leaf in leaves if leaf.path in terms.words and paths[leaf.path] == 1
        }
        sums = Sums.of(leaves, terms)
        amounts = () if sums is None else sums.places
        free = sorted(words.union(amounts))
        return cls(
            node,
            tuple(terms.net.split("/")),
            *_cut(tags, texts, free),
            sums,
            tuple(free.index(place) for place in amounts),
            tuple(_form(decimals(texts[place])) for place in amounts),
            tuple(_gathered_below(node)),
        )

    def repeated(self, written: str, parent: Node, view: View) -> Node | None:
        """The line of this text as a copy of the precedent; None if it must be judged itself."""
        found = self._differing(written) if self.node.parent is parent else None
        if found is None or not all(map(str.strip, found)):
            return None
        amounts = [found[number] for number in self.amounts]
        if self.sums is not None and not (self._in_form(amounts) and self.sums.hold(amounts)):
            return None
        for node in self.gathered:
            view.gather(node)
        return self._copied(parent, amounts[_NET] if amounts else None, view)

    def serves(self, written: str) -> bool:
        """Would this line be a copy, if its words and amounts were good?"""
        found = self._differing(written)
        return found is not None and self._in_form([found[number] for number in self.amounts])

    def _in_form(self, amounts: Sequence[str]) -> bool:
        return all(map(re.Pattern.fullmatch, self.forms, amounts))

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

    def _copied(self, parent: Node, net: str | None, view: View) -> Node:
        """A line that shares all nodes of the precedent but those on the way to its net amount."""
        original = self.node
        line = Node.of(original.state, parent, 1, "", original.attributes, original.children)
        if net is None:
            return line
        group = line
        for name in self.net:
            (original,) = original.children[name]
            below = Node.of(original.state, group, 1, "", original.attributes, original.children)
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
        self._read: list[tuple[Element, Node]] = []  # lines that may be precedents
        self._repeated = self._strangers = 0

    def places(self) -> list[str]:
        """Where the lines are that others repeat."""
        return [precedent.node.place for precedent in self._known] if self._repeated else []

    def repeated(self, element: Element, parent: Node, view: View) -> Node | None:
        """The line as a copy of one before it; None if it must be read."""
        if not _UNCOMPARED <= self._strangers <= _PATIENCE + self._repeated:
            return None
        self._learn()
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
        if self._strangers <= _MOST:
            self._read.append((element, line))

    def _learn(self) -> None:
        """What can be learnt from the lines that were read since the last comparison."""
        for element, line in self._read:
            written = _written(element)
            if any(precedent.serves(written) for precedent in self._known):
                continue
            precedent = Precedent.of(element, line, self._terms[line.name])
            if precedent is not None:
                self._known.insert(0, precedent)
        self._read.clear()


def _written(element: Any) -> str:
    """The line as lxml writes it: tags, attributes and escapes always in the same way."""
    return etree.tostring(element, encoding="unicode", with_tail=False)


def _leaves(
    element: Element, state: State, tags: Sequence[str], texts: Sequence[str], terms: LineTerms
) -> list[Leaf] | None:
    """All terms of the line in document order; None if some are empty, or hold other things."""
    held = [
        place
        for place, tag in enumerate(tags[:-1])
        if tag[0] != "/" != tag[-1] and tags[place + 1][0] == "/"
    ]
    paths = list(_paths(element, state, "", None, terms.adjustment.group))
    if len(held) != len(paths):
        return None
    return [
        Leaf(path, texts[place], place, adjustment)
        for (path, adjustment), place in zip(paths, held, strict=True)
    ]


def _paths(
    element: Element, state: State, above: str, adjustment: object | None, group: str
) -> Iterator[tuple[str, object | None]]:
    """The paths of all elements that hold no other, with the allowance or charge around each."""
    for child in element:
        if not isinstance(child.tag, str):
            continue
        below = state.moves.get(child.tag) or state.enter(child.tag)
        path = f"{above}/{below.name}" if above else below.name
        if len(child):
            yield from _paths(child, below, path, child if path == group else adjustment, group)
        else:
            yield path, adjustment


@cache
def _form(decimals: int) -> re.Pattern[str]:
    """A plain number with at most so many decimals."""
    digits = "[0-9]{1,6}"
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
