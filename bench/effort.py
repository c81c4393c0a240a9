"""The cost of a send in units that do not depend on the host: `python -m bench.effort`.

Per send, counted while the whole service runs (offered at a fixed rate): SQL statements, round
trips and commits of PostgreSQL, WAL, rows by table, commands and round trips of Redis, system calls
of each part by strace, and its instructions by perf. Then, in a process of its own under valgrind:
instructions and lines missed in a cache of 1 MiB (the L2 of a server's core), for sends one after
the other, for sends at once, for the relay and for the worker. What is not installed is left out.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis

from bench import instructions, load
from bench.pipeline import _drained, address, analyze, request
from bench.service import BY_HTTP, ROOT, RunningService, running_service

WORKERS = {"waited": 1, "bulk": 1, "chores": 1}
ENVIRON = {"HTTP_ACCESS_POINT_CONCURRENCY": "100"}
STATEMENTS = ("-c", "shared_preload_libraries=pg_stat_statements")
# Sizes, associativity and line of the caches that are simulated: 32 KiB, 48 KiB, 1 MiB.
CACHES = ("--I1=32768,8,64", "--D1=49152,12,64", "--LL=1048576,16,64")
OWN = "%pg_stat%"  # what the bench itself asks

Figures = dict[str, float]


# -- counts of the running service -----------------------------------------------------------------


class Counters:
    """Totals of PostgreSQL and Redis since their start."""

    def __init__(self, service: RunningService) -> None:
        self._connection = psycopg.connect(service.database, autocommit=True)
        self._redis = Redis.from_url(service.redis_url)
        self._ask("CREATE EXTENSION IF NOT EXISTS pg_stat_statements")

    def _ask(self, query: str) -> list[tuple[Any, ...]]:
        cursor = self._connection.execute(query.encode())
        return cursor.fetchall() if cursor.description else []

    def read(self) -> Figures:
        time.sleep(11)  # an idle process of PostgreSQL reports its figures after 10 seconds
        ((records, images, size, syncs),) = self._ask(
            "SELECT wal_records, wal_fpi, wal_bytes, wal_sync FROM pg_stat_wal"
        )
        ((statements,),) = self._ask(
            f"SELECT sum(calls) FROM pg_stat_statements WHERE query NOT LIKE '{OWN}'"
        )
        ((commits,),) = self._ask(
            "SELECT xact_commit FROM pg_stat_database WHERE datname = current_database()"
        )
        found = {
            "statements": statements, "commits": commits, "WAL records": records,
            "WAL full page images": images, "WAL bytes": size, "WAL flushes": syncs,
        }  # fmt: skip
        for table, *counts in self._ask(
            "SELECT relname, n_tup_ins, n_tup_upd, n_tup_hot_upd, n_tup_del"
            " FROM pg_stat_user_tables"
        ):
            for name, count in zip(("inserted", "updated", "HOT", "deleted"), counts, strict=True):
                found[f"rows {table} {name}"] = count
        stats: Mapping[str, Any] = self._redis.info("stats")  # type: ignore[assignment]
        found["Redis commands"] = stats["total_commands_processed"]
        found["Redis round trips"] = stats["total_reads_processed"]
        return {name: float(value or 0) for name, value in found.items()}


def counted(service: RunningService, rate: float, seconds: float) -> Figures:
    """Per send, without what the same time costs without sends."""
    counters = Counters(service)
    began = counters.read()
    before = counters.read()
    sent = _offer(service, rate, seconds, 1_000_000)
    after = counters.read()
    # What the same time costs without sends: the relay asks for work, workers wait for jobs.
    idle = {name: before[name] - value for name, value in began.items()}
    return {
        name: max(0.0, value - before.get(name, 0.0) - idle.get(name, 0.0)) / sent
        for name, value in after.items()
    }


def executed(service: RunningService, rate: float, seconds: float) -> Figures:
    """Instructions of each part per send, as the processor counts them."""
    found: Figures = {}
    for turn, (part, pids) in enumerate(_processes(service).items()):
        offer = partial(_offer, service, rate, seconds, 5_000_000 + 100_000 * turn)
        sent, count = instructions.counted(pids, offer)
        found[f"instructions, {part}"] = count / sent
    return found


def _offer(service: RunningService, rate: float, seconds: float, first: int) -> int:
    """Send at this rate until all is delivered; how many were accepted."""
    run = load.run(address(service), request(service, BY_HTTP), seconds, rate=rate, first=first)
    _drained(service)
    return run.statuses[200]


# -- system calls ----------------------------------------------------------------------------------

PARTS = {"web": "web", "relay": "relay", "worker-bulk-0": "worker", "postgresql": "PostgreSQL"}


def system_calls(service: RunningService, rate: float, seconds: float) -> Figures:
    """Calls of each part per send, with the most frequent ones."""
    found: Figures = {}
    for turn, (part, pids) in enumerate(_processes(service).items()):
        offer = partial(_offer, service, rate, seconds, 2_000_000 + 100_000 * turn)
        sent, calls = _traced(pids, offer)
        for name, count in [("all", sum(calls.values())), *calls.most_common(4)]:
            found[f"system calls, {part}: {name}"] = count / sent
    return found


def _processes(service: RunningService) -> dict[str, list[int]]:
    """The processes of each part: those of its session, or PostgreSQL's backends."""
    owners = {child.pid: PARTS[name] for name, child in service.stack.children.running()
              if name in PARTS}  # fmt: skip
    found: dict[str, list[int]] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # the process has ended
        if int(fields[3]) in owners:
            found.setdefault(owners[int(fields[3])], []).append(int(path.parent.name))
        elif int(fields[1]) == service.postgres.pid:
            found.setdefault(PARTS["postgresql"], []).append(int(path.parent.name))
    return dict(sorted(found.items()))


def _traced(pids: Sequence[int], work: Callable[[], int]) -> tuple[int, Counter[str]]:
    """The result of `work`, and the calls by name that the processes make meanwhile."""
    with tempfile.TemporaryDirectory(prefix="strace-") as directory:
        summary = Path(directory, "summary")
        attached = [option for pid in pids for option in ("-p", str(pid))]
        command = ["strace", "-f", "-c", "-q", "-o", str(summary), *attached]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as tracer:
            time.sleep(1.0)
            result = work()
            tracer.send_signal(signal.SIGINT)
        return result, calls_of(summary.read_text())


def calls_of(summary: str) -> Counter[str]:
    """Calls by name; a line is % time, seconds, usecs/call, calls, errors if any, name."""
    rows = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", summary, re.MULTILINE)
    return Counter({name: int(count) for count, name in rows if name != "total"})


# -- instructions and caches -----------------------------------------------------------------------


def simulated(service: RunningService, sends: int) -> Figures:
    """Run bench.effort_inside under valgrind; instructions and cache misses of each part."""
    for name in ("relay", "worker-bulk-0", "worker-waited-0", "web"):
        service.stack.children.kill(name)
    with tempfile.TemporaryDirectory(prefix="valgrind-") as directory:
        out = Path(directory, "out")
        done = subprocess.run(
            ["valgrind", "--tool=callgrind", "--instr-atstart=no", "--cache-sim=yes", *CACHES,
             "--fair-sched=yes", "--smc-check=none", f"--callgrind-out-file={out}",
             sys.executable, "-m", "bench.effort_inside", str(sends)],
            env={**os.environ, **service.stack.environ, "BENCH_KEY": service.key,
                 "BENCH_REFERENCE": service.reference(BY_HTTP), "PYTHONMALLOC": "pymalloc"},
            cwd=ROOT, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode:
            raise RuntimeError(done.stderr[-2000:])
        parts = re.findall(r"^part (\d+) (\d+) (.+)$", done.stdout, re.MULTILINE)
        return {
            f"{unit}, {name}": value / int(count)
            for number, count, name in parts
            for unit, value in _totals(Path(f"{out}.{number}").read_text()).items()
        }


def _totals(dump: str) -> Figures:
    """Instructions and misses of the last level, of a part that callgrind dumped."""
    (events,) = re.findall(r"^events: (.+)$", dump, re.MULTILINE)
    (totals,) = re.findall(r"^(?:summary|totals): (.+)$", dump, re.MULTILINE)[:1]
    found = dict(zip(events.split(), map(int, totals.split()), strict=False))
    return {
        "instructions": found["Ir"],
        "L2 misses": found["ILmr"] + found["DLmr"] + found["DLmw"],
    }


# --------------------------------------------------------------------------------------------------


def _print(figures: Figures) -> None:
    for name, value in figures.items():
        if value >= 0.005:
            print(f"{name:44} {value:14,.2f}" if value < 1000 else f"{name:44} {value:14,.0f}",
                  flush=True)  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description="What a send costs, counted.")
    parser.add_argument("--rate", type=float, default=100.0, help="sends offered per second")
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--sends", type=int, default=32, help="sends of each part under valgrind")
    given = parser.parse_args()
    with running_service({"latency": 0.05}, ENVIRON, WORKERS, STATEMENTS) as service:
        load.run(address(service), request(service, BY_HTTP), 2.0, rate=100, first=90_000_000)
        _drained(service)
        analyze(service)
        _print(counted(service, given.rate, given.seconds))
        if instructions.available():
            _print(executed(service, given.rate, given.seconds))
        else:
            print("the processor's counters cannot be read by perf: left out")
        for tool, measure in (
            ("strace", lambda: system_calls(service, given.rate, given.seconds)),
            ("valgrind", lambda: simulated(service, given.sends)),
        ):
            if shutil.which(tool):
                _print(measure())
            else:
                print(f"{tool} is not installed: left out")


if __name__ == "__main__":
    main()
