"""Redis away or slow: requests pass, quickly, and it is counted (decisions 0.6)."""

from __future__ import annotations

import socket
import time
from contextlib import contextmanager

import pytest
from prometheus_client import REGISTRY

from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import authentication, credentials, tenants
from einvoice.store.core import redis_connection
from einvoice.store.core.resources import resources_of
from einvoice.web import limits
from tests import logs

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

LOOKUP = "/api/participants/lookup"


@contextmanager
def silence(tmp_path):
    """A server that accepts connections and never responds."""
    path = tmp_path / "silent.sock"
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(path))
        server.listen(64)
        yield f"unix://{path}"


@contextmanager
def no_server(tmp_path):
    yield f"unix://{tmp_path / 'nothing.sock'}"


@contextmanager
def unknown_host(_):
    yield "redis://no-such-host.invalid:6379"


class Asking:
    """A key, called with a path."""

    def __init__(self, app) -> None:
        self.client, self.tenant = app.test_client(), tenants.create("Acme")
        made = credentials.create(API_KEY, self.tenant, "tests", Environment.TEST)
        self.key_id, self.headers = made.record.id, {"x-api-key": made.secret}

    def __call__(self, path=LOOKUP):
        return self.client.get(path, headers=self.headers)


@pytest.fixture(params=[silence, no_server, unknown_host])
def away(request, tmp_path):
    with request.param(tmp_path) as url:
        yield url


@pytest.fixture
def call(make_app):
    """Call with a key of an application on the Redis of the test."""
    opened = []

    def _call(redis_url):
        app = make_app(redis_url=redis_url, limit_get=3, log_level="WARNING")
        context = app.app_context()
        context.push()
        opened.append((app, context))
        return Asking(app)

    yield _call
    for app, context in opened:
        resources_of(app).close()
        context.pop()


def uncounted():
    return REGISTRY.get_sample_value("einvoice_limits_uncounted_requests_total")


def test_requests_pass_beyond_the_budget_are_counted_and_logged_once(call, away, monkeypatch):
    ask, before = call(away), uncounted()
    with logs.captured(limits) as lines:
        answers = [ask() for _ in range(6)]

    assert {answer.status_code for answer in answers} == {400}
    assert uncounted() - before == 6
    assert [line["event"] for line in lines].count("rate limits are off: redis is away") == 1


def test_the_headers_state_an_unused_limit(call, away):
    before, answer, after = time.time(), call(away)(), time.time()

    assert answer.headers["X-RateLimit-Limit"] == answer.headers["X-RateLimit-Remaining"] == "3"
    assert before + 59 <= int(answer.headers["X-RateLimit-Reset"]) <= after + 61


def test_only_the_first_request_waits_for_redis(call, away, monkeypatch):
    """The others fail at once until RETRY_AFTER_SECONDS have passed: with time-outs of three
    seconds, twenty waiting requests would take a minute."""
    monkeypatch.setattr(redis_connection, "CONNECT_WAIT_SECONDS", 3.0)
    monkeypatch.setattr(redis_connection, "ANSWER_TIMEOUT_SECONDS", 3.0)
    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 3600.0)
    ask = call(away)
    started = time.monotonic()
    for _ in range(20):
        ask()

    assert time.monotonic() - started < 55


def test_readiness_is_degraded_and_answers_quickly(call, away):
    """A Redis client with its default timeout would wait for minutes."""
    ask = call(away)
    started = time.monotonic()
    answer = ask("/readyz")

    assert (answer.status_code, answer.json["status"]) == (200, "degraded")
    assert time.monotonic() - started < 40


def test_a_revoked_key_works_for_no_more_than_a_second(call, away, monkeypatch):
    """Without stamps the cache of a process decides: one second."""
    ask = call(away)
    assert ask().status_code == 400
    credentials.revoke(API_KEY, ask.tenant, ask.key_id)
    later = authentication.clock.monotonic() + 1.01
    monkeypatch.setattr(authentication.clock, "monotonic", lambda: later)

    assert ask().status_code == 401


def test_limits_apply_again_once_redis_is_back(call, tmp_path, monkeypatch):
    """Redis ends with open connections and restarts on the same socket."""
    monkeypatch.setattr(redis_connection, "RETRY_AFTER_SECONDS", 0.1)
    monkeypatch.setattr(redis_connection, "CONNECT_WAIT_SECONDS", 20.0)
    monkeypatch.setattr(redis_connection, "ANSWER_TIMEOUT_SECONDS", 60.0)
    children = Children()
    ask = call(start_redis(children, tmp_path / "redis"))
    try:
        assert [ask().status_code for _ in range(4)] == [400, 400, 400, 429]
        children.stop()
        assert [ask().status_code for _ in range(4)] == [400] * 4
        start_redis(children, tmp_path / "redis")
        back = time.monotonic() + 120
        while ask().status_code != 429:  # a failed attempt to connect may still be resting
            assert time.monotonic() < back
    finally:
        children.stop()
