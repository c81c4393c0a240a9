"""XML → view, in one pass over the tree of the hardened parser (einvoice/xml.py).

The pass uses `tag`, `text`, `tail`, `items()`, slices and iteration of lxml elements. Comments and
processing instructions are not nodes; a text that they split is kept as one string value and, for
rules that read text nodes, in pieces.

The parser bounds the depth (256 levels), so the pass may recurse.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Protocol

from einvoice.rules.node import NO_ATTRIBUTES, NO_CHILDREN, Node
from einvoice.rules.states import Matcher, State
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

Shared = dict[tuple[str, str], dict[str, str]]  # equal attributes, one mapping for a document
_MANY = 1_000  # children of an element; fewer are listed at once, which is faster


class Element(Iterable["Element"], Sized, Protocol):
    """The part of an lxml element that the pass uses."""

    tag: Any  # a string; not for comments and processing instructions
    text: str | None
    tail: str | None
    prefix: str | None

    def items(self) -> list[tuple[str, str]]: ...

    def __getitem__(self, children: slice, /) -> list[Element]: ...


class LineCopies(Protocol):
    """Lines that need not be read, because they repeat one before them."""

    def copy(self, element: Element, parent: Node, view: View) -> Node | None:
        """The line as a copy of one before it; None if it must be read."""
        ...

    def add(self, element: Element, line: Node) -> None:
        """Add a line that was read."""
        ...


def read(root: Element, matcher: Matcher, line_copies: LineCopies | None = None) -> View:
    """Fill a view from the document element; with repeated lines as copies, if given."""
    state = matcher.root(root.tag)
    node = Node.of(state, None, 1, "", dict(root.items()), NO_CHILDREN)
    view = View(node)
    if state.candidate:
        view.candidates.append(node)
    if state.registered:
        view.register(node, state)
    if state.attributes:
        _trigger_by_attributes(node, view)
    _fill(root, node, view, line_copies, {})
    return view


def _fill(
    element: Element, node: Node, view: View, line_copies: LineCopies | None, shared: Shared
) -> None:
    """Add the descendants of an element to its node. Most of the time of reading is spent here.

    Most elements have no sibling of the same name, so siblings become a list only at the second;
    most attributes are the currency or the unit, so equal ones share a mapping.
    """
    moves = node.state.moves
    children: dict[str, Sequence[Node]] = {}
    node.children = children
    view.groups.append(node)
    candidates = view.candidates
    for child in element[:] if len(element) < _MANY else element:
        state = moves.get(child.tag) or _enter(node.state, child.tag)
        if state is None:
            continue
        if (
            state.line
            and line_copies is not None
            and _join_copy(child, state, node, view, line_copies)
        ):
            continue
        kid = Node()
        kid.state = state
        kid.parent = node
        items = child.items()
        kid.attributes = _attributes(items, shared) if items else NO_ATTRIBUTES
        name = state.name
        if name in children:
            _join(kid, name, children, view)
        else:
            kid.position = 1
            children[name] = (kid,)
        if items and not state.attributes.keys().isdisjoint(kid.attributes):
            _trigger_by_attributes(kid, view)
        if state.candidate:
            candidates.append(kid)
        if state.registered:
            view.register(kid, state)
        if len(child):
            kid.text = ""
            _fill(child, kid, view, line_copies, shared)
        else:
            kid.text = text = child.text or ""
            kid.children = NO_CHILDREN
            if not text or text.isspace():
                _blank(child, kid, view)
    if node.state.term or not children:
        _join_text(element, node, view)
    if node.state.line and line_copies is not None:
        line_copies.add(element, node)


def _enter(state: State, tag: object) -> State | None:
    """The state of an element that is new to this state; None for a comment."""
    return state.enter(tag) if isinstance(tag, str) else None


def _join_copy(
    element: Element, state: State, parent: Node, view: View, line_copies: LineCopies
) -> bool:
    """Add the line to its parent as a copy of one before it; False if it repeats none."""
    line = line_copies.copy(element, parent, view)
    if line is None:
        return False
    _join(line, state.name, parent.children, view)
    if state.registered:
        view.register(line, state)
    return True


def _join(kid: Node, name: str, children: dict[str, Sequence[Node]], view: View) -> None:
    """Add a further child of a name, and trigger the rules for repetition."""
    siblings = children[name]
    kid.position = len(siblings) + 1
    if isinstance(siblings, list):
        siblings.append(kid)
    else:
        children[name] = [siblings[0], kid]
    if kid.state.repeated:
        view.trigger(kid, kid.state.repeated)


def _attributes(items: list[tuple[str, str]], shared: Shared) -> dict[str, str]:
    if len(items) > 1:
        return dict(items)
    attributes = shared.get(items[0])
    if attributes is None:
        attributes = shared[items[0]] = dict(items)
    return attributes


def _trigger_by_attributes(node: Node, view: View) -> None:
    triggers = node.state.attributes
    for name in node.attributes:
        if name in triggers:
            view.trigger(node, triggers[name])


def _join_text(element: Element, node: Node, view: View) -> None:
    """Set the text of an element that has comments or elements inside its text."""
    own = (element.text, *(child.tail for child in element))
    pieces = tuple(piece for piece in own if piece)
    view.set_text_nodes(node, pieces)
    inside = (
        node.parent is not None and node.parent.state.term
    )  # nested terms would take quadratic time
    node.text = "".join(_string_value(element) if node.children and not inside else pieces)
    if not node.children:
        _blank(element, node, view)


def _blank(element: Element, node: Node, view: View) -> None:
    """Note a node without children if its text is only XML white space."""
    if node.text.strip(XML_SPACE):
        return
    view.blank.append(node)
    if node.name.partition(":")[0] != element.prefix:
        view.renamed.add(node)


def _string_value(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield from _string_value(child)
        yield child.tail or ""
