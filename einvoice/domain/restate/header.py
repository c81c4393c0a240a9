"""References, dates, delivery and attachments of the document."""

from __future__ import annotations

from einvoice.domain.codes import NO_ORDER
from einvoice.domain.invoice import (
    Delivery,
    Invoice,
    PrecedingInvoice,
    Prepayment,
    SupportingDocument,
)
from einvoice.domain.restate.members import Members, address, identifier, period, stated


def references(invoice: Invoice) -> Members:
    preceding = [_preceding(each) for each in invoice.preceding]
    several = len(preceding) > 1
    return stated(
        precedingInvoice=None if several or not preceding else preceding[0],
        precedingInvoices=preceding if several else None,
        prepayments=[_prepayment(each) for each in invoice.prepayments],
        buyerReference=invoice.buyer_reference,
        orderReference=None if _is_no_order(invoice) else invoice.order,
        salesOrderReference=invoice.sales_order,
        contractReference=invoice.contract,
        projectReference=invoice.project,
        despatchReference=invoice.despatch_advice,
        receivingReference=invoice.receiving_advice,
        tenderReference=invoice.tender,
        objectReference=identifier(invoice.invoiced_object),
        accountingCost=invoice.accounting_cost,
        **_notes(invoice),
        taxPointDate=invoice.tax_point,
        taxPointCode=invoice.tax_point_code,
        period=period(invoice.period),
    )


def _is_no_order(invoice: Invoice) -> bool:
    """Whether the order is what a send writes where UBL wants one beside a sales order."""
    return invoice.order == NO_ORDER and bool(invoice.sales_order)


def _notes(invoice: Invoice) -> Members:
    """The one note without a subject as `note`, all others as `notes`."""
    if len(invoice.notes) == 1 and invoice.notes[0][0] is None:
        return stated(note=invoice.notes[0][1])
    return stated(notes=[stated(text=text, subjectCode=code) for code, text in invoice.notes])


def _preceding(entry: PrecedingInvoice) -> Members:
    return stated(
        number=entry.number, issueDate=entry.issue_date, authorityNumber=entry.authority_number
    )


def _prepayment(entry: Prepayment) -> Members:
    tax = entry.tax
    exemption = stated(reasonCode=tax.exemption_code, reason=tax.exemption_reason)
    return stated(
        number=entry.number,
        issueDate=entry.issue_date,
        issueTime=entry.issue_time,
        taxableAmount=tax.taxable,
        taxAmount=tax.tax,
        taxCategory=tax.category.code,
        taxRate=tax.category.rate,
        taxExemption=exemption or None,
    )


def delivery(invoice: Invoice) -> Members:
    to = invoice.delivery or Delivery()
    return stated(
        deliveryDate=to.date,
        deliveryName=to.name,
        deliveryLocation=identifier(to.location),
        deliveryAddress=address(to.address),
    )


def documents(invoice: Invoice) -> Members:
    """Those with a file are attachments."""
    return stated(
        attachments=[_attached(each) for each in invoice.supporting if each.attachment],
        supportingDocuments=[
            stated(
                reference=each.reference,
                description=each.description,
                url=each.url,
                typeCode=each.type_code,
                uuid=each.uuid,
            )
            for each in invoice.supporting
            if not each.attachment
        ],
    )


def _attached(entry: SupportingDocument) -> Members:
    file = entry.attachment
    if file is None:
        return {}
    return stated(
        filename=file.filename,
        mimeType=file.mime_type,
        content=file.content,
        description=entry.description,
        reference=entry.reference if entry.reference != file.filename else None,
        url=entry.url,
    )
