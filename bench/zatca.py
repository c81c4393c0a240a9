"""Chains of Saudi units while workers are killed: `python -m bench.zatca --documents 10000`.

A seller has several units at the stand-in of Fatoora (tests/networks/zatca), a process of its own
that recomputes every stamp, judges each document by the rules, and refuses one that is not the next
of its unit. Workers are killed with SIGKILL. Afterwards the books of the stand-in must have every
document once and no gap, and what is stored here must be one chain for each unit, in which every
hash and signature is right. Exits with 0 or 1.

`--compare N` measures one unit first: the documents a second that the service sends, those that a
bare loop over the access point sends to a stand-in of its own before and after that, and the CPU
time of a document. The share of the first in the second says, also on a busy machine, how much of
what the answers allow a unit sustains.

`python -m bench.zatca --stamp` measures hash, stamp and QR code of an invoice of 100 lines.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import psycopg
import requests
from cryptography import x509

from bench.pipeline import cpu_by_part
from bench.serial import ENVIRON, Kills, Sender, finish, settled
from bench.service import ROOT, RunningService, await_port, running_service
from einvoice.app import create_app
from einvoice.cli.processes import Children
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.network.connection_testing import left, renewed
from einvoice.services.connections import accounts
from einvoice.services.connections.accounts import NewConnection
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.web.runtime import runtime_of
from einvoice_zatca import form
from einvoice_zatca.access_point import Fatoora
from einvoice_zatca.chains import Link, chains_of
from einvoice_zatca.identity import Identity, new_key, token_text
from einvoice_zatca.requests import Template, Unit, certificate_request
from einvoice_zatca.stamp import Place, stamped
from einvoice_zatca.verification import verify
from plugins.zatca.tests import saudi, unit
from tests.memory_store import MemoryStore
from tests.networks.zatca import BOOKS, selling
from tests.networks.zatca.certificates import Issuer
from tests.ports import free_port

LINES, REPEATS = 100, 200
BARE = 25  # documents of the bare loop, before and after


@dataclass(frozen=True)
class ChainResult:
    """The counts that must be 0 come first."""

    missing: int  # documents that were accepted and are not Delivered
    gaps: int  # counters that are missing at the stand-in
    doubled: int  # counters that a unit has twice there
    apart: int  # chains that are stored here and are not one for each unit
    faults: int  # wrong hashes, signatures, counters in them
    documents: int
    units: int
    workers_killed: int
    seconds: float
    per_second: float
    one_unit_per_second: float | None = None
    bare_per_second: float | None = None  # the access point alone
    cpu_ms: Mapping[str, float] | None = None  # of a document of one unit, by process

    @property
    def good(self) -> bool:
        return not any((self.missing, self.gaps, self.doubled, self.apart, self.faults))


class StandIn:
    """The process of the stand-in."""

    def __init__(self, url: str, codes: list[str]) -> None:
        self.url, self.codes = url, codes

    def chains(self) -> list[list[tuple[int, str]]]:
        answer = requests.post(self.url.partition("/e-invoicing")[0] + BOOKS, timeout=30)
        return [[(int(n), str(h)) for n, h in chain] for chain in answer.json()["chains"]]


@contextmanager
def _fatoora(units: int, latency: float) -> Iterator[StandIn]:
    children, port = Children(), free_port()
    with TemporaryDirectory(prefix="fatoora-") as name:
        log = Path(name) / "fatoora.log"
        try:
            children.start(
                "fatoora",
                [sys.executable, "-m", "tests.networks.zatca", f"--port={port}",
                 f"--units={units}", f"--latency={latency}"],
                env={**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'plugins' / 'zatca'}"},
                log=log,
            )  # fmt: skip
            await_port(port)
            yield StandIn(*_announced(log))
        finally:
            children.stop()


def _announced(log: Path) -> tuple[str, list[str]]:
    """Address and codes, from the first line that the stand-in prints."""
    until = time.monotonic() + 30
    while " otp=" not in log.read_text() and time.monotonic() < until:
        time.sleep(0.05)
    url, _, codes = log.read_text().strip().partition(" otp=")
    return url, codes.split()


def _connect(service: RunningService, fatoora: StandIn, names: list[str]) -> dict[str, str]:
    """Register a unit for each name; the ids of their connections."""
    settings = Settings(
        data_dir=str(service.stack.data_dir), database_url=service.database, log_level="ERROR"
    )
    app = create_app(settings, plugins=[selling.plugin_at(fatoora.url)])
    made = {}
    with app.app_context():
        for number, (name, code) in enumerate(zip(names, fatoora.codes, strict=True), 1):
            account = f"SA{saudi.VAT_NUMBER}-{number}"
            given = NewConnection(
                Environment.TEST, form.NETWORK, account, credentials={**unit.FIELDS, "otp": code}
            )
            made[name] = accounts.create(service.tenant, given, runtime_of(app)).id
        db.db.engine.dispose()
    return made


def run(
    documents: int, units: int, *, kills: int, pause: float, latency: float, compare: int,
    workers: Mapping[str, int], settle_within: float = 1800.0,
) -> ChainResult:  # fmt: skip
    """Send `documents` over `units` while workers are killed.

    pause    seconds between two kills
    latency  seconds that the stand-in takes for a document
    compare  documents of one unit that are sent before, to measure it; 0: none
    """
    names = [f"U{number:02}" for number in range(units)] + ["A00"] * bool(compare)
    with _fatoora(len(names), latency) as fatoora:
        paths = (ROOT, *sorted((ROOT / "plugins").iterdir()))
        environ = ENVIRON | {
            "EINVOICE_QUEUE_LEASE": "32",  # jobs go on with a unit for a quarter of it
            "EINVOICE_ZATCA_TEST": "true",
            "EINVOICE_ZATCA_TEST_URL": fatoora.url,
        }
        with running_service(None, environ | _path(paths), workers) as service:
            connections = _connect(service, fatoora, names)
            sender = Sender(service, lambda unit, number: _body(connections[unit], number))
            alone = _alone(service, sender, compare, latency, settle_within) if compare else None
            killing = Kills(service, kills, 0, pause)
            sender.send(units, documents // units, "U")
            killing.join()
            settled(service, settle_within)
            return _result(service, sender, fatoora, killing, alone)


@dataclass(frozen=True)
class Alone:
    """One unit whose documents have all been accepted, and the access point without the service."""

    per_second: float
    bare: float
    cpu_ms: Mapping[str, float]


def _alone(
    service: RunningService, sender: Sender, count: int, latency: float, settle_within: float
) -> Alone:
    bare = _bare(latency, BARE)
    sender.send(1, count, "A")
    begun, before = datetime.now(UTC), cpu_by_part(service)
    settled(service, settle_within)
    after, times = cpu_by_part(service), _delivered(service, "A")
    later = sum(each > begun for each in times)
    cpu = {name: round(1000 * (after[name] - before[name]) / max(1, later), 1) for name in after}
    bare = (bare + _bare(latency, BARE)) / 2
    return Alone(_rate([each for each in times if each > begun]), bare, cpu)


def _bare(latency: float, count: int) -> float:
    """Documents a second of a unit that has no service around it."""
    with _fatoora(1, latency) as fatoora:
        point = Fatoora(unit.side_at(fatoora.url), MemoryStore())
        given = unit.new(fatoora.codes[0])
        connection = renewed(given, point.open(given))
        begun = time.monotonic()
        for _ in range(count):
            bound, one = unit.bound(point, connection), unit.envelope()
            made = bound.prepare(one)
            bound.submit(one, made)
            connection = left(connection, made)
        return count / (time.monotonic() - begun)


def _path(paths: tuple[Path, ...]) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join(map(str, paths))}


def _body(connection: str, number: str) -> dict[str, Any]:
    """Standard and simplified documents in turn."""
    buyer = {"buyer": selling.CONSUMER} if int(number[-1]) % 2 else {}
    body = selling.a_send(number=number, **buyer)
    body["routing"]["connection"] = connection
    return body


def _result(
    service: RunningService, sender: Sender, fatoora: StandIn, killing: Kills, alone: Alone | None
) -> ChainResult:
    sent = sum(map(len, sender.accepted.values()))
    chains = fatoora.chains()
    counters = [[number for number, _ in chain] for chain in chains]
    stored = chains_of(_links(service))
    times = _delivered(service, "U")
    seconds = (max(times) - min(times)).total_seconds()
    return ChainResult(
        missing=sent - len(times) - len(_delivered(service, "A")),
        gaps=sum(len(set(range(1, max(c, default=0) + 1)) - set(c)) for c in counters),
        doubled=sum(len(c) - len(set(c)) for c in counters),
        apart=abs(len(stored) - len(chains)) + abs(sum(len(c.links) for c in stored) - sent),
        faults=sum(len(chain.faults) for chain in stored),
        documents=sent,
        units=len(chains),
        workers_killed=killing.workers,
        seconds=round(seconds, 1),
        per_second=round((len(times) - 1) / max(0.001, seconds), 1),
        one_unit_per_second=alone and round(alone.per_second, 2),
        bare_per_second=alone and round(alone.bare, 2),
        cpu_ms=alone and alone.cpu_ms,
    )


def _links(service: RunningService) -> Iterator[Link]:
    query = "SELECT i.number, a.content FROM artefacts a JOIN invoices i ON i.transmission_id"
    query += " = a.transmission_id WHERE a.kind IN ('AUTHORITY_DOCUMENT', 'AUTHORITY_REFUSED')"
    with psycopg.connect(service.database) as connection, connection.cursor("links") as cursor:
        for number, content in cursor.execute(query):
            yield Link(number, verify(bytes(content)))


def _delivered(service: RunningService, prefix: str) -> list[datetime]:
    """When the documents of units with this prefix became Delivered."""
    query = (
        "SELECT t.settled_at FROM transmissions t JOIN invoices i ON i.id = t.invoice_id"
        " WHERE t.status = 'Delivered' AND i.number LIKE %s"
    )
    with psycopg.connect(service.database) as connection:
        return [row[0] for row in connection.execute(query, [f"{prefix}%"]).fetchall()]


def _rate(times: Sequence[datetime]) -> float:
    return (len(times) - 1) / max(0.001, (max(times) - min(times)).total_seconds())


def stamp() -> None:
    """Milliseconds of CPU of hash, stamp and QR code of an invoice of 100 lines."""
    key = new_key()
    described = Unit("TST", "1-a|2-b|3-c", saudi.VAT_NUMBER, "Riyadh", "Org", "1100", "R", "B")
    request = x509.load_pem_x509_csr(certificate_request(described, Template.SANDBOX, key))
    identity = Identity.of(key, token_text(Issuer().token(request)))
    for name, buyer in (("standard", saudi.BUSINESS), ("simplified", saudi.CONSUMER)):
        invoice = saudi.an_invoice(lines=LINES, buyer=buyer)
        document = form.PROFILE.write(form.adapt(invoice).invoice)
        place = Place("0" * 36, 1, "x" * 44, "12:00:00")
        taken = []
        for _ in range(REPEATS):
            begun = time.process_time()
            stamped(document, place, identity, datetime(2026, 1, 1, tzinfo=UTC))
            taken.append(time.process_time() - begun)
        taken.sort()
        print(f"{name:11} {LINES} lines: {1000 * taken[0]:.1f} ms best, "
              f"{1000 * taken[REPEATS // 2]:.1f} ms median")  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="Chains of Saudi units while workers are killed.")
    parser.add_argument("--stamp", action="store_true")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--units", type=int, default=20)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--bulk", type=int, default=1, help="workers of the lane bulk")
    parser.add_argument("--compare", type=int, default=0, help="documents of one unit before")
    given = vars(parser.parse_args())
    if given.pop("stamp"):
        stamp()
        return
    workers = dict.fromkeys(outbox.LANES, 1) | {outbox.BULK: given.pop("bulk")}
    finish(run(**given, workers=workers))


if __name__ == "__main__":
    main()
