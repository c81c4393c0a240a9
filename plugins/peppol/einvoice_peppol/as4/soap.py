"""The SOAP message: its parts at their only places, and elements by id.

An element is found by its place, and a signature must refer to that very element (signature
wrapping). Ids are unique in the whole message.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from lxml import etree

from einvoice import xml
from einvoice_peppol import c14n
from einvoice_peppol.as4.errors import FAILED_AUTHENTICATION, INVALID_HEADER, Refused
from einvoice_peppol.as4.names import EB, S12, WSSE, WSU, q

MAX_BYTES: Final = 512 * 1024  # a message has 10 to 20 KiB beside its payload
_MAX_DEPTH: Final = 30
_IDS: Final = (q(WSU, "Id"), "Id", "ID", "id", "{http://www.w3.org/XML/1998/namespace}id")


@dataclass(frozen=True, slots=True)
class Soap:
    """A SOAP message. `message`: the eb:UserMessage or eb:SignalMessage."""

    messaging: etree._Element
    message: etree._Element
    security: etree._Element | None
    body: etree._Element
    by_id: dict[str, etree._Element]

    @property
    def message_id(self) -> str | None:
        """The id of the message, None if it has none that can be repeated in an error."""
        value = (self.message.findtext(q(EB, "MessageInfo", "MessageId")) or "").strip()
        return value if 0 < len(value) <= 255 and value.isprintable() else None


def parse(data: bytes, *, signals: bool = False) -> Soap:
    """The parts of a SOAP message with one user message, or one signal. Raises Refused."""
    try:
        root = xml.parse(data, max_bytes=MAX_BYTES, max_depth=_MAX_DEPTH)
        c14n.check(root)
    except (xml.NotXml, c14n.NotCanonical) as fault:
        raise Refused(INVALID_HEADER, str(fault)) from None
    if root.tag != q(S12, "Envelope"):
        raise Refused(INVALID_HEADER, "it is not a SOAP 1.2 envelope")
    header, body = only(root, q(S12, "Header")), only(root, q(S12, "Body"))
    messaging = only(header, q(EB, "Messaging"))
    messages = [child for child in messaging if isinstance(child.tag, str)]
    expected = q(EB, "SignalMessage" if signals else "UserMessage")
    if len(messages) != 1 or messages[0].tag != expected:
        raise Refused(INVALID_HEADER, "eb:Messaging must hold exactly one message")
    security = header.findall(q(WSSE, "Security"))
    if len(security) > 1:
        raise Refused(INVALID_HEADER, "wsse:Security is there twice")
    return Soap(messaging, messages[0], security[0] if security else None, body, _by_id(root))


def _by_id(root: etree._Element) -> dict[str, etree._Element]:
    """All elements that have an id. Raises Refused if two have the same."""
    found: dict[str, etree._Element] = {}
    for element in root.iter("*"):
        for value in {element.get(name) for name in _IDS} - {None}:
            if value in found:
                raise Refused(INVALID_HEADER, f"two elements have the id {str(value)[:100]!r}")
            found[str(value)] = element
    return found


def only(parent: etree._Element, *tags: str) -> etree._Element:
    """The only child of this name, then its only child of the next. Raises Refused."""
    for tag in tags:
        found = parent.findall(tag)
        if len(found) != 1:
            name = etree.QName(tag).localname
            raise Refused(INVALID_HEADER, f"{name} must be there once")
        (parent,) = found
    return parent


def canonical(element: etree._Element, prefixes: str | None = None) -> bytes:
    """Exclusive canonical XML of an element of a parsed message, without comments.

    prefixes  the PrefixList of its InclusiveNamespaces

    Raises Refused.
    """
    try:
        return c14n.canonical(element, exclusive=True, prefixes=(prefixes or "").split())
    except c14n.NotCanonical as fault:
        raise Refused(FAILED_AUTHENTICATION, f"what is signed: {fault}") from None
