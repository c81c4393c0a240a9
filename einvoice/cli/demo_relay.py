"""The mail server of `einvoice demo --mail`: a Postfix of its own, else none in between.

Postfix runs in a directory of its own below /tmp, listens at 127.0.0.1 only, and hands all mails to
the service by LMTP. It starts as root; without root, or without the package, `einvoice mail
receive` takes the mails by SMTP itself.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from einvoice.cli.walkthrough import DemoFailed

START_SECONDS = 60.0
_SERVICES = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""
_SETTINGS = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
maillog_file = {folder}/log
maillog_file_prefixes = /
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
myhostname = mx.demo.example
mydestination =
mynetworks = 127.0.0.0/8
relay_domains = {domains}
recipient_delimiter = +
transport_maps = regexp:{folder}/etc/transport
local_recipient_maps =
smtpd_recipient_restrictions = permit_mynetworks, reject
alias_maps =
alias_database =
message_size_limit = 104857600
queue_run_delay = 5s
minimal_backoff_time = 5s
maximal_backoff_time = 10s
"""


def is_installed() -> bool:
    """Whether Postfix can be started here."""
    return os.geteuid() == 0 and shutil.which("postfix") is not None


@contextmanager
def postfix(port: int, lmtp_port: int, domains: tuple[str, ...]) -> Iterator[Path]:
    """A Postfix at a port, which hands mails for these domains to the LMTP service; its log.

    Raises DemoFailed if it does not start.
    """
    folder = Path(tempfile.mkdtemp(prefix="einvoice-postfix-"))
    folder.chmod(0o755)
    try:
        _write(folder, port, lmtp_port, domains)
        _run(folder, "start")
        await_port(port, "Postfix")
        yield folder / "log"
    finally:
        _run(folder, "stop", check=False)
        shutil.rmtree(folder, ignore_errors=True)


def _write(folder: Path, port: int, lmtp_port: int, domains: tuple[str, ...]) -> None:
    for name in ("etc", "queue", "data"):
        (folder / name).mkdir()
        (folder / name).chmod(0o755)  # also where the umask is narrow
    shutil.chown(folder / "data", "postfix")
    settings = _SETTINGS.format(folder=folder, domains=", ".join(domains))
    texts = {
        "main.cf": settings,
        "master.cf": _SERVICES.format(port=port),
        "transport": f"/.*/ lmtp:inet:127.0.0.1:{lmtp_port}\n",
    }
    for name, text in texts.items():
        (folder / "etc" / name).write_text(text)
        (folder / "etc" / name).chmod(0o644)


def _run(folder: Path, word: str, *, check: bool = True) -> None:
    command = ["postfix", "-c", str(folder / "etc"), word]
    done = subprocess.run(  # noqa: S603 - words of ours
        command, capture_output=True, text=True, check=False, timeout=START_SECONDS
    )
    if check and done.returncode != 0:
        raise DemoFailed(f"Postfix does not start: {done.stderr.strip()[-300:]}")


def await_port(port: int, name: str) -> None:
    """Wait until something listens at a port. Raises DemoFailed."""
    until = time.monotonic() + START_SECONDS
    while time.monotonic() < until:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise DemoFailed(f"{name} does not answer at port {port}")
