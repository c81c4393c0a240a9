"""Measure lists, search, totals, pages and sends of 10 million invoices beside a million.

`python -m bench.growth` takes 40 minutes and 32 GB: two databases of one PostgreSQL server, in each
one tenant with a million invoices a year (bench/filled), of which the newest million have their
documents in the database. Requests over HTTP (test client), in turns, medians of milliseconds, and
the pages of PostgreSQL's memory that a request reads (8 KiB each), which do not depend on what else
the machine does; without those of statements that were cancelled. The last column is the ratio of
the pages. Then what the blocks of totals, sends and the sweeps of the relay cost.

`--large` and `--small` are the numbers of invoices. `--directory` keeps the databases for the next
run there, and `--only TEXT` measures the requests whose names contain it.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from functools import partial

import psycopg
import sqlalchemy as sa
from flask import Flask
from flask.testing import FlaskClient

from bench import dashboard
from bench.filled import tenant_with
from bench.lists import analysed, opened
from einvoice import clock
from einvoice.domain import ids
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.security import dev_issuer
from einvoice.services import retention
from einvoice.services.invoices import block_counts
from einvoice.store.archive import archive_walks
from einvoice.store.core import db
from einvoice.store.invoices import blocks, text_index
from einvoice.store.invoices.blocks import Counted
from einvoice.store.sending import acceptance
from einvoice.store.tables import Invoice, Tenant
from einvoice.web.runtime import runtime_of
from tests import servers
from tests.builders import new_send

A_YEAR = 1_000_000
SENDS = 400
SLOW_MS = 1_000  # a request that takes longer is measured twice
SERVER = (
    "-c", "shared_buffers=1GB", "-c", "max_wal_size=4GB", "-c", "fsync=off",
    "-c", "wal_level=minimal", "-c", "max_wal_senders=0", "-c", "maintenance_work_mem=512MB",
    "-c", "autovacuum=off", "-c", "shared_preload_libraries=pg_stat_statements",
)  # fmt: skip
API = dashboard.API
YEAR_AGO = f"{clock.today() - timedelta(days=300):%Y-%m-%d}"
LISTS = dashboard.QUERIES | {
    "page of 200": "limit=200",
    "300 days ago": f"createdTo={YEAR_AGO}",
    "oldest first": "sort=createdAt",
    "a receiver (1 of 5,000)": "receiverParticipantId=0088:9520000000123",
    "the usual receiver": "receiverParticipantId=0088:9520000000004",
    "a supplier": "senderParticipantId=0208:300000004",
    "Delivered": "networkStatus=Delivered",
    "Processing (none)": "networkStatus=Processing",
    "received": "direction=received",
    "open bills": "direction=received&processed=false",
    "processed bills": "direction=received&processed=true",
    "a day of creation": f"createdFrom={YEAR_AGO}&createdTo={YEAR_AGO}",
    "a currency of none": "currency=USD",
    "a currency of none, issued since 2000": "currency=USD&issueDateFrom=2000-01-01",
    "a currency of none, any amount": "currency=USD&grandTotalFrom=0",
    "a word of four in five": "q=acme",
    "a word of all, in none of a status": "q=acme&networkStatus=Processing",
    "a word of all, a currency of none": "q=acme&currency=USD",
    "two words of none together": "q=buyer+99999",
    "two letters of none": "q=zz",
    "a party of many": "party=buyer",
    "a party of many, a currency of none": "party=buyer&currency=USD",
    "by amount, a currency of none": "sort=-grandTotal&currency=USD",
    "by amount, a word": "sort=-grandTotal&q=N-4999",
    "by amount, a word of all": "sort=-grandTotal&q=acme",
    "by amount, a usual party": "sort=-grandTotal&party=buyer",
    "by issue date, Delivered": "sort=issueDate&networkStatus=Delivered",
}
TOTALS = {
    "all": "",
    "Failed": "networkStatus=Failed",
    "received": "direction=received",
    "300 days": f"createdFrom={YEAR_AGO}",
    "a number": "number=N-500",
    "a word": "q=N-4999",
    "a word in none": "q=zebra",
    "a word of four in five": "q=acme",
    "a party": "party=buyer+4999",
    "a party by its id": "party=0088:9520000000123",
    "a receiver": "receiverParticipantId=0088:9520000000123",
    "the usual receiver": "receiverParticipantId=0088:9520000000004",
    "an amount": "grandTotalFrom=1234&grandTotalTo=1234.5",
    "a day": f"issueDateFrom={YEAR_AGO}&issueDateTo={YEAR_AGO}",
    "issued since 2000": "issueDateFrom=2000-01-01",
    "SEK": "currency=SEK",
    "open bills": "direction=received&processed=false",
    "processed bills": "direction=received&processed=true",
}
PAGES = {
    name: page
    for name, page, _ in dashboard.PAGES
    if page.startswith("/dashboard") and not page.startswith(f"{dashboard.LIST}&")
}


@dataclass(frozen=True, slots=True)
class Cost:
    """Milliseconds, and pages of PostgreSQL's memory."""

    ms: float
    pages: float


@dataclass(frozen=True, slots=True)
class Filled:
    """A database with one tenant, and who requests its pages."""

    app: Flask
    tenant: str
    invoice: str
    client: FlaskClient
    person: dict[str, str]

    def cost_of(self, work: Callable[[], object]) -> Cost:
        """The cost of some work, which is done within the application context."""
        with self.app.app_context():
            before, start = pages_read(), time.perf_counter()
            work()
            taken = (time.perf_counter() - start) * 1000
            return Cost(taken, pages_read() - before)

    def get(self, path: str) -> None:
        """Request a page of the dashboard or of the API."""
        headers = {} if path.startswith("/dashboard") else self.person
        answer = self.client.get(path.format(id=self.invoice), headers=headers)
        assert answer.status_code in {200, 422}, (path, answer.text)

    def later(self, path: str, pages: int) -> str:
        """The path of a page so many pages on."""
        for _ in range(pages):
            found = self.client.get(path, headers=self.person).json
            path = f"{path.partition('&cursor=')[0]}&cursor={found['nextCursor']}"
        return path


def pages_read() -> int:
    """Pages that statements in this database have read so far, in memory and from the disk."""
    query = sa.text(
        "SELECT coalesce(sum(shared_blks_hit + shared_blks_read), 0) FROM pg_stat_statements "
        "WHERE dbid = (SELECT oid FROM pg_database WHERE datname = current_database())"
    )
    with db.reading() as connection:
        return int(connection.execute(query).scalar_one())


@contextmanager
def server(given: str | None) -> Iterator[str]:
    """The URL of the maintenance database of the given server, or of one of our own."""
    if given:
        yield given
        return
    with servers.cluster(SERVER) as own:
        yield own.url


def filled(url: str, size: int, folder: str) -> Filled:
    """The database of this size, filled unless the server has it already."""
    name = f"growth_{size}"
    with psycopg.connect(url, autocommit=True) as connection:
        if not connection.execute(
            "SELECT 1 FROM pg_database WHERE datname = %s", [name]
        ).fetchall():
            connection.execute(f"CREATE DATABASE {name}".encode())
    app = opened(url.replace("/postgres?", f"/{name}?"), folder)
    with app.app_context():
        tenant = _tenant(size) or _new(size)
        with db.writing() as connection:
            connection.exec_driver_sql("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")
            invoice = connection.execute(
                sa.select(Invoice.id).where(Invoice.tenant_id == tenant).limit(1)
            ).scalar()
    token = dev_issuer.mint(
        runtime_of(app).settings, tenant_id=tenant, role=Role.OWNER, subject="bench",
        lifetime=timedelta(hours=12),
    )  # fmt: skip
    client = app.test_client()
    client.get(f"/dashboard/login/local?token={token}")
    return Filled(app, tenant, invoice, client, {"Authorization": f"Bearer {token}"})


def _tenant(size: int) -> str | None:
    with db.reading() as connection:
        query = sa.select(Tenant.id).where(Tenant.name == f"{size:,} invoices")
        return connection.execute(query).scalar()


def _new(size: int) -> str:
    began = time.monotonic()
    tenant = tenant_with(size, days=365 * size // A_YEAR, in_rows=A_YEAR)
    analysed()
    print(f"{size:,} invoices filled in {time.monotonic() - began:.0f} s")
    return tenant


# -- what is measured ------------------------------------------------------------------------------


def requests(pair: Sequence[Filled]) -> Iterator[tuple[str, list[str]]]:
    """The name of each kind of request, and its path for each of the databases."""
    for name, query in LISTS.items():
        yield name, [f"{API}&{query}"] * len(pair)
    for order in ("-createdAt", "-grandTotal", "number"):
        path = f"{API}&sort={order}&limit=200"
        yield f"the 21st page by {order}", [one.later(path, 20) for one in pair]
    for name, query in TOTALS.items():
        yield f"total: {name}", [f"{API}&limit=1&include=total&{query}"] * len(pair)
    for name, page in PAGES.items():
        yield f"page: {name}", [page] * len(pair)


def measured(pair: Sequence[Filled], paths: Sequence[str], times: int) -> list[Cost]:
    """The medians of requests in turns."""
    found: list[list[Cost]] = []
    for _ in range(times):
        turn = [one.cost_of(partial(one.get, path)) for one, path in zip(pair, paths, strict=True)]
        found.append(turn)
        if max(cost.ms for cost in turn) > SLOW_MS and len(found) > 1:
            break
    return [
        Cost(statistics.median(c.ms for c in costs), statistics.median(c.pages for c in costs))
        for costs in zip(*found, strict=True)
    ]


def counted(tenant: str) -> None:
    """Count all blocks of totals, as the relay does after an upgrade."""
    while not block_counts.count(tenant, clock.monotonic() + block_counts.STEP_SECONDS):
        pass


def sent(tenant: str) -> None:
    """Accept documents, one after the other."""
    made = ids.TimeOrderedIds()
    for number in range(SENDS):
        invoice = str(made.next(clock.now()))
        send = new_send(
            tenant, number=f"S-{invoice}", key=invoice, invoice_id=invoice,
            transmission_id=f"txn_{invoice.replace('-', '')}", created_at=clock.now(),
            receiver=f"0088:{9520000000000 + number * 7919 % 5000}",
        )  # fmt: skip
        acceptance.accept(send)


WORK: dict[str, Callable[[str], object]] = {
    "counting all blocks, once": counted,
    "counting a block that a resend opened": lambda tenant: (_reopened(tenant), counted(tenant)),
    f"{SENDS} sends": sent,
    "merging the index of texts": lambda _: text_index.merge(),
    "sweep of retention": lambda _: retention.sweep(),
    "archive: the next 200 invoices": lambda _: archive_walks.after("", None, 200),
}


def _reopened(tenant: str) -> None:
    with db.writing() as connection:
        long_ago = clock.now() - timedelta(days=300)
        blocks.reopen(connection, Counted(tenant, Environment.TEST), long_ago)


def row(name: str, costs: Sequence[Cost]) -> None:
    figures = [f"{cost.ms:9.1f} {cost.pages:10,.0f}" for cost in costs]
    ratio = (costs[-1].pages + 1) / (costs[0].pages + 1)
    print(f"{name:40}", *figures, f"{ratio:7.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--small", type=int, default=1_000_000)
    parser.add_argument("--large", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=9)
    parser.add_argument("--server", help="URL of its database postgres, which keeps what is filled")
    parser.add_argument("--only", default="", help="a part of the names of requests")
    options = parser.parse_args()
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    with tempfile.TemporaryDirectory() as folder, server(options.server) as url:
        pair = [filled(url, size, folder) for size in (options.small, options.large)]
        title = "ms and pages of memory"
        print(f"{title:40} {options.small:20,} {options.large:20,}   ratio")
        for name, work in WORK.items():
            if options.only in name:
                row(name, [one.cost_of(partial(work, one.tenant)) for one in pair])
        for name, paths in requests(pair):
            if options.only in name:
                row(name, measured(pair, paths, options.times))


if __name__ == "__main__":
    main()
