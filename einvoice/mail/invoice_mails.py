"""The e-mail that hands an invoice to its buyer: subject, text, files, and the buyer's link.

The words are in the language of the buyer, or the tenant's own; in these, `{number}`, `{seller}`,
`{buyer}`, `{date}`, `{amount}`, `{due}` and `{link}` stand for values of the invoice. Everything
else in braces stays as it is.

>>> filled("Invoice {number} {of} {link}", {"number": "17", "link": "https://…"})
'Invoice 17 {of} https://…'
"""

from __future__ import annotations

import html
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from einvoice.mail.addresses import InvalidAddress, Mailbox
from einvoice.mail.messages import Attachment, Message, file_name
from einvoice.mail.signing import Signer

FALLBACK: Final = "en"
PLACEHOLDERS: Final = ("number", "seller", "buyer", "date", "amount", "due", "link")
_PLACEHOLDER: Final = re.compile(r"\{([a-z]{1,10})\}")
_WORDS: Final = Path(__file__).with_name("invoice_words.toml")
# Base64 with its line breaks: 4 characters and a share of CRLF for 3 bytes.
_ENCODED: Final = 1.37


class Attached(StrEnum):
    """The files of a mail, by the tenant's choice."""

    FACTUR_X = "factur-x"  # a PDF with the invoice inside; if that cannot be, both files
    PDF_AND_XML = "pdf-and-xml"  # EN 16931
    PDF_AND_XRECHNUNG = "pdf-and-xrechnung"
    PDF_AND_BIS = "pdf-and-bis"  # Peppol BIS Billing 3.0

    @property
    def profile(self) -> str | None:
        """The profile by which the invoice is judged; None: the usual one of the network."""
        return _PROFILES.get(self)


_PROFILES: Final = {
    Attached.PDF_AND_XRECHNUNG: "mail-xrechnung",
    Attached.PDF_AND_BIS: "mail-bis",
}


@dataclass(frozen=True, slots=True)
class MailTemplate:
    """The tenant's choices for mails to one country in one language; empty: those of the service.

    sender  the tenant's own address, used once DNS has the records of its domain
    """

    subject: str = ""
    text: str = ""
    reply_to: str = ""
    attached: Attached = Attached.FACTUR_X
    sender: str = ""

    @classmethod
    def of(
        cls, profile: Mapping[str, object], language: str = "", country: str | None = None
    ) -> MailTemplate:
        """The choices in the tenant's profile (`mail`); malformed ones are absent.

        The words are those for the language, else the tenant's own for all languages; the files
        those for the buyer's country, else its own for all countries.
        """
        given = profile.get("mail")
        if not isinstance(given, Mapping):
            return cls()
        words = {name: str(given.get(name) or "") for name in ("subject", "text")}
        own = _chosen(given.get("templates"), "language", language)
        words |= {name: str(own[name]) for name in words if own.get(name)}
        files = _chosen(given.get("attachmentsByCountry"), "country", country)
        attached = str(files.get("attachments") or given.get("attachments") or Attached.FACTUR_X)
        return cls(
            **words,
            reply_to=str(given.get("replyTo") or ""),
            attached=Attached(attached) if attached in list(Attached) else Attached.FACTUR_X,
            sender=str(given.get("sender") or ""),
        )


def _chosen(given: object, member: str, value: str | None) -> Mapping[str, object]:
    """The choice for a value among a list of choices; empty if there is none."""
    choices = given if isinstance(given, list | tuple) else ()
    fitting = (each for each in choices if isinstance(each, Mapping) and each.get(member) == value)
    return next(fitting, {})


@dataclass(frozen=True, slots=True)
class InvoiceMail:
    """The content of a mail about an invoice.

    language  of the buyer: en, de, fr, nl, sv, es, it, pl or ro
    date, due, amount  as the buyer reads them; empty if the invoice has none
    link      the address of the buyer's page
    pdf       the pages; `has_xml`: with the invoice inside (Factur-X)
    xml       the invoice as it was judged
    reply_to  the tenant's address; empty: none is known
    sender    the tenant's own address; None: the operator's
    signer    of the domain of `sender`
    """

    number: str
    seller: str
    buyer: str
    language: str
    date: str
    amount: str
    due: str
    link: str
    pdf: bytes = field(repr=False)
    pdf_name: str = "invoice.pdf"
    has_xml: bool = False
    xml: bytes = field(default=b"", repr=False)
    xml_name: str = "invoice.xml"
    reply_to: str = ""
    template: MailTemplate = field(default_factory=MailTemplate)
    sender: Mailbox | None = None
    signer: Signer | None = field(default=None, repr=False)

    def message(
        self, sender: Mailbox, to: Mailbox, message_id: str, *, max_bytes: int | None = None
    ) -> Message:
        """The message to the buyer.

        sender     the operator's address, for a tenant that sends from no own one
        max_bytes  of a message: files that do not fit are left out, and the text says so
        """
        files = self._files()
        size = sum(int(len(each.content) * _ENCODED) + 500 for each in files)
        if max_bytes is not None and size + 20_000 > max_bytes:
            files = ()
        text = self._text(files)
        return Message(
            sender=(self.sender or sender).named(self.seller),
            to=to,
            subject=filled(self.template.subject or self._words["subject"], self._values),
            text=text,
            html=_html(text, self.link, self.language),
            message_id=message_id,
            reply_to=_mailbox(self.template.reply_to or self.reply_to),
            attachments=files,
        )

    def _files(self) -> tuple[Attachment, ...]:
        pdf = Attachment(file_name(self.pdf_name), "application/pdf", self.pdf)
        if self.has_xml or not self.xml:
            return (pdf,)
        return pdf, Attachment(file_name(self.xml_name), "application/xml", self.xml)

    def _text(self, files: tuple[Attachment, ...]) -> str:
        own = self.template.text.strip()
        parts = [filled(own, self._values)] if own else self._usual(files)
        if own and not files:
            parts.append(self._words["tooLarge"])
        if self.link and self.link not in parts[0]:
            parts.append(f"{self._words['link']}\n{self.link}")
        if not own:
            parts.append(f"{self._words['regards']}\n{self.seller}")
        return "\n\n".join(parts) + "\n"

    def _usual(self, files: tuple[Attachment, ...]) -> list[str]:
        words = self._words
        due = f" {filled(words['due'], self._values)}" if self.due else ""
        what = "tooLarge" if not files else "hybrid" if self.has_xml else "both"
        if len(files) == 1 and not self.has_xml:
            what = "pdf"
        return [words["greeting"], filled(words["invoice"], self._values) + due, words[what]]

    @property
    def _words(self) -> Mapping[str, str]:
        return words_in(self.language)

    @property
    def _values(self) -> Mapping[str, str]:
        return {name: str(getattr(self, name)) for name in PLACEHOLDERS}


def filled(text: str, values: Mapping[str, str]) -> str:
    """The text with the values of its placeholders; values are not searched for placeholders."""
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)


def words_in(language: str) -> Mapping[str, str]:
    """The words of the service in a language; of one that it does not have, English."""
    words = _words()
    return words.get(language) or words[FALLBACK]


def languages() -> tuple[str, ...]:
    """The languages of the service's words."""
    return tuple(_words())


@cache
def _words() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(_WORDS.read_text("utf-8"))


def _mailbox(text: str) -> Mailbox | None:
    try:
        return Mailbox.parse(text) if text else None
    except InvalidAddress:
        return None


def _html(text: str, link: str, language: str) -> str:
    """The text as HTML: nothing of it is markup, and nothing is loaded from elsewhere."""
    shown = html.escape(text.strip())
    if link:
        address = html.escape(link)
        shown = shown.replace(address, f'<a href="{address}">{address}</a>')
    paragraphs = "".join(
        f"<p>{each.replace(chr(10), '<br>')}</p>" for each in re.split(r"\n{2,}", shown)
    )
    return (
        f'<!DOCTYPE html><html lang="{html.escape(language)}"><head><meta charset="utf-8"></head>'
        f"<body>{paragraphs}</body></html>\n"
    )
