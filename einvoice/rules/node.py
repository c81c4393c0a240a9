"""Nodes: the groups and terms of a document, with the text as written and the place.

A `Node` is one element, read from XML or built from an `Invoice`. Names carry
the prefix of their vocabulary ("cbc:ID", "cac:Party", "ram:ID"), paths are names joined by "/".

The accessors behave as XPath does in the official rules, which decides verdicts:

- a function of one text or one number raises `MoreThanOneItem` if it is given several elements;
- a text that is not a number or a date raises `InvalidNumber` or `InvalidDate`;
- an absent element is an empty text, and no number (None): comparisons with it are false.

>>> line = Node.tree("cac:InvoiceLine", {"cbc:ID": "1", "cac:Price": {"cbc:PriceAmount": "2.50"}})
>>> line.number("cac:Price/cbc:PriceAmount"), line.text_of("cbc:Note"), line.number("cbc:Percent")
(Decimal('2.50'), '', None)
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import Decimal
from typing import Final

from einvoice.rules.evaluation_errors import MoreThanOneItem
from einvoice.rules.states import State
from einvoice.rules.values import decimal_of

# Final: compiled, a constant is read as a variable of C, not looked up in its module.
NO_NODES: Final[Sequence[Node]] = ()
NO_CHILDREN: Final[dict[str, Sequence[Node]]] = {}
NO_ATTRIBUTES: Final[dict[str, str]] = {}


class _Steps(dict[str, tuple[tuple[str, ...], str]]):
    """Path → the names before the last, and the last. Paths are literals of our code, so few."""

    def __missing__(self, path: str) -> tuple[tuple[str, ...], str]:
        *above, last = path.split("/")
        self[path] = steps = (tuple(above), last)
        return steps


_STEPS: Final = _Steps()


class Node:
    """One element. Compared by identity, as two equal lines are two nodes."""

    __slots__ = ("attributes", "children", "parent", "position", "state", "text")

    state: State
    parent: Node | None
    position: int  # among the siblings of the same name, from 1
    text: str  # the string value of a term, untrimmed; "" for a group
    attributes: dict[str, str]
    children: dict[str, Sequence[Node]]  # name → in document order

    @staticmethod
    def of(
        state: State,
        parent: Node | None,
        position: int,
        text: str,
        attributes: dict[str, str],
        children: dict[str, Sequence[Node]],
    ) -> Node:
        """A node with these attributes. There is no `__init__`: it would take twice as long."""
        node = Node()
        node.state = state
        node.parent = parent
        node.position = position
        node.text = text
        node.attributes = attributes
        node.children = children
        return node

    @property
    def name(self) -> str:
        return self.state.name

    @property
    def place(self) -> str:
        """The path of local names with positions, in the form of the official reports."""
        steps: list[str] = []
        node: Node | None = self
        while node is not None:
            local = node.state.name.rpartition("}" if "}" in node.state.name else ":")[2]
            steps.append(f"/{local}[{node.position}]")
            node = node.parent
        return "".join(reversed(steps))

    def up(self, levels: int) -> Node:
        """The ancestor this many levels above; the root if there are fewer."""
        if levels == 1:
            return self.parent or self
        node = self
        for _ in range(levels):
            node = node.parent or node
        return node

    def within(self, name: str) -> bool:
        """Whether an ancestor has this name."""
        node = self.parent
        while node is not None:
            if node.state.name == name:
                return True
            node = node.parent
        return False

    def all(self, path: str) -> Sequence[Node]:
        """Every node on the path, in document order."""
        found = self.children.get(path)
        if found is not None:
            return found
        above, last = _STEPS[path]
        if not above:
            return NO_NODES
        node = self
        try:
            for step in above:
                found = node.children.get(step)
                if found is None:
                    return NO_NODES
                (node,) = found
        except ValueError:
            return self._all_branches(above, last)
        return node.children.get(last, NO_NODES)

    def _all_branches(self, above: Sequence[str], last: str) -> Sequence[Node]:
        """Every node on a path, where some step of the path has several nodes."""
        found: Sequence[Node] = (self,)
        for step in (*above, last):
            found = [kid for node in found for kid in node.children.get(step, NO_NODES)]
        return found

    def has(self, path: str) -> bool:
        return path in self.children or bool(self.all(path))

    def only(self, path: str) -> Node | None:
        """The node on the path, None if there is none. Raises MoreThanOneItem."""
        found = self.children.get(path) or self.all(path)
        if len(found) > 1:
            raise MoreThanOneItem(found[0], path, len(found))
        return found[0] if found else None

    def text_of(self, path: str) -> str:
        """The text on the path, "" if there is none. Raises MoreThanOneItem."""
        found = self.children.get(path) or self.all(path)
        if len(found) > 1:
            raise MoreThanOneItem(found[0], path, len(found))
        return found[0].text if found else ""

    def texts(self, path: str) -> list[str]:
        """Every text on the path, for comparisons that are true if they are for one of them."""
        found = self.children.get(path) or self.all(path)
        return [found[0].text] if len(found) == 1 else [node.text for node in found]

    def attributes_at(self, path: str, name: str) -> list[str]:
        """Every attribute of that name on the nodes of the path."""
        found = (node.attributes.get(name) for node in self.all(path))
        return [text for text in found if text is not None]

    def attribute_of(self, path: str, name: str) -> str:
        """The one attribute of that name on the path, "" if there is none.

        Raises MoreThanOneItem.
        """
        texts = self.attributes_at(path, name)
        if len(texts) > 1:
            raise MoreThanOneItem(self.all(path)[0], f"{path}/@{name}", len(texts))
        return texts[0] if texts else ""

    def number(self, path: str) -> Decimal | None:
        """The decimal on the path, None if there is none. Raises MoreThanOneItem, InvalidNumber."""
        found = self.children.get(path) or self.all(path)
        if len(found) > 1:
            raise MoreThanOneItem(found[0], path, len(found))
        return decimal_of(found[0]) if found else None

    def numbers(self, groups: str, path: str) -> Iterator[Decimal]:
        """The decimal at `path` in each of the groups that has one.

        Raises MoreThanOneItem, InvalidNumber.
        """
        for group in self.all(groups):
            number = group.number(path)
            if number is not None:
                yield number

    @classmethod
    def tree(cls, name: str, content: Mapping[str, object]) -> Node:
        """A node made of nested mappings ("@name" is an attribute), for examples and tests."""
        return _grow(name, None, 1, content)


def _grow(name: str, parent: Node | None, position: int, content: object) -> Node:
    node = Node.of(State.detached(name), parent, position, "", NO_ATTRIBUTES, NO_CHILDREN)
    if not isinstance(content, Mapping):
        node.text = str(content)
        return node
    node.attributes = {key[1:]: value for key, value in content.items() if key[0] == "@"}
    node.children = {
        key: [_grow(key, node, number, item) for number, item in enumerate(_listed(value), 1)]
        for key, value in content.items()
        if key[0] != "@"
    }
    return node


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list) else [value]
