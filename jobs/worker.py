"""A worker: one queue per process, jobs run in the process itself (no fork per job).

A worker that holds more than EINVOICE_PROCESS_MEMORY_MB ends between two jobs, and is started again
by its parent: the allocators of libraries do not return all memory.

A worker has one queue, because RQ loses a job that a worker of several queues pops and is killed
before it starts. RQ's retries are not used: rows of an unfinished job are due again by their lease.
"""

from __future__ import annotations

import sys
import time
import traceback
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress

import structlog
from flask import Flask
from redis import Redis
from redis.client import Pipeline
from rq import Queue, SimpleWorker
from rq.exceptions import DeserializationError, StopRequested
from rq.job import Job
from rq.serializers import JSONSerializer
from rq.timeouts import JobTimeoutException
from rq.worker import WorkerStatus
from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock
from einvoice.observability import logging, metrics, spans
from einvoice.observability.memory import resident_bytes
from einvoice.services.tenant_data.export_places import ExportPlace
from einvoice.services.webhooks.deliveries import Dispatcher
from einvoice.store import outbox
from einvoice.web.runtime import runtime
from jobs import tasks
from jobs.queues import RedisError, connect, disconnect, queue
from jobs.table import ENDPOINTS_PER_JOB, LANES, Lane, Task

log = logging.get(__name__)

REDIS_RETRY_SECONDS = 1.0
WORKER_TTL_SECONDS = 30
HEARTBEAT_SECONDS = 10.0
MAINTENANCE_SECONDS = 30
MAX_PAUSE_SECONDS = 5.0  # between two attempts to reach Redis
SLOW_SECONDS = 30.0


class LaneJob(Job):
    """A job whose callbacks, webhooks and retries do not count: RQ would import what they name."""

    success_callback = None
    failure_callback = None
    stopped_callback = None
    should_retry = False

    def send_webhooks(self, *_: object, **__: object) -> None:
        """None: nobody asked for them here."""

    @property
    def function(self) -> str | None:
        """The name of the function; None if the job cannot be read."""
        try:
            name = self.func_name
        except DeserializationError:
            return None
        return name if isinstance(name, str) else None


class LaneWorker(SimpleWorker):
    """RQ's worker with five round trips to Redis per job instead of about twenty-five.

    RQ's records of running jobs (executions, started registries) serve to find lost jobs, which the
    database does here. Failed jobs are kept as RQ keeps them.

    A job names its function, and RQ would import any. Here only the tasks of the lane are called;
    another job is dropped, so that writing to Redis is not enough to run code with the secrets of
    the service.
    """

    # RQ doubles its pause up to a minute, in which nothing is delivered though Redis is back.
    max_connection_wait_time = MAX_PAUSE_SECONDS
    _next_heartbeat = 0.0

    def __init__(
        self,
        lane: Lane,
        redis: Redis,
        place: ExportPlace | None = None,
        *,
        max_bytes: int | None = None,
    ) -> None:
        super().__init__(
            [queue(lane, redis)],
            connection=redis,
            serializer=JSONSerializer,
            job_class=LaneJob,
            worker_ttl=WORKER_TTL_SECONDS,
            maintenance_interval=MAINTENANCE_SECONDS,
        )
        self._tasks = {_name_of(task): task for task in lane.tasks.values()}
        self._place = place
        self._max_bytes = max_bytes

    @property
    def is_to_end(self) -> bool:
        """Whether it was told to end, or has found that it must."""
        return self._stop_requested or self._shutdown_requested_date is not None

    def execute_job(self, job: LaneJob, queue: Queue) -> None:  # type: ignore[override]
        began = clock.monotonic()
        task = self._tasks.get(job.function or "")
        if task is None:
            self._refuse(job, queue)
            return
        self._begin(job, queue)
        well = self._carried_out(task, job, queue)
        self._end(job, well=well)
        lane, took = queue.name.removeprefix("einvoice-"), clock.monotonic() - began
        metrics.job_finished(lane, took, well=well)
        if took > SLOW_SECONDS:
            log.warning("job took long", job=job.id, function=job.function, seconds=round(took, 1))
        self._end_if_too_large(lane)

    def _end_if_too_large(self, lane: str) -> None:
        """Take no more jobs if the process holds too much memory."""
        held = resident_bytes()
        if self._max_bytes is not None and held > self._max_bytes:
            log.warning("worker ends: too much memory", lane=lane, mebibytes=held // 1024**2)
            self._stop_requested = True

    def _refuse(self, job: LaneJob, queue: Queue) -> None:
        """Drop the job. Rows that it may name are due again when their lease ends."""
        log.error(
            "job refused: its function is no task of the lane",
            job=job.id[:100],
            queue=queue.name,
            function=(job.function or "")[:100],
        )
        with self.connection.pipeline(transaction=False) as pipeline:
            pipeline.lrem(queue.intermediate_queue_key, 1, job.id)
            pipeline.delete(job.key)
            pipeline.execute()
        metrics.job_finished(queue.name.removeprefix("einvoice-"), 0.0, well=False)

    def _begin(self, job: Job, queue: Queue) -> None:
        """Mark the job as running. If the worker ends, Redis drops the job and its lease ends."""
        longest = self.get_heartbeat_ttl(job)
        with self.connection.pipeline(transaction=False) as pipeline:
            self.heartbeat(longest, pipeline)
            self.set_state(WorkerStatus.BUSY, pipeline)
            self.set_current_job_id(job.id, pipeline)
            pipeline.expire(job.key, longest)
            pipeline.lrem(queue.intermediate_queue_key, 1, job.id)
            pipeline.execute()

    def _carried_out(self, task: Task, job: Job, queue: Queue) -> bool:
        try:
            with (
                structlog.contextvars.bound_contextvars(job=job.id),
                spans.job(),
                self.death_penalty_class(job.timeout, JobTimeoutException, job_id=job.id),
            ):
                task(*job.args)
        except Exception:  # noqa: BLE001 - logged by RQ, and kept for `rq info`
            fault = sys.exc_info()
            self.handle_exception(job, *fault)
            self.handle_job_failure(
                job, queue, exc_string="".join(traceback.format_exception(*fault))
            )
            return False
        return True

    def _end(self, job: Job, *, well: bool) -> None:
        with self.connection.pipeline(transaction=False) as pipeline:
            self.set_state(WorkerStatus.IDLE, pipeline)
            self.set_current_job_id(None, pipeline)
            self.heartbeat(WORKER_TTL_SECONDS + 60, pipeline)
            if well:
                self.increment_successful_job_count(pipeline)
                pipeline.delete(job.key)
            pipeline.execute()

    def heartbeat(self, timeout: int | None = None, pipeline: Pipeline | None = None) -> None:
        """At most one in HEARTBEAT_SECONDS: RQ's loop calls it three times between two jobs."""
        now = clock.monotonic()
        if timeout is not None or now >= self._next_heartbeat:
            self._next_heartbeat = now + HEARTBEAT_SECONDS
            super().heartbeat(timeout, pipeline)
            self._announce()

    def _announce(self) -> None:
        """Note where exports are written. A fault delays no job: it is tried again in a minute."""
        if self._place is None:
            return
        try:
            self._place.announce()
        except (OSError, SQLAlchemyError) as fault:
            log.warning("directory of exports not noted", fault=type(fault).__name__)

    def set_state(self, state: str, pipeline: Pipeline | None = None) -> None:
        if state != self.get_state():
            super().set_state(state, pipeline)


def _name_of(task: Task) -> str:
    """As RQ names a function in a job."""
    return f"{task.__module__}.{task.__qualname__}"


def run(app: Flask, lane_name: str, redis_url: str, *, burst: bool = False) -> None:
    """Work on the lane until stopped, or until the process holds too much memory.

    SIGTERM lets the running job finish. While Redis is unavailable, at the start or later, it
    retries.
    """
    lane = LANES[lane_name]
    with (
        app.app_context(),
        _dispatching(lane, burst) if lane.endpoints else nullcontext(),
        tasks.going_on() if lane.goes_on else nullcontext(),
        _place_of_exports(lane) as place,
        suppress(StopRequested),
    ):  # by a signal while it waits
        while not _worked(lane, redis_url, burst, place):
            time.sleep(REDIS_RETRY_SECONDS)


@contextmanager
def _place_of_exports(lane: Lane) -> Iterator[ExportPlace | None]:
    """The directory of a worker that writes exports, until it ends."""
    if outbox.EXPORT not in lane.tasks:
        yield None
        return
    place = ExportPlace(runtime().settings)
    try:
        yield place
    finally:
        with suppress(SQLAlchemyError):
            place.leave()


def _dispatching(lane: Lane, burst: bool) -> AbstractContextManager[None]:
    """Post webhooks beside the jobs. At the end a burst finishes what it accepted."""
    found = runtime()
    dispatcher = Dispatcher(
        found.settings,
        found.context,
        endpoints=lane.endpoints,
        per_job=ENDPOINTS_PER_JOB,
        finish=burst,
    )
    return tasks.dispatching(dispatcher)


def _worked(lane: Lane, redis_url: str, burst: bool, place: ExportPlace | None) -> bool:
    """Work until stopped (True) or until Redis is unavailable (False).

    RQ ends its loop without an exception where Redis answers too late.
    """
    redis = connect(redis_url)
    try:
        max_bytes = runtime().settings.process_memory_mb * 1024**2
        worker = LaneWorker(lane, redis, place, max_bytes=None if burst else max_bytes)
        worker.work(burst=burst, logging_level="WARNING", with_scheduler=False)
    except RedisError as fault:
        log.warning("worker waits for redis", lane=lane.name, fault=type(fault).__name__)
        return False
    finally:
        disconnect(redis)
    return burst or worker.is_to_end
