"""The PDF of an invoice: rendered once for each look of its tenant, then kept as an artefact.

What is kept is found by an id made of all that the pages depend on. So nothing is ever out of date,
and two who render at once make the same bytes under the same id, of which one is kept.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Mapping
from dataclasses import astuple

from einvoice import clock
from einvoice.documents import pdf
from einvoice.documents.reading import invoice_in
from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import ArtefactKind
from einvoice.domain.branding import Branding
from einvoice.domain.errors import NotFound
from einvoice.domain.invoice import Invoice
from einvoice.services import tenants
from einvoice.store import artefacts, db
from einvoice.store import invoices as stored


def pdf_of(tenant_id: str, environment: str, invoice_id: str) -> bytes:
    """The invoice as its tenant's PDF. Raises NotFound."""
    found = stored.documents(invoice_id, tenant_id, environment)
    if found is None:
        raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
    profile = tenants.get(tenant_id).profile if found.direction == "sent" else {}
    artefact_id = _id(invoice_id, kinds.PDF, Branding.of("", profile), found.document)
    kept = artefacts.content(invoice_id, artefact_id)
    if kept is not None:
        return kept[0]
    invoice = invoice_in(found.document)
    made = pdf.render(invoice, branding_of(invoice, profile), found.document)
    _keep(artefact_id, tenant_id, invoice_id, found.number, kinds.PDF, made)
    return made


def branding_of(invoice: Invoice, profile: Mapping[str, object]) -> Branding:
    """The tenant's look under the name that the invoice gives its seller, unless another is set."""
    return Branding.of(invoice.seller.trading_name or invoice.seller.name, profile)


def _id(invoice_id: str, kind: ArtefactKind, branding: Branding, document: bytes) -> str:
    """The same for the same pages: invoice, kind, look, document, and our way to render them."""
    look = hashlib.sha256(repr(astuple(branding)).encode() + document).hexdigest()
    return str(uuid.uuid5(uuid.UUID(invoice_id), f"{kind.code} {pdf.edition()} {look}"))


def _keep(
    artefact_id: str,
    tenant_id: str,
    invoice_id: str,
    number: str | None,
    kind: ArtefactKind,
    content: bytes,
) -> None:
    new = artefacts.New(
        id=artefact_id,
        tenant_id=tenant_id,
        invoice_id=invoice_id,
        transmission_id=None,
        kind=kind.code,
        name=kind.file_name.format(number=artefacts.safe_name(number or "")),
        content_type=kind.content_type,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        authority_reference=None,
        legal_original=False,
        retention_years=None,
        created_at=clock.now(),
        content=content,
    )
    with db.writing() as connection:
        artefacts.keep(connection, [new])
