"""References to other documents: orders, deliveries, contracts, attachments (BG-3, BG-24)."""

from __future__ import annotations

from base64 import b64encode

from einvoice.documents.ubl.names import cac, cbc
from einvoice.documents.ubl.values import INVOICED_OBJECT, day, identified, reference
from einvoice.domain.invoice import Attachment, Invoice, PrecedingInvoice, SupportingDocument

NO_ORDER = "NA"  # what BIS Billing puts where UBL wants an order and there is only a sales order
PROJECT = cbc.DocumentTypeCode("50")  # a credit note has no cac:ProjectReference


def order(invoice: Invoice) -> str:
    """BT-13, BT-14."""
    number = invoice.order or (NO_ORDER if invoice.sales_order else None)
    return cac.OrderReference(cbc.ID(number), cbc.SalesOrderID(invoice.sales_order))


def preceding(invoice: Invoice) -> str:
    return "".join([_preceding(entry) for entry in invoice.preceding])


def _preceding(entry: PrecedingInvoice) -> str:
    return cac.BillingReference(
        cac.InvoiceDocumentReference(cbc.ID(entry.number), day(cbc.IssueDate, entry.issue_date))
    )


def deliveries(invoice: Invoice) -> str:
    """BT-16, BT-15."""
    return reference(cac.DespatchDocumentReference, invoice.despatch_advice) + reference(
        cac.ReceiptDocumentReference, invoice.receiving_advice
    )


def tender(invoice: Invoice) -> str:
    return reference(cac.OriginatorDocumentReference, invoice.tender)


def contract(invoice: Invoice) -> str:
    return reference(cac.ContractDocumentReference, invoice.contract)


def project(invoice: Invoice) -> str:
    return reference(cac.ProjectReference, invoice.project)


def credited_project(invoice: Invoice) -> str:
    """BT-11 of a credit note."""
    if not invoice.project:
        return ""
    return cac.AdditionalDocumentReference(cbc.ID(invoice.project), PROJECT)


def additional(invoice: Invoice) -> str:
    """The invoiced object (BT-18) and the supporting documents (BG-24)."""
    invoiced = invoice.invoiced_object
    first = (
        cac.AdditionalDocumentReference(identified(cbc.ID, invoiced), INVOICED_OBJECT)
        if invoiced
        else ""
    )
    return first + "".join([_supporting(document) for document in invoice.supporting])


def _supporting(document: SupportingDocument) -> str:
    return cac.AdditionalDocumentReference(
        cbc.ID(document.reference),
        cbc.DocumentDescription(document.description),
        cac.Attachment(
            _embedded(document.attachment) if document.attachment else "",
            cac.ExternalReference(cbc.URI(document.url)),
        ),
    )


def _embedded(attachment: Attachment) -> str:
    return cbc.EmbeddedDocumentBinaryObject(
        b64encode(attachment.content).decode("ascii"),
        mimeCode=attachment.mime_type,
        filename=attachment.filename,
    )
