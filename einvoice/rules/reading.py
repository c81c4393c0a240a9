"""XML → view, in one pass over a tree that the hardened parser has built.

The pass walks lxml elements, of which it needs `tag`, `text`, `tail`, `items()` and iteration.
Comments and processing instructions are no nodes; the text they cut in two is kept as one string
value and, for rules that ask, as its pieces.

Depth is bounded by the parser (256 levels), so the walk may call itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sized
from typing import Protocol, cast

from einvoice.rules.node import NO_ATTRIBUTES, NO_CHILDREN, Node
from einvoice.rules.states import Matcher, State
from einvoice.rules.values import XML_SPACE
from einvoice.rules.view import View

Shared = dict[tuple[str, str], Mapping[str, str]]  # attributes that are alike, once a document
Siblings = tuple[Node] | list[Node]


class Element(Iterable["Element"], Sized, Protocol):
    """What the pass uses of an lxml element."""

    tag: str  # something else on comments and processing instructions
    text: str | None
    tail: str | None

    def items(self) -> list[tuple[str, str]]: ...


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
    """Add the children of an element to its node, and theirs. The one hot loop of the rules.

    Most elements stand alone, so siblings become a list only at the second; most attributes are
    the currency or the unit, so equal ones are `shared`: half the memory, and less time.
    """
    moves = node.state.moves
    children: dict[str, Siblings] = {}
    node.children = children
    view.groups.append(node)
    candidates = view.candidates
    for child in element:
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
        if items and state.attributes:
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
                _blank(kid, view)
    if node.state.term or not children:
        _join_text(element, node, view)
    if node.state.line and line_copies is not None:
        line_copies.add(element, node)


def _enter(state: State, tag: object) -> State | None:
    """The state of an element that was not met there before; a comment has none."""
    return state.enter(tag) if isinstance(tag, str) else None


def _join_copy(
    element: Element, state: State, parent: Node, view: View, line_copies: LineCopies
) -> bool:
    """Add the line to its parent as a copy of one before it; False if it repeats none."""
    line = line_copies.copy(element, parent, view)
    if line is None:
        return False
    _join(line, state.name, cast("dict[str, Siblings]", parent.children), view)
    if state.registered:
        view.register(line, state)
    return True


def _join(kid: Node, name: str, children: dict[str, Siblings], view: View) -> None:
    """One more of a name that is there already: what waits for repetition wakes up."""
    siblings = children[name]
    kid.position = len(siblings) + 1
    if isinstance(siblings, list):
        siblings.append(kid)
    else:
        children[name] = [siblings[0], kid]
    if kid.state.repeated:
        view.trigger(kid, kid.state.repeated)


def _attributes(items: list[tuple[str, str]], shared: Shared) -> Mapping[str, str]:
    if len(items) > 1:
        return dict(items)
    attributes = shared.get(items[0])
    if attributes is None:
        attributes = shared[items[0]] = dict(items)
    return attributes


def _trigger_by_attributes(node: Node, view: View) -> None:
    waiting = node.state.attributes
    for name in node.attributes:
        if name in waiting:
            view.trigger(node, waiting[name])


def _join_text(element: Element, node: Node, view: View) -> None:
    """The value of a term that comments or elements cut in pieces."""
    own = (element.text, *(child.tail for child in element))
    pieces = tuple(piece for piece in own if piece)
    view.set_text_nodes(node, pieces)
    inside = node.parent is not None and node.parent.state.term  # once is enough for hostile input
    node.text = "".join(_string_value(element) if node.children and not inside else pieces)
    if not node.children:
        _blank(node, view)


def _blank(node: Node, view: View) -> None:
    """Note a node without elements if nothing but XML's own white space is in it."""
    if not node.text.strip(XML_SPACE):
        view.blank.append(node)


def _string_value(element: Element) -> Iterator[str]:
    yield element.text or ""
    for child in element:
        if isinstance(child.tag, str):
            yield from _string_value(child)
        yield child.tail or ""
