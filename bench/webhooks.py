"""Webhooks beside endpoints that never answer, and their cost: `python -m bench.webhooks`.

The first part registers `--holes` endpoints that accept a request and never answer, one for each of
as many tenants, with `--events` events each. Five other tenants have one event each, `--rate` times
a second. It prints how long after its event each of their webhooks arrived, how many requests the
silent endpoints had open at once, and the memory of the workers.

The second part delivers `--deliveries` events of five tenants to endpoints that answer after
`--latency` seconds, and prints webhooks per second and the cost of one: CPU by part, statements,
transactions and bytes of WAL.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import statistics
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
import sqlalchemy as sa
from flask import Flask

from bench.pipeline import cpu_by_part, host_pace
from bench.service import RunningService, running_service
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.services.account import tenants
from einvoice.services.webhooks import endpoints
from einvoice.store.core import db
from einvoice.store.tables import WebhookDelivery
from einvoice.store.webhooks import events
from tests.ports import free_port

PROMPT_TENANTS = 5
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


@dataclass
class Receivers:
    """An HTTP server: /prompt/<name> answers after `latency` seconds, /silent/<name> never."""

    port: int
    latency: float = 0.0
    arrived: dict[str, list[tuple[str, float]]] = field(default_factory=lambda: defaultdict(list))
    open: Counter[str] = field(default_factory=Counter)
    most_open: Counter[str] = field(default_factory=Counter)

    def url(self, kind: str, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{kind}/{name}"

    async def converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.IncompleteReadError), closing(writer):
            while True:
                await self._exchange(reader, writer)

    async def _exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().lower().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        path = head[0].split(" ")[1]
        await reader.readexactly(int(headers["content-length"]))
        self.arrived[path].append((headers["webhook-id"], time.time()))
        self.open[path] += 1
        self.most_open[path] = max(self.most_open[path], self.open[path])
        try:
            await self._answer(path, reader, writer)
        finally:
            self.open[path] -= 1

    async def _answer(
        self, path: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if path.startswith("/silent/"):
            await reader.read(1)  # until the client hangs up
            raise ConnectionError
        await asyncio.sleep(self.latency)
        writer.write(OK)
        await writer.drain()


@contextmanager
def receivers(latency: float = 0.0) -> Iterator[Receivers]:
    """The server, in a thread with an event loop of its own."""
    made, loop, ends = Receivers(free_port(), latency), asyncio.new_event_loop(), asyncio.Event()
    listening = threading.Event()

    async def run() -> None:
        async with await asyncio.start_server(made.converse, "127.0.0.1", made.port, backlog=500):
            listening.set()
            await ends.wait()

    def run_and_close() -> None:
        with asyncio.Runner(loop_factory=lambda: loop) as runner:
            runner.run(run())

    thread = threading.Thread(target=run_and_close, daemon=True)
    thread.start()
    listening.wait(30)
    try:
        yield made
    finally:
        loop.call_soon_threadsafe(ends.set)
        thread.join(30)


@dataclass(frozen=True)
class Subscriber:
    """A tenant with one endpoint."""

    tenant: str
    path: str

    def happen(self, count: int = 1) -> list[str]:
        """Emit events of this tenant; their ids."""
        payload = {"transactionId": "txn_1", "status": "Delivered"}
        new = events.NewEvent(self.tenant, "test", "transaction.sent", "inv-1", payload)
        with db.writing() as connection:
            return events.emit_many(connection, [new] * count)


def subscribe(received: Receivers, kind: str, name: str, settings: Settings) -> Subscriber:
    tenant = tenants.create(f"{kind}-{name}")
    url = received.url(kind, name)
    endpoints.create(tenant, Environment.TEST, url=url, settings=settings)
    return Subscriber(tenant, f"/{kind}/{name}")


@contextmanager
def application(service: RunningService) -> Iterator[Settings]:
    """An application on the service's database, inside its context."""
    settings = Settings(
        data_dir=str(service.stack.data_dir), database_url=service.database, log_level="ERROR",
        webhook_allow_private=True,
    )  # fmt: skip
    app: Flask = create_app(settings, plugins=[])
    with app.app_context():
        yield settings
        db.db.engine.dispose()


# -- beside silent endpoints -----------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """The delays of the tenants whose endpoints answer, in seconds from event to arrival."""

    events: int
    missing: int
    p50: float
    p99: float
    worst: float
    most_in_flight: int
    silent_requests: int
    worker_mb: int

    def row(self) -> str:
        return json.dumps(
            {name: round(v, 3) if isinstance(v, float) else v for name, v in vars(self).items()}
        )


def beside_silent(
    service: RunningService,
    holes: int,
    events_each: int,
    rate: float,
    seconds: float,
    *,
    known: bool = False,
) -> Beside:
    """Deliver to prompt endpoints while `holes` silent ones have `events_each` events due.

    `known`: the prompt ones have had a webhook before the silent ones are registered.
    """
    with receivers() as received, application(service) as settings:
        prompt = [subscribe(received, "prompt", f"{n}", settings) for n in range(PROMPT_TENANTS)]
        if known:
            for one in prompt:
                one.happen()
            await_delivered(prompt)
        silent = [subscribe(received, "silent", f"{n}", settings) for n in range(holes)]
        for one in silent:
            one.happen(events_each)
        happened, memory = _emit(service, prompt, rate, seconds)
        delays = _delays(received, happened) or [math.inf]
        return Beside(
            events=len(happened),
            missing=len(happened) - sum(delay < math.inf for delay in delays),
            p50=statistics.median(delays),
            p99=sorted(delays)[int(0.99 * (len(delays) - 1))],
            worst=max(delays),
            most_in_flight=max((received.most_open[one.path] for one in silent), default=0),
            silent_requests=sum(len(received.arrived[one.path]) for one in silent),
            worker_mb=memory,
        )


def _emit(
    service: RunningService, prompt: Sequence[Subscriber], rate: float, seconds: float
) -> tuple[dict[str, float], int]:
    """The moment of each event by its id, and the most memory that a worker had, in MB."""
    happened, memory = {}, 0
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        for one in prompt:
            moment = time.time()
            happened.update(dict.fromkeys(one.happen(), moment))
        memory = max(memory, _worker_megabytes(service))
        time.sleep(1 / rate)
    time.sleep(3)
    return happened, memory


def _delays(received: Receivers, happened: dict[str, float]) -> list[float]:
    """From each event to the first arrival of its webhook."""
    first: dict[str, float] = {}
    for path, arrivals in list(received.arrived.items()):
        if path.startswith("/prompt/"):
            for event_id, moment in arrivals:
                first.setdefault(event_id, moment)
    return [first[event_id] - moment for event_id, moment in happened.items() if event_id in first]


def _worker_megabytes(service: RunningService) -> int:
    workers = [p for name, p in service.stack.children.running() if "webhooks" in name]
    return max((_resident(process.pid) for process in workers), default=0)


def _resident(pid: int) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM"):
            return int(line.split()[1]) // 1024
    return 0


# -- the cost of a delivery ------------------------------------------------------------------------


_COUNTS = """
SELECT (SELECT sum(calls) FROM pg_stat_statements),
       (SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()),
       (SELECT wal_bytes FROM pg_stat_wal)
"""


def count_statements(service: RunningService) -> None:
    """Restart PostgreSQL with the extension that counts statements."""
    with psycopg.connect(service.database, autocommit=True) as connection:
        connection.execute("ALTER SYSTEM SET shared_preload_libraries = 'pg_stat_statements'")
    service.postgres.crash()
    service.postgres.start()
    with psycopg.connect(service.database, autocommit=True) as connection:
        connection.execute("CREATE EXTENSION pg_stat_statements")
        connection.execute("ANALYZE")


def _counts(service: RunningService) -> list[float]:
    with psycopg.connect(service.database, autocommit=True) as connection:
        row = connection.execute(_COUNTS).fetchone()
    assert row is not None
    return [float(value) for value in row]


def cost(service: RunningService, deliveries: int, latency: float, spread: float) -> str:
    """One row: webhooks per second and the cost of one. `spread`: seconds in which they happen."""
    with receivers(latency) as received, application(service) as settings:
        subscribers = [
            subscribe(received, "prompt", f"c{deliveries}-{latency}-{spread}-{n}", settings)
            for n in range(PROMPT_TENANTS)
        ]
        pace = [host_pace()]
        counted, before = _counts(service), cpu_by_part(service)
        started = time.time()
        for _ in range(parts := 50 if spread else 1):
            for one in subscribers:
                one.happen(deliveries // PROMPT_TENANTS // parts)
            time.sleep(spread / parts)
        done = await_delivered(subscribers)
        after, finished = cpu_by_part(service), time.time()
        time.sleep(1.5)  # statistics of PostgreSQL are published once a second
        counts = [(now - then) / done for now, then in zip(_counts(service), counted, strict=True)]
        used = {part: after[part] - before[part] for part in before}
        pace.append(host_pace())
    shown = {part: round(1e6 * used[part] / done) for part in used if 1e6 * used[part] / done > 1}
    return json.dumps({
        "loop us": pace, "delivered": done, "latency": latency, "spread": spread,
        "delivered/s": round(done / (finished - started)), "us/webhook": shown,
        "statements": round(counts[0], 2), "transactions": round(counts[1], 2),
        "WAL bytes": round(counts[2]),
    })  # fmt: skip


def await_delivered(subscribers: Sequence[Subscriber], within: float = 120.0) -> int:
    """Wait until none is pending; how many were delivered."""
    query = (
        sa.select(WebhookDelivery.status, sa.func.count())
        .where(WebhookDelivery.tenant_id.in_([one.tenant for one in subscribers]))
        .group_by(WebhookDelivery.status)
    )
    until = time.monotonic() + within
    while True:
        with db.reading() as connection:
            found = {row[0]: row[1] for row in connection.execute(query)}
        if time.monotonic() > until or set(found) == {events.DELIVERED}:
            return found.get(events.DELIVERED, 0)
        time.sleep(0.1)


def main() -> None:
    parser = argparse.ArgumentParser(description="Webhooks beside silent endpoints; their cost.")
    parser.add_argument("--holes", type=int, default=20)
    parser.add_argument("--events", type=int, default=1_000)
    parser.add_argument("--rate", type=float, default=2.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--known", action="store_true", help="the others had a webhook before")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--deliveries", type=int, default=2_000)
    parser.add_argument("--latency", type=float, default=0.005)
    given = parser.parse_args()
    environ = {"EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true"}
    with running_service(environ=environ, workers={"webhooks": given.workers}) as service:
        count_statements(service)
        if given.deliveries:
            cost(service, 100, given.latency, 0.0)
            for spread in (0.0, 10.0):
                print(cost(service, given.deliveries, given.latency, spread), flush=True)
        if given.holes:
            seen = beside_silent(
                service, given.holes, given.events, given.rate, given.seconds, known=given.known
            )
            print(seen.row(), flush=True)


if __name__ == "__main__":
    main()
