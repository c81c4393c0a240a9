"""Redis commands: each gets its own reply or RedisUnavailable, within the time limits."""

from __future__ import annotations

import time
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.store.core import redis_connection
from einvoice.store.core.redis_connection import RedisConnection, RedisUnavailable, ResponseError


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


def test_a_late_reply_is_discarded(connection, nowhere, redis_url, monkeypatch):
    """After a time-out the connection is closed, together with a reply that arrives on it later."""
    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 3600.0)
    assert connection.command("ECHO", "warm") == b"warm"
    connection._idle[0]._sock.settimeout(0.05)
    with pytest.raises(RedisUnavailable):
        connection.command("BLPOP", nowhere, 0)
    with Redis.from_url(redis_url) as admin:
        admin.rpush(nowhere, "late")

    connection._retry_at = 0.0
    assert connection.command("ECHO", "mine") == b"mine"


def test_no_command_is_sent_while_backing_off(connection, nowhere, redis_url, monkeypatch):
    """Checked by the command statistics of Redis."""

    def asked() -> int:
        with Redis.from_url(redis_url) as admin:
            return admin.info("commandstats").get("cmdstat_echo", {}).get("calls", 0)

    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 3600.0)
    connection.command("ECHO", "warm")
    connection._idle[0]._sock.settimeout(0.05)
    with pytest.raises(RedisUnavailable):
        connection.command("BLPOP", nowhere, 0)
    before = asked()
    with pytest.raises(RedisUnavailable):
        connection.command("ECHO", "too early")

    assert asked() == before


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


def test_a_released_connection_goes_to_a_waiting_thread(connection, monkeypatch):
    """A thread can find its own connection taken by another; it need not wait until time is up."""
    assert connection.command("ECHO", "warm") == b"warm"
    only = connection._acquire()
    monkeypatch.setattr(connection, "_open", lambda: None)  # no other one is opened
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(connection.command, "ECHO", "waited")
        while not connection._waiting:
            time.sleep(0.01)
        connection._release(only)

        assert waiting.result(timeout=20) == b"waited"
