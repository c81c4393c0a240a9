"""Measure the usage of a platform's tenants with ten times the documents.

    python -m bench.platform_usage --documents 30000

A tenant with so many documents of the last 20 days, and one with ten times as many, on PostgreSQL
(bench/filled); the pages of memory (8 KiB) that one reading of their counts reads, which do not
depend on what else the machine does, and the CPU time, by reading every document and by the counted
blocks.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from datetime import timedelta

import psycopg
import sqlalchemy as sa

from bench.filled import tenant_with
from bench.growth import counted, pages_read, server
from bench.lists import analysed, opened
from einvoice import clock
from einvoice.store.core import db
from einvoice.store.invoices import kind_counts

TIMES = 5


def read(tenant: str) -> tuple[int, float, int]:
    """Pages, milliseconds and documents of one reading."""
    now = clock.now()
    before, begun = pages_read(), time.monotonic()
    for _ in range(TIMES):
        found = kind_counts.of_tenants([tenant], "test", now - timedelta(days=30), now)
    elapsed = (time.monotonic() - begun) * 1000 / TIMES
    return (pages_read() - before) // TIMES, elapsed, sum(one.documents for one in found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--documents", type=int, default=30_000)
    size = parser.parse_args().documents
    with server(None) as url, tempfile.TemporaryDirectory() as folder:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE usage")
        app = opened(url.replace("/postgres?", "/usage?"), folder)
        with app.app_context():
            with db.writing() as connection:
                connection.execute(sa.text("CREATE EXTENSION IF NOT EXISTS pg_stat_statements"))
            tenants = [tenant_with(each, days=20, in_rows=0) for each in (size, size * 10)]
            analysed()
            for name in ("every document", "counted blocks"):
                for tenant in tenants:
                    pages, elapsed, documents = read(tenant)
                    print(f"{name:>16} {documents:>9,} {pages:>7,} pages {elapsed:8.1f} ms")
                for tenant in tenants:
                    counted(tenant)


if __name__ == "__main__":
    main()
