"""References to other documents, and periods (BG-3, BG-14, BG-24, BG-26)."""

from __future__ import annotations

from einvoice.binding.builder import Builder, GroupT, given
from einvoice.domain.codes import NO_ORDER
from einvoice.domain.invoice import Identifier, Invoice, Period, SupportingDocument

INVOICED_OBJECT = "130"  # marks a reference as BT-18 or BT-128
_PROJECT = "50"  # a credit note has no cac:ProjectReference


def order(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BT-13, BT-14."""
    group = build.group(root, "cac:OrderReference")
    build.text(group, "cbc:ID", invoice.order or (NO_ORDER if invoice.sales_order else None))
    build.text(group, "cbc:SalesOrderID", invoice.sales_order)


def preceding(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BG-3."""
    for entry in invoice.preceding:
        billing = build.group(root, "cac:BillingReference")
        group = build.group(billing, "cac:InvoiceDocumentReference")
        build.text(group, "cbc:ID", entry.number)
        build.day(group, "cbc:IssueDate", entry.issue_date)


def deliveries(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BT-16, BT-15."""
    build.reference(root, "cac:DespatchDocumentReference", invoice.despatch_advice)
    build.reference(root, "cac:ReceiptDocumentReference", invoice.receiving_advice)


def additional(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """The invoiced object (BT-18) and the supporting documents (BG-24)."""
    if invoice.invoiced_object is not None:
        invoiced_object(build, root, "cac:AdditionalDocumentReference", invoice.invoiced_object)
    for document in invoice.supporting:
        _supporting(build, root, document)


def credited_project(build: Builder[GroupT], root: GroupT, invoice: Invoice) -> None:
    """BT-11 of a credit note."""
    if invoice.project:
        group = build.group(root, "cac:AdditionalDocumentReference")
        build.text(group, "cbc:ID", invoice.project)
        build.text(group, "cbc:DocumentTypeCode", _PROJECT)


def invoiced_object(
    build: Builder[GroupT], parent: GroupT, name: str, identifier: Identifier
) -> None:
    """BT-18, BT-128."""
    group = build.group(parent, name)
    build.identified(group, "cbc:ID", identifier)
    build.text(group, "cbc:DocumentTypeCode", INVOICED_OBJECT)


def _supporting(build: Builder[GroupT], root: GroupT, document: SupportingDocument) -> None:
    group = build.group(root, "cac:AdditionalDocumentReference")
    build.text(group, "cbc:ID", document.reference)
    build.text(group, "cbc:UUID", document.uuid)
    build.text(group, "cbc:DocumentTypeCode", document.type_code)
    build.text(group, "cbc:DocumentDescription", document.description)
    holder = build.group(group, "cac:Attachment")
    if document.attachment is not None:
        attachment = document.attachment
        attributes = given(mimeCode=attachment.mime_type, filename=attachment.filename)
        name = "cbc:EmbeddedDocumentBinaryObject"
        build.binary(holder, name, attachment.content, attributes)
    build.text(build.group(holder, "cac:ExternalReference"), "cbc:URI", document.url)


def period(
    build: Builder[GroupT], parent: GroupT, value: Period | None, tax_point: str | None = None
) -> None:
    """BG-14, BG-26; UBL keeps the code of the VAT point (BT-8) in the period of the invoice."""
    if value is None and tax_point is None:
        return
    group = build.group(parent, "cac:InvoicePeriod")
    if value is not None:
        build.day(group, "cbc:StartDate", value.start)
        build.day(group, "cbc:EndDate", value.end)
    build.text(group, "cbc:DescriptionCode", tax_point)
