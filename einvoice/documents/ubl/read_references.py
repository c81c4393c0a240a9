"""References to other documents (BG-3, BG-24, BT-11, BT-18, BT-128)."""

from __future__ import annotations

from typing import Final

from einvoice.documents.tree import Node, embedded, of_code
from einvoice.documents.ubl.tags import cac, cbc
from einvoice.domain.invoice import (
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
    entry = of_code(invoice.all(cac.AdditionalDocumentReference), cbc.DocumentTypeCode, _OBJECT)
    return entry.identifier(cbc.ID) if entry else None


def read_project(invoice: Node, kind: DocumentKind) -> str | None:
    """BT-11."""
    if kind is DocumentKind.INVOICE:
        return invoice.text_at(cac.ProjectReference, cbc.ID)
    entry = of_code(invoice.all(cac.AdditionalDocumentReference), cbc.DocumentTypeCode, _PROJECT)
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


def _supporting(entry: Node) -> SupportingDocument:
    attachment = entry.one(cac.Attachment)
    return SupportingDocument(
        reference=entry.need_text(cbc.ID),
        description=entry.text(cbc.DocumentDescription),
        url=attachment.text_at(cac.ExternalReference, cbc.URI) if attachment else None,
        attachment=embedded(attachment, cbc.EmbeddedDocumentBinaryObject) if attachment else None,
    )
