"""Notices about sent mails: failures (DSN, RFC 3464), successes, and answers of people.

A notice comes to the return path of its mail, which names the transmission. An answer of a program
(an out-of-office reply) says nothing about the delivery; an answer of a person is kept with the
invoice.
"""

from __future__ import annotations

import email
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from email.message import Message
from email.policy import SMTP
from enum import StrEnum
from typing import Final

from einvoice.domain.artefacts import MAIL_NOTICE, RECEIPT
from einvoice.mail import one_line
from einvoice.mail.readable import decoded, without_markup
from einvoice.network import reasons
from einvoice.network.types import (
    Busy,
    Delivered,
    Evidence,
    Inbox,
    KeptDocument,
    PushVerdict,
    ReceiverResponse,
    Rejected,
    ResponseStatus,
    Settled,
)
from einvoice_mail.access_point import REPLY_TO
from einvoice_mail.operation import Operation
from einvoice_mail.suppression import Suppression

MAX_NOTICE_BYTES: Final = 512 * 1024
_MAX_PARTS: Final = 20
_MAX_TEXT: Final = 4000
_REPORTS: Final = ("message/delivery-status", "message/global-delivery-status")
_QMAIL: Final = re.compile(r"\s{0,20}Hi\. This is the ")
_NAMED: Final = re.compile(r"<([^<>\s]{1,254}@[^<>\s]{1,254})>:")
# Not within an IP address.
_STATUS: Final = re.compile(r"(?<![0-9.])[245]\.\d{1,3}\.\d{1,3}(?![0-9.])", re.ASCII)
_AUTOMATIC: Final = ("x-autoreply", "x-autorespond", "x-auto-response-suppress")


class Kind(StrEnum):
    """The content of a notice."""

    FAILED = "failed"
    DELAYED = "delayed"
    DELIVERED = "delivered"
    AUTOMATIC = "automatic"
    ANSWER = "answer"


@dataclass(frozen=True, slots=True)
class Notice:
    """A notice. `words`: of the server or person; `recipient`: about which it is, if it says so."""

    kind: Kind
    words: str
    recipient: str = ""
    status: str = ""


# Address, notice and message of an answer.
Forward = Callable[[str, Notice, bytes], bool]


def read(content: bytes, envelope_sender: str) -> Notice:
    """The content of a notice; raises nothing for any bytes.

    envelope_sender  empty for notices of servers
    """
    try:
        message = email.message_from_bytes(content[:MAX_NOTICE_BYTES], policy=SMTP)
        found = min(_statuses(message), key=_urgency, default=None) or _without_report(message)
        if found is not None:
            return found
        if is_automatic(message) or not envelope_sender:
            return Notice(Kind.AUTOMATIC, _said(message))
        return Notice(Kind.ANSWER, _said(message), one_line(envelope_sender, 254))
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return Notice(Kind.AUTOMATIC, "")


def _statuses(message: Message) -> Iterator[Notice]:
    """The statuses of recipients in a delivery report."""
    if message.get_content_type() != "multipart/report":
        return
    parts = [each for _, each in zip(range(_MAX_PARTS), message.walk(), strict=False)]
    for part in parts:
        if part.get_content_type() not in _REPORTS:
            continue
        for group in _groups(part):
            notice = _of_recipient(group)
            if notice is not None:
                yield notice


def _urgency(notice: Notice) -> int:
    """Of several recipients, as behind a list, the one who did not get it counts."""
    return (Kind.FAILED, Kind.DELAYED, Kind.DELIVERED).index(notice.kind)


def _groups(part: Message) -> list[Message]:
    """The fields of each recipient; those of RFC 6533 are parsed as one mail by the library."""
    payload = part.get_payload()
    groups = (
        [each for each in payload if isinstance(each, Message)] if isinstance(payload, list) else []
    )
    if part.get_content_type() == "message/global-delivery-status" and len(groups) == 1:
        rest = str(groups[0].get_payload())
        groups += [email.message_from_string(each) for each in rest.split("\n\n")[:_MAX_PARTS]]
    return groups[:_MAX_PARTS]


def _without_report(message: Message) -> Notice | None:
    """A failure that no report says: the field of Exim and Gmail, or the text of qmail (QSBMF)."""
    text = _text_of(message)
    named = str(message.get("X-Failed-Recipients", "")).partition(",")[0].strip()
    start = _QMAIL.match(text)
    if not named and start is None:
        return None
    found = _NAMED.search(text, start.end() if start else 0)
    words = one_line(text[found.end() :] if found else text, 400)
    code = _STATUS.search(words)
    recipient = named or (found[1] if found else "")
    return Notice(Kind.FAILED, words, one_line(recipient, 254), code[0] if code else "")


def _of_recipient(group: Message) -> Notice | None:
    action = str(group.get("Action", "")).strip().lower()
    status = _STATUS.search(str(group.get("Status", "")))
    words = one_line(str(group.get("Diagnostic-Code", "")).partition(";")[2], 400)
    recipient = str(group.get("Original-Recipient") or group.get("Final-Recipient") or "")
    address = one_line(recipient.partition(";")[2] or recipient, 254)
    kinds = {"failed": Kind.FAILED, "delayed": Kind.DELAYED}
    kinds |= dict.fromkeys(("delivered", "relayed", "expanded"), Kind.DELIVERED)
    if action not in kinds:
        return None
    code = status[0] if status else ""
    return Notice(kinds[action], words or code or action, address, code)


def is_automatic(message: Message) -> bool:
    """Whether a program writes it (RFC 3834, and the fields of those before it)."""
    submitted = str(message.get("Auto-Submitted", "no")).partition(";")[0].strip().lower()
    bulk = str(message.get("Precedence", "")).strip().lower() in (
        "bulk",
        "auto_reply",
        "junk",
        "list",
    )
    return submitted not in ("", "no") or bulk or any(name in message for name in _AUTOMATIC)


def _text_of(message: Message) -> str:
    """The text; empty without one, or in a charset that nobody knows."""
    part = message.get_body(("plain", "html")) if hasattr(message, "get_body") else None
    content = part.get_payload(decode=True) if part is not None else b""
    text = decoded(part, content) if isinstance(content, bytes) and part is not None else ""
    return text[:_MAX_TEXT].replace("\r\n", "\n")


def _said(message: Message) -> str:
    """The first words of the text."""
    return one_line(without_markup(_text_of(message)), 500)


class Desk:
    """Takes notices, and stores what they say with the invoice.

    forward    hands the answer of a person to its tenant; False: it has to be tried again
    operation  counts failures for operators
    """

    def __init__(
        self,
        inbox: Inbox,
        access_point: str,
        bounced: Suppression,
        forward: Forward | None = None,
        operation: Operation | None = None,
    ) -> None:
        self._inbox, self._access_point, self._bounced = inbox, access_point, bounced
        self._forward, self._operation = forward, operation

    def take(
        self, transmission_id: str, content: bytes, envelope_sender: str
    ) -> PushVerdict | None:
        """Store a notice about a transmission; None: it says nothing that is kept."""
        notice = read(content, envelope_sender)
        kept = content[:MAX_NOTICE_BYTES]
        match notice.kind:
            case Kind.FAILED:
                return self._failed(transmission_id, notice, kept)
            case Kind.DELIVERED:
                evidence = (Evidence(RECEIPT, kept, "message/rfc822"),)
                return self._inbox.settle(self._access_point, transmission_id, Delivered(evidence))
            case Kind.ANSWER:
                return self._answered(transmission_id, notice, kept)
            case _:
                return None

    def _answered(self, transmission_id: str, notice: Notice, kept: bytes) -> PushVerdict:
        """Keep what a person has written, and forward it to the tenant."""
        response = ReceiverResponse(
            ResponseStatus.IN_PROCESS, by=notice.recipient or None, text=notice.words or None
        )
        evidence = [Evidence(MAIL_NOTICE, kept, response=response)]
        verdict = self._inbox.deliver_evidence(self._access_point, transmission_id, evidence)
        if not isinstance(verdict, Settled) or self._forward is None:
            return verdict
        to = self._reply_to(transmission_id)
        if to is None or to.lower() == notice.recipient.lower():
            return verdict
        return verdict if self._forward(to, notice, kept) else Busy()

    def _reply_to(self, transmission_id: str) -> str | None:
        """Where the tenant gets answers to this mail, as its receipt says."""
        found = self._inbox.kept_document(self._access_point, transmission_id)
        for receipt in found.receipts if isinstance(found, KeptDocument) else ():
            try:
                address = json.loads(receipt).get(REPLY_TO)
            except (ValueError, AttributeError):
                continue  # a notice of a delivery
            if isinstance(address, str) and address:
                return address
        return None

    def _failed(self, transmission_id: str, notice: Notice, kept: bytes) -> PushVerdict:
        """Of an invoice that is Delivered the response undeliverable; of one whose outcome nobody
        knows, the outcome."""
        response = ReceiverResponse(
            ResponseStatus.UNDELIVERABLE, by=notice.recipient or None, reasons=(notice.words,)
        )
        evidence = (Evidence(MAIL_NOTICE, kept, response=response),)
        refused = Rejected(
            notice.status or "bounced",
            f"undeliverable: {notice.words}",
            reason_code=reasons.DOCUMENT_REFUSED.code,
            evidence=evidence,
        )
        verdict = self._inbox.settle(self._access_point, transmission_id, refused)
        tenant_id = getattr(verdict, "tenant_id", "")
        if tenant_id and self._operation is not None:
            self._operation.bounced(self._access_point)
        if tenant_id and notice.recipient and notice.status.startswith("5.1"):
            self._bounced.add(tenant_id, notice.recipient, notice.words)
        return verdict
