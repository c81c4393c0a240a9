"""Measure how fast rows of invoices end with their retention, and what others notice of it.

`python -m bench.ending` makes a tenant with `--size` invoices (bench/filled) whose
retention has ended, and deletes them for some seconds by itself, then beside sends and pages of
lists. It prints invoices a second, the processor time of PostgreSQL for each, and the
milliseconds of a send (acceptance of one document) and of pages by themselves and while rows end,
as medians and 99th percentiles. `--seconds` bounds each turn.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
from flask import Flask

from bench.filled import tenant_with
from bench.lists import analysed, opened
from einvoice import clock
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials
from einvoice.services.archive import disposal
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests import servers
from tests.builders import new_send
from tests.processes import descendants

SERVER = ("-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "fsync=off")
SENDS = 300
LATER = timedelta(days=5 * 366)  # behind the retention of all of them
PAGES = {
    "the newest 50": "limit=50",
    "by amount": "sort=-grandTotal",
    "a receiver (1 of 5,000)": "receiverParticipantId=0088:9520000000123",
    "Failed (1 of 500)": "networkStatus=Failed",
    "open bills": "direction=received&processed=false",
    "a word": "q=N-4999",
    "all, with their total": "limit=1&include=total",
}
PAGE_TIMES = 15
Result = TypeVar("Result")
BEGUN = clock.now() - timedelta(hours=1)


def sends(tenant: str) -> list[float]:
    """Milliseconds of each of some sends."""
    found = []
    for _ in range(SENDS):
        send = new_send(tenant)
        begun = time.perf_counter()
        acceptance.accept(send)
        found.append((time.perf_counter() - begun) * 1000)
    return found


def end(app: Flask, seconds: float) -> float:
    """Delete rows for so long; invoices a second."""
    settings = replace(runtime_of(app).settings, archive_drop=True, archive_drop_rows=True)
    before, begun = counted(), time.perf_counter()
    disposal.drop(settings, seconds=seconds, now=clock.now() + LATER)
    return (before - counted()) / (time.perf_counter() - begun)


def pages(app: Flask, key: str) -> dict[str, list[float]]:
    """Milliseconds of pages of lists over HTTP (test client), in turns."""
    client, found = app.test_client(), {name: list[float]() for name in PAGES}
    for _ in range(PAGE_TIMES):
        for name, query in PAGES.items():
            begun = time.perf_counter()
            answer = client.get(f"/api/invoices?{query}", headers={"x-api-key": key})
            assert answer.status_code == 200, answer.text
            found[name].append((time.perf_counter() - begun) * 1000)
    return found


def cpu_seconds(server: servers.Postgres) -> float:
    """Seconds of CPU that the running processes of the server have used."""
    ticks = 0
    for pid in (server.pid, *descendants(server.pid)):
        values = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        ticks += int(values[11]) + int(values[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def counted() -> int:
    """The invoices that are left of those of before today's sends."""
    due = sa.select(sa.func.count()).where(Invoice.created_at < BEGUN)
    with db.reading() as connection:
        return connection.execute(due).scalar_one()


def beside(app: Flask, act: Callable[[], Result], work: Callable[[], None]) -> Result:
    """Repeat some work while a thread acts; what that returns."""
    found: list[Result] = []

    def run() -> None:
        with app.app_context():
            found.append(act())

    thread = threading.Thread(target=run)
    thread.start()
    while thread.is_alive():
        work()
    thread.join()
    return found[0]


def shown(name: str, found: list[float]) -> None:
    ordered = sorted(found)
    print(
        f"{name:28} {statistics.median(found):8.2f} {ordered[int(len(ordered) * 0.99)]:8.2f}",
        flush=True,
    )


def main() -> None:
    """Fill, end rows, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=15.0)
    given = parser.parse_args()
    with servers.cluster(SERVER) as own, tempfile.TemporaryDirectory() as folder:
        app = opened(own.url, folder)
        with app.app_context():
            tenant = tenant_with(given.size)
            key = credentials.create(API_KEY, tenant, "bench", Environment.TEST).secret
            analysed()
            measure(app, own, tenant, key, given.seconds)


def measure(app: Flask, own: servers.Postgres, tenant: str, key: str, seconds: float) -> None:
    """Rows by themselves, then sends and pages by themselves and beside."""
    before, used = counted(), cpu_seconds(own)
    rate = end(app, seconds)
    each = (cpu_seconds(own) - used) / max(1, before - counted()) * 1000
    print(f"{before:,} invoices; {rate:,.0f} a second end by themselves, "
          f"{each:.2f} ms of PostgreSQL each")  # fmt: skip
    print(f"{'ms':28} {'median':>8} {'p99':>8}")
    sends(tenant)
    shown("a send by itself", sends(tenant))
    found: list[float] = []
    rate = beside(app, lambda: end(app, seconds), lambda: found.extend(sends(tenant)))
    shown("a send while rows end", found)
    print(f"beside sends {rate:,.0f} a second end")
    pages(app, key)
    alone = pages(app, key)
    rounds: list[dict[str, list[float]]] = []
    rate = beside(app, lambda: end(app, seconds), lambda: rounds.append(pages(app, key)))
    print(f"beside pages {rate:,.0f} a second end")
    for name, values in alone.items():
        shown(name, values)
        shown("  while rows end", [one for each in rounds for one in each[name]])


if __name__ == "__main__":
    main()
