"""Embedding the PDF into the document before it is sent (decisions 17.15).

A worker does it before the first attempt and commits the result before submitting, so the stored
document is the one that is sent, at every attempt. A second worker finds it done.
"""

from __future__ import annotations

from dataclasses import replace

from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import EmbeddedPdf
from einvoice.services.account import tenants
from einvoice.services.computing.pool import Computing
from einvoice.services.invoices import pdf as rendering
from einvoice.services.invoices import pdf_computations
from einvoice.services.invoices.pdf_computations import has_pdf as has_pdf
from einvoice.store.core import db
from einvoice.store.invoices import artefacts, invoices
from einvoice.store.sending.transmissions import Work


def embedded(work: Work, computing: Computing) -> Work:
    """The work with the PDF embedded. Raises ComputingUnavailable, ComputationTooLarge."""
    if work.embed_pdf != EmbeddedPdf.DUE:
        return work
    profile = tenants.get(work.tenant_id).profile
    file_name = kinds.PDF.file_name_of(work.number)
    document, made = computing.run(
        work.tenant_id, pdf_computations.with_pdf, work.document, profile, work.number, file_name
    )
    with db.writing() as connection:
        mine = invoices.complete(connection, work.invoice_id, document)
        if mine:
            look = rendering.look_id(work.invoice_id, kinds.PDF, profile, work.document)
            owner = rendering.ArtefactOwner(work.tenant_id, work.invoice_id, work.number)
            artefacts.add_missing(connection, [rendering.artefact(look, owner, kinds.PDF, made)])
    if not mine:
        document = invoices.document(work.invoice_id)
    return replace(work, document=document, embed_pdf=EmbeddedPdf.DONE)
