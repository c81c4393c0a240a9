"""References of the trade agreement: tender, invoiced object, attachments (BT-17, BT-18, BG-24)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.cii.read_values import typed_reference
from einvoice.documents.cii.tags import ram
from einvoice.documents.tree import Node, embedded, of_code
from einvoice.domain.invoice import Identifier, SupportingDocument

_TENDER: Final = "50"  # type codes of additional references (UNTDID 1001)
_OBJECT: Final = "130"


def read_tender(agreement: Node) -> str | None:
    """BT-17."""
    entry = of_code(agreement.all(ram.AdditionalReferencedDocument), ram.TypeCode, _TENDER)
    return entry.text(ram.IssuerAssignedID) if entry else None


def read_invoiced_object(agreement: Node) -> Identifier | None:
    """BT-18."""
    entry = of_code(agreement.all(ram.AdditionalReferencedDocument), ram.TypeCode, _OBJECT)
    return typed_reference(entry) if entry else None


def read_supporting(agreement: Node) -> tuple[SupportingDocument, ...]:
    """BG-24: the additional references without a special type code."""
    return tuple(
        _supporting(entry)
        for entry in agreement.all(ram.AdditionalReferencedDocument)
        if entry.text(ram.TypeCode) not in (_TENDER, _OBJECT)
    )


def _supporting(entry: Node) -> SupportingDocument:
    return SupportingDocument(
        reference=entry.need_text(ram.IssuerAssignedID),
        description=entry.text(ram.Name),
        url=entry.text(ram.URIID),
        attachment=embedded(entry, ram.AttachmentBinaryObject),
    )
