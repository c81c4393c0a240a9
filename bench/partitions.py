"""Measure what ends a month of invoices: dropping a partition, or deleting rows.

`python -m bench.partitions` makes a table of `--size` invoices of two years (bench/filled), and a
copy of it with a partition a month and the same indexes, by `created_at`. It ends the oldest full
month in both, and prints seconds, WAL, how long the longest lock was held or waited for, and what a
VACUUM costs afterwards. The copy is of one table: rows that belong to an invoice are not in it.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from bench.ending import SERVER
from bench.filled import tenant_with
from bench.lists import analysed, opened
from einvoice.store.core import db, rows
from einvoice.store.tables import Invoice
from tests import servers

BATCH = 100  # rows that retention deletes in one transaction
MONTHS = 26
_COPY = "by_month"


@dataclass(frozen=True, slots=True)
class Cost:
    """The cost of an action. `longest`: seconds of its longest transaction."""

    seconds: float
    wal_mb: float
    longest: float

    def __str__(self) -> str:
        return f"{self.seconds:8.2f} s {self.wal_mb:9.1f} MB of WAL {self.longest:8.3f} s"


def cost_of(act: Callable[[], float]) -> Cost:
    """The cost of an action, which returns the seconds of its longest transaction."""
    before, began = wal(), time.perf_counter()
    longest = act()
    return Cost(time.perf_counter() - began, (wal() - before) / 1024**2, longest)


def wal() -> float:
    """Bytes of WAL that the server has written."""
    with db.reading() as connection:
        query = "SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')"
        return float(connection.execute(sa.text(query)).scalar_one())


def partitioned(connection: Connection) -> None:
    """The copy, with its indexes."""
    run = connection.exec_driver_sql
    run("SET LOCAL statement_timeout = 0")
    run(f"CREATE TABLE {_COPY} (LIKE invoices INCLUDING DEFAULTS) PARTITION BY RANGE (created_at)")
    first = "date_trunc('month', now()) - make_interval(months => 25)"
    for month in range(MONTHS):
        bounds = connection.execute(
            sa.text(f"SELECT {first} + make_interval(months => :m), "
                    f"{first} + make_interval(months => :m + 1)"), {"m": month},
        ).one()  # fmt: skip
        run(
            f"CREATE TABLE {_COPY}_{month} PARTITION OF {_COPY} "
            f"FOR VALUES FROM ('{bounds[0]}') TO ('{bounds[1]}')"
        )
    run(f"INSERT INTO {_COPY} SELECT * FROM invoices")
    run(f"ALTER TABLE {_COPY} ADD PRIMARY KEY (id, created_at)")
    indexes = connection.execute(
        sa.text(
            "SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'invoices' "
            "AND indexdef NOT LIKE 'CREATE UNIQUE%'"
        )
    ).all()
    for name, made in indexes:
        copied = made.replace(f"INDEX {name} ", f"INDEX m_{name} ")
        run(re.sub(r" ON (ONLY )?\S*invoices ", f" ON {_COPY} ", copied, count=1))


def deleted(month: tuple[object, object]) -> float:
    """Delete the rows of a month in small transactions, by their ids, as the walk of retention
    does; the seconds of the longest."""
    one = Invoice
    with db.reading() as connection:
        due = sa.select(one.id).where(one.created_at >= month[0], one.created_at < month[1])
        ids = list(connection.execute(due.order_by(one.id)).scalars())
    longest = 0.0
    for first in range(0, len(ids), BATCH):
        began = time.perf_counter()
        with db.writing_by_key() as connection:
            some = rows.in_values(one.id, ids[first : first + BATCH])
            connection.execute(sa.delete(one).where(some))
        longest = max(longest, time.perf_counter() - began)
    return longest


def dropped() -> float:
    """Drop the third partition, which is the oldest full month."""
    began = time.perf_counter()
    with db.writing() as connection:
        connection.exec_driver_sql(f"ALTER TABLE {_COPY} DETACH PARTITION {_COPY}_2")
        connection.exec_driver_sql(f"DROP TABLE {_COPY}_2")
    return time.perf_counter() - began


def vacuumed(table: str) -> float:
    """Clean a table; its seconds."""
    began = time.perf_counter()
    with db.reading() as connection:
        connection.exec_driver_sql("SET statement_timeout = 0")
        connection.exec_driver_sql(f"VACUUM {table}")
    return time.perf_counter() - began


def main() -> None:
    """Fill, copy, end a month in both, and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000)
    given = parser.parse_args()
    with servers.cluster(SERVER) as own, tempfile.TemporaryDirectory() as folder:
        app = opened(own.url, folder)
        with app.app_context():
            tenant_with(given.size)
            with db.writing() as connection:
                for name in ("received", "transmissions"):
                    connection.exec_driver_sql(f"TRUNCATE {name} CASCADE")
                partitioned(connection)
            analysed()
            vacuumed("invoices")
            vacuumed(_COPY)
            measure()


def measure() -> None:
    """End the same month in both tables."""
    with db.reading() as connection:
        month = connection.execute(
            sa.text("SELECT min(created_at), max(created_at) + interval '1 ms', count(*) "
                    f"FROM {_COPY}_2")
        ).one()  # fmt: skip
        sizes = connection.execute(
            sa.text(f"SELECT pg_total_relation_size('{_COPY}_2'), pg_indexes_size('{_COPY}_2')")
        ).one()
    print(f"{month[2]:,} rows of a month, {sizes[0] / 1e6:,.0f} MB, of it {sizes[1] / 1e6:,.0f} "
          "of indexes")  # fmt: skip
    print(f"a partition is dropped:  {cost_of(dropped)}")
    print(f"rows are deleted:        {cost_of(lambda: deleted((month[0], month[1])))}")
    print(f"VACUUM afterwards:       {cost_of(lambda: vacuumed('invoices'))}")


if __name__ == "__main__":
    main()
