"""What a send costs with 0, 150,000 and 1,000,000 stored: `python -m bench.stored`.

Between the rows of the table the database is filled by INSERT … SELECT with sent, delivered
invoices: invoice, transmission, key, attempt, artefact and event of each, with ids ordered by time.
Each row measures the same sends twice, right after a checkpoint (each page that is changed is
written whole to the WAL once) and again; accepting (the relay is stopped) and the work behind it,
each as CPU time of PostgreSQL, its instructions (by perf, where the processor counts them: CPU time
depends on what else the machine does) and bytes of WAL per send. The last line is the largest cost
over that of the empty database: flat within 1.3 is the goal. 1,000,000 take some minutes and 5 GB.
"""

from __future__ import annotations

import argparse
import json
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg

from bench import instructions, load
from bench.after_acceptance import used_by
from bench.pipeline import address, host_pace, request
from bench.service import BY_HTTP, RunningService, running_service

STORED = (0, 150_000, 1_000_000)
# Nothing but the sends writes: checkpoints and vacuums are made between the measurements.
QUIET = ("-c", "autovacuum=off", "-c", "checkpoint_timeout=1h", "-c", "max_wal_size=20GB")
CHUNK = 50_000
RECEIVERS = 5_000

_MOMENT = "(now() - interval '1 day' * (1 + ({total} - g) / 172800.0))"
_HEX = f"lpad(to_hex((extract(epoch FROM {_MOMENT}) * 1000)::bigint), 12, '0')"
# Ids as einvoice/domain/ids makes them, of the moment at which the invoice was created.
_IDS = f"""
CREATE TEMP TABLE new_ids AS
SELECT g, at, substr(h, 1, 8) || '-' || substr(h, 9) || '-7' || substr(r, 1, 3) || '-a'
        || substr(r, 4, 3) || '-' || substr(r, 7, 12) AS invoice_id,
    'txn_' || h || '7' || substr(s, 1, 3) || 'a' || substr(s, 4, 15) AS transmission_id,
    'evt_' || h || '7' || substr(t, 1, 3) || 'b' || substr(t, 4, 15) AS event_id,
    substr(h, 1, 8) || '-' || substr(h, 9) || '-7' || substr(t, 1, 3) || '-a'
        || substr(t, 4, 3) || '-' || substr(t, 7, 12) AS artefact_id
FROM (SELECT g, {_MOMENT} AS at, {_HEX} AS h, md5(random()::text) AS r, md5(random()::text) AS s,
        md5(random()::text) AS t FROM generate_series({{first}}, {{last}}) g) AS made
"""
# What differs between the rows of a table; all other columns are those of a row that is there.
_VARIED: dict[str, dict[str, str]] = {
    "invoices": {
        "id": "n.invoice_id", "transmission_id": "n.transmission_id", "number": "'F-' || n.g",
        "receiver": f"'0088:' || (9520000000000 + n.g % {RECEIVERS})", "created_at": "n.at",
        "original": "'x'::bytea", "document": "'x'::bytea",
    },
    "transmissions": {
        "id": "n.transmission_id", "invoice_id": "n.invoice_id", "created_at": "n.at",
        "listed_at": "n.at", "submitted_at": "n.at", "settled_at": "n.at",
    },
    "idempotency_keys": {
        "key": "md5(n.g::text)", "invoice_id": "n.invoice_id",
        "transmission_id": "n.transmission_id", "created_at": "n.at",
    },
    "attempts": {"transmission_id": "n.transmission_id", "started_at": "n.at", "ended_at": "n.at"},
    "artefacts": {
        "id": "n.artefact_id", "invoice_id": "n.invoice_id",
        "transmission_id": "n.transmission_id", "created_at": "n.at",
    },
    "events": {
        "sequence": "nextval('events_sequence_seq')", "id": "n.event_id",
        "invoice_id": "n.invoice_id", "created_at": "n.at",
    },
}  # fmt: skip


class Database:
    """The bench's own connection."""

    def __init__(self, service: RunningService) -> None:
        self._connection = psycopg.connect(service.database, autocommit=True)
        self._server = service.postgres.pid
        self.counts_instructions = instructions.available()

    def ask(self, query: str) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(query.encode())
        return cursor.fetchall() if cursor.description else []

    def wal(self) -> int:
        ((position,),) = self.ask("SELECT (pg_current_wal_insert_lsn() - '0/0')::bigint")
        return int(position)

    def cpu(self) -> float:
        """Seconds of all processes of the server."""
        return used_by(self._server)

    def processes(self) -> list[int]:
        """The server and its processes."""
        children = Path(f"/proc/{self._server}/task/{self._server}/children").read_text()
        return [self._server, *map(int, children.split())]

    def fill(self, first: int, last: int) -> None:
        """Insert the invoices of these numbers, copies of one that was delivered."""
        self.ask("SET synchronous_commit = off")
        for start in range(first, last + 1, CHUNK):
            end = min(last, start + CHUNK - 1)
            self.ask("DROP TABLE IF EXISTS new_ids")
            self.ask(_IDS.format(first=start, last=end, total=last))
            for table, varied in _VARIED.items():
                self._copy(table, varied)
        self.ask("VACUUM ANALYZE")

    def _copy(self, table: str, varied: dict[str, str]) -> None:
        columns = [
            name
            for (name,) in self.ask(
                "SELECT column_name FROM information_schema.columns"
                f" WHERE table_name = '{table}' ORDER BY ordinal_position"
            )
        ]
        values = ", ".join(varied.get(name, f"model.{name}") for name in columns)
        self.ask(
            f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values}"
            f" FROM new_ids n, (SELECT * FROM {table} LIMIT 1) AS model ORDER BY n.g"
        )

    def drained(self) -> None:
        """Wait until no work is left."""
        until = time.monotonic() + 120
        while time.monotonic() < until and self.ask("SELECT 1 FROM outbox LIMIT 1"):
            time.sleep(0.05)


def measured(database: Database, work: Callable[[], int]) -> dict[str, float]:
    """Cost per send of the work, which returns the number of sends."""
    cpu, wal = database.cpu(), database.wal()
    if database.counts_instructions:
        done, count = instructions.counted(database.processes(), work)
    else:
        done, count = work(), 0.0
    found = {
        "PG us": 1e6 * (database.cpu() - cpu) / done,
        "PG instructions": count / done,
        "WAL bytes": (database.wal() - wal) / done,
    }
    return {name: value for name, value in found.items() if value}


def sends(service: RunningService, database: Database, count: int, firsts: Iterator[int]) -> dict[
    str, float
]:  # fmt: skip
    """Cost of accepting so many sends, and of delivering them."""
    relay = next(child for name, child in service.stack.children.running() if name == "relay")
    relay.send_signal(signal.SIGSTOP)
    taken: list[int] = []

    def accept() -> int:
        run = load.run(address(service), request(service, BY_HTTP), count / 100, rate=100,
                       first=next(firsts))  # fmt: skip
        taken.append(run.statuses[200])
        return taken[0]

    def deliver() -> int:
        relay.send_signal(signal.SIGCONT)
        database.drained()
        return taken[0]

    time.sleep(0.3)
    accepted, delivered = measured(database, accept), measured(database, deliver)
    return {f"accept, {name}": value for name, value in accepted.items()} | {
        f"deliver, {name}": value for name, value in delivered.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="What a send costs as the database grows.")
    parser.add_argument("--stored", type=int, nargs="*", default=list(STORED))
    parser.add_argument("--sends", type=int, default=600)
    given = parser.parse_args()
    firsts = iter(range(1_000_000, 90_000_000, 100_000))
    table: list[dict[str, float]] = []
    with running_service({"latency": 0.01}, {}, {"waited": 1, "bulk": 1, "chores": 1},
                         QUIET) as service:  # fmt: skip
        database, there = Database(service), 0
        sends(service, database, 200, firsts)
        database.ask("VACUUM ANALYZE")
        sends(service, database, 200, firsts)
        for stored in given.stored:
            if stored > there:
                database.fill(there + 1, stored)
                there = stored
                sends(service, database, 200, firsts)  # plans and caches as after a while
            pace = host_pace()
            database.ask("CHECKPOINT")
            fresh = sends(service, database, given.sends, firsts)
            later = sends(service, database, given.sends, firsts)
            row = later | {f"{name} after a checkpoint": fresh[name] for name in fresh}
            table.append(row)
            rounded = {name: round(value) for name, value in row.items()}
            print(json.dumps({"stored": stored, "loop us": pace} | rounded), flush=True)
        if len(table) > 1:
            flat = {name: round(max(row[name] for row in table) / table[0][name], 2)
                    for name in table[0]}  # fmt: skip
            print(json.dumps({"to the first row": flat}))


if __name__ == "__main__":
    main()
