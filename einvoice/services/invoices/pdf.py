"""The PDF of an invoice: rendered once for each branding of its tenant, then stored as an artefact.

The artefact's id is derived from everything that the pages depend on. So a stored PDF is never out
of date, and concurrent requests render the same bytes under the same id, of which one is stored.
The pages are rendered in a computing process (`pdf_computations`).

The pages of a sent invoice that is not delivered say so (decisions 20.6). They are not stored. What
a profile adds is part of the pages, and so of the id: the PDF after a clearance is another one.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from typing import Any

from einvoice import clock
from einvoice.documents.pdf import Layout, Mark, renderer_version
from einvoice.domain import artefacts as kinds
from einvoice.domain.additions import NOTHING, Additions
from einvoice.domain.artefacts import ArtefactKind, EmbeddedPdf
from einvoice.domain.branding import Branding
from einvoice.domain.errors import NotFound
from einvoice.services.account import profile as profiles
from einvoice.services.account import tenants
from einvoice.services.computing.pool import Computing
from einvoice.services.invoices import handout_terms, pdf_computations
from einvoice.services.invoices.handout_terms import NO_NETWORKS, HandedOut, Networks
from einvoice.services.invoices.pdf_computations import Profile
from einvoice.store.core import db
from einvoice.store.invoices import artefacts
from einvoice.store.invoices import invoices as stored
from einvoice.store.invoices.invoices import InvoiceDocuments

# Twice the limit of a send: 5,000 lines take 3 s of CPU and 1 GiB, in proportion.
MAX_LINES = 10_000


def pdf_of(
    tenant_id: str,
    environment: str,
    invoice_id: str,
    computing: Computing,
    networks: Networks = NO_NETWORKS,
) -> bytes:
    """The invoice's PDF with its tenant's branding; one that was embedded and delivered is that.

    Raises NotFound, NotCleared, ComputingUnavailable and ComputationTooLarge.
    """
    found, profile = _found(tenant_id, environment, invoice_id)
    terms = handout_terms.terms_of(found, computing, networks)
    if found.embed_pdf == EmbeddedPdf.DONE and terms == HandedOut():
        return computing.run(tenant_id, pdf_computations.attached_pdf, found.document)
    render = _printing(computing, pdf_computations.printed, found, profile, terms)
    return _kept_or_made(kinds.PDF, found, profile, terms, render)


def receipt_of(
    tenant_id: str,
    environment: str,
    invoice_id: str,
    computing: Computing,
    networks: Networks = NO_NETWORKS,
) -> bytes:
    """The invoice as the receipt of a till, on paper of 80 mm. Raises the same."""
    found, profile = _found(tenant_id, environment, invoice_id)
    terms = handout_terms.terms_of(found, computing, networks)
    render = _printing(computing, pdf_computations.printed, found, profile, terms, Layout.RECEIPT)
    return _kept_or_made(kinds.PDF_RECEIPT, found, profile, terms, render)


def factur_x_of(
    tenant_id: str,
    environment: str,
    invoice_id: str,
    computing: Computing,
    networks: Networks = NO_NETWORKS,
) -> bytes:
    """The pages as Factur-X, profile EN 16931, with the invoice embedded as CII.

    Raises the same, and NotAsFacturX if the invoice has terms that CII cannot express.
    """
    found, profile = _found(tenant_id, environment, invoice_id)
    terms = handout_terms.terms_of(found, computing, networks)
    render = _printing(
        computing, pdf_computations.printed_as_factur_x, found, profile, terms, clock.today()
    )
    return _kept_or_made(kinds.FACTUR_X, found, profile, terms, render)


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


def _printing(
    computing: Computing,
    printed: Callable[..., bytes],
    found: InvoiceDocuments,
    profile: Profile,
    terms: HandedOut,
    *further: object,
) -> Callable[[str], bytes]:
    """The pages by their look, made by a function of `pdf_computations` that takes `further`."""
    given = (found.document, profile, MAX_LINES, terms.mark, terms.additions, *further)
    return lambda look: computing.kept(found.tenant_id, look, printed, *given)


def _kept_or_made(
    kind: ArtefactKind,
    found: InvoiceDocuments,
    profile: Profile,
    terms: HandedOut,
    render: Callable[[str], bytes],
) -> bytes:
    look = look_id(found.id, kind, profile, found.document, terms.additions)
    if terms.mark is not Mark.NONE:
        return render(f"{terms.mark} {look}")
    kept = artefacts.content(found.id, look, found.tenant_id)
    if kept is not None:
        return kept.content
    made = render(look)
    owner = ArtefactOwner(found.tenant_id, found.id, found.number)
    with db.writing() as connection:
        artefacts.add_missing(connection, [artefact(look, owner, kind, made)])
    return made


def look_id(
    invoice_id: str,
    kind: ArtefactKind,
    profile: Profile,
    document: bytes,
    additions: Additions = NOTHING,
) -> str:
    """An id that is equal for equal pages: by invoice, kind, branding, document, additions and
    renderer."""
    parts = repr(astuple(Branding.of("", profile))).encode() + document
    if additions != NOTHING:
        parts += repr(astuple(additions)).encode()
    look = hashlib.sha256(parts).hexdigest()
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


def preview(
    tenant_id: str, country: str, computing: Computing, changes: Mapping[str, Any] | None = None
) -> bytes:
    """A sample invoice with the branding of the tenant, in the language of the country.

    changes  attributes of the profile that are not stored, as `profile.change` takes them

    Raises NotFound, InvalidField, ComputingUnavailable and ComputationTooLarge.
    """
    tenant = profiles.changed(tenants.get(tenant_id), changes or {})
    branding, today = Branding.of(tenant.name, tenant.profile), clock.today()
    shown = repr((astuple(branding), country, today, renderer_version()))
    key = f"preview {hashlib.sha256(shown.encode()).hexdigest()}"
    return computing.kept(tenant_id, key, pdf_computations.previewed, branding, country, today)


def draft(tenant_id: str, document: bytes, computing: Computing) -> bytes:
    """The pages of a document that is not sent yet, which say so, with the tenant's branding.

    Raises NotFound for what cannot be printed, ComputingUnavailable and ComputationTooLarge.
    """
    made = (document, tenants.get(tenant_id).profile, MAX_LINES, Mark.UNDELIVERED, NOTHING)
    return computing.run(tenant_id, pdf_computations.printed, *made)
