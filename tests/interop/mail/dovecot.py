"""A Dovecot of its own in a folder: one user, IMAP over TLS, and mails put into its Maildir.

Needs the package dovecot-imapd, and root, as which Dovecot starts.
"""

from __future__ import annotations

import imaplib
import os
import shutil
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from einvoice_mail.imap_mailbox import ImapMailbox
from tests.loopback import certify

USER, PASSWORD = "bills@in.example.com", 'pass "wörd" of bills'


@dataclass(frozen=True)
class Dovecot:
    """`ca_file`: of its certificate. `mails`: the Maildir of the user."""

    folder: Path
    port: int
    ca_file: str

    @property
    def mailbox(self) -> ImapMailbox:
        return ImapMailbox("localhost", self.port, tls=True, user=USER, password=PASSWORD)

    @property
    def mails(self) -> Path:
        return self.folder / "mails"

    def put(self, *contents: bytes) -> None:
        """Deliver mails, as a mail server does."""
        for content in contents:
            name = f"{time.time_ns()}.M1.test"
            (self.mails / "tmp" / name).write_bytes(content)
            shutil.chown(self.mails / "tmp" / name, "nobody", "nogroup")
            (self.mails / "tmp" / name).rename(self.mails / "new" / name)

    def start(self) -> None:
        # Its processes keep the output open: a pipe would be read until they end.
        subprocess.run(["dovecot", "-c", self._settings], check=True, stderr=subprocess.DEVNULL)
        _await(self.port)

    def stop(self) -> None:
        subprocess.run(["doveadm", "-c", self._settings, "stop"], check=False, capture_output=True)

    def number_anew(self) -> None:
        """Forget the numbers of messages: the folder has another UIDVALIDITY."""
        for each in self.mails.glob("dovecot*"):
            each.unlink()

    @contextmanager
    def session(self) -> Iterator[imaplib.IMAP4]:
        """A person's mail program."""
        trust = ssl.create_default_context(cafile=self.ca_file)
        imap = imaplib.IMAP4_SSL("localhost", self.port, ssl_context=trust, timeout=30)
        imap.authenticate("PLAIN", lambda _: f"\0{USER}\0{PASSWORD}".encode())
        try:
            yield imap
        finally:
            imap.logout()

    def count(self, folder: str = "INBOX") -> int:
        with self.session() as imap:
            status, found = imap.select(folder, readonly=True)
            return int(found[0]) if status == "OK" else 0

    @property
    def _settings(self) -> Path:
        return self.folder / "dovecot.conf"


def is_installed() -> bool:
    return os.geteuid() == 0 and shutil.which("dovecot") is not None


@contextmanager
def running(folder: Path, port: int) -> Iterator[Dovecot]:
    folder.mkdir(parents=True)
    for name in ("tmp", "new", "cur"):
        (folder / "mails" / name).mkdir(parents=True)
    for each in (folder / "mails", *(folder / "mails").iterdir()):
        shutil.chown(each, "nobody", "nogroup")
    certify(folder, "localhost")
    (folder / "users").write_text(f"{USER}:{{PLAIN}}{PASSWORD}\n")
    (folder / "dovecot.conf").write_text(
        f"protocols = imap\nlisten = 127.0.0.1\nbase_dir = {folder}/run\nstate_dir = {folder}\n"
        f"log_path = {folder}/log\nssl = required\nssl_cert = <{folder}/leaf.pem\n"
        f"ssl_key = <{folder}/leaf.pem\nauth_mechanisms = plain login\n"
        f"mail_location = maildir:{folder}/mails\nfirst_valid_uid = 1\nfirst_valid_gid = 1\n"
        f"passdb {{\n driver = passwd-file\n args = scheme=plain {folder}/users\n}}\n"
        "userdb {\n driver = static\n"
        f" args = uid=nobody gid=nogroup home={folder}/mails\n}}\n"
        "service imap-login {\n inet_listener imap {\n  port = 0\n }\n"
        f" inet_listener imaps {{\n  port = {port}\n  ssl = yes\n }}\n}}\n"
        "auth_failure_delay = 0\nnamespace inbox {\n inbox = yes\n separator = /\n}\n"
    )
    server = Dovecot(folder, port, str(folder / "ca.pem"))
    server.start()
    try:
        yield server
    finally:
        server.stop()


def _await(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("Dovecot does not start")
