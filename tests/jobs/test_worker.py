"""The records of jobs in Redis: few commands per job, and none left after success."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from redis import Redis
from redis import exceptions as redis_faults
from rq import Callback, Queue, Retry
from rq.exceptions import DequeueTimeout
from rq.job import Job
from rq.registry import FailedJobRegistry
from rq.serializers import JSONSerializer
from structlog.testing import CapturingLogger

from jobs import worker
from jobs.queues import connect, queue
from jobs.table import Lane
from jobs.worker import LaneWorker
from tests import logs
from tests.tables import each_row


def succeed(seen: list[str], word: str) -> None:
    assert seen == []
    assert word


def fail() -> None:
    raise ValueError("of no use")


def tell_what_is_kept() -> None:
    """Inside a job: seconds for which Redis keeps the job if its worker dies now."""
    with Redis.from_url(WHERE[0]) as redis:
        (name,) = redis.keys("rq:job:one*")
        KEPT.append(redis.ttl(name))
        KEPT.append(redis.llen("rq:queue:einvoice-of-a-test:intermediate"))


def take(seconds: float) -> None:
    NOW[0] += seconds


# With arguments of their own.
TASKS: Any = {"1": succeed, "2": fail, "3": tell_what_is_kept, "4": take}
LANE = Lane("of-a-test", TASKS, batch=1, leases=1, timeout=60)
WHERE: list[str] = []
KEPT: list[int] = []
NOW = [0.0]


@pytest.fixture
def redis(redis_url: str) -> Iterator[Redis]:
    WHERE[:] = [redis_url]
    with connect(redis_url) as connection:
        connection.flushall()
        yield connection
        connection.flushall()


def worked(redis: Redis, function: str, *args: object) -> Queue:
    """The queue after a worker has done one job."""
    of_jobs = queue(LANE, redis)
    of_jobs.enqueue_call(
        f"tests.jobs.test_worker.{function}", args=args, job_id="one", timeout=60, result_ttl=0
    )
    worker = LaneWorker(LANE, redis)
    worker.work(burst=True, logging_level="CRITICAL")
    return of_jobs


@pytest.mark.usefixtures("handlers")
def test_a_successful_job_leaves_no_keys(redis: Redis) -> None:
    worked(redis, "succeed", [], "word")

    assert redis.keys("rq:*job*") == [] == redis.keys("rq:*execution*")
    assert redis.llen("rq:queue:einvoice-of-a-test:intermediate") == 0


@pytest.mark.usefixtures("handlers")
@each_row(("max_bytes", "left"), [(None, 0), (1 << 50, 0), (1 << 20, 1)])
def test_a_worker_that_holds_too_much_ends_between_two_jobs(max_bytes, left, redis):
    """It finishes the job it has; the next one stays in the queue for the worker after it."""
    redis.flushall()
    jobs = queue(LANE, redis)
    for name in ("one", "two"):
        jobs.enqueue_call(
            "tests.jobs.test_worker.succeed", args=([], "word"), job_id=name, timeout=60
        )
    LaneWorker(LANE, redis, max_bytes=max_bytes).work(burst=True, logging_level="CRITICAL")

    assert jobs.job_ids == ["two"][:left]
    assert not redis.exists("rq:job:one")


@pytest.mark.usefixtures("handlers", "redis")
def test_a_worker_outlives_a_redis_that_answers_too_late(app, redis_url, monkeypatch):
    """RQ ends its loop then, as if the worker had been told to; the parent would end with it."""
    tries = []

    def late(self, *_):
        tries.append(self)
        if len(tries) < 3:
            raise redis_faults.TimeoutError("Timeout reading from socket")
        self.request_stop(signal.SIGTERM, None)

    monkeypatch.setattr(worker, "REDIS_RETRY_SECONDS", 0.0)
    monkeypatch.setattr(LaneWorker, "dequeue_job_and_maintain_ttl", late)
    worker.run(app, "bulk", redis_url)

    assert len(tries) == 3


@pytest.mark.usefixtures("handlers")
def test_a_worker_asks_again_soon_after_a_long_outage(redis, monkeypatch):
    """What waits is delivered seconds after Redis is back, however long it was away."""
    pauses: list[float] = []
    answers = iter([redis_faults.ConnectionError("Connection refused")] * 8)

    def away(*_, **__):
        raise next(answers, DequeueTimeout("nothing is queued", ""))

    monkeypatch.setattr(Queue, "dequeue_any", away)
    monkeypatch.setattr("rq.worker.base.time.sleep", pauses.append)
    LaneWorker(LANE, redis).dequeue_job_and_maintain_ttl(1, max_idle_time=0)

    assert len(pauses) == 8
    assert max(pauses) <= 5.0


@pytest.mark.usefixtures("handlers")
@each_row(("seconds", "logged"), [(30.0, []), (31.0, [("take", 31.0)])])
def test_a_job_that_takes_long_is_logged(seconds, logged, redis, monkeypatch):
    """By its function, since nothing else says what a worker was busy with."""
    events = CapturingLogger()
    monkeypatch.setattr(worker, "log", events)
    monkeypatch.setattr(worker.clock, "monotonic", lambda: NOW[0])
    worked(redis, "take", seconds)
    said = [each.kwargs for each in events.calls if each.args == ("job took long",)]

    assert [(one["function"].rpartition(".")[2], one["seconds"]) for one in said] == logged


@pytest.mark.usefixtures("handlers")
def test_a_failed_job_is_kept_with_its_exception(redis: Redis) -> None:
    """For `rq info`."""
    of_jobs = worked(redis, "fail")

    assert FailedJobRegistry(queue=of_jobs).get_job_ids() == ["one"]
    job = Job.fetch("one", connection=redis, serializer=JSONSerializer)
    result = job.latest_result()
    assert result is not None
    assert "of no use" in result.exc_string


@pytest.mark.usefixtures("handlers")
def test_the_job_of_a_dead_worker_expires(redis: Redis) -> None:
    """It is in no queue and no registry that RQ would clean up."""
    KEPT.clear()
    worked(redis, "tell_what_is_kept")

    assert 60 < KEPT[0] <= 120
    assert KEPT[1] == 0


@pytest.mark.usefixtures("handlers")
def test_a_job_costs_few_commands(redis: Redis) -> None:
    """RQ's own implementation needs about sixty."""
    of_jobs = queue(LANE, redis)
    for number in range(20):
        of_jobs.enqueue_call(
            "tests.jobs.test_worker.succeed", args=[[], "word"], job_id=f"n-{number}", result_ttl=0
        )
    worker = LaneWorker(LANE, redis)
    redis.config_resetstat()
    worker.work(burst=True, logging_level="CRITICAL")
    counted = redis.info("commandstats").values()

    assert sum(one["calls"] for one in counted) < 20 * 25


# What a job says instead of the name of a task, as JSON: [function, instance, args, kwargs]
FOREIGN = [
    b'["os.system", null, ["touch %s"], {}]',
    b'["subprocess.check_call", null, [["touch", "%s"]], {}]',
    b'["tests.jobs.test_worker.foreign", null, ["%s"], {}]',
    b'["succeed", "pathlib.Path", ["%s"], {}]',
    b'[["os.system"], null, ["touch %s"], {}]',
    b"not JSON %s",
    b'["os.system"]%.0s',
]


def foreign(path: str, *_: object) -> None:
    Path(path).touch()


def failed(_: object, connection: Redis, *__: object) -> None:
    connection.set("called back", 1)


@pytest.mark.usefixtures("handlers")
def test_a_job_with_a_function_that_is_no_task_is_refused(redis: Redis, tmp_path: Path) -> None:
    """Who can write to Redis could run any code with the secrets of the worker. Others go on."""
    of_jobs, mark = queue(LANE, redis), tmp_path / "mark"
    for number, data in enumerate(FOREIGN):
        job = of_jobs.enqueue_call("os.getpid", job_id=f"foreign-{number}")
        redis.hset(job.key, "data", data % str(mark).encode())
    of_jobs.enqueue_call("tests.jobs.test_worker.succeed", args=[[], "word"], result_ttl=0)
    with logs.captured(worker) as log:
        LaneWorker(LANE, redis).work(burst=True, logging_level="CRITICAL")

    assert not mark.exists()
    assert of_jobs.count == 0 == redis.llen(of_jobs.intermediate_queue_key)
    assert redis.keys("rq:job:*") == []
    assert [line["event"] for line in log] == [
        "job refused: its function is no task of the lane"
    ] * len(FOREIGN)
    assert log[0]["function"] == "os.system"


@pytest.mark.usefixtures("handlers")
def test_a_job_calls_nothing_but_its_task(redis: Redis) -> None:
    """Neither callbacks nor retries, which a job in Redis may name as well."""
    of_jobs = queue(LANE, redis)
    of_jobs.enqueue_call(
        "tests.jobs.test_worker.fail",
        on_failure=Callback("tests.jobs.test_worker.failed"),
        retry=Retry(max=1000),
    )
    LaneWorker(LANE, redis).work(burst=True, logging_level="CRITICAL")

    assert not redis.exists("called back")
    assert FailedJobRegistry(queue=of_jobs).count == 1
