"""The PDF of an invoice: rendered once for each look of its tenant, then kept as an artefact.

What is kept is found by an id made of all that the pages depend on. So nothing is ever out of date,
and two who render at once make the same bytes under the same id, of which one is kept.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, replace

from einvoice import clock, validation
from einvoice.documents import pdf
from einvoice.documents.cii import write as cii
from einvoice.documents.pdf.sample import sample_invoice
from einvoice.documents.reading import invoice_in
from einvoice.documents.ubl import write as ubl
from einvoice.domain import artefacts as kinds
from einvoice.domain.artefacts import ArtefactKind, EmbeddedPdf
from einvoice.domain.branding import Branding
from einvoice.domain.errors import NotAsFacturX, NotFound, UnreadableDocument
from einvoice.domain.invoice import Invoice
from einvoice.services.account import tenants
from einvoice.store import artefacts, db
from einvoice.store import invoices as stored
from einvoice.store.invoices import InvoiceDocuments
from einvoice.xml import NotXml

Profile = Mapping[str, object]
# Twice what a send may have: 5,000 lines take 4 s of CPU and 860 MiB, in proportion.
MAX_LINES = 10_000


def pdf_of(tenant_id: str, environment: str, invoice_id: str) -> bytes:
    """The invoice as its tenant's PDF; one that was sent inside the invoice stays as it was sent.

    Raises NotFound.
    """
    found, profile = _found(tenant_id, environment, invoice_id)
    if found.embed_pdf == EmbeddedPdf.DONE:
        return _sent_along(found.document)

    def render(invoice: Invoice, branding: Branding) -> bytes:
        return pdf.render(invoice, branding, found.document)

    return _kept_or_made(
        Owner(tenant_id, invoice_id, found.number), kinds.PDF, found, profile, render
    )


def factur_x_of(tenant_id: str, environment: str, invoice_id: str) -> bytes:
    """The same pages as Factur-X, profile EN 16931: with the invoice as CII inside.

    Raises NotFound, and NotAsFacturX where the invoice says what CII cannot.
    """
    found, profile = _found(tenant_id, environment, invoice_id)
    owner = Owner(tenant_id, invoice_id, found.number)
    return _kept_or_made(owner, kinds.FACTUR_X, found, profile, _factur_x)


def _factur_x(invoice: Invoice, branding: Branding) -> bytes:
    kept = [entry for entry in invoice.supporting if entry.description != pdf.DESCRIPTION]
    invoice = replace(invoice, supporting=tuple(kept))
    document = cii.document_xml(invoice, cii.EN16931)
    reasons = cii.inexpressible(invoice) or _broken_rules(document)
    if reasons:
        raise NotAsFacturX(f"As Factur-X this invoice would not be whole: {reasons[0]}.", reasons)
    return pdf.render_factur_x(invoice, branding, document)


def _broken_rules(document: bytes) -> list[str]:
    """What EN 16931 has against the document; what Peppol adds is no matter here."""
    report = validation.check(document, on=clock.today())
    return [
        finding.as_violation()
        for finding in report.errors
        if not finding.rule_id.startswith("PEPPOL")
    ]


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose artefact it is."""

    tenant_id: str
    invoice_id: str
    number: str | None


def _found(tenant_id: str, environment: str, invoice_id: str) -> tuple[InvoiceDocuments, Profile]:
    """The invoice's document with the look of its sender: of a received one nothing is known."""
    found = stored.documents(invoice_id, tenant_id, environment)
    if found is None:
        raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
    return found, tenants.get(tenant_id).profile if found.direction == "sent" else {}


def _kept_or_made(
    owner: Owner,
    kind: ArtefactKind,
    found: InvoiceDocuments,
    profile: Profile,
    render: Callable[[Invoice, Branding], bytes],
) -> bytes:
    look = look_id(owner.invoice_id, kind, profile, found.document)
    kept = artefacts.content(owner.invoice_id, look)
    if kept is not None:
        return kept.content
    invoice = _printable(found.document)
    made = render(invoice, branding_of(invoice, profile))
    with db.writing() as connection:
        artefacts.add_missing(connection, [artefact(look, owner, kind, made)])
    return made


def _printable(document: bytes) -> Invoice:
    """What came in need not be an invoice, nor one for people: then there is nothing to print.

    Raises NotFound.
    """
    try:
        invoice = invoice_in(document)
    except (NotXml, UnreadableDocument) as fault:
        raise NotFound("There is no PDF of what cannot be read as an invoice.") from fault
    if len(invoice.lines) > MAX_LINES:
        raise NotFound(f"There is no PDF of an invoice with more than {MAX_LINES:,} lines.")
    return invoice


def _sent_along(document: bytes) -> bytes:
    """The PDF that a worker put into the document: the last one, in our own words."""
    *_, entry = (e for e in invoice_in(document).supporting if e.description == pdf.DESCRIPTION)
    assert entry.attachment is not None  # noqa: S101 - it was put there with its content
    return entry.attachment.content


def branding_of(invoice: Invoice, profile: Profile) -> Branding:
    """The tenant's look; without a display name the logo is named after the seller."""
    return Branding.of(invoice.seller.trading_name or invoice.seller.name, profile)


def look_id(invoice_id: str, kind: ArtefactKind, profile: Profile, document: bytes) -> str:
    """The same for the same pages: invoice, kind, look, document, and our way to render them."""
    branding = repr(astuple(Branding.of("", profile)))
    look = hashlib.sha256(branding.encode() + document).hexdigest()
    return str(uuid.uuid5(uuid.UUID(invoice_id), f"{kind.code} {pdf.renderer_version()} {look}"))


def artefact(
    artefact_id: str, owner: Owner, kind: ArtefactKind, content: bytes
) -> artefacts.NewArtefact:
    """The PDF as it is kept."""
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


def preview(tenant_id: str, country: str) -> bytes:
    """A sample invoice with the branding of the tenant, in the language of the country.

    Raises NotFound.
    """
    tenant = tenants.get(tenant_id)
    branding = Branding.of(tenant.name, tenant.profile)
    invoice = sample_invoice(branding, clock.today(), country)
    return pdf.render(invoice, branding, ubl.document_xml(invoice))
