"""The builder that fills a view (einvoice/binding says which elements the document has).

A group joins its parent when the first term below it does.
So `fill.text(fill.group(party, "cac:PartyName"), "cbc:Name", None)` adds no node.
"""

from __future__ import annotations

from einvoice.binding.builder import Builder
from einvoice.rules.node import NO_ATTRIBUTES, NO_CHILDREN, Node
from einvoice.rules.states import Matcher
from einvoice.rules.view import View

_APART = 0  # the position of a group that has not joined its parent
_CONTENT = "content"  # in place of an embedded file, which no rule reads


class Fill(Builder[Node]):
    """One view being filled."""

    def __init__(self, matcher: Matcher, root: str, currency: str) -> None:
        state = matcher.root(root)
        super().__init__(Node.of(state, None, 1, "", NO_ATTRIBUTES, {}), currency)
        self.view = View(self.root)
        self.view.groups.append(self.root)
        if state.candidate:
            self.view.candidates.append(self.root)
        if state.registered:
            self.view.register(self.root, state)

    def group(self, parent: Node, name: str) -> Node:
        """A group, which joins its parent when its first term does."""
        state = parent.state.moves.get(name) or parent.state.enter(name)
        return Node.of(state, parent, _APART, "", NO_ATTRIBUTES, {})

    def text(
        self,
        parent: Node,
        name: str,
        text: str | None,
        attributes: dict[str, str] = NO_ATTRIBUTES,
    ) -> None:
        """A term; a blank text is not written."""
        if not text or text.isspace():
            return
        state = parent.state.moves.get(name) or parent.state.enter(name)
        node = Node()  # `Node.of` written out: most nodes are made here
        node.state = state
        node.parent = parent
        node.text = text
        node.attributes = attributes
        node.children = NO_CHILDREN
        self._join(node, parent)
        if attributes and state.attributes:
            for attribute in attributes:
                if attribute in state.attributes:
                    self.view.trigger(node, state.attributes[attribute])

    def binary(self, parent: Node, name: str, content: bytes, attributes: dict[str, str]) -> None:
        if content:
            self.text(parent, name, _CONTENT, attributes)

    def _join(self, node: Node, parent: Node) -> None:
        if parent.position == _APART and parent.parent is not None:
            self.view.groups.append(parent)
            self._join(parent, parent.parent)
        state = node.state
        children: dict[str, list[Node]] = parent.children  # type: ignore[assignment]  # see `group`
        siblings = children.get(state.name)
        if siblings is None:
            node.position = 1
            children[state.name] = [node]
        else:
            siblings.append(node)
            node.position = len(siblings)
            if state.repeated:
                self.view.trigger(node, state.repeated)
        if state.candidate:
            self.view.candidates.append(node)
        if state.registered:
            self.view.register(node, state)
