"""Documents sent over Peppol, from accepted to Delivered: `python -m bench.as4_delivery`.

`--ours` sends to the other service only, without phase4, and prints the CPU of each process.

One service with all its processes accepts documents over HTTP and sends them to another one, and to
phase4's receiver; in the same run phase4's sender sends to the other service. Rates are from the
first acceptance to the last receipt. Before, some messages of both senders pass a proxy that counts
bytes and round trips. Needs `tests/interop/peppol/prepare`, PostgreSQL and dnsmasq.
"""

from __future__ import annotations

import argparse
import os
import socket
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from operator import itemgetter
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlsplit

import psycopg

from bench import as4  # puts the folders of the plugin and of its tests on the path
from einvoice.domain.identifiers import ParticipantId
from plugins.peppol.tests import two_services
from tests import servers
from tests.interop.peppol import foreign
from tests.sandbox import a_body

OURS, COUNTED, BY_PHASE4 = (
    ParticipantId("0208", value) for value in ("0403170701", "0848934496", "0403019261")
)
CLIENTS = 8
WARM_UP = 50
SETTLE_SECONDS = 300.0
POSTGRESQL = "PostgreSQL"
Spent = dict[str, float]  # of each process


class Traffic:
    """Counts of a proxy: connections, bytes of each direction, and round trips."""

    def __init__(self) -> None:
        self.connections = self.sent = self.received = self.round_trips = 0


@contextmanager
def counting(url: str) -> Iterator[tuple[str, Traffic]]:
    """An address that passes everything on to the one of the URL, and what passed."""
    parts, traffic = urlsplit(url), Traffic()
    target = (parts.hostname or "", parts.port or 80)
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_accepted, args=(listening, target, traffic), daemon=True).start()
        yield f"http://127.0.0.1:{listening.getsockname()[1]}{parts.path}", traffic
        listening.shutdown(socket.SHUT_RDWR)


def _accepted(listening: socket.socket, target: tuple[str, int], traffic: Traffic) -> None:
    while True:
        try:
            client, _ = listening.accept()
        except OSError:
            return
        traffic.connections += 1
        Thread(target=_passed, args=(client, target, traffic), daemon=True).start()


def _passed(client: socket.socket, target: tuple[str, int], traffic: Traffic) -> None:
    """Pass bytes on in both directions. An answer after bytes of the client is a round trip."""
    state = {"asked": False}
    with suppress(OSError), client, socket.create_connection(target) as server:

        def answers() -> None:
            with suppress(OSError):
                while data := server.recv(65536):
                    traffic.round_trips += state["asked"]
                    state["asked"] = False
                    traffic.received += len(data)
                    client.sendall(data)

        Thread(target=answers, daemon=True).start()
        while data := client.recv(65536):
            state["asked"] = True
            traffic.sent += len(data)
            server.sendall(data)


def used_by(*leaders: int) -> float:
    """Seconds of CPU until now of these processes, of their children, and of the sessions that
    they lead; also of children that have ended."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            fields = stat.read_text().rpartition(")")[2].split()
            _, parent, _, session = fields[:4]
            if {int(parent), int(session), int(stat.parent.name)} & {*leaders}:
                ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


class Bench:
    """The two services, their databases (the sender's first), and what phase4 needs."""

    def __init__(
        self, sides: list[two_services.Side], databases: list[servers.Postgres], folder: Path
    ) -> None:
        self.sender, self.receiver = sides
        self.databases, self.database, self.folder = databases, databases[0].url, folder
        self.document = folder / "document.xml"
        self.document.write_bytes(as4.document())

    def send(self, participant: ParticipantId, count: int) -> tuple[float, float]:
        """Documents accepted and delivered a second. Raises if one is not delivered."""
        reference = self.sender.get(f"/api/participants/lookup?participantId={participant}")
        bodies = [large_body(participant, reference["accessPointRef"]) for _ in range(count)]
        begun = time.monotonic()
        with ThreadPoolExecutor(CLIENTS) as clients:
            invoices = [*clients.map(self._accepted, bodies)]
        accepted = count / (time.monotonic() - begun)
        return accepted, count / self._seconds(invoices)

    def used(self) -> list[Spent]:
        """Seconds of CPU until now of each process of the sending and of the receiving service."""
        return [
            {name: used_by(child.pid) for name, child in side.stack.children.running()}
            | {POSTGRESQL: used_by(database.pid)}
            for side, database in zip((self.sender, self.receiver), self.databases, strict=True)
        ]

    def spent(self, before: list[Spent], count: int) -> list[Spent]:
        """Milliseconds of CPU of each process for a message since then."""
        return [
            {name: (now - begun[name]) * 1000 / count for name, now in each.items()}
            for each, begun in zip(self.used(), before, strict=True)
        ]

    def _accepted(self, body: dict[str, Any]) -> str:
        answer = self.sender.call(
            "POST", "/api/invoices/send", json=body, headers={"Prefer": "respond-async"}
        )
        answer.raise_for_status()
        return str(answer.json()["invoiceId"])

    def _seconds(self, invoices: list[str]) -> float:
        """From the first acceptance to the last receipt."""
        query = (
            "SELECT count(*) FILTER (WHERE status = 'Delivered'),"
            " extract(epoch FROM max(settled_at) - min(created_at))"
            " FROM transmissions WHERE invoice_id = ANY(%s)"
        )
        until = time.monotonic() + SETTLE_SECONDS
        with psycopg.connect(self.database, autocommit=True) as connection:
            while time.monotonic() < until:
                row = connection.execute(query, (invoices,)).fetchone()
                if row is not None and row[0] == len(invoices):
                    return float(row[1])
                time.sleep(0.2)
        raise TimeoutError("not all documents were delivered")

    def by_phase4(self, sender: foreign.Sender, url: str, count: int, threads: int = 1) -> str:
        """The report of phase4 on many messages to our receiver: "50 of 50 in 12.3"."""
        given = {"url": url, "doc": self.document, "receiver": OURS}
        return sender.send(**given, count=count, threads=threads)


def large_body(participant: ParticipantId, reference: str) -> dict[str, Any]:
    """A send whose document has about 9 KiB."""
    body: dict[str, Any] = a_body(str(participant), reference)
    invoice = body["invoice"]
    invoice["lineItems"] = invoice["lineItems"] * 13
    count = len(invoice["lineItems"])
    totals = {"subtotal": 100, "taxAmount": 21, "grandTotal": 121}
    invoice["totals"] = {name: value * count for name, value in totals.items()}
    return body


@contextmanager
def running(web_workers: int = 1) -> Iterator[tuple[Bench, Any, Any]]:
    """Both services on PostgreSQL, and the SMP and PKI of their network."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="as4-")))
        pki = as4.Pki("TEST")
        foreign.write_pki(pki, folder)
        closed = two_services.closed_network(pki, folder, OURS, COUNTED, BY_PHASE4)
        smp, shared = stack.enter_context(closed)
        made, databases = [], []
        for name in ("c2", "c3"):
            (folder / name).mkdir()
            databases.append(stack.enter_context(servers.cluster()))
            variables = {
                "EINVOICE_DATABASE_URL": databases[-1].url,
                "EINVOICE_WEB_WORKERS": str(web_workers),
            }
            leaf = getattr(pki, name)
            side = two_services.running(folder / name, leaf, shared, **variables)
            made.append(stack.enter_context(side))
        for each in (OURS, COUNTED):
            words = ("participants", "add", made[1].tenant, str(each), "--environment", "test")
            two_services.command(made[1].stack, *words)
        two_services.register(smp, OURS, pki.c3, made[1].endpoint, pki)
        yield Bench(made, databases, folder), smp, pki


def counted(bench: Bench, smp: Any, pki: Any, sender: foreign.Sender, count: int) -> None:
    """Print bytes and round trips of a message: of ours, and of phase4's."""
    bench.by_phase4(sender, bench.receiver.endpoint, WARM_UP)
    with counting(bench.receiver.endpoint) as (url, traffic):
        two_services.register(smp, COUNTED, pki.c3, url, pki)
        bench.send(COUNTED, count)
        report("ours", traffic, count)
    with counting(bench.receiver.endpoint) as (url, traffic):
        bench.by_phase4(sender, url, count)
        report("phase4", traffic, count)


def report(name: str, traffic: Traffic, count: int) -> None:
    print(
        f"{name}: {traffic.sent / count:.0f} bytes sent, {traffic.received / count:.0f} received, "
        f"{traffic.round_trips / count:.2f} round trips a message; {traffic.connections} "
        f"connections for {count} messages",
        flush=True,
    )


def turn(bench: Bench, sender: foreign.Sender, phase4: int, count: int) -> None:
    """Print messages a second of each pair, and the CPU of each side for a message.

    `phase4`: the process id of its sender.
    """
    sent_to(bench, OURS, "ours", count)
    sent_to(bench, BY_PHASE4, "phase4", count)
    for threads in (1, 8):
        before, begun, few = bench.used(), used_by(phase4), count // 4
        said = bench.by_phase4(sender, bench.receiver.endpoint, few, threads)
        good, _, total, _, seconds = said.split()
        cpu, (_, spent) = (used_by(phase4) - begun) * 1000 / few, bench.spent(before, few)
        print(
            f"phase4 to ours, {threads} threads: {good} of {total}, {few / float(seconds):.1f}/s,"
            f" CPU {cpu:.1f} ms, of the receiving service {split(spent)}",
            flush=True,
        )


def sent_to(bench: Bench, participant: ParticipantId, name: str, count: int) -> None:
    """Print messages a second to one receiver, and the CPU of each process for a message."""
    before, own = bench.used(), time.process_time()
    accepted, delivered = bench.send(participant, count)
    sending, receiving = bench.spent(before, count)
    client = (time.process_time() - own) * 1000 / count
    print(
        f"ours to {name}: {delivered:.1f}/s, accepted {accepted:.0f}/s, ms of CPU for a message:"
        f" client {client:.2f}, sender {split(sending)}, receiver {split(receiving)}",
        flush=True,
    )


def split(spent: Spent) -> str:
    """The sum, and the processes that used more than 0.05 ms, the largest first."""
    largest = sorted(spent.items(), key=itemgetter(1), reverse=True)
    parts = ", ".join(f"{name} {used:.2f}" for name, used in largest if used > 0.05)
    return f"{sum(spent.values()):.2f} ({parts})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=200, help="of a pair in a turn")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--ours", action="store_true", help="without phase4")
    parser.add_argument("--web-workers", type=int, default=1, help="web processes of a service")
    given = parser.parse_args()
    with running(given.web_workers) as (bench, smp, pki):
        if given.ours:
            bench.send(OURS, WARM_UP)
            for _ in range(given.turns):
                sent_to(bench, OURS, "ours", given.messages)
        else:
            beside_phase4(bench, smp, pki, given.messages, given.turns)


def beside_phase4(bench: Bench, smp: Any, pki: Any, messages: int, turns: int) -> None:
    with foreign.receiver("phase4", bench.folder) as url:
        two_services.register(smp, BY_PHASE4, pki.c3, url, pki)
        with foreign.java("phase4", "Phase4Sender", bench.folder) as process:
            sender = foreign.Sender(process)
            counted(bench, smp, pki, sender, 100)
            bench.send(BY_PHASE4, WARM_UP)
            for _ in range(turns):
                turn(bench, sender, process.pid, messages)


if __name__ == "__main__":
    main()
