"""The mail that hands an invoice to its buyer, as its access point gets it.

A worker makes it before the first attempt. It is stored with the transmission, so retries send the
same bytes, with the same link.
"""

from __future__ import annotations

import uuid
from dataclasses import replace
from datetime import date

from babel import Locale, UnknownLocaleError
from babel.dates import format_date
from babel.numbers import format_currency

from einvoice import clock
from einvoice.documents.pdf import Mark
from einvoice.documents.pdf.words import locale_of
from einvoice.domain import artefacts as kinds
from einvoice.domain.branding import Branding
from einvoice.domain.environments import Environment
from einvoice.domain.errors import NotAsFacturX, NotFound
from einvoice.domain.invoice import Address, DocumentKind
from einvoice.mail.invoice_mails import Attached, InvoiceMail, MailTemplate
from einvoice.security import tokens
from einvoice.services.account import mail_domains, tenants
from einvoice.services.invoices import handout_terms, pdf, share_links
from einvoice.services.invoices.handout_terms import HandedOut, Networks
from einvoice.services.invoices.pdf_computations import printed, printed_as_factur_x
from einvoice.services.runtime import Runtime
from einvoice.store.account.tenants import TenantRecord
from einvoice.store.core import db
from einvoice.store.invoices import invoices, shares
from einvoice.store.invoices.invoices import InvoiceDocuments, InvoiceRecord


def mail_of(invoice_id: str, tenant_id: str, environment: str, runtime: Runtime) -> InvoiceMail:
    """The mail of a sent invoice, with a new link: one that it had before is not valid any more.

    Raises NotFound, ComputingUnavailable, ComputationTooLarge.
    """
    record = invoices.find(invoice_id, tenant_id, [environment])
    found = invoices.documents(invoice_id, tenant_id, environment)
    if record is None or found is None:
        raise NotFound(f"There is no invoice {invoice_id[:40]!r}.")
    tenant = tenants.get(tenant_id)
    locale = locale_named(locale_of(Address(country=_receiver_country(record))))
    template = MailTemplate.of(tenant.profile, locale.language, _receiver_country(record))
    pages, has_xml = _pages(found, tenant, template, runtime)
    link = _linked(record, runtime)
    mail = _said(record, tenant, template, pages, link, found.document, has_xml)
    own = mail_domains.sender_of(tenant_id, template.sender, runtime)
    return mail if own is None else replace(mail, sender=own.mailbox, signer=own.signer)


def _receiver_country(record: InvoiceRecord) -> str | None:
    """Of a self-billed invoice the country of the supplier, who gets the mail."""
    is_self_billed = DocumentKind(record.kind).is_self_billed
    return record.supplier_country if is_self_billed else record.buyer_country


def _pages(
    found: InvoiceDocuments, tenant: TenantRecord, template: MailTemplate, runtime: Runtime
) -> tuple[bytes, bool]:
    """The PDF without a mark, since this hands it out, and whether the invoice is in it."""
    computing = runtime.computing
    terms = handout_terms.terms_of(found, computing, Networks.of(runtime))
    terms = HandedOut(terms.additions, Mark.NONE)
    given = (found.document, tenant.profile, pdf.MAX_LINES, terms.mark, terms.additions)
    if template.attached is Attached.FACTUR_X:
        try:
            return computing.run(tenant.id, printed_as_factur_x, *given, clock.today()), True
        except NotAsFacturX:
            pass  # both files instead
    return computing.run(tenant.id, printed, *given), False


def _linked(record: InvoiceRecord, runtime: Runtime) -> str:
    """The address of a new link."""
    token, now = tokens.new(), clock.now()
    with db.writing() as connection:
        shares.lock_invoice(connection, record.id)
        shares.revoke(connection, record.id, record.tenant_id, now)
        shares.add(
            connection,
            link_id=str(uuid.uuid4()),
            tenant_id=record.tenant_id,
            invoice_id=record.id,
            digest=tokens.digest(token),
            now=now,
        )
    return share_links.address(token, Environment(record.environment), runtime.settings)


def _said(
    record: InvoiceRecord,
    tenant: TenantRecord,
    template: MailTemplate,
    pages: bytes,
    link: str,
    document: bytes,
    has_xml: bool,
) -> InvoiceMail:
    is_self_billed = DocumentKind(record.kind).is_self_billed
    sender, receiver = record.supplier_name, record.buyer_name
    if is_self_billed:
        sender, receiver = receiver, sender
    branding = Branding.of(sender or tenant.name, tenant.profile)
    locale = locale_named(locale_of(Address(country=_receiver_country(record))))
    amount = record.grand_total
    currency = record.currency or "EUR"
    return InvoiceMail(
        number=record.number or "",
        seller=branding.name,
        buyer=receiver or "",
        language=locale.language,
        date=day(record.issue_date, locale),
        amount="" if amount is None else format_currency(amount, currency, locale=locale),
        due=day(record.due_date, locale),
        link=link,
        pdf=pages,
        pdf_name=kinds.PDF.file_name_of(record.number),
        has_xml=has_xml,
        xml=document,
        xml_name=kinds.UBL.file_name_of(record.number),
        reply_to=branding.email or "",
        template=template,
    )


def day(value: date | None, locale: Locale) -> str:
    """The day as a reader of the locale writes it; empty for none."""
    return "" if value is None else str(format_date(value, "long", locale))


def locale_named(name: str) -> Locale:
    """The locale of a name, else English."""
    try:
        return Locale.parse(name)
    except (UnknownLocaleError, ValueError):
        return Locale.parse("en")
