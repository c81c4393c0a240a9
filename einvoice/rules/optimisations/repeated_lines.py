"""Repeated lines: most of a long invoice is copied from lines read before, not read node by node.

Lines are written by a program, so most are the same text but for a few terms: number, name,
amounts. The text is cut out of the document's bytes if they are given; else lxml writes it, which
takes longer than comparing. A line that was read becomes a *template*: its text is split at these
terms. A line with the same text between them, words that are not blank, and amounts that satisfy
the same arithmetic (line_sums.py) breaks a rule only if the template breaks it. It joins the view
as a copy of the template with its own net amount, which sums need, and no rule is run on it.

If a rule is broken in a line that others repeat, the document is read again in full (engine.py).

This is correct as long as rules read no more of these terms: tests/rules/test_repeated_lines.py
records what every rule reads, and compares verdicts with those of documents read in full.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

from lxml import etree

from einvoice.rules.node import Node
from einvoice.rules.optimisations.line_sums import Leaf, LineTerms, Sums
from einvoice.rules.reading import Element
from einvoice.rules.states import State
from einvoice.rules.values import decimals
from einvoice.rules.view import View

_MIN_LINES_READ = 5  # before the first comparison: a short invoice gains nothing
_MAX_TEMPLATES = 12
_MAX_LINES_UNMATCHED = 16  # beyond the number of copies; then comparing is given up
_NET = 2  # the index of the net amount (line_sums.py)

_BETWEEN_TAGS = re.compile(r">([^<>]*)<")


@dataclass(frozen=True, slots=True)
class LineTemplate:
    """A line that was read, with its text split at the terms in which others may differ."""

    node: Node
    net: tuple[str, ...]  # the names from the line down to its net amount
    before: tuple[str, ...]  # the fixed text before each of these terms
    rest: str  # the fixed text after the last
    sums: Sums | None  # None: the amounts may not differ
    amounts: tuple[int, ...]  # which of the terms they are
    form: re.Pattern[str]  # of the amounts, one a line: as many decimals, or fewer
    gathered: tuple[Node, ...]  # the nodes below the line that the view gathers

    @classmethod
    def of(
        cls,
        element: Element,
        node: Node,
        written: str,
        terms: LineTerms,
        *,
        line_sums: bool = True,
    ) -> LineTemplate | None:
        """The template made of a line; None if the line is written in an unusual way."""
        if "<!" in written or "<?" in written or written.count("<") != written.count(">"):
            return None
        pieces = _BETWEEN_TAGS.split(written)
        tags, texts = pieces[::2], pieces[1::2]
        leaves = _leaves(element, node.state, tags, texts, terms)
        if leaves is None:
            return None
        paths = Counter(leaf.path for leaf in leaves)
        text_places = {
            leaf.place for leaf in leaves if leaf.path in terms.words and paths[leaf.path] == 1
        }
        sums = Sums.of(leaves, terms) if line_sums else None
        amounts = () if sums is None else sums.places
        free = sorted(text_places.union(amounts))
        return cls(
            node,
            tuple(terms.net.split("/")),
            *_split_at(tags, texts, free),
            sums,
            tuple(free.index(place) for place in amounts),
            _form(tuple(decimals(texts[place]) for place in amounts)),
            tuple(_gathered_below(node)),
        )

    def copy(self, written: str, parent: Node, view: View) -> Node | None:
        """The line with this text as a copy of the template; None if rules must be run on it."""
        found = self._free_texts(written) if self.node.parent is parent else None
        if found is None or not all(map(str.strip, found)):
            return None
        amounts = [found[number] for number in self.amounts]
        if self.sums is not None and not (self._in_form(amounts) and self.sums.hold(amounts)):
            return None
        view.gather_again(self.gathered)
        return self._copied(parent, amounts[_NET] if amounts else None, view)

    def fits(self, written: str) -> bool:
        """Whether this line differs only in its words and amounts, whatever they are."""
        found = self._free_texts(written)
        return found is not None and self._in_form([found[number] for number in self.amounts])

    def _in_form(self, amounts: Sequence[str]) -> bool:
        return self.form.fullmatch("\n".join(amounts)) is not None

    def _free_texts(self, written: str) -> list[str] | None:
        """The text of each term that may differ; None if anything else differs."""
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
        """A line that shares all nodes of the template but those from it down to its net amount."""
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


class RepeatedLines:
    """The line templates of one document, and the lines copied from them.

    source  the bytes that the document was parsed from; None if they are not known
    """

    def __init__(
        self,
        terms: Mapping[str, LineTerms],
        source: bytes | None = None,
        *,
        line_sums: bool = True,
    ) -> None:
        self._terms = terms
        self._source = source
        self._line_sums = line_sums
        self._texts: LineTexts | None = None
        self._templates: list[LineTemplate] = []
        self._read: list[tuple[Element, Node]] = []  # lines that templates may be made of
        self._copied = self._unmatched = 0

    def template_places(self) -> list[str]:
        """The places of the lines that others repeat; empty if none was copied."""
        return [template.node.place for template in self._templates] if self._copied else []

    def repeat_one_of(self, places: Iterable[str]) -> bool:
        """Whether one of these places is in a line that others repeat."""
        templates = tuple(f"{place}/" for place in self.template_places())
        return bool(templates) and any(f"{place}/".startswith(templates) for place in places)

    def copy(self, element: Element, parent: Node, view: View) -> Node | None:
        """The line as a copy of one before it; None if it must be read."""
        if not _MIN_LINES_READ <= self._unmatched <= _MAX_LINES_UNMATCHED + self._copied:
            return None
        self._make_templates()
        written = self._written(element)
        if "&#" in written:  # white space that str.strip does not remove while it is escaped
            return None
        for template in self._templates:
            copy = template.copy(written, parent, view)
            if copy is not None:
                self._copied += 1
                return copy
        return None

    def add(self, element: Element, line: Node) -> None:
        """Add a line that was read: others may repeat it."""
        self._unmatched += 1
        if self._unmatched <= _MAX_TEMPLATES:
            self._read.append((element, line))

    def _make_templates(self) -> None:
        """Make templates of the lines read since the last comparison."""
        for element, line in self._read:
            written = self._written(element)
            if any(template.fits(written) for template in self._templates):
                continue
            terms = self._terms[line.name]
            template = LineTemplate.of(element, line, written, terms, line_sums=self._line_sums)
            if template is not None:
                self._templates.insert(0, template)
        self._read.clear()

    def _written(self, element: Element) -> str:
        if self._texts is None:
            self._texts = LineTexts(self._source, element)
        return self._texts.of(element)


class LineTexts:
    """The text of each line: cut out of the document's bytes, or else written by lxml.

    The bytes are not parsed again. The n-th place that looks like the start of a line is that of
    the n-th line if there are as many of them as lines beside each other, all of one prefix; not if
    there are more: in a comment, or of an element elsewhere.
    """

    def __init__(self, source: bytes | None, line: Any) -> None:
        """source: None if it is not known. line: any of them, all of one parent."""
        self._source = source or b""
        prefix = f"{line.prefix}:" if line.prefix else ""
        name = f"{prefix}{etree.QName(line).localname}".encode()
        starts = [found.start() for found in re.finditer(rb"<%b(?=[\s/>])" % name, self._source)]
        lines = list(line.getparent().iterchildren(line.tag)) if starts else []
        if len(starts) != len(lines) or any(each.prefix != line.prefix for each in lines):
            lines = []
        self._closing = b"</%b" % name
        self._places = dict(zip(lines, pairwise([*starts, len(self._source)]), strict=False))

    def of(self, line: Element) -> str:
        start, after = self._places.get(line, (0, 0))
        end = self._source.find(self._closing, start, after)
        return self._source[start:end].decode() + "</>" if end > 0 else serialised(line)


def serialised(line: Any) -> str:
    """The line as lxml writes it: tags, attributes and escapes always in the same form."""
    return etree.tostring(line, encoding="unicode", with_tail=False)


def _leaves(
    element: Element, state: State, tags: Sequence[str], texts: Sequence[str], terms: LineTerms
) -> list[Leaf] | None:
    """All terms of the line in document order; None if one is empty or holds more than text."""
    held = [
        place
        for place, tag in enumerate(tags[:-1])
        if tag[0] != "/" != tag[-1] and tags[place + 1][0] == "/" and texts[place]
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
    """The path of each element without children, with the allowance or charge around it."""
    for child in element:
        if not isinstance(child.tag, str):
            continue
        below = state.moves.get(child.tag) or state.enter(child.tag)
        path = f"{above}/{below.name}" if above else below.name
        if len(child):
            yield from _paths(child, below, path, child if path == group else adjustment, group)
        else:
            yield path, adjustment


@lru_cache(maxsize=256)
def _form(decimals: tuple[int, ...]) -> re.Pattern[str]:
    """The form of unsigned numbers, one a line, each with at most so many decimals."""
    digits = "[0-9]{1,6}"
    return re.compile(
        "\n".join(rf"{digits}(?:\.[0-9]{{1,{most}}})?" if most else digits for most in decimals)
    )


def _split_at(
    tags: Sequence[str], texts: Sequence[str], free: Sequence[int]
) -> tuple[tuple[str, ...], str]:
    """The written line without the texts at these indices: the text before each, and the rest."""
    pieces = [f"{tag}>{text}<" for tag, text in zip(tags, texts, strict=False)]
    pieces.append(tags[-1])
    for place in free:
        pieces[place] = f"{tags[place]}>"
        pieces[place + 1] = f"<{pieces[place + 1]}"
    starts = [0, *(place + 1 for place in free)]
    before = ("".join(pieces[start:end]) for start, end in pairwise(starts))
    return tuple(before), "".join(pieces[starts[-1] :])


def _gathered_below(node: Node) -> Iterator[Node]:
    for kids in node.children.values():
        for kid in kids:
            if kid.state.gathered:
                yield kid
            yield from _gathered_below(kid)
