"""The builder that writes a UBL document as text (einvoice/binding says which elements it has).

>>> from decimal import Decimal
>>> build = TextBuilder("Invoice", 'xmlns="urn:example"', "EUR")
>>> price = build.group(build.root, "cac:Price")
>>> build.text(price, "cbc:Note", None)
>>> build.amount(price, "cbc:PriceAmount", Decimal("2.50"))
>>> build.text(build.root, "cbc:Name", "A&B", {"schemeID": "0088"})
>>> for piece in build.finished().split("><"):
...     print(piece)
<Invoice xmlns="urn:example"
cac:Price
cbc:PriceAmount currencyID="EUR">2.50</cbc:PriceAmount
/cac:Price
cbc:Name schemeID="0088">A&amp;B</cbc:Name
/Invoice>
"""

from __future__ import annotations

from base64 import b64encode
from decimal import Decimal

from einvoice.binding.builder import NO_ATTRIBUTES, Builder
from einvoice.domain.money import plain


class Group:
    """An element that holds others; its start tag is written with the first of them."""

    __slots__ = ("above", "name", "started")

    def __init__(self, name: str, above: Group | None) -> None:
        self.name = name
        self.above = above
        self.started = above is None


class TextBuilder(Builder[Group]):
    """Collects the pieces of one document's text. Groups are started and ended as needed."""

    def __init__(self, root: str, namespaces: str, currency: str) -> None:
        super().__init__(Group(root, None), currency)
        self._pieces = [f"<{root} {namespaces}>"]
        self._write = self._pieces.append
        self._current = self.root  # the innermost group that is started and not ended
        self._in_currency = _written(self.currency)

    def finished(self) -> str:
        """The text of the document, its root element ended."""
        self._enter(self.root)
        return f"{''.join(self._pieces)}</{self.root.name}>"

    def group(self, parent: Group, name: str) -> Group:
        return Group(name, parent)

    def text(
        self,
        parent: Group,
        name: str,
        text: str | None,
        attributes: dict[str, str] = NO_ATTRIBUTES,
    ) -> None:
        if not text or text.isspace():
            return
        if parent is not self._current:
            self._enter(parent)
        if not text.isalnum():
            text = escape(text)
        if attributes:
            self._write(f"<{name}{_written(attributes)}>{text}</{name}>")
        else:
            self._write(f"<{name}>{text}</{name}>")

    def amount(self, parent: Group, name: str, value: Decimal | None) -> None:
        if value is not None:
            if parent is not self._current:
                self._enter(parent)
            self._write(f"<{name}{self._in_currency}>{plain(value)}</{name}>")

    def binary(self, parent: Group, name: str, content: bytes, attributes: dict[str, str]) -> None:
        self.text(parent, name, b64encode(content).decode("ascii"), attributes)

    def _enter(self, group: Group) -> None:
        """End the groups that do not hold this one, and start it and those around it."""
        if group.started:
            current = self._current
            while current is not group:
                if current.above is None:
                    raise ValueError(f"{group.name} has ended: its elements must follow each other")
                self._write(f"</{current.name}>")
                current = current.above
        else:
            if group.above is not None and group.above is not self._current:
                self._enter(group.above)
            self._write(f"<{group.name}>")
            group.started = True
        self._current = group


def escape(text: str) -> str:
    """Text as XML carries it; a carriage return would otherwise be read as a line feed.

    Characters that XML cannot carry at all are refused in write.document_xml.
    """
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;") if "\r" in text else text


def _written(attributes: dict[str, str]) -> str:
    return "".join([f' {name}="{_quote(value)}"' for name, value in attributes.items()])


def _quote(text: str) -> str:
    """An attribute's value: also its quotes, and the line breaks and tabs that a parser would
    turn into spaces."""
    text = escape(text).replace('"', "&quot;")
    return text.replace("\n", "&#10;").replace("\t", "&#9;")
