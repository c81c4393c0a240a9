"""The parts of a stored mail for people: its head, its text, its files, and the report of a server.

Mails are written by strangers: HTML becomes plain text, nothing is loaded, every value has a bound,
and no bytes raise an exception.

>>> read(b"From: a@example.com\\nSubject: =?utf-8?q?Caf=C3=A9?=\\n\\nHello\\n").subject
'Café'
>>> cause_of("smtp; 550 5.1.1 <x@example.com>: no such user")
<Cause.UNKNOWN_ADDRESS: 'unknownAddress'>
"""

from __future__ import annotations

import email
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from email.message import Message
from enum import StrEnum
from typing import Final

from einvoice.mail import readable
from einvoice.mail.programs import is_program
from einvoice.mail.readable import FAULTS, value

MAX_TEXT: Final = 20_000  # characters
_MAX_HTML: Final = 200_000
_MAX_PARTS: Final = 100
_MAX_DEPTH: Final = 10
_MAX_SEPARATORS: Final = 2_000  # lines that may separate parts
_MAX_AUTHENTICATION: Final = 5
_MAX_HEAD: Final = 256 * 1024  # bytes
_ENHANCED: Final = re.compile(r"(?<![0-9.])([245]\.[0-9]{1,3}\.[0-9]{1,3})(?![0-9.])", re.ASCII)


class Cause(StrEnum):
    """Why a mail was not delivered, by the code of its server (RFC 3463)."""

    UNKNOWN_ADDRESS = "unknownAddress"
    MAILBOX_FULL = "mailboxFull"
    MAILBOX_CLOSED = "mailboxClosed"
    TOO_LARGE = "tooLarge"
    SERVER_AWAY = "serverAway"
    REFUSED_BY_POLICY = "policy"
    OTHER = "other"


# By the longest beginning of the code behind its class.
_CAUSES: Final = {
    "1.": Cause.UNKNOWN_ADDRESS,
    "2.": Cause.MAILBOX_CLOSED,
    "2.2": Cause.MAILBOX_FULL,
    "2.3": Cause.TOO_LARGE,
    "3.4": Cause.TOO_LARGE,
    "4.": Cause.SERVER_AWAY,
    "7.": Cause.REFUSED_BY_POLICY,
}


@dataclass(frozen=True, slots=True)
class MailFile:
    """A file of a mail. `number`: its zero-based place; a program is not handed out."""

    number: int
    name: str
    content_type: str
    size: int
    is_program: bool


@dataclass(frozen=True, slots=True)
class DeliveryReport:
    """The report of a server about a sent mail (RFC 3464); empty where it says nothing.

    action  failed, delayed, delivered, relayed or expanded
    answer  in the words of the server that refused it
    """

    action: str
    status: str
    recipient: str
    server: str
    answer: str

    @property
    def cause(self) -> Cause:
        return cause_of(f"{self.status} {self.answer}")


@dataclass(frozen=True, slots=True)
class ShownMail:
    """A mail for people; empty fields are absent in it.

    authentication  the fields Authentication-Results, the topmost first; anybody can write them
    is_cut          the text goes on
    """

    sender: str = ""
    to: str = ""
    reply_to: str = ""
    subject: str = ""
    date: str = ""
    message_id: str = ""
    authentication: tuple[str, ...] = ()
    text: str = ""
    is_cut: bool = False
    files: tuple[MailFile, ...] = ()
    report: DeliveryReport | None = None


@dataclass(slots=True)
class _Found:
    """The parts of a mail that are shown."""

    plain: str | None = None
    html: str | None = None
    report: DeliveryReport | None = None
    files: list[tuple[str, str, bytes]] = field(default_factory=list)


def read(content: bytes) -> ShownMail:
    """A mail for people; raises nothing for any bytes."""
    head = email.message_from_bytes(re.split(rb"\r?\n\r?\n", content[:_MAX_HEAD], maxsplit=1)[0])
    found = _found(content)
    text = found.plain if found.plain is not None else readable.without_markup(found.html or "")
    return ShownMail(
        sender=value(head, "From"),
        to=value(head, "To"),
        reply_to=value(head, "Reply-To"),
        subject=value(head, "Subject"),
        date=value(head, "Date"),
        message_id=value(head, "Message-ID"),
        authentication=readable.values(head, "Authentication-Results", _MAX_AUTHENTICATION),
        text=readable.tidied(text)[:MAX_TEXT],
        is_cut=len(text) > MAX_TEXT,
        files=tuple(_shown(number, *each) for number, each in enumerate(found.files)),
        report=found.report,
    )


def file_in(content: bytes, number: int) -> tuple[MailFile, bytes] | None:
    """A file of a mail with its bytes; None: there is no such file, or it is a program."""
    files = _found(content).files
    if not 0 <= number < len(files):
        return None
    shown = _shown(number, *files[number])
    return None if shown.is_program else (shown, files[number][2])


def cause_of(words: str) -> Cause:
    """Why a mail was not delivered, by the first code in the words of a server."""
    code = _ENHANCED.search(words)
    if code is None:
        return Cause.OTHER
    detail = code[1][2:]
    exact = _CAUSES.get(detail)
    return exact or _CAUSES.get(f"{detail.partition('.')[0]}.", Cause.OTHER)


def _found(content: bytes) -> _Found:
    found = _Found()
    if content.count(b"\n--") > _MAX_SEPARATORS:
        return found
    with suppress(*FAULTS):  # what was found until there is shown
        for part in _leaves(email.message_from_bytes(content), 0):
            _take(part, found)
            if len(found.files) >= _MAX_PARTS:
                break
    return found


def _leaves(part: Message, depth: int) -> Iterator[Message]:
    """The parts without parts, and delivery reports, not deeper than is read."""
    is_report = part.get_content_type() == "message/delivery-status"
    payload = part.get_payload()
    if is_report or not isinstance(payload, list):
        yield part
        return
    for inner in payload[:_MAX_PARTS] if depth < _MAX_DEPTH else ():
        if isinstance(inner, Message):
            yield from _leaves(inner, depth + 1)


def _take(part: Message, found: _Found) -> None:
    kind, name = part.get_content_type(), readable.file_name(part)
    if kind == "message/delivery-status":
        found.report = found.report or _report(part)
        return
    content = part.get_payload(decode=True)
    content = content if isinstance(content, bytes) else b""
    is_text = not name and part.get_content_disposition() != "attachment"
    if is_text and kind == "text/plain" and found.plain is None:
        found.plain = readable.decoded(part, content[: 4 * MAX_TEXT + 4])
    elif is_text and kind == "text/html" and found.html is None:
        found.html = readable.decoded(part, content[:_MAX_HTML])
    elif name or not kind.startswith("text/"):
        found.files.append((name, kind, content))


def _shown(number: int, name: str, kind: str, content: bytes) -> MailFile:
    return MailFile(number, name, kind, len(content), is_program(name, content))


def _report(part: Message) -> DeliveryReport | None:
    groups = part.get_payload()
    for group in groups[:_MAX_PARTS] if isinstance(groups, list) else ():
        if isinstance(group, Message) and group.get("Action"):
            recipient = value(group, "Final-Recipient") or value(group, "Original-Recipient")
            return DeliveryReport(
                action=value(group, "Action").lower()[:20],
                status=value(group, "Status")[:20],
                recipient=_behind_type(recipient),
                server=_behind_type(value(group, "Remote-MTA")),
                answer=_behind_type(value(group, "Diagnostic-Code")),
            )
    return None


def _behind_type(text: str) -> str:
    """The value of a field that begins with its type: rfc822; x@example.com."""
    kind, semicolon, value = text.partition(";")
    return value.strip() if semicolon and " " not in kind.strip() else text
