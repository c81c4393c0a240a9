"""The trade agreement: parties, references, attachments."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterator
from typing import Final

from einvoice.documents.cii.tags import ram
from einvoice.documents.cii.write_parties import party, representative
from einvoice.documents.cii.writing import Element, group, reference, text
from einvoice.domain.invoice import Attachment, Identifier, Invoice, SupportingDocument

_TENDER, _OBJECT, _RELATED = "50", "130", "916"  # UNTDID 1001
_PROJECT: Final = "Project reference"  # CII requires a name beside the number of a project


def agreement(invoice: Invoice) -> Element | None:
    return group(
        ram.ApplicableHeaderTradeAgreement,
        text(ram.BuyerReference, invoice.buyer_reference),
        party(ram.SellerTradeParty, invoice.seller),
        party(ram.BuyerTradeParty, invoice.buyer),
        representative(invoice.tax_representative),
        reference(ram.SellerOrderReferencedDocument, invoice.sales_order),
        reference(ram.BuyerOrderReferencedDocument, invoice.order),
        reference(ram.ContractReferencedDocument, invoice.contract),
        *_additional(invoice),
        _project(invoice.project),
    )


def _project(number: str | None) -> Element | None:
    if number is None:
        return None
    return group(ram.SpecifiedProcuringProject, text(ram.ID, number), text(ram.Name, _PROJECT))


def _additional(invoice: Invoice) -> Iterator[Element | None]:
    """BG-24, BT-17, BT-18, distinguished by their type codes."""
    yield from (_supporting(entry) for entry in invoice.supporting)
    if invoice.tender:
        yield group(
            ram.AdditionalReferencedDocument,
            text(ram.IssuerAssignedID, invoice.tender),
            text(ram.TypeCode, _TENDER),
        )
    yield typed_object(invoice.invoiced_object)


def typed_object(identifier: Identifier | None) -> Element | None:
    """BT-18, BT-128."""
    if identifier is None:
        return None
    return group(
        ram.AdditionalReferencedDocument,
        text(ram.IssuerAssignedID, identifier.value),
        text(ram.TypeCode, _OBJECT),
        text(ram.ReferenceTypeCode, identifier.scheme),
    )


def _supporting(entry: SupportingDocument) -> Element | None:
    return group(
        ram.AdditionalReferencedDocument,
        text(ram.IssuerAssignedID, entry.reference),
        text(ram.URIID, entry.url),
        text(ram.TypeCode, _RELATED),
        text(ram.Name, entry.description),
        _embedded(entry.attachment),
    )


def _embedded(attachment: Attachment | None) -> Element | None:
    if attachment is None:
        return None
    return text(
        ram.AttachmentBinaryObject,
        b64encode(attachment.content).decode("ascii"),
        mimeCode=attachment.mime_type,
        filename=attachment.filename,
    )
