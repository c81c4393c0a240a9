"""A Postfix of its own in a folder: it receives for receiver.example, and sends notices by LMTP.

`refused…@` and `unknown…@` are unknown (5xx), `gone…@` is taken and refused behind it, everything
else is stored as files. Needs the package postfix, and root, as which Postfix starts.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

DOMAIN = "receiver.example"
_SERVICES = """\
127.0.0.1:{port} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
verify unix - - n - 1 verify
proxymap unix - - n - - proxymap
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


@dataclass(frozen=True)
class Postfix:
    """`url`: as a smarthost. `mails`: what was delivered."""

    url: str
    port: int
    folder: Path

    def mails(self) -> list[bytes]:
        return [each.read_bytes() for each in (self.folder / "mails").rglob("new/*")]


def is_installed() -> bool:
    return os.geteuid() == 0 and shutil.which("postfix") is not None


@contextmanager
def running(
    folder: Path,
    port: int,
    *,
    bounces: str,
    lmtp_port: int = 1,
    configure: Callable[[Path], None] = lambda _: None,
) -> Iterator[Postfix]:
    """A running server.

    bounces    the address of return paths, whose mails go to the LMTP service
    configure  changes the settings in their directory before the start
    """
    settings, queue, data = folder / "etc", folder / "queue", folder / "data"
    for each in (settings, queue, data, folder / "mails"):
        each.mkdir(parents=True)
    folder.chmod(0o755)
    shutil.chown(data, "postfix")
    shutil.chown(folder / "mails", "nobody")
    local, _, domain = bounces.partition("@")
    maps = {
        "refused": f"/^(refused|unknown).*@{DOMAIN}$/ 550 5.1.1 no such user\n",
        "users": f"/^.*@{DOMAIN}$/ box/\n",
        "transport": (
            f"/^gone.*@{DOMAIN}$/ lmtp:inet:127.0.0.1:{lmtp_port}\n"
            f"/^{local}\\+.*@{domain}$/ lmtp:inet:127.0.0.1:{lmtp_port}\n"
        ),
    }
    for name, text in maps.items():
        (settings / name).write_text(text)
    (settings / "main.cf").write_text(
        f"queue_directory = {queue}\ndata_directory = {data}\ncompatibility_level = 3.6\n"
        f"maillog_file = {folder}/log\nmaillog_file_prefixes = /\n"
        "command_directory = /usr/sbin\ndaemon_directory = /usr/lib/postfix/sbin\n"
        "mail_owner = postfix\nsetgid_group = postdrop\ninet_protocols = ipv4\n"
        "inet_interfaces = 127.0.0.1\nmyhostname = mx.receiver.example\nmydestination =\n"
        f"mynetworks = 127.0.0.0/8\nrelay_domains = {domain}\nrecipient_delimiter = +\n"
        f"virtual_mailbox_domains = {DOMAIN}\nvirtual_mailbox_base = {folder}/mails\n"
        f"virtual_mailbox_maps = regexp:{settings}/users\n"
        "virtual_uid_maps = static:65534\nvirtual_gid_maps = static:65534\n"
        f"transport_maps = regexp:{settings}/transport\nlocal_recipient_maps =\n"
        f"smtpd_recipient_restrictions = check_recipient_access regexp:{settings}/refused, permit\n"
        "smtpd_client_connection_count_limit = 0\nmessage_size_limit = 104857600\n"
        "alias_maps =\nalias_database =\nvirtual_mailbox_limit = 0\n"
    )
    (settings / "master.cf").write_text(_SERVICES.format(port=port))
    configure(settings)
    subprocess.run(["postfix", "-c", settings, "start"], check=True, capture_output=True)
    try:
        _await(port)
        yield Postfix(f"smtp://127.0.0.1:{port}", port, folder)
    finally:
        subprocess.run(["postfix", "-c", settings, "stop"], check=False, capture_output=True)


def _await(port: int) -> None:
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", port), timeout=5).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise TimeoutError("Postfix does not start")
