"""A builder that keeps a document as elements, to which others can be added in their order."""

from __future__ import annotations

from dataclasses import dataclass, field

from einvoice.binding.builder import NO_ATTRIBUTES, Builder, GroupT
from einvoice.binding.ubl.sequences import SEQUENCES


@dataclass(slots=True)
class Element:
    """An element with its text or its children; `content`: of an embedded file."""

    name: str
    text: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element] = field(default_factory=list)
    content: bytes = b""
    above: Element | None = None  # of a group that has not joined it

    def first(self, name: str) -> Element | None:
        return next((each for each in self.children if each.name == name), None)

    def placed(self, name: str) -> Element:
        """The first child of this name, which is made where the schema has it if there is none."""
        found = self.first(name)
        if found is None:
            found = Element(name)
            self.children.insert(self._place(name), found)
        return found

    def _place(self, name: str) -> int:
        order = SEQUENCES[self.name]
        later = order[order.index(name) + 1 :]
        places = (at for at, each in enumerate(self.children) if each.name in later)
        return next(places, len(self.children))

    def has_place(self, path: list[str]) -> bool:
        """Whether the schema has this path below the element."""
        parents = [self.name, *path[:-1]]
        return all(
            name in SEQUENCES.get(parent, ()) for parent, name in zip(parents, path, strict=True)
        )

    def put(self, path: str, text: str) -> None:
        """Set the text or attribute on a path. An attribute needs its element; a path that the
        schema does not have below the element is left out."""
        steps, _, attribute = path.partition("/@")
        names = steps.split("/")
        if attribute:
            found: Element | None = self
            for name in names:
                found = found and found.first(name)
            if found is not None:
                found.attributes = {**found.attributes, attribute: text}
        elif self.has_place(names):
            at = self
            for name in names:
                at = at.placed(name)
            at.text = text


class Sketch(Builder[Element]):
    """Keeps the elements of one document."""

    def __init__(self, root: str, currency: str) -> None:
        super().__init__(Element(root), currency)

    def group(self, parent: Element, name: str) -> Element:
        return Element(name, above=parent)

    def text(
        self,
        parent: Element,
        name: str,
        text: str | None,
        attributes: dict[str, str] = NO_ATTRIBUTES,
    ) -> None:
        if text and not text.isspace():
            _joined(parent).children.append(Element(name, text, attributes))

    def binary(
        self, parent: Element, name: str, content: bytes, attributes: dict[str, str]
    ) -> None:
        if content:
            _joined(parent).children.append(Element(name, "", attributes, content=content))


def _joined(group: Element) -> Element:
    """The group, which joins its parent with its first term."""
    if group.above is not None:
        above, group.above = group.above, None
        _joined(above).children.append(group)
    return group


def replay(element: Element, build: Builder[GroupT], group: GroupT) -> None:
    """Put the children of an element into a group of another builder."""
    for child in element.children:
        if child.content:
            build.binary(group, child.name, child.content, child.attributes)
        elif child.children:
            replay(child, build, build.group(group, child.name))
        else:
            build.text(group, child.name, child.text, child.attributes)
