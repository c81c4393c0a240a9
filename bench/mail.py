"""How many mails are lost or doubled between the network mail and a Postfix, with faults between.

    sudo .venv/bin/python -m bench.mail [MAILS]

A proxy before a Postfix of its own answers 5 % of the receivers 451 and cuts 1 % of the connections
between the end of a message and its answer; 2 % of the addresses are refused by Postfix. Each mail
is submitted as a worker does: again after NotSent, never after Unknown. What has arrived is counted
in the mailbox of Postfix.
"""

from __future__ import annotations

import random
import re
import socket
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

from einvoice.network.types import Delivered, NotSent, Outcome
from plugins.mail.tests import mails
from tests.interop.mail import postfix
from tests.ports import free_port

THREADS = 4
BOUNCES = "bounces@operator.example"


class Proxy:
    """Passes a conversation on, line by line, with faults of one seed."""

    def __init__(self, port: int) -> None:
        self._to = port
        self._chance = random.Random(39)
        self.faults: Counter[str] = Counter()
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.port = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            client, _ = self._listener.accept()
            threading.Thread(target=self._converse, args=(client,), daemon=True).start()

    def _converse(self, client: socket.socket) -> None:
        server = socket.create_connection(("127.0.0.1", self._to))
        with client, server, client.makefile("rb") as said, server.makefile("rb") as answers:
            client.sendall(_reply(answers))
            is_content = False
            for line in _lines(said):
                if is_content:
                    server.sendall(line)
                    if line != b".\r\n":
                        continue
                    is_content = False
                    if self._chance.random() < 0.01:
                        self.faults["cut"] += 1
                        _reply(answers)  # Postfix has it
                        return
                elif line.upper().startswith(b"RCPT") and self._chance.random() < 0.05:
                    self.faults["451"] += 1
                    client.sendall(b"451 4.3.0 later\r\n")
                    continue
                else:
                    server.sendall(line)
                reply = _reply(answers)
                is_content = reply.startswith(b"354")
                client.sendall(reply)


def _lines(said: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of a client, until it is killed."""
    with suppress(OSError):
        yield from said


def _reply(answers: object) -> bytes:
    lines = b""
    while True:
        line = answers.readline()  # type: ignore[attr-defined]
        lines += line
        if not line or line[3:4] != b"-":
            return lines


def submitted(point: object, number: int) -> tuple[str, Outcome]:
    name = "refused" if number % 50 == 0 else "buyer"
    envelope = mails.an_envelope(f"{name}{number}@{postfix.DOMAIN}")
    prepared = point.prepare(envelope)  # type: ignore[attr-defined]
    for _ in range(20):
        outcome = point.submit(envelope, prepared)  # type: ignore[attr-defined]
        if not isinstance(outcome, NotSent):
            break
    return prepared.message_id, outcome


def main(count: int) -> int:
    folder = Path(tempfile.mkdtemp(prefix="bench-mail-"))
    folder.chmod(0o755)
    with postfix.running(folder / "mx", free_port(), bounces=BOUNCES) as server:
        proxy = Proxy(server.port)
        url = f"smtp://127.0.0.1:{proxy.port}"
        point = mails.an_access_point(url, per_hour=10**6, per_minute=10**6)
        begun = time.monotonic()
        with ThreadPoolExecutor(THREADS) as pool:
            outcomes = dict(pool.map(lambda n: submitted(point, n), range(count)))
        took = time.monotonic() - begun
        expected = {i for i, o in outcomes.items() if isinstance(o, Delivered)}
        found = arrived(server, len(expected))
    kinds = Counter(type(each).__name__ for each in outcomes.values())
    lost = expected - found.keys()
    twice = [each for each, times in found.items() if times > 1]
    print(f"{count} mails in {took:.0f} s ({count / took:.0f}/s): {dict(kinds)}")
    print(f"faults: {dict(proxy.faults)}; arrived {len(found)}")
    print(f"lost {len(lost)}, twice {len(twice)}")
    return len(lost) + len(twice)


def arrived(server: postfix.Postfix, least: int) -> Counter[str]:
    """How often each Message-ID is in the mailbox, when nothing more arrives."""
    found: Counter[str] = Counter()
    for _ in range(60):
        before, found = found, Counter()
        for content in server.mails():
            match = re.search(rb"(?im)^message-id:\s*(<\S+>)", content)
            found[match[1].decode() if match else ""] += 1
        if len(found) >= least and found == before:
            break
        time.sleep(1)
    return found


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 1000))
