"""The mailbox at an IMAP server: the setting EINVOICE_MAIL_IN_IMAP.

>>> ImapMailbox.parse("imaps://bills%40in.example.com:secret@imap.example.com").port
993
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final
from urllib.parse import unquote, urlsplit

_LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")


class InvalidMailbox(ValueError):
    """The setting is none; the message shows no password."""


@dataclass(frozen=True, slots=True)
class ImapMailbox:
    """A mailbox. Certificates are verified; without TLS only on loopback."""

    host: str
    port: int
    tls: bool
    user: str
    password: str = field(repr=False)
    folder: str = "INBOX"

    @classmethod
    def parse(cls, text: str) -> ImapMailbox:
        """From imaps://user:password@host:port/folder. Raises InvalidMailbox."""
        try:
            url = urlsplit(text.strip())
            port = url.port
        except ValueError:
            raise InvalidMailbox("a mailbox is imaps://user:password@host/INBOX") from None
        tls, host = url.scheme == "imaps", url.hostname or ""
        if url.scheme not in ("imap", "imaps") or not host or not url.username:
            raise InvalidMailbox("a mailbox is imaps://user:password@host/INBOX")
        if not tls and host not in _LOOPBACK:
            raise InvalidMailbox(f"{host}: no password is sent without TLS")
        folder = unquote(url.path.strip("/")) or "INBOX"
        if not folder.isprintable() or '"' in folder or "\\" in folder:
            raise InvalidMailbox(f"{host}: this is no name of a folder")
        return cls(
            host, port or (993 if tls else 143), tls, unquote(url.username),
            unquote(url.password or ""), folder,
        )  # fmt: skip
