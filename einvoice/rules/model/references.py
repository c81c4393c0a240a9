"""References to other documents, and periods (BG-3, BG-14, BG-24, BG-26)."""

from __future__ import annotations

from einvoice.domain.invoice import Identifier, Invoice, Period, SupportingDocument
from einvoice.rules.model.fill import Fill
from einvoice.rules.node import Node

INVOICED_OBJECT = "130"  # marks a reference as BT-18 or BT-128
_PROJECT = "50"  # a credit note has no cac:ProjectReference
_NO_ORDER = "NA"  # what BIS Billing puts where there is only a sales order
_CONTENT = "content"  # stands for what is attached; no rule looks into it


def references(fill: Fill, root: Node, invoice: Invoice, credit_note: bool) -> None:
    order = fill.group(root, "cac:OrderReference")
    fill.text(order, "cbc:ID", invoice.order or (_NO_ORDER if invoice.sales_order else None))
    fill.text(order, "cbc:SalesOrderID", invoice.sales_order)
    for entry in invoice.preceding:
        billing = fill.group(root, "cac:BillingReference")
        preceding = fill.group(billing, "cac:InvoiceDocumentReference")
        fill.text(preceding, "cbc:ID", entry.number)
        fill.day(preceding, "cbc:IssueDate", entry.issue_date)
    fill.reference(root, "cac:DespatchDocumentReference", invoice.despatch_advice)
    fill.reference(root, "cac:ReceiptDocumentReference", invoice.receiving_advice)
    fill.reference(root, "cac:OriginatorDocumentReference", invoice.tender)
    fill.reference(root, "cac:ContractDocumentReference", invoice.contract)
    if invoice.invoiced_object is not None:
        invoiced_object(fill, root, "cac:AdditionalDocumentReference", invoice.invoiced_object)
    for document in invoice.supporting:
        _supporting(fill, root, document)
    if not credit_note:
        fill.reference(root, "cac:ProjectReference", invoice.project)
    elif invoice.project:
        project = fill.group(root, "cac:AdditionalDocumentReference")
        fill.text(project, "cbc:ID", invoice.project)
        fill.text(project, "cbc:DocumentTypeCode", _PROJECT)


def invoiced_object(fill: Fill, parent: Node, name: str, identifier: Identifier) -> None:
    """BT-18, BT-128."""
    reference = fill.group(parent, name)
    fill.identified(reference, "cbc:ID", identifier)
    fill.text(reference, "cbc:DocumentTypeCode", INVOICED_OBJECT)


def _supporting(fill: Fill, root: Node, document: SupportingDocument) -> None:
    reference = fill.group(root, "cac:AdditionalDocumentReference")
    fill.text(reference, "cbc:ID", document.reference)
    fill.text(reference, "cbc:DocumentDescription", document.description)
    attachment = fill.group(reference, "cac:Attachment")
    if document.attachment is not None and document.attachment.content:
        named = {
            "mimeCode": document.attachment.mime_type,
            "filename": document.attachment.filename,
        }
        given = {name: value for name, value in named.items() if value}
        fill.text(attachment, "cbc:EmbeddedDocumentBinaryObject", _CONTENT, given)
    fill.text(fill.group(attachment, "cac:ExternalReference"), "cbc:URI", document.url)


def period(fill: Fill, parent: Node, value: Period | None, tax_point: str | None = None) -> None:
    """BG-14, BG-26; the code of the VAT point (BT-8) stands in the period of the invoice."""
    group = fill.group(parent, "cac:InvoicePeriod")
    if value is not None:
        fill.day(group, "cbc:StartDate", value.start)
        fill.day(group, "cbc:EndDate", value.end)
    fill.text(group, "cbc:DescriptionCode", tax_point)
