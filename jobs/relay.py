"""The relay: leases due outbox rows and hands them to the queues.

At most two jobs per worker of a lane are queued or running, so that under load jobs fill up to the
lane's batch. Tenants are served in turn, and a job has rows of one access point. Webhooks are
handed out by endpoint (jobs/endpoints): one worker at a time posts to it. It queries every 20 ms
while there is work, every 200 ms when there is none. Several relays may run: a row is leased once.
Rows whose job Redis lost are due again when the lease ends; until then they are in nobody's way.
"""

from __future__ import annotations

import signal
import threading
import uuid
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from flask import Flask
from redis.client import Pipeline
from rq import Worker

from einvoice import clock
from einvoice.observability import logging, metrics
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.outbox import Claimed
from einvoice.store.webhooks import webhook_queue
from einvoice.store.webhooks.webhook_queue import ReadyEndpoint
from einvoice.web.runtime import runtime_of
from jobs.endpoints import choose
from jobs.queues import FAILED_JOB_TTL_SECONDS, RedisError, connect, queue
from jobs.table import DUTIES, ENDPOINTS_PER_JOB, LANES, Duty, Lane

log = logging.get(__name__)

BUSY_SECONDS, IDLE_SECONDS = 0.02, 0.2
MAX_TENANTS_PER_ROUND = 50
MAX_POSTING_TENANTS = 500  # of a round of webhooks
ASSIGN_SECONDS, MAX_ASSIGNED = 1.0, 500
ANNOUNCE_SECONDS = 5.0
# Set once: where it is gone, or another one, Redis has lost what was queued.
DATA_KEY = "einvoice-queues"
UNKNOWN_AGAIN = timedelta(minutes=10)  # work of a kind that only a newer version knows


class Relay:
    """A relay process. `step` runs one round and returns whether anything was due."""

    def __init__(self, app: Flask, redis_url: str) -> None:
        self._app = app
        settings = runtime_of(app).settings
        self._lease = clock.lasting(timedelta(seconds=settings.queue_lease))
        self._post_limit = clock.lasting(timedelta(seconds=settings.webhook_timeout))
        self._next_assignment = self._next_announcement = 0.0
        self._data: bytes | None = None  # what DATA_KEY was
        self._emptied: datetime | None = None  # when Redis was seen to have lost it
        self._redis = connect(redis_url)
        self._queues = {name: queue(lane, self._redis) for name, lane in LANES.items()}
        self._last_tenant = dict.fromkeys(LANES, "")
        self._next_round = dict.fromkeys(LANES, 0.0)
        self._stopping = threading.Event()
        self._next_run = {duty.name: 0.0 for duty in DUTIES}
        self._capacity: dict[str, tuple[float, int]] = {}

    def run(self) -> None:
        """Run until SIGTERM or SIGINT. While Redis or the database is unavailable, it retries."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._stopping.set())
        pause = BUSY_SECONDS
        while not self._stopping.wait(pause):
            pause = BUSY_SECONDS if self._survived() else min(IDLE_SECONDS, pause * 2)

    def _survived(self) -> bool:
        try:
            with self._app.app_context():
                return self.step()
        except RedisError as fault:
            log.warning("relay waits for redis", fault=type(fault).__name__)
        except Exception:
            log.exception("relay round failed")
        self._stopping.wait(1.0)
        return False

    def step(self) -> bool:
        """One round over all lanes."""
        self._announce()
        for duty in DUTIES:
            self._run_if_due(duty)
        open_ = outbox.open_lanes()
        served = [self._serve(lane) for lane in LANES.values() if lane.name in open_]
        metrics.relay_alive(clock.now().timestamp())
        return any(served)

    def _announce(self) -> None:
        """Set a key in Redis now and then, by which `einvoice doctor` sees that a relay runs, and
        look whether Redis has lost its data."""
        if clock.monotonic() < self._next_announcement:
            return
        self._next_announcement = clock.monotonic() + ANNOUNCE_SECONDS
        with self._redis.pipeline() as pipeline:
            pipeline.set(outbox.RELAY_KEY, 1, ex=outbox.RELAY_KEY_SECONDS)
            pipeline.set(DATA_KEY, uuid.uuid4().hex, nx=True)
            pipeline.get(DATA_KEY)
            _, is_new, data = pipeline.execute()
        if is_new or self._data not in (None, data):
            self._emptied = clock.now()
        self._data = data

    def _run_if_due(self, duty: Duty) -> None:
        """Run the duty once its interval has passed; a failure waits the whole interval too."""
        now = clock.schedule_seconds()
        if now >= self._next_run[duty.name]:
            self._next_run[duty.name] = now + duty.every.total_seconds()
            if duty.run():
                self._next_run[duty.name] = now + duty.again.total_seconds()

    def _serve(self, lane: Lane) -> bool:
        now = clock.monotonic()
        if now < self._next_round[lane.name]:
            return False
        self._next_round[lane.name] = now + lane.every
        if lane.endpoints:
            return self._serve_endpoints(lane)
        tenants = outbox.tenants_in_turn(
            lane.name, self._last_tenant[lane.name], MAX_TENANTS_PER_ROUND
        )
        if not tenants:
            return False
        self._last_tenant[lane.name] = tenants[-1]
        room = self._room(lane)
        for handed_out in range(room):
            if not self._one_job(lane, tenants):
                return handed_out > 0
        return room > 0

    def _serve_endpoints(self, lane: Lane) -> bool:
        """Hand out the rows of endpoints that can be posted to now.

        Returns whether any is due that answers soon: if it is held, it will be free in a moment.
        """
        lease = lane.leases * self._lease + self._post_limit
        self._assign_endpoints(lane, lease)
        turn = outbox.tenants_in_turn(lane.name, self._last_tenant[lane.name], MAX_POSTING_TENANTS)
        if not turn:
            return False
        self._last_tenant[lane.name] = turn[-1]
        ready = webhook_queue.ready(turn, clock.now())
        if not ready:
            return False
        with db.reading() as connection:
            held = webhook_queue.held(connection)
        chosen = choose(ready, held, lane.endpoints * self._workers(lane))
        for start in range(0, len(chosen), ENDPOINTS_PER_JOB):
            self._claim_endpoints(lane, chosen[start : start + ENDPOINTS_PER_JOB], lease)
        return bool(chosen) or any(one.responsive for one in ready)

    def _claim_endpoints(
        self, lane: Lane, chosen: Sequence[ReadyEndpoint], lease: timedelta
    ) -> None:
        """Lease and queue one job. An endpoint that timed out gets one request, to see."""
        token = uuid.uuid4().hex
        counts = {one.id: 1 if one.timeouts else lane.batch for one in chosen}
        ids = webhook_queue.claim(counts, token=token, now=clock.now(), lease=lease)
        self._hand_out(lane, [(outbox.WEBHOOK, ids)], token)

    def _assign_endpoints(self, lane: Lane, lease: timedelta) -> None:
        """Once a second: rows of an older version get their endpoint. Those without a delivery
        are handed out too, for a worker to delete."""
        if clock.monotonic() < self._next_assignment:
            return
        self._next_assignment = clock.monotonic() + ASSIGN_SECONDS
        token = uuid.uuid4().hex
        ids = webhook_queue.assign_endpoints(
            token=token, now=clock.now(), lease=lease, at_most=MAX_ASSIGNED
        )
        self._hand_out(lane, [(outbox.WEBHOOK, ids)], token)

    def _one_job(self, lane: Lane, tenants: Sequence[str]) -> bool:
        token = uuid.uuid4().hex
        claimed = self._claim(lane, tenants, lane.batch, token)
        self._hand_out(lane, list(_batches(claimed, lane.batch)), token)
        return bool(claimed)

    def _hand_out(self, lane: Lane, jobs: Sequence[tuple[str, list[int]]], token: str) -> None:
        """Queue jobs: the kind and the ids of the rows of each.

        Without Redis the rows are due again; a job that was queued anyway has no valid token.
        """
        try:
            with self._redis.pipeline() as pipeline:
                for kind, ids in jobs:
                    if ids:
                        self._enqueue(lane, kind, ids, token, pipeline)
                pipeline.execute()
            metrics.rows_handed_out(lane.name, sum(len(ids) for _, ids in jobs))
        except RedisError:
            outbox.release([row_id for _, ids in jobs for row_id in ids], token)
            raise

    def _claim(self, lane: Lane, tenants: Sequence[str], room: int, token: str) -> list[Claimed]:
        """Up to `room` rows: an equal share for each tenant, the rest for those with more rows."""
        now = clock.now()
        claimed: list[Claimed] = []
        share = max(1, room // len(tenants))
        for limit in (share, room):
            for tenant in tenants:
                left = min(limit, room - len(claimed))
                if left <= 0:
                    return claimed
                lease = lane.leases * self._lease
                claimed += outbox.claim(lane.name, tenant, left, token=token, now=now, lease=lease)
            if len(tenants) == 1:
                break
        return claimed

    def _room(self, lane: Lane) -> int:
        """How many jobs may be added. While workers are busy, due rows gather into larger jobs."""
        busy = outbox.count_leases(lane.name, ending_after=self._end_of_lost_leases(lane))
        return max(0, lane.jobs * self._workers(lane) - busy)

    def _end_of_lost_leases(self, lane: Lane) -> datetime | None:
        """When the last lease ends of the jobs that Redis has lost; None: it has lost none, or all
        have ended. Jobs that were running then may be counted as lost: the lane has a few more."""
        if self._emptied is None:
            return None
        end = self._emptied + lane.leases * self._lease
        return end if clock.now() < end else None

    def _workers(self, lane: Lane) -> int:
        """The live workers of the lane, at least one; queried at most once a second."""
        asked, count = self._capacity.get(lane.name, (-10.0, 0))
        if clock.monotonic() - asked > 1.0:
            count = max(1, Worker.count(queue=self._queues[lane.name]))
            self._capacity[lane.name] = (clock.monotonic(), count)
        return count

    def _enqueue(
        self, lane: Lane, kind: str, ids: Sequence[int], token: str, pipeline: Pipeline
    ) -> None:
        task = lane.tasks.get(kind)
        if task is None:  # written by a newer version, which is to be installed again
            log.error("no task for this kind of work", lane=lane.name, kind=kind, rows=len(ids))
            self._put_off(lane, ids, token)
            return
        self._queues[lane.name].enqueue_call(
            task,
            args=(list(ids), token),
            job_id=f"{lane.name}-{ids[0]}-{token[:12]}",
            timeout=lane.timeout,
            result_ttl=0,
            failure_ttl=FAILED_JOB_TTL_SECONDS,
            pipeline=pipeline,
        )

    def _put_off(self, lane: Lane, ids: Sequence[int], token: str) -> None:
        """Give rows back for a while: leased, they would take the places of jobs in the lane."""
        due = clock.now() + UNKNOWN_AGAIN
        with db.writing() as connection:
            outbox.reschedule(connection, [(row_id, lane.name, due) for row_id in ids], token)


def _batches(claimed: Iterable[Claimed], size: int) -> Iterator[tuple[str, list[int]]]:
    """The rows of each job with their kind: of one kind and one access point, at most `size`."""
    groups: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for row in claimed:
        groups[row.kind, row.access_point].append(row.id)
    for (kind, _), group in groups.items():
        for start in range(0, len(group), size):
            yield kind, group[start : start + size]
