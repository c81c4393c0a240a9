"""Share links: tenants create, replace and revoke them; anyone with a link may read.

One link per invoice. Its token is returned once and stored as a digest, so a lost link can only be
replaced.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.config import Settings
from einvoice.domain.additions import NOTHING, Additions
from einvoice.domain.artefacts import PDF
from einvoice.domain.branding import Branding
from einvoice.domain.delivery import DeliveredMeans, NetworkStatus
from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotFound, NotShareable
from einvoice.domain.money import is_paid
from einvoice.security import tokens
from einvoice.services.account import audit, tenants
from einvoice.services.computing.pool import Computing
from einvoice.services.invoices import detail, handout_terms
from einvoice.services.invoices import pdf as rendering
from einvoice.services.invoices.handout_terms import Networks
from einvoice.services.principal import Session
from einvoice.store.core import db
from einvoice.store.invoices import invoices, shares
from einvoice.store.invoices.invoices import InvoiceRecord
from einvoice.store.invoices.shares import SharedInvoice

LanguageOf = Callable[[str | None], str]


@dataclass(frozen=True, slots=True)
class IssuedLink:
    """The link of an invoice, with the token if it was created by this call."""

    created_at: datetime
    environment: Environment
    token: str | None = None


def share(
    invoice_id: str,
    session: Session,
    *,
    regenerate: bool = False,
    is_issued: Callable[[InvoiceRecord], bool] = lambda _: False,
) -> IssuedLink:
    """Create the invoice's link, or return the existing one without its token.

    regenerate  replaces an existing link, which is revoked by the commit
    is_issued   whether one that is not Delivered may be handed out all the same

    Raises NotFound, NotShareable, and what `is_issued` raises.
    """
    record = detail.record_of(invoice_id, session)
    _check(record, is_issued)
    environment = Environment(record.environment)
    with db.writing() as connection:
        shares.lock_invoice(connection, record.id)
        since = shares.shared_since(connection, record.id)
        if since is not None and not regenerate:
            return IssuedLink(since, environment)
        return _made(connection, record, session, environment)


def _check(record: InvoiceRecord, is_issued: Callable[[InvoiceRecord], bool]) -> None:
    """Raise NotShareable unless the invoice is sent, and Delivered or issued before that."""
    if record.is_received:
        raise NotShareable("This invoice was received; only sent ones can be shared.")
    if not record.may_be_shared and not is_issued(record):
        raise NotShareable(f"This invoice is {record.status}; only a Delivered one can be shared.")


def _made(
    connection: Connection, record: InvoiceRecord, session: Session, environment: Environment
) -> IssuedLink:
    token, now = tokens.new(), clock.now()
    replaced = shares.revoke(connection, record.id, record.tenant_id, now)
    shares.add(
        connection,
        link_id=str(uuid.uuid4()),
        tenant_id=session.tenant_id,
        invoice_id=record.id,
        digest=tokens.digest(token),
        now=now,
    )
    audit.record(
        connection, session.tenant_id, session, "invoice.shared", record.id, {"replaced": replaced}
    )
    return IssuedLink(now, environment, token)


def revoke(invoice_id: str, session: Session) -> None:
    """Revoke the invoice's link, if it has one. Raises NotFound."""
    record = detail.record_of(invoice_id, session)
    with db.writing() as connection:
        shares.lock_invoice(connection, record.id)
        if shares.revoke(connection, record.id, record.tenant_id, clock.now()):
            audit.record(connection, session.tenant_id, session, "invoice.unshared", record.id)


# -- reading by the buyer --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class SharedView:
    """The content of a link: the invoice, the sender's branding, and the meaning of Delivered.

    `additions` come from the profile of its network.
    """

    invoice: SharedInvoice
    branding: Branding
    means: DeliveredMeans
    additions: Additions

    @property
    def is_paid(self) -> bool:
        """Whether its sender says that all of it was paid."""
        return is_paid(self.invoice.amount_paid, self.invoice.payable)


@dataclass(frozen=True, slots=True)
class PdfDownload:
    """The PDF with its file name."""

    content: bytes
    name: str


def view(
    token: str, computing: Computing, networks: Networks, language_of: LanguageOf
) -> SharedView:
    """The invoice of this token.

    language_of  the language of the view, by the country of the buyer

    Raises NotFound, ComputingUnavailable and ComputationTooLarge.
    """
    found = _opened(token)
    branding = Branding.of(found.supplier_name, tenants.get(found.tenant_id).profile)
    usual = networks.points.capabilities_of(found.access_point).delivered_means
    means = DeliveredMeans(found.delivered_means or usual)
    language = language_of(found.buyer_country)
    return SharedView(found, branding, means, _additions(found, computing, networks, language))


def _additions(
    found: SharedInvoice, computing: Computing, networks: Networks, language: str
) -> Additions:
    if not handout_terms.has_additions(found.profile, networks):
        return NOTHING  # without reading the document
    documents = invoices.documents(found.invoice_id, found.tenant_id, found.environment)
    assert documents is not None  # noqa: S101 - it has a link
    return handout_terms.terms_of(documents, computing, networks, language).additions


def pdf(token: str, computing: Computing, networks: Networks) -> PdfDownload:
    """The invoice's PDF with the sender's branding.

    Raises NotFound, ComputingUnavailable and ComputationTooLarge.
    """
    found = _opened(token)
    content = rendering.pdf_of(
        found.tenant_id, found.environment, found.invoice_id, computing, networks
    )
    return PdfDownload(content, PDF.file_name_of(found.number))


def _opened(token: str) -> SharedInvoice:
    """The invoice of a token. Malformed tokens are looked up too, so they take the same time.

    One that was shared before it was Delivered, and has failed, has no page until it is sent again.
    """
    found = shares.find_shared(tokens.digest(token))
    if found is None or found.status == NetworkStatus.FAILED:
        raise NotFound("This link is not valid.")
    return found


def address(token: str, environment: Environment, settings: Settings) -> str:
    """The URL of a link, built from the settings, not from headers of the request."""
    sandbox = environment is Environment.TEST and settings.sandbox_base_url
    base = settings.sandbox_base_url if sandbox else settings.base_url
    return f"{base.rstrip('/')}/api/invoices/view/{token}"
