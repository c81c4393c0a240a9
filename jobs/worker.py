"""A worker: one queue per process, jobs run in the process itself (no fork per job).

RQ loses a job that is popped by a worker of several queues and killed before it starts, so a worker
serves one. Its retries are not used: what a job did not finish is due again in the database.
"""

from __future__ import annotations

import time

from flask import Flask
from rq import Queue, SimpleWorker
from rq.job import Job
from rq.serializers import JSONSerializer

from einvoice import clock
from einvoice.observability import logging, metrics
from jobs import JOBS, Lane
from jobs.queues import RedisError, connect, queue

log = logging.get(__name__)

WAIT_FOR_REDIS = 1.0
WORKER_TTL = 30
MAINTENANCE_EVERY = 30


class LaneWorker(SimpleWorker):
    """SimpleWorker under a name of ours, for `ps` and the logs; counts its jobs."""

    def perform_job(self, job: Job, queue: Queue) -> bool:
        began = clock.monotonic()
        well = super().perform_job(job, queue)
        lane = queue.name.removeprefix("einvoice-")
        metrics.job_finished(lane, clock.monotonic() - began, well=well)
        return well


def run(app: Flask, lane_name: str, redis_url: str, *, burst: bool = False) -> None:
    """Work on the lane until stopped; SIGTERM lets the running job finish.

    Redis away, at the start or later, is waited out.
    """
    with app.app_context():
        while not _worked(JOBS[lane_name], redis_url, burst):
            time.sleep(WAIT_FOR_REDIS)


def _worked(lane: Lane, redis_url: str, burst: bool) -> bool:
    """Work until stopped (True) or until Redis is away (False)."""
    redis = connect(redis_url)
    try:
        worker = LaneWorker(
            [queue(lane, redis)],
            connection=redis,
            serializer=JSONSerializer,
            worker_ttl=WORKER_TTL,
            maintenance_interval=MAINTENANCE_EVERY,
        )
        worker.work(burst=burst, logging_level="WARNING", with_scheduler=False)
    except RedisError as fault:
        log.warning("worker waits for redis", lane=lane.name, fault=type(fault).__name__)
        return False
    return True
