"""A view that is filled from values: terms and groups are put below a node.

As in a written document, what has no value is not there: a group joins its parent when the first
term below it does. So `fill.text(fill.group(party, "cac:PartyName"), "cbc:Name", None)` leaves
nothing behind.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from decimal import Decimal

from einvoice.domain.invoice import Identifier
from einvoice.domain.money import plain
from einvoice.rules.automaton import Automaton
from einvoice.rules.node import NO_ATTRIBUTES, NO_CHILDREN, Node
from einvoice.rules.view import View

_APART = 0  # the position of a group that has not joined its parent


class Fill:
    """One view being filled, with the attributes that all amounts of the document share."""

    def __init__(self, automaton: Automaton, root: str, currency: str) -> None:
        state = automaton.root(root)
        self.root = Node.of(state, None, 1, "", NO_ATTRIBUTES, {})
        self.view = View(self.root)
        self.view.groups.append(self.root)
        if state.visited:
            self.view.hits.append(self.root)
        if state.active:
            self.view.met(self.root, state)
        self.currency: Mapping[str, str] = {"currencyID": currency} if currency else NO_ATTRIBUTES

    def group(self, parent: Node, name: str) -> Node:
        """A group that will stand below the parent once it holds something."""
        state = parent.state.moves.get(name) or parent.state.enter(name)
        return Node.of(state, parent, _APART, "", NO_ATTRIBUTES, {})

    def text(
        self,
        parent: Node,
        name: str,
        text: str | None,
        attributes: Mapping[str, str] = NO_ATTRIBUTES,
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
                    self.view.wake(node, state.attributes[attribute])

    def day(self, parent: Node, name: str, value: date | None) -> None:
        if value is not None:
            self.text(parent, name, value.isoformat())

    def number(self, parent: Node, name: str, value: Decimal | None) -> None:
        if value is not None:
            self.text(parent, name, plain(value))

    def amount(self, parent: Node, name: str, value: Decimal | None) -> None:
        """An amount in the currency of the document."""
        if value is not None:
            self.text(parent, name, plain(value), self.currency)

    def quantity(self, parent: Node, name: str, value: Decimal | None, unit: str | None) -> None:
        if value is not None:
            self.text(parent, name, plain(value), {"unitCode": unit} if unit else NO_ATTRIBUTES)

    def identified(self, parent: Node, name: str, value: Identifier | None) -> None:
        """An identifier with its scheme."""
        if value is not None:
            scheme = value.scheme
            self.text(parent, name, value.value, {"schemeID": scheme} if scheme else NO_ATTRIBUTES)

    def reference(self, parent: Node, name: str, number: str | None) -> None:
        """A group that holds an identifier and nothing else."""
        if number:
            self.text(self.group(parent, name), "cbc:ID", number)

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
                self.view.wake(node, state.repeated)
        if state.visited:
            self.view.hits.append(node)
        if state.active:
            self.view.met(node, state)
