"""Ours and a plain peer in turns: `python -m bench.peer [--rounds 3] [--seconds 6]`.

Both get the same requests over 32 connections, on the same machine, each with a PostgreSQL and
Redis of its own and the same simulated network; a turn ends when everything accepted is delivered.
`peer` is bench/peer/app.py; `peer+rules` runs the official XSLT by SaxonC, as ours runs its rules,
and is left out where these are not available. CPU is that of web, PostgreSQL, Redis, relay and
workers, without network and load generator.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from bench import load
from bench.pipeline import _count, _drained, address, analyze, cpu_of, host_pace, request
from bench.service import BY_HTTP, ROOT, RunningService, await_port, running_service
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from tests import servers
from tests.oracle import official, sources
from tests.ports import free_port

CONNECTIONS = 32
OURS = "ours"
NOT_COUNTED = {"network", "generator"}
KEY = "peer-key"


@dataclass
class Contestant:
    """A running service: how to send to it, how many it delivered, and its CPU time by part."""

    name: str
    address: tuple[str, int]
    request: bytes
    delivered: Callable[[], int]
    drained: Callable[[], None]
    cpu: Callable[[], dict[str, float]]


@contextmanager
def ours() -> Iterator[tuple[Contestant, RunningService]]:
    workers = {"waited": 1, "bulk": 1, "chores": 1}
    with running_service({"latency": 0.01}, {}, workers) as service:
        load.run(address(service), request(service, BY_HTTP), 2.0, rate=50, first=90_000_000)
        _drained(service)
        analyze(service)
        groups = (service.stack.children, service.servers)
        yield (
            Contestant(
                OURS, address(service), request(service, BY_HTTP),
                lambda: _count(service, "Delivered"), lambda: _drained(service),
                lambda: cpu_of(groups, service.postgres.pid),
            ),
            service,
        )  # fmt: skip


@contextmanager
def peer(name: str, service: RunningService, environ: Mapping[str, str]) -> Iterator[Contestant]:
    """The peer with two web processes and two workers, sending to the network of `service`."""
    children = Children()
    with servers.cluster() as postgres, tempfile.TemporaryDirectory(prefix="peer-") as directory:
        try:
            redis = start_redis(children, Path(directory, "redis"))
            variables = {
                **os.environ, **environ, "PEER_DATABASE": postgres.url, "PEER_REDIS": redis,
                "PEER_NETWORK": service.stack.environ["HTTP_ACCESS_POINT_URL"],
                "PYTHONPATH": str(ROOT),
            }  # fmt: skip
            port = _start(children, variables, Path(directory, "log"))
            asked = _request(service)
            connection = psycopg.connect(postgres.url, autocommit=True)
            with connection:
                load.run(("127.0.0.1", port), asked, 2.0, rate=10, first=90_000_000)
                contestant = Contestant(
                    name, ("127.0.0.1", port), asked,
                    lambda: _one(connection, "status = 'Delivered'"),
                    lambda: _await_delivery(connection),
                    lambda: cpu_of((children,), postgres.pid),
                )  # fmt: skip
                contestant.drained()
                connection.execute("ANALYZE")
                yield contestant
        finally:
            children.stop()


def _start(children: Children, variables: Mapping[str, str], log: Path) -> int:
    """Create the tables, then start web and workers; the port of the web."""
    port, binaries = free_port(), Path(sys.executable).parent
    create = (
        "from bench.peer.app import *\nwith app.app_context():\n db.create_all();"
        f" db.session.add(ApiKey(digest={hashlib.sha256(KEY.encode()).hexdigest()!r},"
        " tenant_id='t')); db.session.commit()"
    )
    subprocess.run([sys.executable, "-c", create], env=dict(variables), check=True)
    web = ["--interface", "wsgi", "--port", str(port), "--workers", "2", "--blocking-threads", "4"]
    children.start(
        "web", [str(binaries / "granian"), *web, "bench.peer.app:app"], env=variables, log=log
    )
    worker = ["worker", "--quiet", "--worker-class", "rq.SimpleWorker", "--url"]
    for number in range(2):
        children.start(
            f"worker-{number}",
            [str(binaries / "rq"), *worker, variables["PEER_REDIS"], "sends"],
            env=variables, log=log,
        )  # fmt: skip
    await_port(port)
    return port


def _request(service: RunningService) -> bytes:
    number = load.MARK.decode()
    headers = {"x-api-key": KEY, "Content-Type": "application/json", "Idempotency-Key": number}
    body = json.dumps(service.body(number, BY_HTTP)).encode()
    return load.post("/api/invoices/send", body, headers)


def _one(connection: psycopg.Connection[Any], condition: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM invoice WHERE {condition}".encode()).fetchone()
    assert row is not None
    return int(row[0])


def _await_delivery(connection: psycopg.Connection[Any], within: float = 120.0) -> None:
    until = time.monotonic() + within
    while time.monotonic() < until and _one(connection, "status = 'Processing'"):
        time.sleep(0.1)


# -- turns -----------------------------------------------------------------------------------------


def turn(contestant: Contestant, seconds: float, first: int) -> dict[str, Any]:
    pace, before, cpu = host_pace(), contestant.delivered(), contestant.cpu()
    began = time.monotonic()
    run = load.run(contestant.address, contestant.request, seconds, connections=CONNECTIONS,
                   first=first)  # fmt: skip
    contestant.drained()
    took, after = time.monotonic() - began, contestant.cpu()
    sends = max(1, contestant.delivered() - before)
    parts = {part: 1e6 * (after[part] - cpu[part]) / sends for part in cpu}
    return {
        "loop us": pace, "accepted/s": round(run.per_second, 1),
        "delivered/s": round(sends / took, 1), "p50 ms": round(run.percentile(0.5), 1),
        "us/send": round(sum(spent for part, spent in parts.items() if part not in NOT_COUNTED)),
        "parts": {part: round(spent) for part, spent in parts.items()},
        "other answers": {code: n for code, n in run.statuses.items() if n and code != 200},
    }  # fmt: skip


def report(rows: Mapping[str, list[dict[str, Any]]]) -> None:
    """Medians of each contestant, and its ratio to ours."""
    figures = ("accepted/s", "delivered/s", "p50 ms", "us/send")
    medians = {
        name: {figure: statistics.median(row[figure] for row in found) for figure in figures}
        for name, found in rows.items()
    }
    for name, found in medians.items():
        ratio = {
            "ours accepts": f"{medians[OURS]['accepted/s'] / found['accepted/s']:.1f}x",
            "ours delivers": f"{medians[OURS]['delivered/s'] / found['delivered/s']:.1f}x",
            "CPU of ours": f"1/{found['us/send'] / medians[OURS]['us/send']:.1f}",
        }
        print(
            name, json.dumps({figure: round(value, 1) for figure, value in found.items()} | ratio)
        )


def main() -> None:
    parser = argparse.ArgumentParser(description="Ours and a plain peer in turns.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=6.0)
    given = parser.parse_args()
    variants = {"peer": {"PEER_RULES": "0"}, "peer+rules": {"PEER_RULES": "1"}}
    try:
        official.verdict(b"<x/>", (sources.CEN_UBL, sources.PEPPOL_UBL))
    except sources.Unavailable as reason:
        print(f"peer+rules is left out: {reason}")
        del variants["peer+rules"]
    with ExitStack() as stack:
        first, service = stack.enter_context(ours())
        contestants = [first]
        contestants += [
            stack.enter_context(peer(name, service, more)) for name, more in variants.items()
        ]
        rows: dict[str, list[dict[str, Any]]] = {each.name: [] for each in contestants}
        for number in range(given.rounds):
            for contestant in contestants:
                row = turn(contestant, given.seconds, (number + 1) * 1_000_000)
                rows[contestant.name].append(row)
                print(contestant.name, json.dumps(row), flush=True)
        report(rows)


if __name__ == "__main__":
    main()
