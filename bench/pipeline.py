"""Sends accepted and delivered per second: `python -m bench.pipeline [--by http] [--rates ...]`.

Everything runs on this machine: web, relay, workers, PostgreSQL, Redis, the network and the load
generator. For each offered rate: sends accepted per second, p50 and p99 from the planned time,
sends delivered per second from the first to the last, and the CPU time of each part per send.
`loop us` shows the speed of the host: the time of a fixed loop, before and after the row.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import psycopg

from bench import load
from bench.service import BY_HTTP, BY_SIMULATOR, RunningService, running_service
from einvoice.cli.processes import Children

RECEIVERS = {"http": BY_HTTP, "simulator": BY_SIMULATOR}
_TICK = os.sysconf("SC_CLK_TCK")


def request(service: RunningService, receiver: str, prefer: str = "respond-async") -> bytes:
    number = load.MARK.decode()
    headers = {
        "x-api-key": service.key, "Content-Type": "application/json",
        "Idempotency-Key": f"{prefer}-{number}", "Prefer": prefer,
    }  # fmt: skip
    body = json.dumps(service.body(f"{prefer[:1]}-{number}", receiver)).encode()
    return load.post("/api/invoices/send", body, headers)


def address(service: RunningService) -> tuple[str, int]:
    host, _, port = service.stack.listen.rpartition(":")
    return host, int(port)


def cpu_by_part(service: RunningService) -> dict[str, float]:
    """Seconds of CPU time so far, by part.

    Each child of the bench is a session leader; PostgreSQL's processes have one parent.
    """
    return cpu_of((service.stack.children, service.servers), service.postgres.pid)


def cpu_of(groups: Iterable[Children], postgres: int) -> dict[str, float]:
    """The same of these children and of the PostgreSQL server of this process id."""
    owners = {child.pid: name.rpartition("-")[0] if name[-1].isdigit() else name
              for group in groups
              for name, child in group.running()}  # fmt: skip
    used = dict.fromkeys([*owners.values(), "postgresql"], 0.0)
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended
        seconds = (int(fields[11]) + int(fields[12])) / _TICK
        if int(fields[3]) in owners:
            used[owners[int(fields[3])]] += seconds
        elif postgres in (int(fields[1]), int(path.parent.name)):
            used["postgresql"] += seconds
    return used


@contextmanager
def waiting(service: RunningService, waiters: int, receiver: str) -> Iterator[list[load.Result]]:
    """Run `waiters` more clients, each of which waits for the outcome of its sends."""
    results: list[load.Result] = []
    stop = threading.Event()

    def _wait() -> None:
        first = 50_000_000
        while not stop.is_set():
            results.append(
                load.run(address(service), request(service, receiver, "wait=5"), 2.0,
                         connections=waiters, first=first)
            )  # fmt: skip
            first += 100_000

    thread = threading.Thread(target=_wait) if waiters else None
    if thread:
        thread.start()
    try:
        yield results
    finally:
        stop.set()
        if thread:
            thread.join()


def host_pace() -> int:
    """Microseconds that a fixed loop takes; the speed of virtual machines varies."""
    times = []
    for _ in range(9):
        started = time.thread_time()
        sum(n * n for n in range(20_000))
        times.append(time.thread_time() - started)
    return round(1e6 * statistics.median(times))


def measure(
    service: RunningService,
    receiver: str,
    rate: float | None,
    seconds: float,
    waiters: int,
    first: int,
    connections: int = 16,
) -> Mapping[str, object]:
    """Measure one row of the table; `connections` are those without a rate."""
    pace = [host_pace()]
    before, open_before = cpu_by_part(service), _count(service, "Delivered")
    started = time.time()
    with waiting(service, waiters, receiver) as waited:
        result = load.run(
            address(service), request(service, receiver), seconds, rate=rate, first=first,
            connections=64 if rate else connections,
        )  # fmt: skip
    _drained(service)
    after = cpu_by_part(service)
    begun, last = _settled_between(service, started)
    delivered = _count(service, "Delivered") - open_before
    per_send = {
        part: round(1e6 * (after[part] - before[part]) / max(1, delivered)) for part in before
    } | {"generator": round(1e6 * result.cpu / max(1, sum(result.statuses.values())))}
    pace.append(host_pace())
    return {
        "loop us": pace, "offered": rate or "closed", "waiters": waiters,
        "accepted/s": round(result.per_second),
        "p50": round(result.percentile(0.5), 1), "p99": round(result.percentile(0.99), 1),
        "delivered/s": round(delivered / (last - begun)),
        "drained after s": round(last - started - result.seconds, 1),
        "waited p50": round(waited[-1].percentile(0.5)) if waited else None,
        "other answers": {k: v for k, v in result.statuses.items() if v and k != 200},
        "us/send": per_send,
    }  # fmt: skip


def analyze(service: RunningService) -> None:
    """Run ANALYZE, as autovacuum does in the first minute of a database."""
    with psycopg.connect(service.database, autocommit=True) as connection:
        connection.execute("ANALYZE")


def _count(service: RunningService, status: str) -> int:
    return int(_ask(service, f"SELECT count(*) FROM transmissions WHERE status = '{status}'"))


def _drained(service: RunningService, within: float = 90.0) -> None:
    """Wait until every send is final."""
    until = time.monotonic() + within
    while time.monotonic() < until and _count(service, "Processing"):
        time.sleep(0.1)


def _settled_between(service: RunningService, since: float) -> tuple[float, float]:
    """Timestamps of the first and the last settlement of sends accepted since `since`."""
    with psycopg.connect(service.database) as connection:
        row = connection.execute(
            "SELECT extract(epoch FROM min(settled_at)), extract(epoch FROM max(settled_at))"
            " FROM transmissions WHERE created_at >= to_timestamp(%s)",
            [since],
        ).fetchone()
    assert row is not None
    return float(row[0]), float(row[1])


def _ask(service: RunningService, query: str) -> object:
    with psycopg.connect(service.database, autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def main() -> None:
    parser = argparse.ArgumentParser(description="Accepted and delivered a second.")
    parser.add_argument("--by", choices=list(RECEIVERS), default="http")
    parser.add_argument("--rates", type=float, nargs="*", default=[200, 500, 1000, 0])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--connections", type=int, default=16, help="at full speed (rate 0)")
    parser.add_argument("--waiters", type=int, default=0)
    parser.add_argument("--bulk-workers", type=int, default=3)
    parser.add_argument("--latency", type=float, default=0.2)
    given = parser.parse_args()
    receiver = RECEIVERS[given.by]
    workers = {"waited": 1, "bulk": given.bulk_workers, "chores": 1, "webhooks": 1}
    environ = {"HTTP_ACCESS_POINT_CONCURRENCY": "100"}
    with running_service({"latency": given.latency}, environ, workers) as service:
        load.run(address(service), request(service, receiver), 2.0, rate=100, first=90_000_000)
        _drained(service)
        analyze(service)
        for turn, rate in enumerate(given.rates):
            row = measure(service, receiver, rate or None, given.seconds, given.waiters,
                          (turn + 1) * 1_000_000, given.connections)  # fmt: skip
            print(json.dumps(row), flush=True)


if __name__ == "__main__":
    main()
