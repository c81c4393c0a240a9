"""The vocabulary of UBL 2.1: namespaces, and elements that write themselves.

`cbc.ID("7", schemeID="0088")` is the text of a basic element, `cac.Price(...)` of an aggregate;
both are "" when there is nothing to say: no empty element can be written (PEPPOL-EN16931-R008).

>>> cbc.ID("A&B", schemeID="0088")
'<cbc:ID schemeID="0088">A&amp;B</cbc:ID>'
>>> cac.Item(cbc.Description(None), cbc.Name("Chair"))
'<cac:Item><cbc:Name>Chair</cbc:Name></cac:Item>'
>>> cac.Item(cbc.Description(None))
''
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

INVOICE = "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
CREDIT_NOTE = "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2"
CAC = "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2"
CBC = "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"


class Basic(Protocol):
    """Writes one basic element: its text and its attributes, those that are present."""

    def __call__(self, text: str | None, /, **attributes: str | None) -> str: ...


Aggregate = Callable[..., str]


def escape(text: str) -> str:
    """Text as XML carries it; a carriage return would otherwise come back as a line feed.

    Characters that XML cannot carry at all are the document's concern (write.document_xml).
    """
    if text.isalnum():
        return text
    text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\r", "&#13;") if "\r" in text else text


def _quote(text: str) -> str:
    """An attribute's value: also its quotes, and the blanks that a parser would level out."""
    text = escape(text).replace('"', "&quot;")
    return text.replace("\n", "&#10;").replace("\t", "&#9;")


def _basic(name: str) -> Basic:
    opening, closing = f"<cbc:{name}", f"</cbc:{name}>"

    def element(text: str | None, /, **attributes: str | None) -> str:
        if not text or text.isspace():
            return ""
        if not attributes:
            return f"{opening}>{escape(text)}{closing}"
        written = "".join([f' {k}="{_quote(v)}"' for k, v in attributes.items() if v])
        return f"{opening}{written}>{escape(text)}{closing}"

    return element


def _aggregate(name: str) -> Aggregate:
    opening, closing = f"<cac:{name}>", f"</cac:{name}>"

    def element(*children: str) -> str:
        content = "".join(children)
        return f"{opening}{content}{closing}" if content else ""

    return element


class _BasicElements:
    """`cbc.<Name>`: made at its first use, then an ordinary attribute."""

    def __getattr__(self, name: str) -> Basic:
        element = _basic(name)
        setattr(self, name, element)
        return element


class _AggregateElements:
    """`cac.<Name>`, in the same way."""

    def __getattr__(self, name: str) -> Aggregate:
        element = _aggregate(name)
        setattr(self, name, element)
        return element


cbc = _BasicElements()
cac = _AggregateElements()
