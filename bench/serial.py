"""Send documents one after the other: `python -m bench.serial --documents 10000 --kills 20`.

A tenant sends bills of several units at the toll authority (tests/networks/toll), which is a
process of its own. Each bill has the next counter of its unit, and the digest of the one before.
Workers are killed with SIGKILL, and PostgreSQL is stopped in immediate mode. Afterwards the
authority's own books must have every document once and no gap, and the digests must be those of the
documents. Exits with 0 or 1. With `--compare`, the throughput of one unit is measured first.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NoReturn

import psycopg
import requests

from bench.service import SENDER, RunningService, await_port, running_service
from einvoice.app import create_app
from einvoice.cli.processes import Children
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.services.connections import accounts, checks
from einvoice.services.connections.accounts import NewConnection
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.web.runtime import runtime_of
from tests.access_points import http_access_point
from tests.networks.toll import remote
from tests.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
BUYER = "0190:00000003123456780000"
CLIENTS = 8
ANSWER_WITHIN = 120.0
# Short leases: what a killed worker held is due again within seconds.
ENVIRON = {
    "EINVOICE_QUEUE_LEASE": "5",
    "EINVOICE_LEASE_MARGIN": "2",
    "EINVOICE_RETRY_FOR_TEST": "86400",
    "EINVOICE_MAX_QUEUE_AGE": "86400",
}


@dataclass(frozen=True)
class SerialResult:
    """Counts of the books of the authority; those that must be 0 come first."""

    missing: int  # documents that were accepted and not cleared, or are not Delivered
    gaps: int  # counters that are missing in a unit
    doubled: int  # counters that a unit has twice
    broken: int  # digests that are not those of the document and the link before
    faults: int  # bills that the authority has refused as out of order
    documents: int
    units: int
    workers_killed: int
    databases_killed: int
    seconds: float  # from the first bill to the last
    per_second: float
    one_unit_per_second: float | None = None

    @property
    def good(self) -> bool:
        return not any((self.missing, self.gaps, self.doubled, self.broken, self.faults))


@contextmanager
def _authority(latency: float) -> Iterator[tuple[str, remote.RemoteAuthority, Path]]:
    """The process of the authority, its calls, and the directory that announces the plugin."""
    children, port = Children(), free_port()
    with TemporaryDirectory(prefix="toll-") as name:
        directory = Path(name)
        remote.announce(directory / "plugins")
        http_access_point.announce(directory / "plugins")
        try:
            children.start(
                "authority",
                [sys.executable, "-m", "tests.networks.toll.remote", f"--port={port}",
                 f"--latency={latency}"],
                env={**os.environ, "PYTHONPATH": str(ROOT)},
                log=directory / "authority.log",
            )  # fmt: skip
            await_port(port)
            url = f"http://127.0.0.1:{port}"
            yield url, remote.RemoteAuthority(url), directory / "plugins"
        finally:
            children.stop()


class Sender:
    """Clients that send the bills of each unit in order, and repeat each until it is accepted."""

    def __init__(
        self, service: RunningService, body: Callable[[str, str], dict[str, Any]] | None = None
    ) -> None:
        """`body`: the send of a unit's document of this number; None: a bill."""
        self._service, self._body = service, body or (lambda unit, number: _body(number))
        self.accepted: dict[str, list[str]] = {}  # unit → transaction ids

    def send(self, units: int, of_each: int, prefix: str) -> None:
        """Return when all are accepted."""
        names = [f"{prefix}{number:02}" for number in range(units)]
        with ThreadPoolExecutor(min(CLIENTS, units)) as clients:
            for _ in clients.map(lambda unit: self._send_unit(unit, of_each), names):
                pass

    def _send_unit(self, unit: str, count: int) -> None:
        with requests.Session() as session:
            self.accepted[unit] = [self._one(session, unit, f"{unit}-{n:05}") for n in range(count)]

    def _one(self, session: requests.Session, unit: str, number: str) -> str:
        until = time.monotonic() + ANSWER_WITHIN
        while time.monotonic() < until:
            try:
                answer = session.post(
                    f"{self._service.stack.url}/api/invoices/send",
                    json=self._body(unit, number),
                    headers={
                        "x-api-key": self._service.key,
                        "Idempotency-Key": number,
                        "Prefer": "respond-async",
                    },
                    timeout=30,
                )
            except requests.RequestException:
                answer = None
            if answer is not None and answer.status_code == 200:
                return str(answer.json()["transactionId"])
            if answer is not None and answer.status_code not in (409, 429, 500, 503):
                raise AssertionError(f"{number}: {answer.status_code} {answer.text}")
            time.sleep(0.2)
        raise TimeoutError(f"{number} was not accepted")


def _body(number: str) -> dict[str, Any]:
    place = {"line1": "Markt 2", "city": "Gent", "countryCode": "BE"}
    return {
        "invoice": {
            "number": number,
            "issueDate": "2026-11-22",
            "dueDate": "2026-12-22",
            "currency": "EUR",
            "buyerReference": "PO-1",
            "supplier": {"name": "Acme NV", "taxId": "BE0123456749", "companyId": "0123456749",
                         "address": place},
            "buyer": {"name": "Buyer BV", "taxId": "NL123456789B12",
                      "address": {"line1": "Gracht 1", "city": "Delft", "countryCode": "NL"}},
            "lineItems": [
                {"description": "Toll", "quantity": 1, "unitPrice": 100, "taxRate": 21}
            ],
            "totals": {"subtotal": 100, "taxAmount": 21, "grandTotal": 121},
        },
        "routing": {
            "senderParticipantId": SENDER, "receiverParticipantId": BUYER, "network": "toll",
        },
    }  # fmt: skip


def _connect(service: RunningService, authority: remote.RemoteAuthority) -> None:
    """A connection for the seller's tax number, with consent."""
    point = remote.RemoteChain(authority)

    class Plugin:
        EINVOICE_INTERFACE = remote.EINVOICE_INTERFACE

        @remote.hookimpl
        def einvoice_access_points(self) -> Iterator[remote.RemoteChain]:
            yield point

        einvoice_rule_sets = staticmethod(remote.einvoice_rule_sets)
        einvoice_profiles = staticmethod(remote.einvoice_profiles)

    settings = Settings(
        data_dir=str(service.stack.data_dir), database_url=service.database, log_level="ERROR"
    )
    app = create_app(settings, plugins=[Plugin()])
    with app.app_context():
        new = NewConnection(
            Environment.TEST, "toll", "BE0123456749", credentials={"clientSecret": "secret"}
        )
        made = accounts.create(service.tenant, new, runtime_of(app))
        code = authority.consent(made.account)
        checks.run(made, lambda c: point.authorised(c, code, ""), runtime_of(app), "bench")
        db.db.engine.dispose()


class Kills:
    """Kills a worker after the other, and the database in the middle, beside the clients."""

    def __init__(self, service: RunningService, workers: int, databases: int, pause: float) -> None:
        self._service, self._pause = service, pause
        self._wanted = ["worker"] * workers
        for number in range(databases):
            self._wanted.insert((number + 1) * workers // (databases + 1), "database")
        self._dice = random.Random(1)
        self.workers = self.databases = 0
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def join(self) -> None:
        self._thread.join()

    def _run(self) -> None:
        names = [name for name in self._service.stack.commands if name.startswith("worker-")]
        serving = [name for name in names if "bulk" in name or "chores" in name]
        for kind in self._wanted:
            time.sleep(self._dice.uniform(0.5, 1.5) * self._pause)
            if kind == "worker":
                name = self._dice.choice(serving)
                self._service.stack.children.kill(name)
                self._service.stack.command(name)
                self.workers += 1
            else:
                self._service.postgres.crash()
                self._service.postgres.start()
                self.databases += 1


def run(
    documents: int = 2_000,
    units: int = 50,
    *,
    kills: int = 20,
    database_kills: int = 1,
    pause: float = 2.0,
    latency: float = 0.2,
    compare: int = 0,
    settle_within: float = 600.0,
    workers: Mapping[str, int] | None = None,
) -> SerialResult:
    """Send `documents` over `units`, while workers and the database are killed.

    pause    seconds between two kills
    latency  seconds that the authority takes for a bill
    compare  documents of one unit that are sent before, to measure its throughput; 0: none
    """
    with _authority(latency) as (url, authority, plugins):
        paths = [plugins, ROOT, ROOT / "plugins" / "loopback"]
        environ = ENVIRON | {
            "TOLL_AUTHORITY_URL": url,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
        }
        with running_service(None, environ, workers) as service:
            _connect(service, authority)
            sender, alone = Sender(service), None
            if compare:
                sender.send(1, compare, "A")
                settled(service, settle_within)
                alone = _rate(authority.books(), sender.accepted["A00"])
            killing = Kills(service, kills, database_kills, pause)
            sender.send(units, documents // units, "U")
            killing.join()
            settled(service, settle_within)
            return _result(service, sender, authority.books(), killing, alone)


def settled(service: RunningService, seconds: float) -> None:
    """Wait until the outbox has no transmission."""
    until = time.monotonic() + seconds
    with psycopg.connect(service.database, autocommit=True) as connection:
        query = "SELECT count(*) FROM outbox WHERE kind = 'transmission'"
        while time.monotonic() < until:
            if not connection.execute(query).fetchone()[0]:
                return
            time.sleep(0.2)


def _rate(books: Mapping[str, Any], transactions: list[str]) -> float:
    times = [books["cleared_at"][f"{each}@toll"] for each in transactions]
    return (len(times) - 1) / max(0.001, max(times) - min(times))


def _result(
    service: RunningService,
    sender: Sender,
    books: Mapping[str, Any],
    killing: Kills,
    alone: float | None,
) -> SerialResult:
    chains, units = books["chains"], [unit for unit in sender.accepted if unit.startswith("U")]
    sent = [each for unit in units for each in sender.accepted[unit]]
    cleared = books["cleared_at"]
    reached = [each for each in sent if f"{each}@toll" in cleared]
    documents = _documents(service)
    done = _done(documents, cleared)
    counters = [[link["counter"] for link in chains.get(unit, [])] for unit in units]
    times = [cleared[f"{each}@toll"] for each in reached]
    seconds = max(times) - min(times)
    return SerialResult(
        missing=sum(each not in done for each in sent),
        gaps=sum(len(set(range(1, max(c, default=0) + 1)) - set(c)) for c in counters),
        doubled=sum(len(c) - len(set(c)) for c in counters),
        broken=sum(_broken(chains.get(u, []), u, sender.accepted[u], documents) for u in units),
        faults=len(books["faults"]) + len(books["refused"]),
        documents=len(sent),
        units=len(units),
        workers_killed=killing.workers,
        databases_killed=killing.databases,
        seconds=round(seconds, 1),
        per_second=round((len(reached) - 1) / max(0.001, seconds), 1),
        one_unit_per_second=alone and round(alone, 2),
    )


def _done(documents: Mapping[str, tuple[str, bytes]], cleared: Mapping[str, float]) -> set[str]:
    """The transactions that are Delivered and that the authority has cleared."""
    return {
        each
        for each, (status, _) in documents.items()
        if status == "Delivered" and f"{each}@toll" in cleared
    }


def _documents(service: RunningService) -> dict[str, tuple[str, bytes]]:
    """Status and submitted bytes of each transaction."""
    query = (
        "SELECT t.id, t.status, coalesce(i.network_document, i.document) FROM transmissions t"
        " JOIN invoices i ON i.id = t.invoice_id"
    )
    with psycopg.connect(service.database) as connection:
        rows = connection.execute(query).fetchall()
    return {key: (status, bytes(document)) for key, status, document in rows}


def _broken(
    chain: list[dict[str, Any]],
    unit: str,
    transactions: list[str],
    documents: Mapping[str, tuple[str, bytes]],
) -> int:
    """Links that do not hold the document in its order, or not the digest of the one before."""
    broken, previous = abs(len(chain) - len(transactions)), ""
    for number, (link, transaction) in enumerate(zip(chain, transactions, strict=False), 1):
        whole = f"{unit} {number} {previous} ".encode() + documents[transaction][1]
        expected = hashlib.sha256(whole).hexdigest()
        broken += (link["counter"], link["previous"], link["digest"]) != (
            number, previous, expected,
        )  # fmt: skip
        previous = link["digest"]
    return broken


def finish(result: Any) -> NoReturn:
    """Print the figures of a result, and exit with 0 if it is `good`, else with 1."""
    for name, value in vars(result).items():
        print(f"{name:20} {value}", flush=True)
    sys.exit(0 if result.good else 1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Send documents one after the other.")
    parser.add_argument("--documents", type=int, default=2_000)
    parser.add_argument("--units", type=int, default=50)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--database-kills", type=int, default=1)
    parser.add_argument("--pause", type=float, default=2.0)
    parser.add_argument("--latency", type=float, default=0.2)
    parser.add_argument("--bulk", type=int, default=1, help="workers of the lane bulk")
    parser.add_argument("--compare", type=int, default=0, help="documents of one unit before")
    given = vars(parser.parse_args())
    workers = dict.fromkeys(outbox.LANES, 1) | {outbox.BULK: given.pop("bulk")}
    finish(run(**given, workers=workers))


if __name__ == "__main__":
    main()
