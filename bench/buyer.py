"""Measure the buyer's page with 100,000 invoices and as many links: `python -m bench.buyer`.

Over HTTP from the web server of the service, on PostgreSQL and on SQLite, one visitor after the
other, each with another link: the time from sending the request to the first and to the last byte
of the answer, without connecting; and the same for the 404 of an unknown link.
"""

from __future__ import annotations

import argparse
import os
import socket
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from bench.lists import analysed, invoice_row
from einvoice import clock
from einvoice.app import create_app
from einvoice.cli.stack import Stack
from einvoice.config import Settings
from einvoice.security import tokens
from einvoice.services.account import tenants
from einvoice.store.core import db
from einvoice.store.operating import migrating
from einvoice.store.tables import Invoice, ShareLink, Transmission
from tests import servers
from tests.ports import free_port

INVOICES = 100_000
ROOT = Path(__file__).resolve().parents[1]
ACCEPTS = {"page": "text/html", "JSON": "application/json"}


def filled(url: str, directory: Path) -> list[str]:
    """Fill a database with INVOICES delivered invoices, each with a link; some of their tokens."""
    app = create_app(
        Settings(data_dir=str(directory), database_url=url, log_level="CRITICAL"), plugins=[]
    )
    kept = []
    with app.app_context():
        migrating.upgrade()
        tenant = tenants.create("Bench NV")
        for start in range(0, INVOICES, 5_000):
            rows = [invoice_row(tenant, number) for number in range(start, start + 5_000)]
            made = [tokens.new() for _ in rows]
            links = [
                {
                    "id": str(uuid.uuid4()), "tenant_id": tenant, "invoice_id": invoice["id"],
                    "digest": tokens.digest(token), "created_at": clock.now(),
                }
                for (invoice, _), token in zip(rows, made, strict=True)
            ]  # fmt: skip
            with db.writing() as connection:
                connection.execute(sa.insert(Invoice), [invoice for invoice, _ in rows])
                connection.execute(sa.insert(Transmission), [sending for _, sending in rows])
                connection.execute(sa.insert(ShareLink), links)
            kept += made[::50]
        analysed()
        db.db.engine.dispose()
    return kept


@contextmanager
def served(url: str, directory: Path) -> Iterator[tuple[str, int]]:
    """Run the web server and Redis, which is all that the page needs."""
    environ = {
        "EINVOICE_DATABASE_URL": url,
        "EINVOICE_LIMIT_BUYER": "1000000",  # all requests come from one address
        "PYTHONPATH": os.pathsep.join(map(str, (ROOT, ROOT / "plugins" / "loopback"))),
    }
    port = free_port()
    with Stack(directory, f"127.0.0.1:{port}", environ, workers={}):
        yield "127.0.0.1", port


class Visitor:
    """One connection that is kept open, as by a proxy."""

    def __init__(self, where: tuple[str, int]) -> None:
        self._line = socket.create_connection(where, 10)
        self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._host = f"{where[0]}:{where[1]}"

    def open(self, token: str, accept: str) -> tuple[float, float]:
        """Milliseconds to the first byte and to the last."""
        request = (
            f"GET /api/invoices/view/{token} HTTP/1.1\r\nHost: {self._host}\r\n"
            f"Accept: {accept}\r\nAccept-Language: de-DE\r\n\r\n"
        )
        start = time.perf_counter()
        self._line.sendall(request.encode())
        answer = self._line.recv(65_536)
        first = time.perf_counter()
        head, _, body = answer.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length: ")[2].partition(b"\r")[0])
        while len(body) < length:
            body += self._line.recv(65_536)
        return (first - start) * 1000, (time.perf_counter() - start) * 1000

    def close(self) -> None:
        self._line.close()


def measured(name: str, url: str, visits: int) -> None:
    with tempfile.TemporaryDirectory(prefix="bench-") as folder:
        directory = Path(folder)
        url = url or f"sqlite:///{directory / 'bench.sqlite3'}"
        known = filled(url, directory)
        with served(url, directory) as where:
            for kind, accept in ACCEPTS.items():
                report(f"{name}, {kind}", where, known[:visits], accept)
            wrong = [tokens.new() for _ in range(visits)]
            report(f"{name}, 404 as a page", where, wrong, ACCEPTS["page"])


def report(what: str, where: tuple[str, int], asked: list[str], accept: str) -> None:
    visitor = Visitor(where)
    for token in asked[:20]:
        visitor.open(token, accept)
    times = [visitor.open(token, accept) for token in asked[20:]]
    visitor.close()
    first, last = (sorted(column) for column in zip(*times, strict=True))
    p99 = first[int(len(first) * 0.99)]
    print(
        f"{what:26} {statistics.median(first):8.2f} {p99:8.2f} {first[-1]:8.2f}"
        f" {statistics.median(last):10.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--visits", type=int, default=1_000)
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    print(f"{INVOICES:,} invoices, load {os.getloadavg()[0]:.1f}")
    print(f"{'ms':26} {'first p50':>8} {'p99':>7} {'max':>8} {'last p50':>10}")
    with servers.postgresql() as postgres:
        measured("PostgreSQL", postgres, options.visits)
    measured("SQLite", "", options.visits)


if __name__ == "__main__":
    main()
