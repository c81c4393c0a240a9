"""References of the trade agreement: tender, invoiced object, attachments (BT-17, BT-18, BG-24)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.cii.read_values import typed_reference
from einvoice.documents.cii.tags import ram
from einvoice.documents.tree import Node, binary, repetition
from einvoice.domain.invoice import Attachment, Identifier, SupportingDocument

_TENDER: Final = "50"  # type codes of additional references (UNTDID 1001)
_OBJECT: Final = "130"


def read_tender(agreement: Node) -> str | None:
    """BT-17."""
    entry = _single(agreement, _TENDER)
    return entry.text(ram.IssuerAssignedID) if entry else None


def read_invoiced_object(agreement: Node) -> Identifier | None:
    """BT-18."""
    entry = _single(agreement, _OBJECT)
    return typed_reference(entry) if entry else None


def read_supporting(agreement: Node) -> tuple[SupportingDocument, ...]:
    """BG-24: the additional references without a special type code."""
    return tuple(
        _supporting(entry)
        for entry in agreement.all(ram.AdditionalReferencedDocument)
        if entry.text(ram.TypeCode) not in (_TENDER, _OBJECT)
    )


def _single(agreement: Node, code: str) -> Node | None:
    found = [
        entry
        for entry in agreement.all(ram.AdditionalReferencedDocument)
        if entry.text(ram.TypeCode) == code
    ]
    if len(found) > 1:
        raise repetition(found[1].element, f"a second reference with the type code {code}")
    return found[0] if found else None


def _supporting(entry: Node) -> SupportingDocument:
    return SupportingDocument(
        reference=entry.need_text(ram.IssuerAssignedID),
        description=entry.text(ram.Name),
        url=entry.text(ram.URIID),
        attachment=_embedded(entry),
    )


def _embedded(node: Node) -> Attachment | None:
    name = ram.AttachmentBinaryObject
    content = node.child(name)
    if content is None:
        return None
    return Attachment(
        content=binary(content),
        mime_type=node.need_attribute(name, "mimeCode"),
        filename=node.need_attribute(name, "filename"),
    )
