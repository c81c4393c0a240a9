"""The look of a tenant's mails, by a sample invoice, and a test of them to a person.

The preview has the words, the addresses and the names of the files; a test is the mail itself, sent
to the person who asks for it. Choices that are not stored yet are shown as if they were.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from typing import Any, Final

from babel.numbers import format_currency

from einvoice import clock
from einvoice.documents.pdf.words import locale_of
from einvoice.domain.branding import Branding
from einvoice.domain.errors import AccessPointUnavailable, Conflict, FieldError, InvalidField
from einvoice.domain.invoice import Address
from einvoice.mail import (
    Deferred,
    InvalidAddress,
    Lost,
    Mailbox,
    Message,
    Outgoing,
    Refused,
    Taken,
)
from einvoice.mail.invoice_mails import Attached, InvoiceMail, MailTemplate, languages
from einvoice.services.account import mail_domains, profile, tenants
from einvoice.services.invoices import mails, pdf
from einvoice.services.principal import Session
from einvoice.services.runtime import Runtime
from einvoice.store.account.tenants import TenantRecord

LANGUAGES: Final = languages()
_NUMBER: Final = "2026-0001"
_BUYER: Final = "Example Buyer"
_AMOUNT: Final = Decimal("1210.00")


@dataclass(frozen=True, slots=True)
class MailPreview:
    """A mail as its buyer gets it.

    sender       with the tenant's name; `own_sender`: whether from the tenant's own domain
    attachments  the names of the files
    """

    language: str
    sender: str
    own_sender: bool
    reply_to: str | None
    subject: str
    text: str
    html: str
    attachments: tuple[str, ...]


def preview(
    tenant_id: str,
    runtime: Runtime,
    *,
    language: str = "en",
    country: str | None = None,
    changes: Mapping[str, Any] | None = None,
) -> MailPreview:
    """The mail of a sample invoice.

    language  one of LANGUAGES
    country   of the buyer, which decides the files and how numbers and dates are written
    changes   the member `mail` of the profile that is not stored, in place of the stored one

    Raises NotFound, InvalidField.
    """
    tenant = _changed(tenant_id, changes)
    mail = _sample(tenant, language, country, runtime)
    message = _message(mail, Mailbox("buyer@example.com"), runtime)
    reply_to = message.reply_to
    return MailPreview(
        language=mail.language,
        sender=_named(message.sender),
        own_sender=mail.sender is not None,
        reply_to=None if reply_to is None else reply_to.address,
        subject=message.subject,
        text=message.text,
        html=message.html or "",
        attachments=tuple(each.name for each in message.attachments),
    )


@dataclass(frozen=True, slots=True)
class TestedMail:
    """A test that a mail server took. `reply`: its words; `own_sender`: as of the preview."""

    recipient: str
    server: str
    reply: str
    own_sender: bool


def send_test(
    tenant_id: str,
    by: Session,
    runtime: Runtime,
    *,
    language: str = "en",
    country: str | None = None,
) -> TestedMail:
    """Send the mail of a sample invoice to the person who asks for it.

    Raises Conflict (no mail server, or the person has no e-mail address), InvalidField,
    AccessPointUnavailable (no server took it), ComputingUnavailable.
    """
    outgoing, to = runtime.outgoing, _address(by)
    if outgoing is None:
        raise Conflict("This service sends no mail: its operator has named no mail server.")
    tenant = tenants.get(tenant_id)
    mail = _sample(tenant, language, country, runtime, with_pages=True)
    outcome = outgoing.send(_message(mail, to, runtime), signer=mail.signer)
    match outcome:
        case Taken(server, reply):
            return TestedMail(to.address, server, str(reply), mail.sender is not None)
        case Refused(server, step, reply):
            words = f"{server} refuses {step}: {reply}"
        case Deferred(reason, deferral):
            words = f"{reason}: {deferral}" if deferral else reason
        case Lost(server, reason):
            words = f"{server}: {reason}"
    raise AccessPointUnavailable(f"The test was not sent. {words}")


def _address(by: Session) -> Mailbox:
    try:
        return Mailbox.parse(by.email or "")
    except InvalidAddress:
        message = "A test goes to the e-mail address of your login, which has none."
        raise Conflict(message) from None


def _changed(tenant_id: str, changes: Mapping[str, Any] | None) -> TenantRecord:
    tenant = tenants.get(tenant_id)
    return tenant if changes is None else profile.changed(tenant, {"mail": changes})


def _sample(
    tenant: TenantRecord,
    language: str,
    country: str | None,
    runtime: Runtime,
    *,
    with_pages: bool = False,
) -> InvoiceMail:
    if language not in LANGUAGES:
        message = f"is none of {', '.join(LANGUAGES)}"
        raise InvalidField([FieldError("/language", "unknown-code", message)])
    template = MailTemplate.of(tenant.profile, language, country)
    branding = Branding.of(tenant.name, tenant.profile)
    own = mail_domains.sender_of(tenant.id, template.sender, runtime)
    locale = mails.locale_named(locale_of(Address(country=country)) if country else language)
    if locale.language != language:
        locale = mails.locale_named(language)
    today = clock.today()
    pages = pdf.preview(tenant.id, country or "DE", runtime.computing) if with_pages else b"%PDF-"
    return InvoiceMail(
        number=_NUMBER,
        seller=branding.name,
        buyer=_BUYER,
        language=language,
        date=mails.day(today, locale),
        amount=format_currency(_AMOUNT, "EUR", locale=locale),
        due=mails.day(today + timedelta(days=30), locale),
        link=f"{runtime.settings.base_url.rstrip('/')}/api/invoices/view/…",
        pdf=pages,
        has_xml=template.attached is Attached.FACTUR_X,
        xml=b"<Invoice/>",
        reply_to=branding.email or "",
        template=template,
        sender=None if own is None else own.mailbox,
        signer=None if own is None else own.signer,
    )


def _message(mail: InvoiceMail, to: Mailbox, runtime: Runtime) -> Message:
    sender = _operator(runtime.outgoing)
    return mail.message(sender, to, f"<test-{uuid.uuid4()}@{sender.domain}>")


def _operator(outgoing: Outgoing | None) -> Mailbox:
    return outgoing.sender if outgoing is not None else Mailbox("invoices@example.com")


def _named(mailbox: Mailbox) -> str:
    return f"{mailbox.name} <{mailbox.address}>" if mailbox.name else mailbox.address
