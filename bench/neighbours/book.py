"""The outcome of each document, and the faults that processes logged."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import psycopg
from redis import Redis
from rq.job import Job
from rq.registry import FailedJobRegistry

from bench.neighbours.traffic import Told
from jobs.queues import queue
from jobs.table import LANES
from tests.access_points.http_network import deliveries

# What a kill leaves behind, and no release is to blame for.
OF_KILLS = ("AbandonedJobError", "Work-horse terminated", "Job was stuck in intermediate queue")
# The release before leaves rows of kinds that it does not know to the other one.
OF_NEW_KINDS = "no task for this kind of work"

# The last line of a traceback; not what PostgreSQL adds to its message (DETAIL, HINT).
_ERROR = re.compile(r"^(?![A-Z]+:)[\w.]+: .*", re.MULTILINE)


@dataclass(frozen=True)
class Book:
    """The counts at the end; those that must be 0 or empty come first.

    lost           answered sends and received documents without a row
    twice          documents with two rows, or that the network has twice
    not_delivered  Delivered, but not in the network's ledger
    unasked        in the ledger, but Failed
    open           neither final nor waiting for an operator
    faults         what clients were told and processes logged, and failed jobs
    silent         documents that are final, without an event at the webhook
    """

    lost: int
    twice: int
    not_delivered: int
    unasked: int
    open: int
    attention: int
    silent: int
    faults: Mapping[str, int] = field(default_factory=dict)
    sent: int = 0
    received: int = 0
    delivered: int = 0
    failed: int = 0
    reads: int = 0
    repeats: int = 0
    left_to_the_other: int = 0

    @property
    def good(self) -> bool:
        return not any((self.lost, self.twice, self.not_delivered, self.unasked, self.open,
                        self.attention, self.silent, self.faults))  # fmt: skip


def settled(database: str, seconds: float, *, whole: bool) -> bool:
    """Whether all documents become final within the time; `whole`: and the outbox empty."""
    query = (
        "SELECT count(*) FROM outbox"
        if whole
        else "SELECT count(*) FROM transmissions WHERE status = 'Processing' AND NOT attention"
    )
    until = time.monotonic() + seconds
    with psycopg.connect(database, autocommit=True) as connection:
        while connection.execute(query).fetchone() != (0,):
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
    return True


def left(database: str) -> list[tuple[object, ...]]:
    """The outbox by kind and lane, for the output of a trial that does not end."""
    with psycopg.connect(database) as connection:
        return connection.execute(
            "SELECT kind, lane, count(*), min(due_at) FROM outbox GROUP BY 1, 2"
        ).fetchall()


def read(
    database: str, redis: str, ledger: Path, told: Told, posted: set[str], logs: Mapping[str, Path]
) -> Book:
    """Compare the database, the network's ledger, webhooks and logs with what clients were told.

    posted  the transactions of which the webhook was told the outcome
    logs    name of a release → the directory of its logs
    """
    with psycopg.connect(database) as connection:
        rows = connection.execute(
            "SELECT i.number, t.id, t.status, t.attention FROM transmissions t"
            " JOIN invoices i ON i.id = t.invoice_id WHERE i.direction = 'sent'"
        ).fetchall()
        told_of = {
            one
            for (one,) in connection.execute(
                "SELECT id FROM transmissions WHERE status IN ('Delivered', 'Failed', 'Received')"
            )
        }
        stored = Counter(
            one for (one,) in connection.execute("SELECT instance_id FROM received").fetchall()
        )
    numbers = Counter(number for number, *_ in rows)
    taken = {name.partition("@")[0]: times for name, times in deliveries(ledger).items()}
    states: dict[str, set[str]] = {"Delivered": set(), "Failed": set(), "Processing": set()}
    for _, transmission, status, _ in rows:
        states[status].add(transmission)
    attention = {transmission for _, transmission, _, waits in rows if waits}
    faults = Counter(told.faults)
    left_to_the_other = 0
    for text, times in _said(logs):
        if OF_NEW_KINDS in text:
            left_to_the_other += times
        else:
            faults[text] += times
    faults.update(_failed_jobs(redis))
    return Book(
        lost=sum(number not in numbers for number in told.sent)
        + sum(one not in stored for one in told.received),
        twice=sum(times > 1 for each in (taken, numbers, stored) for times in each.values()),
        not_delivered=len(states["Delivered"] - taken.keys()),
        unasked=len(taken.keys() & states["Failed"]),
        open=len(states["Processing"] - attention),
        attention=len(attention),
        silent=len(told_of - posted),
        faults=dict(faults),
        sent=len(told.sent),
        received=len(told.received),
        delivered=len(states["Delivered"]),
        failed=len(states["Failed"]),
        reads=told.reads,
        repeats=told.repeats,
        left_to_the_other=left_to_the_other,
    )


def _said(logs: Mapping[str, Path]) -> Iterator[tuple[str, int]]:
    """Lines of the level error, and tracebacks outside of the log, with the release."""
    for name, directory in logs.items():
        for path in sorted(directory.glob("*.log")):
            found = Counter(_faults_of(path.read_text("utf-8", "replace")))
            for text, times in found.items():
                yield f"{name}, {path.stem}: {text}", times


def _faults_of(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if not line.startswith("{"):
            if line.startswith("Traceback"):
                yield "Traceback outside of the log"
            continue
        try:
            said = json.loads(line)
        except json.JSONDecodeError:
            continue  # cut by a kill
        if said.get("level") in ("error", "critical"):
            errors = re.findall(_ERROR, str(said.get("exception", "")))
            last = errors[-1] if errors else ""
            yield f"{said.get('event')} {said.get('kind', '')} {last}".strip()[:400]


def _failed_jobs(url: str) -> Iterator[str]:
    with Redis.from_url(url) as redis:
        for lane in LANES.values():
            jobs = queue(lane, redis)
            ids = FailedJobRegistry(queue=jobs).get_job_ids(cleanup=False)
            for job in Job.fetch_many(ids, connection=redis, serializer=jobs.serializer):
                result = job.latest_result() if job else None
                text = (result.exc_string if result else "") or ""
                if text and not any(each in text for each in OF_KILLS):
                    yield f"job of {lane.name}: {text.strip().rpartition(chr(10))[2][:400]}"
