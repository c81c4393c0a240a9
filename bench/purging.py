"""Measure how long the purge of a tenant takes, and what sends of another one notice of it.

`python -m bench.purging` makes a tenant with `--size` invoices beside one with `--others`
(bench/filled), closes it and purges it while the other one sends. It prints the seconds until the
purge has begun (what is counted for its proof) and until nothing is left, and the milliseconds of a
send by itself and meanwhile, as medians and 99th percentiles.
"""

from __future__ import annotations

import argparse
import math
import tempfile
import time

import sqlalchemy as sa
from flask import Flask

from bench.ending import SERVER, beside, sends, shown
from bench.filled import tenant_with
from bench.lists import analysed, opened
from einvoice.services.account import closure
from einvoice.services.caches import Caches
from einvoice.services.tenant_data import purge
from einvoice.store.core import db
from einvoice.store.tenant_data import purging
from einvoice.web.runtime import runtime_of
from tests import servers

# Of each document that was sent: an attempt, and a receipt of the network.
MORE = (
    """INSERT INTO attempts (transmission_id, number, started_at, ended_at, outcome)
    SELECT id, 1, created_at, created_at, 'Delivered' FROM transmissions""",
    """INSERT INTO artefacts (id, tenant_id, invoice_id, transmission_id, kind, name, content_type,
        sha256, size, content, legal_original, created_at)
    SELECT md5(id), tenant_id, invoice_id, id, 'RECEIPT', 'r', 'application/xml', md5(id), 1000,
        CAST(repeat(md5(id), 31) AS bytea), false, created_at
    FROM transmissions WHERE status = 'Delivered'""",
)


def purged(app: Flask, tenant: str) -> tuple[float, float]:
    """Purge it; the seconds of the beginning, and of all of it."""
    settings, began = runtime_of(app).settings, time.perf_counter()
    purge.purge(tenant, settings, seconds=-1)
    begun = time.perf_counter() - began
    purge.purge(tenant, settings, seconds=math.inf)
    return begun, time.perf_counter() - began


def add_more() -> None:
    """Add what MORE says to all documents, and let the planner know of it."""
    with db.writing() as connection:
        connection.exec_driver_sql("SET LOCAL statement_timeout = 0")
        for statement in MORE:
            connection.execute(sa.text(statement))
    analysed()


def main() -> None:
    """Fill, purge beside sends, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=100_000)
    parser.add_argument("--others", type=int, default=500_000)
    given = parser.parse_args()
    with servers.cluster(SERVER) as own, tempfile.TemporaryDirectory() as folder:
        app = opened(own.url, folder)
        with app.app_context():
            other, tenant = tenant_with(given.others), tenant_with(given.size)
            add_more()
            closure.close(tenant, Caches())
            print(f"{'ms of a send':28} {'median':>8} {'p99':>8}")
            sends(other)
            shown("by itself", sends(other))
            found: list[float] = []
            took = beside(app, lambda: purged(app, tenant), lambda: found.extend(sends(other)))
            shown("while the other is purged", found)
            print(
                f"{given.size:,} of {given.size + given.others:,} documents purged: begun after "
                f"{took[0]:.1f} s, done after {took[1]:.1f}, {given.size / took[1]:,.0f} a second"
            )
            assert not purging.count(tenant)


if __name__ == "__main__":
    main()
