"""A line to Redis: every question gets its own answer, or Away, and never late."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.store import redis_line
from einvoice.store.redis_line import Away, Line, ResponseError


@pytest.fixture
def nowhere() -> str:
    """A list nobody knows: who asks for its first word (BLPOP) waits until one is put there."""
    return uuid.uuid4().hex


@pytest.fixture
def line(redis_url):
    line = Line(redis_url)
    yield line
    line.close()


def test_many_threads_get_their_own_answers(line):
    words = [f"word {number}".encode() for number in range(400)]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda word: line.ask("ECHO", word), words))

    assert answers == words


def test_a_refused_question_leaves_the_line_usable(line):
    with pytest.raises(ResponseError):
        line.ask("NO-SUCH-COMMAND")

    assert line.ask("ECHO", "still here") == b"still here"


def test_the_patience_is_sixty_milliseconds_at_most():
    """For a connection and for an answer; a request then goes on without Redis."""
    assert redis_line.WAIT + redis_line.ANSWER <= 0.06


def test_a_late_answer_is_given_to_nobody(line, nowhere, redis_url, monkeypatch):
    """After a time-out the connection is dropped, with whatever still comes on it."""
    monkeypatch.setattr(redis_line, "REST", 3600.0)
    assert line.ask("ECHO", "warm") == b"warm"
    line._free[0]._sock.settimeout(0.05)
    with pytest.raises(Away):
        line.ask("BLPOP", nowhere, 0)
    with Redis.from_url(redis_url) as admin:
        admin.rpush(nowhere, "late")

    line._resting_until = 0.0
    assert line.ask("ECHO", "mine") == b"mine"


def test_while_it_rests_nobody_asks(line, nowhere, redis_url, monkeypatch):
    """Redis itself says that the question never came."""

    def asked() -> int:
        with Redis.from_url(redis_url) as admin:
            return admin.info("commandstats").get("cmdstat_echo", {}).get("calls", 0)

    monkeypatch.setattr(redis_line, "REST", 3600.0)
    line.ask("ECHO", "warm")
    line._free[0]._sock.settimeout(0.05)
    with pytest.raises(Away):
        line.ask("BLPOP", nowhere, 0)
    before = asked()
    with pytest.raises(Away):
        line.ask("ECHO", "at rest")

    assert asked() == before


@pytest.mark.parametrize(("password", "answers"), [("right", True), ("wrong", False)])
def test_password_and_database_of_the_url_are_used(tmp_path, monkeypatch, password, answers):
    monkeypatch.setattr(redis_line, "WAIT", 60.0)
    monkeypatch.setattr(redis_line, "ANSWER", 60.0)
    children = Children()
    try:
        url = start_redis(children, tmp_path)
        with Redis.from_url(url) as admin:
            admin.config_set("requirepass", "right")
            line = Line(url.replace("unix://", f"unix://:{password}@") + "?db=3")
            if answers:
                line.ask("SET", "here", "yes")
                assert admin.execute_command("SELECT", 3)
                assert admin.execute_command("GET", "here") == b"yes"
            else:
                with pytest.raises(Away):
                    line.ask("PING")
            line.close()
    finally:
        children.stop()
