"""A session at an IMAP server (RFC 9051): one folder, its messages, and what becomes of them.

Messages are named by their UIDs within one session only, so a server that numbers its folder anew
(UIDVALIDITY) changes nothing. Whatever goes wrong is a MailboxFault with words for the operator.
"""

from __future__ import annotations

import imaplib
import re
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from einvoice.mail import one_line
from einvoice_mail.imap_mailbox import ImapMailbox
from einvoice_mail.reading import MAX_HEADER_BYTES

SECONDS: Final = 30.0  # of each answer
_SIZE: Final = re.compile(rb"RFC822\.SIZE (\d+)")
# Codes of refusals that are no fault of user and password (RFC 5530).
_TEMPORARY: Final = ("[UNAVAILABLE]", "[SERVERBUG]", "[LIMIT]", "[INUSE]")
_FAULTS: Final = (imaplib.IMAP4.error, OSError, ValueError, AttributeError)


class MailboxFault(Exception):
    """The mailbox cannot be read; the message says why, and what to do where that is known.

    lasts  until a person does something: trying again at once is of no use
    """

    def __init__(self, reason: str, *, lasts: bool = False) -> None:
        super().__init__(reason)
        self.lasts = lasts


@dataclass(frozen=True, slots=True)
class Head:
    """The header fields of a message, and the bytes of all of it."""

    fields: bytes
    size: int


class Session:
    """The open folder of a mailbox. Methods raise MailboxFault."""

    def __init__(self, imap: imaplib.IMAP4) -> None:
        self._imap = imap
        # Servers name most of them after the login only.
        offered = _checked(self._run(imap.capability))
        self._capabilities = frozenset(b" ".join(offered).decode("ascii", "replace").split())

    def waiting(self) -> list[str]:
        """The UIDs of its messages, the oldest first."""
        [found, *_] = self._done("SEARCH", "UNDELETED") or [None]
        return [each.decode("ascii") for each in (found or b"").split()]

    def head(self, uid: str) -> Head | None:
        """The head of a message; None: it is not there any more."""
        what = f"(RFC822.SIZE BODY.PEEK[HEADER]<0.{MAX_HEADER_BYTES}>)"
        parts = self._done("FETCH", uid, what)
        size = _SIZE.search(b" ".join(_stated(parts)))
        content = _content_of(parts)
        return None if size is None or content is None else Head(content, int(size[1]))

    def content(self, uid: str) -> bytes | None:
        """All of a message; None: it is not there any more."""
        return _content_of(self._done("FETCH", uid, "(BODY.PEEK[])"))

    def move(self, uid: str, folder: str) -> None:
        """Move a message to a folder, which is made if it is missing."""
        can_move = "MOVE" in self._capabilities
        command = "MOVE" if can_move else "COPY"
        try:
            self._done(command, uid, folder)
        except MailboxFault:
            with suppress(*_FAULTS):
                self._imap.create(folder)
            self._done(command, uid, folder)
        if not can_move:
            self.delete(uid)

    def delete(self, uid: str) -> None:
        """Delete a message, and no other one that somebody has marked."""
        self._done("STORE", uid, "+FLAGS.SILENT", "(\\Deleted)")
        if "UIDPLUS" in self._capabilities:
            self._done("EXPUNGE", uid)
        else:
            _checked(self._run(self._imap.expunge))

    def _done(self, command: str, *arguments: str) -> list[Any]:
        return _checked(self._run(lambda: self._imap.uid(command, *arguments)))

    @staticmethod
    def _run(call: Any) -> tuple[str, list[Any]]:
        try:
            answer: tuple[str, list[Any]] = call()
        except _FAULTS as fault:
            raise MailboxFault(f"the connection was lost ({_words(fault)})") from fault
        return answer


@contextmanager
def opened(mailbox: ImapMailbox, ca_file: str = "") -> Iterator[Session]:
    """The folder of a mailbox, open until the end of the block. Raises MailboxFault.

    ca_file  authorities of its certificate; empty: those of the system
    """
    imap = _connected(mailbox, ca_file)
    try:
        _log_in(imap, mailbox)
        _select(imap, mailbox)
        yield Session(imap)
    finally:
        with suppress(*_FAULTS):
            imap.logout()
        with suppress(*_FAULTS):  # a lost connection ends logout before the socket is closed
            imap.shutdown()


def _connected(mailbox: ImapMailbox, ca_file: str) -> imaplib.IMAP4:
    place = (mailbox.host, mailbox.port)
    try:
        if not mailbox.tls:
            return imaplib.IMAP4(*place, timeout=SECONDS)
        trust = ssl.create_default_context(cafile=ca_file or None)
        return imaplib.IMAP4_SSL(*place, ssl_context=trust, timeout=SECONDS)
    except ssl.SSLCertVerificationError as fault:
        reason = (
            f"its certificate is not accepted ({fault.verify_message}): let the server have one "
            f"for {mailbox.host}, or set EINVOICE_MAIL_CA_FILE"
        )
        raise MailboxFault(reason, lasts=True) from fault
    except _FAULTS as fault:
        raise MailboxFault(f"it cannot be reached ({_words(fault)})") from fault


def _log_in(imap: imaplib.IMAP4, mailbox: ImapMailbox) -> None:
    secret = f"\0{mailbox.user}\0{mailbox.password}".encode()
    try:
        if "AUTH=PLAIN" in imap.capabilities:
            imap.authenticate("PLAIN", lambda _: secret)
        else:
            imap.login(mailbox.user, mailbox.password)
    except imaplib.IMAP4.abort as fault:
        raise MailboxFault(f"the connection was lost ({_words(fault)})") from fault
    except _FAULTS as fault:
        if any(each in str(fault) for each in _TEMPORARY):
            raise MailboxFault(f"nobody can log in now ({_words(fault)})") from fault
        reason = f"it refuses the user or the password of EINVOICE_MAIL_IN_IMAP ({_words(fault)})"
        raise MailboxFault(reason, lasts=True) from fault


def _select(imap: imaplib.IMAP4, mailbox: ImapMailbox) -> None:
    folder = mailbox.folder
    try:
        status, words = imap.select(f'"{_encoded(folder)}"')
    except imaplib.IMAP4.readonly as fault:
        reason = f"{folder} may only be read: give the user the right to delete messages"
        raise MailboxFault(reason, lasts=True) from fault
    except _FAULTS as fault:
        raise MailboxFault(f"the connection was lost ({_words(fault)})") from fault
    if status != "OK":
        reason = f"there is no folder {folder} ({_words(words)}): make it, or name another one"
        raise MailboxFault(reason, lasts=True)


def _encoded(folder: str) -> str:
    """The name of a folder as IMAP4 writes it: modified UTF-7."""
    pieces = re.split(r"([^ -~]+)", folder.replace("&", "&-"))
    return "".join(_in_utf7(each) if number % 2 else each for number, each in enumerate(pieces))


def _in_utf7(text: str) -> str:
    written = text.encode("utf-7").decode("ascii")
    return "&" + written.strip("+-").replace("/", ",") + "-"


def _checked(answer: tuple[str, list[Any]]) -> list[Any]:
    status, parts = answer
    if status != "OK":
        raise MailboxFault(f"it refuses a command ({_words(parts)})")
    return parts


def _stated(parts: list[Any]) -> Iterator[bytes]:
    """The answers of the server beside the contents."""
    for each in parts:
        if isinstance(each, tuple):
            yield each[0]
        elif isinstance(each, bytes):
            yield each


def _content_of(parts: list[Any]) -> bytes | None:
    contents = [each[1] for each in parts if isinstance(each, tuple)]
    return contents[0] if contents else None


def _words(fault: object) -> str:
    """The words of the server, or of an exception."""
    if isinstance(fault, list):
        fault = b" ".join(each for each in fault if isinstance(each, bytes))
    if isinstance(fault, bytes):
        return one_line(fault.decode("utf-8", "replace"), 200)
    return one_line(str(fault), 200) or type(fault).__name__
