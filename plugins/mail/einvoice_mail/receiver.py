"""The LMTP service behind the operator's mail server: `einvoice mail receive`.

It takes mails for addresses of tenants and notices about sent mails. A mail is answered 250 after
it is on disk, a notice after it is stored; anything that cannot be stored now is answered 4xx, so
that the mail server keeps it. It never writes to a stranger: no loop, and no backscatter. What a
person answers is forwarded to the tenant.
"""

from __future__ import annotations

import email
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

import structlog
from aiosmtpd.controller import Controller
from aiosmtpd.lmtp import LMTP
from aiosmtpd.smtp import SMTP, Envelope, Session

from einvoice import clock
from einvoice.mail import returned_token
from einvoice.network.types import Busy, Settled
from einvoice_mail.access_point import token_in, transmission_of
from einvoice_mail.addresses import Reading
from einvoice_mail.incoming import Incoming
from einvoice_mail.notices import Desk
from einvoice_mail.rates import HOUR, Counter
from einvoice_mail.reading import MAX_BYTES, MAX_HEADER_BYTES
from einvoice_mail.spool import Spool, SpoolFull

_UNKNOWN: Final = "550 5.1.1 there is no such address here"
LATER: Final = "451 4.3.0 it cannot be stored now"
_AWAY: Final = "451 4.3.2 mails of this address are not read now"
_FULL: Final = "452 4.2.2 the mailbox is full"
_TAKEN: Final = "250 2.0.0 stored"
_DROPPED: Final = "250 2.0.0 it says nothing that is kept"
TOO_MANY: Final = "450 4.7.1 too many mails of this sender: send them later"
_MAX_RECIPIENTS: Final = 100
_REFERRING: Final = ("In-Reply-To", "References")
DEFAULT_PER_SENDER: Final = 200
# Beyond the 998 of RFC 5321, which clients exceed and not every mail server folds.
MAX_LINE_BYTES: Final = 1024 * 1024

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Office:
    """Takes mails for the addresses of a domain, and notices to the return paths of sent mails.

    desks       the desk of notices by access point
    bounces     the address to which notices return, with an extension
    spool       where mails wait
    sender      from which mails are sent: answers that people write to it name their mail
    counter     counts the mails of each sender; None: they are not limited
    per_sender  mails that one sender may send to one address in an hour
    """

    domain: str | None
    points: tuple[Incoming, ...]
    desks: Mapping[str, Desk]
    bounces: str
    spool: Spool
    sender: str = ""
    counter: Counter | None = None
    per_sender: int = DEFAULT_PER_SENDER

    def answer_recipient(self, address: str, sender: str = "") -> str | None:
        """The refusal of a recipient of a mail from this sender; None: it is taken."""
        try:
            return self._unknown(address) or self._too_many(sender, address)
        except Exception as fault:  # noqa: BLE001 - the mail server keeps it
            log.error("recipient not looked up", fault=type(fault).__name__)
            return LATER

    def _unknown(self, address: str) -> str | None:
        if returned_token(address, self.bounces) is not None or self._is_sender(address):
            return None
        found = self._point(address)
        if found is None:
            return _UNKNOWN
        point, account = found
        return None if point.addresses.reading_of(account) is Reading.READ else _AWAY

    def _is_sender(self, address: str) -> bool:
        return bool(self.sender) and address.strip().lower() == self.sender.lower()

    def _too_many(self, sender: str, address: str) -> str | None:
        """The refusal of a sender that has sent too many mails to the address."""
        if self.counter is None:
            return None
        name, at, domain = address.lower().rpartition("@")
        what = f"{sender.lower()[:254]} {name.partition('+')[0]}{at}{domain}"
        wait = self.counter.wait_of(what, HOUR, self.per_sender)
        return None if wait is None else TOO_MANY

    def answer_content(self, sender: str, address: str, content: bytes) -> str:
        """Store a mail for one recipient; the answer."""
        try:
            token = returned_token(address, self.bounces)
            if token is None and self._is_sender(address):
                token = _referred(content, self.sender)
                if token is None:
                    return _UNKNOWN
            if token is not None:
                return self._notice(token, content, sender)
            found = self._point(address)
            if found is None:
                return _UNKNOWN
            point, account = found
            self.spool.folder(point.name, account).add(_with_return_path(content, sender))
        except SpoolFull:
            return _FULL
        except Exception as fault:  # noqa: BLE001 - the mail server keeps it
            log.error("mail not stored", fault=type(fault).__name__)
            return LATER
        log.info("mail taken", access_point=point.name, size=len(content))
        return _TAKEN

    def _point(self, address: str) -> tuple[Incoming, str] | None:
        """The access point that has the address, and its account: without an extension (+)."""
        local, _, domain = address.strip().rpartition("@")
        name = local.partition("+")[0]
        if self.domain is None or domain.lower() != self.domain:
            return None
        if len(name) > 40 or not name.isascii() or not name.replace("-", "").isalnum():
            return None
        for point in self.points:
            if point.addresses.reading_of(name) is not Reading.NOBODY:
                return point, name
        return None

    def _notice(self, token: str, content: bytes, sender: str) -> str:
        for desk in self.desks.values():
            verdict = desk.take(transmission_of(token), content, sender)
            if isinstance(verdict, Busy):
                return LATER
            if isinstance(verdict, Settled):
                return _TAKEN
        return _DROPPED


def _referred(content: bytes, sender: str) -> str | None:
    """The token of our mail that a mail answers."""
    head = email.message_from_bytes(content[:MAX_HEADER_BYTES].partition(b"\r\n\r\n")[0])
    fields = [str(each) for name in _REFERRING for each in head.get_all(name, [])[:5]]
    return token_in(" ".join(fields), sender.rpartition("@")[2])


def _with_return_path(content: bytes, sender: str) -> bytes:
    """The mail with its envelope sender, as servers write it at the end of its way."""
    path = "".join(c for c in sender[:254] if "!" <= c <= "~" and c not in "<>")
    return f"Return-Path: <{path}>\r\n".encode() + content


class Handler:
    """The answers of the office to a conversation."""

    def __init__(self, office: Office) -> None:
        self._office = office
        self.taken_at: datetime | None = None

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= _MAX_RECIPIENTS:
            return "452 4.5.3 too many recipients"
        refusal = await server.loop.run_in_executor(
            None, self._office.answer_recipient, address, envelope.mail_from or ""
        )
        if refusal is not None:
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_exception(self, error: Exception) -> str:
        """Without this the library answers 500, and the mail server returns the mail."""
        log.error("conversation failed", fault=type(error).__name__)
        return LATER

    async def handle_DATA(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        """LMTP answers once for each recipient."""
        content = envelope.content if isinstance(envelope.content, bytes) else b""
        answers = [
            await server.loop.run_in_executor(
                None, self._office.answer_content, envelope.mail_from or "", each, content
            )
            for each in envelope.rcpt_tos
        ]
        if any(each.startswith("2") for each in answers):
            self.taken_at = clock.now()
        if isinstance(server, LMTP):
            return "\r\n".join(answers)
        # SMTP has one answer for all: the mail is repeated if one recipient needs that.
        return next((each for each in answers if each.startswith("4")), answers[0])


class _Smtp(SMTP):
    line_length_limit = MAX_LINE_BYTES


class _Lmtp(LMTP):
    line_length_limit = MAX_LINE_BYTES


class LmtpService(Controller):
    """Listens for LMTP, or for SMTP where no mail server is in between."""

    def __init__(self, office: Office, host: str, port: int, *, smtp: bool = False) -> None:
        self._answers = Handler(office)
        super().__init__(self._answers, hostname=host, port=port)
        self._kind: Any = _Smtp if smtp else _Lmtp

    def taken_at(self) -> datetime | None:
        """When a mail was taken last; None: none since the start."""
        return self._answers.taken_at

    def factory(self) -> SMTP:
        server: SMTP = self._kind(
            self.handler, data_size_limit=MAX_BYTES, enable_SMTPUTF8=False, hostname="localhost"
        )
        return server

    def _trigger_server(self) -> None:
        """The port is known after it was bound."""
        sockets: Any = getattr(self.server, "sockets", None)
        self.port = sockets[0].getsockname()[1]
        super()._trigger_server()  # type: ignore[no-untyped-call]
