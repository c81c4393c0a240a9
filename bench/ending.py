"""Measure how fast rows of invoices end with their retention, and what sends notice of it.

`python -m bench.ending` makes a tenant with `--size` invoices (bench/filled) whose retention has
ended, of which a tenth is deleted in turns with sends and at the same time as sends. It prints
invoices a second, and the milliseconds of a send (acceptance of one document) by itself and while
rows end, as medians and 99th percentiles.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import threading
import time
from dataclasses import replace
from datetime import timedelta

import sqlalchemy as sa
from flask import Flask

from bench.filled import tenant_with
from bench.lists import analysed, opened
from einvoice import clock
from einvoice.services.archive import disposal
from einvoice.store.core import db
from einvoice.store.sending import acceptance
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests import servers
from tests.builders import new_send

SERVER = ("-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "fsync=off")
SENDS = 300
LATER = timedelta(days=5 * 366)  # behind the retention of all of them
TURN_SECONDS = 15.0


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


def counted() -> int:
    with db.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(Invoice)).scalar_one()


def in_background(app: Flask, seconds: float) -> threading.Thread:
    def run() -> None:
        with app.app_context():
            end(app, seconds)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def shown(name: str, found: list[float]) -> None:
    ordered = sorted(found)
    print(f"{name:28} {statistics.median(found):8.2f} {ordered[int(len(ordered) * 0.99)]:8.2f}")


def main() -> None:
    """Fill, end rows, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    size = parser.parse_args().size
    with servers.cluster(SERVER) as own, tempfile.TemporaryDirectory() as folder:
        app = opened(own.url, folder)
        with app.app_context():
            tenant = tenant_with(size)
            analysed()
            print(f"{size:,} invoices; {end(app, TURN_SECONDS):,.0f} a second end by themselves")
            print(f"{'ms of a send':28} {'median':>8} {'p99':>8}")
            sends(tenant)
            shown("by itself", sends(tenant))
            thread = in_background(app, TURN_SECONDS)
            shown("while rows end", sends(tenant))
            thread.join()
            shown("by itself", sends(tenant))


if __name__ == "__main__":
    main()
