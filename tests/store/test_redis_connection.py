"""Redis commands: each gets its own reply or RedisUnavailable, within the time limits."""

from __future__ import annotations

import threading
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.store.core import redis_connection
from einvoice.store.core.redis_connection import (
    Breaker,
    RedisConnection,
    RedisUnavailable,
    ResponseError,
)
from tests.waiting import until


@pytest.fixture
def nowhere() -> str:
    """The name of an empty list: BLPOP on it blocks until an element is added."""
    return uuid.uuid4().hex


@pytest.fixture
def connection(redis_url):
    connection = RedisConnection(redis_url)
    yield connection
    connection.close()


def test_many_threads_get_their_own_answers(connection):
    words = [f"word {number}".encode() for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda word: connection.command("ECHO", word), words))

    assert answers == words


def test_a_refused_command_leaves_the_connection_usable(connection):
    with pytest.raises(ResponseError):
        connection.command("NO-SUCH-COMMAND")

    assert connection.command("ECHO", "still here") == b"still here"


def test_a_request_is_delayed_by_sixty_milliseconds_at_most():
    """Waiting for a connection and for a reply; then the request goes on without Redis."""
    assert redis_connection.CONNECT_WAIT_SECONDS + redis_connection.ANSWER_TIMEOUT_SECONDS <= 0.06


@pytest.fixture
def impatient(redis_url, monkeypatch):
    """A connection with a short time-out, which is not tried again by itself."""
    monkeypatch.setattr(redis_connection, "ANSWER_TIMEOUT_SECONDS", 0.2)
    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 0.0)
    connection = RedisConnection(redis_url)
    until_answered(connection, b"warm")
    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 3600.0)
    yield connection
    connection.close()


def until_answered(connection, word):
    """Ask again where a busy machine has taken longer than the time-out."""
    until(lambda: connection.command("ECHO", word) == word, ignored=(RedisUnavailable,))


def test_a_late_reply_is_discarded(impatient, nowhere, redis_url, monkeypatch):
    """After a time-out the connection is closed, together with a reply that arrives on it later."""
    with pytest.raises(RedisUnavailable):
        impatient.command("BLPOP", nowhere, 0)
    with Redis.from_url(redis_url) as admin:
        admin.rpush(nowhere, "late")

    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 0.0)
    until_answered(impatient, b"mine")


def test_no_command_is_sent_after_a_failure(impatient, nowhere, redis_url):
    """Which so many late answers in a row are. Checked by the command statistics of Redis."""

    def asked() -> int:
        with Redis.from_url(redis_url) as admin:
            return admin.info("commandstats").get("cmdstat_echo", {}).get("calls", 0)

    for _ in range(redis_connection.MAX_LATE_ANSWERS):
        with pytest.raises(RedisUnavailable, match="late"):
            impatient.command("BLPOP", nowhere, 0)
    before = asked()
    with pytest.raises(RedisUnavailable):
        impatient.command("ECHO", "too early")

    assert asked() == before


def test_a_late_answer_is_the_fault_of_one_request(impatient, nowhere):
    """Others ask Redis, which is not tried again by itself here: so limits hold on a busy machine,
    however many are late in all."""
    for _ in range(2):
        for _ in range(redis_connection.MAX_LATE_ANSWERS - 1):
            with pytest.raises(RedisUnavailable, match="late"):
                impatient.command("BLPOP", nowhere, 0)
        assert impatient.command("ECHO", "in time") == b"in time"


@pytest.mark.parametrize(("password", "answers"), [("right", True), ("wrong", False)])
def test_password_and_database_of_the_url_are_used(tmp_path, monkeypatch, password, answers):
    monkeypatch.setattr(redis_connection, "CONNECT_WAIT_SECONDS", 60.0)
    monkeypatch.setattr(redis_connection, "ANSWER_TIMEOUT_SECONDS", 60.0)
    children = Children()
    try:
        url = start_redis(children, tmp_path)
        with Redis.from_url(url) as admin:
            admin.config_set("requirepass", "right")
            connection = RedisConnection(url.replace("unix://", f"unix://:{password}@") + "?db=3")
            if answers:
                connection.command("SET", "here", "yes")
                assert admin.execute_command("SELECT", 3)
                assert admin.execute_command("GET", "here") == b"yes"
            else:
                with pytest.raises(RedisUnavailable):
                    connection.command("PING")
            connection.close()
    finally:
        children.stop()


def test_one_attempt_runs_at_a_time_and_is_not_waited_for_twice(monkeypatch):
    """An attempt may hang in the resolution of a name: requests go on without Redis meanwhile."""
    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 0.0)
    begun, hangs = [], threading.Event()
    breaker = Breaker(lambda: begun.append(1) or hangs.wait(60))
    waited = [breaker.is_closed() for _ in range(50)]
    hangs.set()
    until(breaker.is_closed)

    assert not any(waited)
    assert len(begun) == 1


def test_connections_that_redis_has_closed_are_opened_again(connection, redis_url):
    """As after its restart: no command fails."""
    assert connection.command("ECHO", "warm") == b"warm"
    with Redis.from_url(redis_url) as admin:
        admin.client_kill_filter(_type="normal", skipme=True)

    assert connection.command("ECHO", "again") == b"again"
