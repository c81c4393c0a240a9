"""What partitions by month would change: `python -m bench.partitions --rows 2000000`.

A table like `invoices`, with its indexes, filled with the rows of two years: whole; in 24
partitions by `created_at`; and in 24 partitions by the id, which begins with the time. Of each:
inserting rows at the end, the queries of a send and of lists, and dropping the oldest month, by
partition or in sets as retention does. CPU time is that of PostgreSQL's process. One layout at a
time is on the disk: about 1.5 GB for a million rows.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import psycopg

from tests import servers

MONTHS = 24
START = datetime(2025, 1, 1, tzinfo=UTC)
MONTH = timedelta(days=30)
TENANTS, RECEIVERS = 10, 5_000
SET_ROWS = 500
TICKS = os.sysconf("SC_CLK_TCK")
COLUMNS = """
    id varchar(40) NOT NULL, tenant_id varchar(40) NOT NULL, environment varchar(4) NOT NULL,
    number varchar NOT NULL, sender varchar(140) NOT NULL, receiver varchar(140),
    transmission_id varchar(40) NOT NULL, created_at timestamptz NOT NULL, document bytea NOT NULL
"""
INDEXES = ("created_at, id", "number, created_at, id", "receiver, created_at, id",
           "sender, created_at, id")  # fmt: skip
_HEX = "lpad(to_hex((extract(epoch FROM {at}) * 1000)::bigint), 12, '0')"
_AT = (
    f"(timestamptz '{START.isoformat()}' + interval '{MONTHS * 30} days' * (g::float8 / {{rows}}))"
)
FILL = """
INSERT INTO kept SELECT left(h, 8) || '-' || right(h, 4) || '-7' || left(r, 22),
    't' || mod(g, {tenants}),
    'live', 'INV-' || g, '0208:0123456749', '0088:' || (9520000000000 + mod(g * 31, {receivers})),
    'txn_' || h || left(r, 20), at, convert_to(repeat(r, 16), 'utf8')
FROM (SELECT g, {at} AS at, {hex} AS h, md5(g::text) AS r FROM generate_series(%s, %s) g) AS made
"""
_NEWEST = "ORDER BY created_at DESC, id DESC LIMIT 51"
LAYOUTS = ("whole", "by created_at", "by id")


class Layout:
    """One layout of the table, in a database of its own connection."""

    def __init__(self, url: str, name: str, rows: int) -> None:
        self._connection = psycopg.connect(url, autocommit=True)
        self._by, self._rows = name.removeprefix("by "), rows
        self._create()
        self._fill()

    def ask(self, sql: str, values: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
        cursor = self._connection.execute(sql.encode(), values, prepare=True)
        return cursor.fetchall() if cursor.description else []

    def cpu(self) -> float:
        """Seconds of the server's process of this connection."""
        pid = self._connection.info.backend_pid
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def _create(self) -> None:
        self.ask("DROP TABLE IF EXISTS kept")
        key = "id, created_at" if self._by == "created_at" else "id"
        parts = "" if self._by == "whole" else f" PARTITION BY RANGE ({self._by})"
        self.ask(f"CREATE TABLE kept ({COLUMNS}, PRIMARY KEY ({key})){parts}")
        for number, columns in enumerate(INDEXES):
            self.ask(f"CREATE INDEX kept_{number} ON kept (tenant_id, environment, {columns})")
        if parts:
            for month in range(MONTHS + 1):
                first, last = (self._bound(START + MONTH * m) for m in (month, month + 1))
                self.ask(
                    f"CREATE TABLE kept_m{month} PARTITION OF kept FOR VALUES"
                    f" FROM ('{first}') TO ('{last}')"
                )

    def _bound(self, at: datetime) -> str:
        if self._by == "created_at":
            return at.isoformat()
        digits = f"{int(at.timestamp() * 1000):012x}"
        return f"{digits[:8]}-{digits[8:]}"

    def _fill(self) -> None:
        at = _AT.format(rows=self._rows)
        fill = FILL.format(tenants=TENANTS, receivers=RECEIVERS, at=at, hex=_HEX.format(at=at))
        self.ask("SET synchronous_commit = off")
        for first in range(0, self._rows, 100_000):
            self._connection.execute(fill.encode(), (first, min(self._rows, first + 100_000) - 1))
        self.ask("VACUUM ANALYZE kept")

    def insert(self, count: int) -> None:
        """Rows of the last moment, one statement each."""
        end = START + MONTH * MONTHS
        for number in range(count):
            at = end + timedelta(milliseconds=number)
            digits = f"{int(at.timestamp() * 1000):012x}"
            name = f"{digits[:8]}-{digits[8:]}-7{number:021d}"
            row = (name, f"t{number % TENANTS}", f"NEW-{number}", f"0088:{number}", at, b"x" * 512)
            self.ask(
                "INSERT INTO kept VALUES (%s, %s, 'live', %s, '0208:0123', %s, 'txn', %s, %s)",
                row,
            )

    def query(self, condition: str, values: Callable[[], tuple[object, ...]], count: int) -> None:
        for _ in range(count):
            self.ask(f"SELECT id, number, created_at FROM kept WHERE {condition}", values())

    def drop_month(self) -> int:
        """Drop the oldest month; the number of its rows."""
        if self._by != "whole":
            [(rows,)] = self.ask("SELECT count(*) FROM kept_m0")
            self.ask("DROP TABLE kept_m0")
            return int(str(rows))
        end, dropped = START + MONTH, 0
        while True:
            found = self._connection.execute(
                b"DELETE FROM kept WHERE id = ANY (ARRAY(SELECT id FROM kept"
                b" WHERE id < %s ORDER BY id LIMIT %s FOR UPDATE SKIP LOCKED))",
                (f"{int(end.timestamp() * 1000):012x}"[:8], SET_ROWS),
            ).rowcount
            dropped += found
            if found < SET_ROWS:
                return dropped


def measured(layout: Layout) -> Iterator[tuple[str, float]]:
    """What was done, and its cost: us of CPU, but for dropping (seconds)."""
    ids = [row[0] for row in layout.ask("SELECT id FROM kept TABLESAMPLE SYSTEM (1) LIMIT 2000")]
    taken = itertools.cycle(ids)
    yield "insert", _cost(layout, layout.insert, 5_000)
    questions: dict[str, tuple[str, Callable[[], tuple[object, ...]]]] = {
        "by id": ("id = %s", lambda: (next(taken),)),
        "number of a send": (
            "tenant_id = %s AND environment = 'live' AND number = %s ORDER BY created_at LIMIT 1",
            lambda: ("t1", "INV-1000001"),
        ),
        "first page of a list": (
            f"tenant_id = %s AND environment = 'live' {_NEWEST}",
            lambda: ("t1",),
        ),
        "page of a receiver": (
            f"tenant_id = %s AND environment = 'live' AND receiver = %s {_NEWEST}",
            lambda: ("t1", "0088:9520000000031"),
        ),
    }
    for name, (condition, values) in questions.items():
        yield name, _cost(layout, lambda n, c=condition, v=values: layout.query(c, v, n), 1_000)
    start = time.monotonic()
    rows = layout.drop_month()
    yield f"drop the oldest month ({rows:,} rows), s", time.monotonic() - start


def _cost(layout: Layout, work: Callable[[int], None], count: int) -> float:
    """CPU in us of one, the median of three."""
    found = []
    for _ in range(1 if work == layout.insert else 3):
        before = layout.cpu()
        work(count)
        found.append(1e6 * (layout.cpu() - before) / count)
    return statistics.median(found)


def main() -> None:
    parser = argparse.ArgumentParser(description="What partitions by month would change.")
    parser.add_argument("--rows", type=int, default=2_000_000)
    given = parser.parse_args()
    options = ("-c", "autovacuum=off", "-c", "max_wal_size=4GB", "-c", "shared_buffers=512MB")
    with servers.cluster(options) as server:
        for name in LAYOUTS:
            for what, cost in measured(Layout(server.url, name, given.rows)):
                print(f"{name:14} {what:44} {cost:9.1f}", flush=True)


if __name__ == "__main__":
    main()
