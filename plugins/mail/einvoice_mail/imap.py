"""A mailbox at an IMAP server (RFC 9051), polled in place of LMTP or beside it.

Each message is handed to the office for the recipient that the server has written into it, and is
deleted after it is stored. One that cannot be stored now stays; one that the office refuses, or
that is too large, goes to the folder `einvoice-refused`, where a person finds it. A message that is
read twice, because the connection ended before it was deleted, is stored once: bills and notices
are known by their bytes.
"""

from __future__ import annotations

import email
import imaplib
import re
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from email.utils import getaddresses, parseaddr
from typing import Final

import structlog

from einvoice_mail.imap_mailbox import ImapMailbox
from einvoice_mail.reading import MAX_BYTES, MAX_HEADER_BYTES
from einvoice_mail.receiver import Office

SECONDS: Final = 30.0  # of each answer, and between two rounds
REFUSED: Final = "einvoice-refused"
_MOST: Final = 100  # messages in a round
_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")
_FAULTS: Final = (imaplib.IMAP4.error, OSError, ValueError, ssl.SSLError)

log = structlog.get_logger()


class ImapPoller:
    """Fetches messages from the mailbox in rounds, in a thread of its own.

    header   the field in which the server writes the recipient, above those of the message
    ca_file  authorities of its certificate; empty: those of the system
    """

    def __init__(
        self, office: Office, mailbox: ImapMailbox, header: str, ca_file: str = ""
    ) -> None:
        self._office, self._mailbox, self._header = office, mailbox, header
        self._ca_file = ca_file
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
            self._stopped.wait(SECONDS)

    def round(self) -> int:
        """Fetch what is there; how many messages were stored or put aside."""
        done = 0
        try:
            with self._connected() as imap:
                for uid in self._waiting(imap):
                    if self._stopped.is_set():
                        break
                    done += self._taken(imap, uid)
        except _FAULTS as fault:
            log.warning("mailbox not read", host=self._mailbox.host, fault=type(fault).__name__)
        return done

    @contextmanager
    def _connected(self) -> Iterator[imaplib.IMAP4]:
        place = (self._mailbox.host, self._mailbox.port)
        imap: imaplib.IMAP4
        if self._mailbox.tls:
            trust = ssl.create_default_context(cafile=self._ca_file or None)
            imap = imaplib.IMAP4_SSL(*place, ssl_context=trust, timeout=SECONDS)
        else:
            imap = imaplib.IMAP4(*place, timeout=SECONDS)
        try:
            imap.login(self._mailbox.user, self._mailbox.password)
            status, _ = imap.select(f'"{self._mailbox.folder}"')
            if status != "OK":
                raise imaplib.IMAP4.error("the folder cannot be opened")
            yield imap
        finally:
            with suppress(*_FAULTS):
                imap.logout()

    def _waiting(self, imap: imaplib.IMAP4) -> list[bytes]:
        status, found = imap.uid("SEARCH", "UNDELETED")
        ids: list[bytes] = found[0].split() if status == "OK" and found and found[0] else []
        return ids[:_MOST]

    def _taken(self, imap: imaplib.IMAP4, uid: bytes) -> bool:
        """Whether a message was stored, or put aside; False: it stays."""
        content = self._content(imap, uid)
        if content is None:
            return self._aside(imap, uid)
        answers = [
            self._office.answer_recipient(each, _sender(content))
            or self._office.answer_content(_sender(content), each, content)
            for each in self._recipients(content)
        ]
        if any(each.startswith("4") for each in answers):
            return False
        if not any(each.startswith("2") for each in answers):
            return self._aside(imap, uid)
        return self._delete(imap, uid)

    def _content(self, imap: imaplib.IMAP4, uid: bytes) -> bytes | None:
        """The message; None: it is too large."""
        name = uid.decode("ascii")
        _, found = imap.uid("FETCH", name, "(RFC822.SIZE)")
        size = _SIZE.search(b" ".join(each for each in found if isinstance(each, bytes)))
        if size is None or int(size[1]) > MAX_BYTES:
            return None
        _, parts = imap.uid("FETCH", name, "(BODY.PEEK[])")
        contents = [each[1] for each in parts if isinstance(each, tuple)]
        return contents[0] if contents else None

    def _recipients(self, content: bytes) -> list[str]:
        """The recipient as the server has written it; without that, those of the message that are
        addresses here."""
        head = email.message_from_bytes(content[:MAX_HEADER_BYTES].partition(b"\r\n\r\n")[0])
        given = head.get(self._header)
        if given is not None:
            return [parseaddr(str(given))[1] or str(given).strip()]
        named = [str(each) for name in ("To", "Cc") for each in head.get_all(name, [])[:5]]
        return [address for _, address in getaddresses(named) if address][:20]

    def _aside(self, imap: imaplib.IMAP4, uid: bytes) -> bool:
        """Move a message to the folder of refused ones."""
        name = uid.decode("ascii")
        if imap.uid("COPY", name, REFUSED)[0] != "OK":
            imap.create(REFUSED)
            if imap.uid("COPY", name, REFUSED)[0] != "OK":
                return False
        log.warning("mail put aside", host=self._mailbox.host, folder=REFUSED)
        return self._delete(imap, uid)

    @staticmethod
    def _delete(imap: imaplib.IMAP4, uid: bytes) -> bool:
        imap.uid("STORE", uid.decode("ascii"), "+FLAGS.SILENT", "(\\Deleted)")
        imap.expunge()
        return True


def _sender(content: bytes) -> str:
    """The envelope sender, as the server has written it; empty for a notice."""
    head = email.message_from_bytes(content[:MAX_HEADER_BYTES].partition(b"\r\n\r\n")[0])
    path = head.get("Return-Path")
    if path is not None:
        return parseaddr(str(path))[1]
    return parseaddr(str(head.get("From", "")))[1]
