"""The PDF of an invoice: rendered once for each branding of its tenant, then stored as an artefact.

The artefact's id is derived from everything that the pages depend on. So a stored PDF is never out
of date, and concurrent requests render the same bytes under the same id, of which one is stored.
The pages are rendered in a computing process (`printing`).

The pages of a sent invoice that is not delivered say so (decisions 20.6). They are not stored.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import astuple, dataclass

from einvoice import clock
from einvoice.documents.pdf import renderer_version
from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import ArtefactKind, EmbeddedPdf
from einvoice.domain.branding import Branding
from einvoice.domain.errors import NotFound
from einvoice.services.account import tenants
from einvoice.services.computing.pool import Computing
from einvoice.services.invoices import printing
from einvoice.services.invoices.printing import Profile
from einvoice.store import artefacts, db
from einvoice.store import invoices as stored
from einvoice.store.invoices import InvoiceDocuments

# Twice the limit of a send: 5,000 lines take 3 s of CPU and 1 GiB, in proportion.
MAX_LINES = 10_000


def pdf_of(tenant_id: str, environment: str, invoice_id: str, computing: Computing) -> bytes:
    """The invoice's PDF with its tenant's branding; one that was embedded and delivered is that.

    Raises NotFound, ComputingUnavailable and ComputationTooLarge.
    """
    found, profile = _found(tenant_id, environment, invoice_id)
    if found.embed_pdf == EmbeddedPdf.DONE and not found.is_undelivered:
        return computing.run(tenant_id, printing.attached_pdf, found.document)

    def render(look: str) -> bytes:
        made = printing.printed_undelivered if found.is_undelivered else printing.printed
        return computing.kept(tenant_id, look, made, found.document, profile, MAX_LINES)

    return _kept_or_made(
        ArtefactOwner(tenant_id, invoice_id, found.number), kinds.PDF, found, profile, render
    )


def factur_x_of(tenant_id: str, environment: str, invoice_id: str, computing: Computing) -> bytes:
    """The same pages as Factur-X, profile EN 16931, with the invoice embedded as CII.

    Raises the same, and NotAsFacturX if the invoice has terms that CII cannot express.
    """
    found, profile = _found(tenant_id, environment, invoice_id)

    def render(look: str) -> bytes:
        return computing.kept(
            tenant_id,
            look,
            printing.printed_as_factur_x,
            found.document,
            profile,
            MAX_LINES,
            clock.today(),
            not found.is_undelivered,
        )

    return _kept_or_made(
        ArtefactOwner(tenant_id, invoice_id, found.number), kinds.FACTUR_X, found, profile, render
    )


@dataclass(frozen=True, slots=True)
class ArtefactOwner:
    """Tenant, invoice and number of an artefact."""

    tenant_id: str
    invoice_id: str
    number: str | None


def _found(tenant_id: str, environment: str, invoice_id: str) -> tuple[InvoiceDocuments, Profile]:
    """The invoice's document and its sender's profile, which is empty for a received one."""
    found = stored.documents(invoice_id, tenant_id, environment)
    if found is None:
        raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
    return found, tenants.get(tenant_id).profile if found.direction == "sent" else {}


def _kept_or_made(
    owner: ArtefactOwner,
    kind: ArtefactKind,
    found: InvoiceDocuments,
    profile: Profile,
    render: Callable[[str], bytes],
) -> bytes:
    look = look_id(owner.invoice_id, kind, profile, found.document)
    if found.is_undelivered:
        return render(f"undelivered {look}")
    kept = artefacts.content(owner.invoice_id, look)
    if kept is not None:
        return kept.content
    made = render(look)
    with db.writing() as connection:
        artefacts.add_missing(connection, [artefact(look, owner, kind, made)])
    return made


def look_id(invoice_id: str, kind: ArtefactKind, profile: Profile, document: bytes) -> str:
    """An id that is equal for equal pages: by invoice, kind, branding, document and renderer."""
    branding = repr(astuple(Branding.of("", profile)))
    look = hashlib.sha256(branding.encode() + document).hexdigest()
    return str(uuid.uuid5(uuid.UUID(invoice_id), f"{kind.code} {renderer_version()} {look}"))


def artefact(
    artefact_id: str, owner: ArtefactOwner, kind: ArtefactKind, content: bytes
) -> artefacts.NewArtefact:
    """The PDF as an artefact to store."""
    return artefacts.NewArtefact(
        id=artefact_id,
        tenant_id=owner.tenant_id,
        invoice_id=owner.invoice_id,
        transmission_id=None,
        kind=kind.code,
        name=kind.file_name_of(owner.number),
        content_type=kind.content_type,
        sha256=hashlib.sha256(content).hexdigest(),
        size=len(content),
        authority_reference=None,
        legal_original=False,
        retention_years=None,
        created_at=clock.now(),
        content=content,
    )


def preview(tenant_id: str, country: str, computing: Computing) -> bytes:
    """A sample invoice with the branding of the tenant, in the language of the country.

    Raises NotFound, ComputingUnavailable and ComputationTooLarge.
    """
    tenant = tenants.get(tenant_id)
    branding, today = Branding.of(tenant.name, tenant.profile), clock.today()
    shown = repr((astuple(branding), country, today, renderer_version()))
    key = f"preview {hashlib.sha256(shown.encode()).hexdigest()}"
    return computing.kept(tenant_id, key, printing.previewed, branding, country, today)
