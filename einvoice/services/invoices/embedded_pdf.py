"""Put the PDF into the document before it is sent (decisions 17.15).

A worker does it before the first attempt, and what it made is committed before any byte leaves: the
stored document is the one that was sent, and every attempt sends the same. A worker that comes
second finds the document complete.
"""

from __future__ import annotations

from dataclasses import replace

from einvoice.documents import pdf
from einvoice.documents.reading import invoice_in
from einvoice.documents.ubl.write import document_xml
from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.domain.invoice import Attachment, Invoice, SupportingDocument
from einvoice.services.account import tenants
from einvoice.services.invoices import pdf as rendering
from einvoice.store import artefacts, db, invoices
from einvoice.store.transmissions import Work


def has_pdf(invoice: Invoice) -> bool:
    """Whether somebody has attached one already."""
    attached = [entry.attachment for entry in invoice.supporting if entry.attachment]
    return any(item.mime_type == kinds.PDF.content_type for item in attached)


def embedded(work: Work) -> Work:
    """The work with its document complete."""
    if work.embed_pdf != EmbeddedPdf.DUE:
        return work
    invoice = invoice_in(work.document)
    profile = tenants.get(work.tenant_id).profile
    made = pdf.render(invoice, rendering.branding_of(invoice, profile), work.document)
    document = document_xml(replace(invoice, supporting=(*invoice.supporting, _entry(work, made))))
    with db.writing() as connection:
        mine = invoices.complete(connection, work.invoice_id, document)
        if mine:
            look = rendering.look_id(work.invoice_id, kinds.PDF, profile, work.document)
            owner = rendering.Owner(work.tenant_id, work.invoice_id, work.number)
            artefacts.add_missing(connection, [rendering.artefact(look, owner, kinds.PDF, made)])
    if not mine:
        document = invoices.document(work.invoice_id)
    return replace(work, document=document, embed_pdf=EmbeddedPdf.DONE)


def _entry(work: Work, content: bytes) -> SupportingDocument:
    name = kinds.PDF.file_name_of(work.number)
    return SupportingDocument(
        reference=work.number,
        description=pdf.DESCRIPTION,
        attachment=Attachment(content, kinds.PDF.content_type, name),
    )
