"""Measure the CPU time after acceptance.

Run `python -m bench.after_acceptance [--rounds 5] [--batch 40]`.

One process accepts documents with a key each, then runs the relay, then a bulk worker whose access
point answers at once. All jobs have the same size, so rounds are comparable: run it from two trees
in turns to compare them. Figures are microseconds of CPU time per send.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import psycopg
from flask import Flask

from einvoice import clock
from einvoice.app import create_app
from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.config import Settings
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import samples
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import (
    AccessPoint,
    AccessPointBase,
    Capabilities,
    Delivered,
    Envelope,
    NotRegistered,
    Prepared,
    receipt,
)
from einvoice.services.account import tenants
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.operating import migrating
from einvoice.store.sending import acceptance
from einvoice.web.runtime import runtime_of
from jobs import worker
from jobs.relay import Relay
from jobs.table import LANES
from tests import servers
from tests.builders import new_send

EINVOICE_INTERFACE = 1
JOBS_AT_ONCE = 10

Meter = Callable[[], float]
T = TypeVar("T")


class Instant(AccessPointBase):
    """An access point that delivers at once, up to a hundred concurrently."""

    name = "instant"
    network = "bench"
    environment = Environment.TEST
    capabilities = Capabilities(has_status=True, concurrency=100, timeout=5.0)

    def lookup(self, participant: ParticipantId) -> NotRegistered:
        return NotRegistered()

    def submit(self, envelope: Envelope, prepared: Prepared) -> Delivered:
        return Delivered((receipt(f"<Receipt>{prepared.message_id}</Receipt>".encode()),))


@hookimpl
def einvoice_access_points() -> Iterator[AccessPoint]:
    yield Instant()


def used_by(pid: int) -> float:
    """Seconds of CPU time of a process and its running children."""
    total = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            if pid in (int(stat.parent.name), int(stat.read_text().rpartition(")")[2].split()[1])):
                for task in stat.parent.glob("task/*/schedstat"):
                    total += int(task.read_text().split()[0])
        except OSError:
            continue
    return total / 1e9


@contextmanager
def application() -> Iterator[tuple[Flask, dict[str, Meter], str]]:
    """The application, a CPU meter per process, and the URL of Redis."""
    children = Children()
    with servers.cluster() as postgres, tempfile.TemporaryDirectory(prefix="bench-") as directory:
        try:
            redis = start_redis(children, Path(directory, "redis"))
            settings = Settings(data_dir=directory, database_url=postgres.url, log_level="WARNING")
            app = create_app(settings, plugins=[sys.modules[__name__]])
            db.keep_plans(app)
            with app.app_context():
                migrating.upgrade()
            ((_, child),) = children.running()
            meters = {
                "python": time.process_time,
                "postgresql": lambda: used_by(postgres.pid),
                "redis": lambda: used_by(child.pid),
            }
            yield app, meters, redis
        finally:
            children.stop()


def accept(tenant: str, count: int) -> None:
    document = samples.envelope().document
    for _ in range(count):
        acceptance.accept(
            new_send(tenant, key=str(uuid.uuid4()), access_point="instant", document=document)
        )


def step(relay: Relay) -> bool:
    """One round of the relay with a capacity of JOBS_AT_ONCE jobs."""
    relay._capacity[outbox.BULK] = (clock.monotonic(), JOBS_AT_ONCE // 2)
    return relay.step()


def measured(
    meters: dict[str, Meter], spent: dict[str, float], part: str, work: Callable[[], T]
) -> T:
    """Run `work` and add its CPU time to `spent`, by part and process."""
    before = {name: meter() for name, meter in meters.items()}
    answer = work()
    for name, meter in meters.items():
        spent[f"{part} {name}"] = spent.get(f"{part} {name}", 0.0) + meter() - before[name]
    return answer


def once(app: Flask, meters: dict[str, Meter], redis: str, count: int) -> dict[str, float]:
    """Accept and deliver `count` sends; microseconds of CPU time per send, by part and process."""
    tenant, relay = tenants.create(f"Bench {uuid.uuid4()}"), Relay(app, redis)
    spent: dict[str, float] = {}
    measured(meters, spent, "accept", lambda: accept(tenant, count))
    while measured(meters, spent, "relay", lambda: step(relay)):
        measured(meters, spent, "work", lambda: worker.run(app, outbox.BULK, redis, burst=True))
    return {part: 1e6 * seconds / count for part, seconds in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description="CPU time after acceptance.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=800)
    parser.add_argument("--batch", type=int, default=40, help="rows of a job")
    given = parser.parse_args()
    LANES[outbox.BULK] = replace(LANES[outbox.BULK], batch=given.batch)
    with application() as (app, meters, redis), app.app_context():
        once(app, meters, redis, 200)
        with psycopg.connect(runtime_of(app).settings.database, autocommit=True) as connection:
            connection.execute("ANALYZE")
        rounds = [once(app, meters, redis, given.count) for _ in range(given.rounds)]
        medians = {part: round(statistics.median(r[part] for r in rounds)) for part in rounds[0]}
        print(json.dumps(medians))
        db.db.engine.dispose()


if __name__ == "__main__":
    main()
