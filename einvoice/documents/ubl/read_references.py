"""References to other documents (BG-3, BG-24, BT-11, BT-18, BT-128)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.tree import Node, binary, repetition
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import (
    Attachment,
    DocumentKind,
    Identifier,
    PrecedingInvoice,
    SupportingDocument,
)

_OBJECT: Final = "130"  # cbc:DocumentTypeCode of the invoiced object (BT-18)
_PROJECT: Final = "50"  # and of the project of a credit note (BT-11)


def read_preceding(invoice: Node) -> tuple[PrecedingInvoice, ...]:
    found = [entry.one(cac.InvoiceDocumentReference) for entry in invoice.all(cac.BillingReference)]
    return tuple(
        PrecedingInvoice(entry.need_text(cbc.ID), entry.day(cbc.IssueDate))
        for entry in found
        if entry
    )


def read_invoiced_object(invoice: Node) -> Identifier | None:
    """BT-18."""
    entry = _single(invoice, _OBJECT)
    return entry.identifier(cbc.ID) if entry else None


def read_project(invoice: Node, kind: DocumentKind) -> str | None:
    """BT-11."""
    if kind is DocumentKind.INVOICE:
        return invoice.text_at(cac.ProjectReference, cbc.ID)
    entry = _single(invoice, _PROJECT)
    return entry.text(cbc.ID) if entry else None


def read_supporting(invoice: Node, kind: DocumentKind) -> tuple[SupportingDocument, ...]:
    """BG-24: the additional references without a special type code."""
    others = {_OBJECT} if kind is DocumentKind.INVOICE else {_OBJECT, _PROJECT}
    return tuple(
        _supporting(entry)
        for entry in invoice.all(cac.AdditionalDocumentReference)
        if entry.text(cbc.DocumentTypeCode) not in others
    )


def line_object(line: Node) -> Identifier | None:
    """BT-128."""
    entry = line.one(cac.DocumentReference)
    return entry.identifier(cbc.ID) if entry else None


def _single(invoice: Node, code: str) -> Node | None:
    found = [
        entry
        for entry in invoice.all(cac.AdditionalDocumentReference)
        if entry.text(cbc.DocumentTypeCode) == code
    ]
    if len(found) > 1:
        raise repetition(found[1].element, f"a second reference with the type code {code}")
    return found[0] if found else None


def _supporting(entry: Node) -> SupportingDocument:
    attachment = entry.one(cac.Attachment)
    return SupportingDocument(
        reference=entry.need_text(cbc.ID),
        description=entry.text(cbc.DocumentDescription),
        url=attachment.text_at(cac.ExternalReference, cbc.URI) if attachment else None,
        attachment=_embedded(attachment) if attachment else None,
    )


def _embedded(node: Node) -> Attachment | None:
    name = cbc.EmbeddedDocumentBinaryObject
    content = node.child(name)
    if content is None:
        return None
    return Attachment(
        content=binary(content),
        mime_type=node.need_attribute(name, "mimeCode"),
        filename=node.need_attribute(name, "filename"),
    )
