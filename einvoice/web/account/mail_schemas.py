"""Mails of a tenant: their words and files, the domains they come from, and addresses for bills."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from marshmallow import Schema

from einvoice.mail.dns_records import Wanted
from einvoice.mail.invoice_mails import Attached, languages
from einvoice.network.held_addresses import HeldAddress
from einvoice.services.account.mail_domains import DomainState, OwnDomain
from einvoice.services.connections.mail_addresses import MAX_ACCOUNT, MAX_NAME, MailAddress
from einvoice.services.invoices.mail_previews import MailPreview, TestedMail
from einvoice.web.contract import Contract, Items, Part
from einvoice.web.fields import Code, Text, environment_code
from einvoice.web.paging import PartQuery
from einvoice.web.response_schema import ResponseSchema
from einvoice.web.shared import response_fields as a
from einvoice.web.shared.party_schemas import country

_EMAIL = (r"[^@\s]+@[^@\s]+\.[^@\s]+", "an e-mail address")
_WORDS = "{number}, {seller}, {buyer}, {date}, {amount}, {due} and {link} stand for values"
_FILES = tuple(each.value for each in Attached)
_LANGUAGES = languages()
MAX_COUNTRIES = 60


def _subject(description: str) -> Text:
    return Text(description, max_length=200, example="Invoice {number} from {seller}")


def _text(description: str) -> Text:
    return Text(description, max_length=5000, example="Good day,\nhere is invoice {number}.")


def _files(description: str, *, required: bool = False) -> Code:
    return Code(
        description, _FILES, name="a choice of files", example="factur-x", required=required
    )


class MailWords(Contract):
    """The words of mails in one language."""

    language = Code(
        "The language of the buyer.", _LANGUAGES, name="a language", required=True, example="de"
    )
    subject = _subject(f"The subject; {_WORDS}.")
    text = _text(f"The text, plain; {_WORDS}.")


class MailFiles(Contract):
    """The files of mails to one country."""

    country = country("The buyer's country.", required=True)
    attachments = _files("The files of these mails.", required=True)


class MailSettings(Contract):
    """The e-mails by which the network mail hands out invoices; replaces all of them.

    In the words, {number}, {seller}, {buyer}, {date}, {amount}, {due} and {link} stand for values.
    """

    subject = _subject("The subject, in place of the one in the buyer's language.")
    text = _text("The text, in place of the one in the buyer's language; plain text.")
    templates = Items(
        Part(MailWords, "The words in one language."),
        "Words for buyers of one language, in place of `subject` and `text`.",
        max_items=len(_LANGUAGES),
    )
    replyTo = Text(
        "Where answers of buyers go; without: the e-mail of the account.",
        max_length=254,
        form=_EMAIL,
        example="billing@example.com",
    )
    attachments = _files(
        "The files: factur-x (a PDF with the invoice inside), or the PDF with XML of EN 16931 "
        "(pdf-and-xml), of XRechnung or of Peppol BIS side by side."
    )
    attachmentsByCountry = Items(
        Part(MailFiles, "The files to one country."),
        "Files for buyers in one country, in place of `attachments`.",
        max_items=MAX_COUNTRIES,
    )
    sender = Text(
        "The address they come from, at a domain of /api/mail/domains; used while that is "
        "verified. Without: the operator's.",
        max_length=254,
        form=_EMAIL,
        example="billing@example.com",
    )


class MailWordsRecord(Schema):
    """The words of mails in one language."""

    language = a.text("The language of the buyer", "de")
    subject = a.text("The subject", "Rechnung {number}", or_null=True)
    text = a.text("The text", "Guten Tag", or_null=True)


class MailFilesRecord(Schema):
    """The files of mails to one country."""

    country = a.text("The buyer's country", "DE")
    attachments = a.text("The files of these mails", "pdf-and-xrechnung")


class MailSettingsRecord(Schema):
    """The e-mails by which the network mail hands out invoices."""

    subject = a.text("The subject; null: in the buyer's language", "Invoice {number}", or_null=True)
    text = a.text("The text; null: in the buyer's language", "Good day", or_null=True)
    templates = a.things(
        MailWordsRecord(), "Words for buyers of one language", max_items=len(_LANGUAGES)
    )
    replyTo = a.text("Where answers of buyers go", "billing@example.com", or_null=True)
    attachments = a.text("The files", "factur-x", or_null=True)
    attachmentsByCountry = a.things(
        MailFilesRecord(), "Files for buyers in one country", max_items=MAX_COUNTRIES
    )
    sender = a.text("The address they come from", "billing@example.com", or_null=True)


def complete_settings(stored: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The stored choices with all members of the record."""
    if stored is None:
        return None
    words = [{"subject": None, "text": None, **each} for each in stored.get("templates") or ()]
    texts = dict.fromkeys(("subject", "text", "replyTo", "attachments", "sender"))
    countries = list(stored.get("attachmentsByCountry") or ())
    return {**texts, **stored, "templates": words, "attachmentsByCountry": countries}


# -- domains ---------------------------------------------------------------------------------------


class NewMailDomain(Contract):
    """A domain of yours, from which mails are sent once DNS has its records."""

    domain = Text(
        "The domain; it may be an international one.",
        max_length=253,
        required=True,
        example="example.com",
    )


class MailDomainDnsRecord(ResponseSchema[Wanted]):
    """A TXT record that DNS needs."""

    purpose = a.text("verification, dkim, spf or dmarc", "dkim")
    name = a.text("Where to put it", "ei-0199a1b2._domainkey.example.com")
    value = a.text("What to put there", "v=DKIM1; k=rsa; p=MIIB…")
    required = a.flag("Whether nothing is sent from the domain without it", example=True)
    state = a.text("found, missing, wrong, or unknown: DNS was not asked", "found")
    found = a.text("What is there", "v=DKIM1; k=rsa; p=MIIB…")


class MailDomainRecord(ResponseSchema[OwnDomain]):
    mailDomainId = a.an_id("The id of the domain", source="id")
    domain = a.text("Its name", "example.com")
    state = a.text(f"One of {', '.join(DomainState)}; mails come from a verified one", "verified")
    records = a.things(MailDomainDnsRecord(), "What DNS needs, and what it had")
    createdAt = a.moment("When it was added")
    checkedAt = a.moment("When DNS was asked last", or_null=True)
    verifiedAt = a.moment("Since when all is there", or_null=True)


class MailDomainResponse(MailDomainRecord):
    provider = a.provider()


class MailDomainList(ResponseSchema[list[OwnDomain]]):
    items = a.things(MailDomainRecord(), "The domains, by name", source=list)
    provider = a.provider()


# -- addresses -------------------------------------------------------------------------------------


class NewMailAddress(Contract):
    """An address at which bills arrive; its name is made by the service."""

    environment = environment_code("The environment of its bills.", required=True)
    name = Text("Your name of it.", max_length=MAX_NAME, example="Vans")
    glAccountCode = Text(
        "The account of its bills whose supplier has none.", max_length=MAX_ACCOUNT, example="6130"
    )


class MailAddressChanges(Contract):
    """A merge patch (RFC 7396): omitted members stay unchanged, null removes."""

    name = Text("Your name of it.", max_length=MAX_NAME, example="Vans")
    glAccountCode = Text(
        "The account of its bills whose supplier has none.", max_length=MAX_ACCOUNT, example="6130"
    )


class MailAddressQuery(PartQuery):
    environment = environment_code("Those of this environment.", required=True)


class MailAddressRecord(ResponseSchema[MailAddress]):
    mailAddressId = a.an_id("The id of the address, and of its connection", source="id")
    address = a.text("The address", "k3m9x2q7wphd4t@in.example.com")
    name = a.text("Your name of it", "Vans")
    environment = a.text("The environment of its bills", "live")
    state = a.text("active: it takes mail; else as of a connection", "active")
    reason = a.text("Why it takes none", "…", or_null=True)
    glAccountCode = a.text("The account of its bills whose supplier has none", "6130", or_null=True)
    createdAt = a.moment("When it was made")


class MailAddressResponse(MailAddressRecord):
    provider = a.provider()


class MailAddressList(ResponseSchema[list[MailAddress]]):
    items = a.things(MailAddressRecord(), "The addresses, oldest first", source=list)
    provider = a.provider()


class HeldAddressRecord(ResponseSchema[HeldAddress]):
    heldAddressId = a.text("The id of the entry", "5f1d7c…", source="id")
    address = a.text("The address of a buyer", "ap@example.com")
    reason = a.text("The words of its mail server", "550 5.1.1 no such user")
    since = a.moment("Since when it gets no mail")
    until = a.moment("When it gets mail again by itself")


class HeldAddressList(ResponseSchema[Sequence[HeldAddress]]):
    items = a.things(HeldAddressRecord(), "The addresses, the newest first", source=list)
    provider = a.provider()


# -- preview and test ------------------------------------------------------------------------------


class MailPreviewRequest(Contract):
    """How a mail would look: by the stored choices, or by `mail` in their place."""

    language = Code(
        "The language of the buyer; default: en.", _LANGUAGES, name="a language", example="de"
    )
    country = country("The buyer's country, which decides the files.")
    mail = Part(MailSettings, "Choices that are not stored.")


class MailTestRequest(Contract):
    """A test goes to the e-mail address of the person who asks for it."""

    language = Code(
        "The language of the mail; default: en.", _LANGUAGES, name="a language", example="de"
    )
    country = country("The buyer's country, which decides the files.")


class MailPreviewResponse(ResponseSchema[MailPreview]):
    language = a.text("The language", "de")
    sender = a.text("Whom it comes from", "Example NV <billing@example.com>")
    ownSender = a.flag("Whether from a domain of your own", example=True)
    replyTo = a.text("Where answers go", "billing@example.com", or_null=True)
    subject = a.text("The subject", "Rechnung 2026-0001 von Example NV")
    text = a.text("The plain text", "Guten Tag")
    html = a.text("The same as HTML", "<p>Guten Tag</p>")
    attachments = a.texts("The names of the files", "invoice.pdf")
    provider = a.provider()


class MailTestResponse(ResponseSchema[TestedMail]):
    recipient = a.text("Who gets it", "ann@example.com")
    server = a.text("The mail server that took it", "relay.example:587")
    reply = a.text("Its words", "250 2.0.0 queued as 4711")
    ownSender = a.flag("Whether it comes from a domain of your own", example=True)
    provider = a.provider()
