"""A message for one receiver, written with the standard library's `email`.

Texts of tenants become subjects and names: they are put on one line and cut, so that no text adds a
header field. The bytes are ASCII with lines of at most 78 characters where the library may fold, so
that a relay without 8BITMIME changes nothing that the signature covers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Final

from einvoice import clock
from einvoice.mail.addresses import Mailbox

MAX_SUBJECT_LENGTH: Final = 200
MAX_FILE_NAME_LENGTH: Final = 120
# Fits into one line of a header with its name (RFC 5322, 2.1.1: at most 998 characters).
MAX_MESSAGE_ID_LENGTH: Final = 250

_POLICY = SMTP.clone(cte_type="7bit")
_MESSAGE_ID = re.compile(r"<[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[A-Za-z0-9.-]+>", re.ASCII)
_CONTENT_TYPE = re.compile(r"[a-z0-9.+-]+/[a-z0-9.+-]+", re.ASCII)
_UNSAFE_IN_NAMES = re.compile(r'[\\/:*?"<>|;\x00-\x1f\x7f]')


class InvalidMessage(ValueError):
    """A value that no message may have: the caller's fault, not the receiver's."""


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message. `content_type` is that of the file: application/pdf."""

    name: str
    content_type: str
    content: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """A message to one mailbox.

    text        plain text, of any language
    html        the same as HTML, without remote content
    message_id  `<…@domain>`; the same in all attempts, so that receivers recognise a repetition
    automatic   whether a program writes it: no out-of-office is to answer it (RFC 3834)
    headers     further fields (name, value): `X-…`, `In-Reply-To`
    """

    sender: Mailbox
    to: Mailbox
    subject: str
    text: str
    message_id: str
    html: str | None = None
    reply_to: Mailbox | None = None
    attachments: tuple[Attachment, ...] = ()
    automatic: bool = True
    headers: tuple[tuple[str, str], ...] = ()
    date: datetime | None = None

    def written(self) -> bytes:
        """The message in the form of RFC 5322, with CRLF. Raises InvalidMessage."""
        if not _MESSAGE_ID.fullmatch(self.message_id) or (
            len(self.message_id) > MAX_MESSAGE_ID_LENGTH
        ):
            raise InvalidMessage(f"{self.message_id[:80]!r} is not a message id: <…@domain>")
        message = EmailMessage(policy=_POLICY)
        for name, value in self._fields():
            message[name] = value
        message.set_content(_lines(self.text), cte="quoted-printable")
        if self.html is not None:
            message.add_alternative(_lines(self.html), subtype="html", cte="quoted-printable")
        for attachment in self.attachments:
            _attach(message, attachment)
        return message.as_bytes()

    def _fields(self) -> list[tuple[str, object]]:
        date = format_datetime(self.date or clock.now())
        fields: list[tuple[str, object]] = [
            ("From", self.sender.header()),
            ("To", self.to.header()),
            ("Subject", one_line(self.subject, MAX_SUBJECT_LENGTH)),
            ("Date", date),
            ("Message-ID", self.message_id),
        ]
        if self.reply_to is not None:
            fields.append(("Reply-To", self.reply_to.header()))
        if self.automatic:
            fields.append(("Auto-Submitted", "auto-generated"))
        return fields + [(name, one_line(value, 900)) for name, value in self.headers]


def one_line(text: str, length: int) -> str:
    """The text without control characters and line breaks, cut to `length` characters."""
    # The first characters are enough: a text of megabytes costs no more.
    start = text[: 4 * length]
    words = " ".join("".join(c if c.isprintable() else " " for c in start).split())
    return words if len(words) <= length else f"{words[: length - 1].rstrip()}…"


def file_name(text: str) -> str:
    """A name that every system takes for a file."""
    stem, dot, ending = one_line(_UNSAFE_IN_NAMES.sub("-", text[:1000]), 400).rpartition(".")
    name = f"{stem[: MAX_FILE_NAME_LENGTH - len(ending) - 1]}{dot}{ending[:20]}".strip(". ")
    return name or "file"


def _lines(text: str) -> str:
    """The text without NUL and other control characters, which some servers refuse."""
    return "".join(c for c in text if c in "\n\t" or (c >= " " and c != "\x7f"))


def _attach(message: EmailMessage, attachment: Attachment) -> None:
    if not _CONTENT_TYPE.fullmatch(attachment.content_type):
        raise InvalidMessage(f"{attachment.content_type[:80]!r} is not a type of a file")
    kind, _, subtype = attachment.content_type.partition("/")
    name = file_name(attachment.name)
    message.add_attachment(attachment.content, maintype=kind, subtype=subtype, filename=name)
