"""A mailbox at an IMAP server, polled in place of LMTP or beside it.

Each message is handed to the office for the recipient that the server has written into it, and is
deleted after it is stored. One that cannot be stored now stays, and holds back no other; one that
the office refuses, or that is too large, goes to the folder `einvoice-refused`, where a person
finds it. A message that is read twice, because the connection ended before it was deleted, is
stored once: bills, notices and waiting mails are known by their bytes.
"""

from __future__ import annotations

import email
import threading
from collections.abc import Iterator
from email.message import Message
from email.utils import getaddresses, parseaddr
from typing import Final

import structlog

from einvoice_mail.imap_mailbox import ImapMailbox
from einvoice_mail.imap_notes import Notes
from einvoice_mail.imap_session import SECONDS, Head, MailboxFault, Session, opened
from einvoice_mail.reading import MAX_BYTES
from einvoice_mail.receiver import LATER, TOO_MANY, Office

PAUSE: Final = 30.0  # seconds between two rounds
MAX_PAUSE: Final = 900.0  # after faults
REFUSED: Final = "einvoice-refused"
_MAX_RECIPIENTS: Final = 20

log = structlog.get_logger()


class ImapPoller:
    """Fetches messages from the mailbox in rounds, in a thread of its own.

    header   the field in which the server writes the recipient, above those of the message
    notes    the result of the last round, for the operator
    ca_file  authorities of its certificate; empty: those of the system
    """

    def __init__(
        self, office: Office, mailbox: ImapMailbox, header: str, notes: Notes, ca_file: str = ""
    ) -> None:
        self._office, self._mailbox, self._header = office, mailbox, header
        self._notes, self._ca_file = notes, ca_file
        self._failures = 0
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """End after the message that is being stored."""
        self._stopped.set()
        self._thread.join(SECONDS)

    def _run(self) -> None:
        while not self._stopped.is_set():
            self.round()
            self._stopped.wait(min(PAUSE * 2**self._failures, MAX_PAUSE))

    def round(self) -> int:
        """Fetch what is there; how many messages were stored or put aside."""
        done = waiting = 0
        fault = ""
        try:
            with opened(self._mailbox, self._ca_file) as session:
                uids = session.waiting()
                waiting, later = len(uids), set[str]()
                for uid in uids:
                    if self._stopped.is_set() or LATER in later:
                        break
                    done += self._taken(session, uid, later)
        except MailboxFault as found:
            fault = str(found)
        except Exception as found:  # noqa: BLE001 - the next round reads on
            fault = f"a fault of the service ({type(found).__name__})"
        self._note(fault, waiting - done)
        return done

    def _note(self, fault: str, waiting: int) -> None:
        if fault:
            self._failures = min(self._failures + 1, 5)
            log.warning("mailbox not read", host=self._mailbox.host, fault=fault)
        else:
            self._failures = 0
        self._notes.write(fault, waiting)

    def _taken(self, session: Session, uid: str, later: set[str]) -> bool:
        """Whether a message was stored, or put aside; False: it stays, or is gone.

        later  recipients, or senders at one, whose mails stay in this round; LATER if all do
        """
        head = session.head(uid)
        if head is None:
            return False
        fields = email.message_from_bytes(head.fields)
        recipients, sender = self._recipients(fields), _sender(fields)
        if later.intersection(recipients) or later & {f"{sender} {each}" for each in recipients}:
            return False
        answers = {each: self._answer(each, sender, head) for each in recipients}
        if any(each is None for each in answers.values()):
            content = session.content(uid)
            if content is None:
                return False
            answers |= {
                each: self._office.answer_content(sender, each, content)
                for each, answer in answers.items()
                if answer is None
            }
        staying = set(_staying(answers, sender))
        if staying:
            later |= staying
            return False
        self._settle(session, uid, answers)
        return True

    def _answer(self, recipient: str, sender: str, head: Head) -> str | None:
        """The refusal of a recipient; None: its mail can be stored."""
        if head.size > MAX_BYTES:
            return "552 5.3.4 it is too large"
        return self._office.answer_recipient(recipient, sender)

    def _settle(self, session: Session, uid: str, answers: dict[str, str | None]) -> None:
        given = sorted({each or "" for each in answers.values()})
        if any(each.startswith("2") for each in given):
            session.delete(uid)
        else:
            session.move(uid, REFUSED)
            log.warning("mail put aside", host=self._mailbox.host, folder=REFUSED, answers=given)

    def _recipients(self, head: Message) -> list[str]:
        """The recipient as the server has written it; without that, those of the message."""
        given = head.get(self._header)
        if given is not None:
            return [parseaddr(str(given))[1] or str(given).strip()]
        named = [str(each) for name in ("To", "Cc") for each in head.get_all(name, [])[:5]]
        found = dict.fromkeys(address for _, address in getaddresses(named) if address)
        return list(found)[:_MAX_RECIPIENTS]


def _staying(answers: dict[str, str | None], sender: str) -> Iterator[str]:
    """The reasons to leave a message in the mailbox: a recipient, or all mails."""
    for recipient, answer in answers.items():
        if answer == LATER:
            yield LATER
        elif answer == TOO_MANY:
            yield f"{sender} {recipient}"
        elif answer and answer.startswith("4"):
            yield recipient


def _sender(head: Message) -> str:
    """The envelope sender, as the server has written it; empty for a notice."""
    path = head.get("Return-Path")
    if path is not None:
        return parseaddr(str(path))[1]
    return parseaddr(str(head.get("From", "")))[1]
