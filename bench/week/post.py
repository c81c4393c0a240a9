"""Mail of the week: the server of buyers on no network, and a mail server that hands over bills."""

from __future__ import annotations

import email
import queue
import re
import smtplib
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from email.message import EmailMessage
from email.policy import default

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.networks.stand_ins import Faults
from tests.ports import free_port

SENDER, BOUNCES, DOMAIN = "invoices@week.example", "bounces@week.example", "in.week.example"
ANSWER_SECONDS = 20.0
LATER = "451 4.3.2 try again later"
GREY_EVERY = 10  # mails, of which one is asked to come later first
BOUNCED_SECONDS, REPEAT_SECONDS = 3.0, 1.0  # of reality
# A failure as Postfix reports it.
_REPORT = """\
From: MAILER-DAEMON@buyers.example
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type=delivery-status; boundary="b"

--b

I am sorry.
--b
Content-Type: message/delivery-status

Reporting-MTA: dns; mx.buyers.example

Final-Recipient: rfc822; {address}
Action: failed
Status: 5.1.1
Diagnostic-Code: smtp; 550 5.1.1 no such user

--b--
"""
_NUMBER = re.compile(r"\bW\d+-\w+-\d+\b")


class Post:
    """The mail server of buyers: what it took, by the number of the invoice in its subject.

    Some it returns as undeliverable, after it has taken them (`bounces`). `ids` has the
    Message-IDs, by which an operator finds out whether a mail arrived; `notices_to` is the port of
    the service.
    """

    def __init__(self, faults: Faults) -> None:
        self.faults, self.lock = faults, threading.Lock()
        self.arrived: Counter[str] = Counter()
        self.ids: set[str] = set()
        self.notices_to = 0
        self._asked = 0
        self._returned = queue.Queue[tuple[str, str] | None]()  # return path, address
        self._port = free_port()

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self._port}"

    @contextmanager
    def serving(self) -> Iterator[Post]:
        returning = threading.Thread(target=self._return, name="bounces", daemon=True)
        returning.start()
        controller = Controller(self, hostname="127.0.0.1", port=self._port)
        controller.start()
        try:
            yield self
        finally:
            controller.stop()
            self._returned.put(None)
            returning.join(30)

    def _return(self) -> None:
        """Hand over what bounces, each until it is taken."""
        while (found := self._returned.get()) is not None:
            path, address = found
            time.sleep(BOUNCED_SECONDS)
            notice = _REPORT.format(address=address).replace("\n", "\r\n").encode()
            for _ in range(60):
                try:
                    hand_over(self.notices_to, path, notice, sender="")
                    break
                except (OSError, smtplib.SMTPException):
                    time.sleep(REPEAT_SECONDS)

    async def handle_RCPT(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self._asked += 1
        if self.faults("RCPT") is not None or self._asked % GREY_EVERY == 0:
            return LATER
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 ok"

    async def handle_DATA(  # noqa: N802 - the library's name
        self, server: SMTP, session: Session, envelope: Envelope
    ) -> str:
        content = envelope.content
        number = self.take(content if isinstance(content, bytes) else b"")
        if bounces(number):
            self._returned.put((envelope.mail_from or "", envelope.rcpt_tos[0]))
        return "250 2.0.0 queued"

    def take(self, content: bytes) -> str:
        """Note a mail; its number. One without a PDF is no invoice."""
        message = email.message_from_bytes(content, policy=default)
        found = _NUMBER.search(str(message["Subject"]))
        number = found[0] if found and _has_pdf(message) else f"mail {message['Subject']}"
        with self.lock:
            self.arrived[number] += 1
            self.ids.add(str(message["Message-ID"]).strip())
        return number


def bounces(number: str) -> bool:
    """Whether the mail with the invoice of this number turns out to be undeliverable."""
    return sum(number.encode()) % 5 == 0


def _has_pdf(message: EmailMessage) -> bool:
    return any(each.get_content_type() == "application/pdf" for each in message.iter_attachments())


def hand_over(
    port: int, address: str, content: bytes, sender: str = "orders@seller.example"
) -> str | None:
    """Hand a mail to the service by LMTP, as the operator's mail server does.

    The refusal; None: it was taken. Raises OSError or SMTPException if it has to be repeated.
    """
    with smtplib.LMTP("127.0.0.1", port, timeout=ANSWER_SECONDS) as client:
        try:
            client.sendmail(sender, [address], content)
        except smtplib.SMTPRecipientsRefused as fault:
            status, words = next(iter(fault.recipients.values()))
            if status < 500:
                raise
            return f"{status} {words!r}"
        except smtplib.SMTPDataError as fault:
            if fault.smtp_code < 500:
                raise
            return str(fault)
    return None
