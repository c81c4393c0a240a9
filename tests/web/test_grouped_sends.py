"""Sends of concurrent requests are answered in groups, each as if it had been alone."""

from __future__ import annotations

import inspect
import json
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from typing import Any

import pytest
from flask import Flask

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.observability import metrics
from einvoice.services import grouping, rate_limits
from einvoice.services.send import send
from einvoice.store.core import redis_connection
from einvoice.store.core.redis_connection import RedisUnavailable
from einvoice.store.core.resources import resources_of
from einvoice.store.sending import acceptance
from einvoice.web.admission import slots
from einvoice.web.admission.callers import credential_of, remember
from einvoice.web.admission.turns import RESERVED_TURNS
from einvoice.web.serving.grouped_sends import PATHS, GroupedSends
from einvoice.web.serving.intake import Intake
from tests.web.caller import ASYNC, Caller

TURNS = 40
SEND = "/api/invoices/send"
LIMIT = 12  # sends a minute


class Headers(dict[str, str]):
    """The headers of a request as granian has them."""

    def get_all(self, name: str) -> list[str]:
        return [self[name]] if name in self else []


class Asked:
    """A request as granian hands it over, whose body has arrived; then its response."""

    query_string, http_version, method, scheme = "", "1.1", "POST", "http"
    server, authority = "127.0.0.1:8000", None

    def __init__(self, body: bytes, headers: dict[str, str], path: str = SEND) -> None:
        self.headers = Headers(headers | ({"content-length": str(len(body))} if body else {}))
        self.body, self.path, self.client = body, path, "10.0.0.1:4711"
        self.scope = self.proto = self
        self.status: int | None = None
        self.fault: BaseException | None = None

    def __call__(self) -> Asked:
        return self

    def add_done_callback(self, then: Callable[[Asked], None]) -> None:
        then(self)

    def cancelled(self) -> bool:
        return False

    def result(self) -> bytes:
        return self.body

    def response_bytes(self, status: int, headers: list[tuple[str, str]], body: bytes) -> None:
        assert self.status is None, "answered twice"
        self.status, self.answer = status, json.loads(body)
        self.named = {name.lower(): value for name, value in headers}

    def err(self, fault: BaseException) -> None:
        self.fault = fault

    @property
    def slug(self) -> str:
        return str(self.answer["type"].rpartition("/")[2])

    @property
    def remaining(self) -> int:
        return int(self.named["x-ratelimit-remaining"])


class Client(Caller):
    """A tenant whose requests come to an intake."""

    def __init__(self, app: Flask, *, group: bool = True) -> None:
        super().__init__(app, Environment.TEST)
        remember(credential_of(self.key, ""), self.tenant)
        self.intake = Intake(app, TURNS, group=group)
        self.given = self.body()

    def asking(self, data: bytes | None = None, path: str = SEND, **headers: str | None) -> Asked:
        """A send that is accepted, unless the arguments change it; None leaves a header out."""
        self.given["invoice"]["number"] = uuid.uuid4().hex[:12]
        named = {"host": "localhost", "x-api-key": self.key, "prefer": ASYNC}
        named |= {"content-type": "application/json"}
        wanted = named | {name.replace("_", "-"): value for name, value in headers.items()}
        wanted = {name: v and v.replace("{key}", self.key) for name, v in wanted.items()}
        raw = json.dumps(self.given).encode() if data is None else data
        return Asked(raw, {name: v for name, v in wanted.items() if v is not None}, path)

    def ask(self, *asked: Asked) -> tuple[Asked, ...]:
        """Ask one after the other, or in one group if sends are grouped."""
        sends = self.intake.sends
        with sends._at_work if sends else nullcontext():
            for one in asked[:-1]:
                self.intake.begin(one)
        self.intake.begin(asked[-1])
        assert [one.fault for one in asked] == [None] * len(asked)
        return asked

    @property
    def free_turns(self) -> int:
        return self.intake.turns.limit.in_all - self.intake.turns.used


@pytest.fixture(scope="module")
def service(build, redis_server) -> Iterator[Flask]:
    """No request passes uncounted because the machine is busy."""
    with pytest.MonkeyPatch.context() as patched:
        for name in ("ANSWER_TIMEOUT_SECONDS", "CONNECT_WAIT_SECONDS"):
            patched.setattr(redis_connection, name, 10.0)
        app = build(redis_url=redis_server, limit_post=LIMIT)
        with closing(resources_of(app)):
            yield app


@pytest.fixture(autouse=True)
def _own_counts(own_budgets) -> None:
    """Counts of earlier runs are not those of this one."""


@pytest.fixture
def client(service: Flask) -> Client:
    return Client(service)


VARYING = {"x-request-id", "x-ratelimit-reset"}
MIXED: dict[str, dict[str, Any]] = {
    "accepted": {},
    "with a key": {"idempotency_key": "k-1"},
    "the key again": {"idempotency_key": "k-1"},
    "with a request id": {"x_request_id": "mine"},
    "not JSON": {"data": b"{"},
    "without a body": {"data": b""},
    "without an invoice": {"data": b"{}"},
    "XML": {"content_type": "application/xml"},
    "with an invalid Idempotency-Key": {"idempotency_key": "a" * 129},
    "without an API key": {"x_api_key": None},
    "with an unknown API key": {"x_api_key": "einv_test_" + "0" * 40},
    "with a malformed API key": {"x_api_key": "none"},
    "with a Bearer key": {"x_api_key": None, "authorization": "Bearer {key}"},
    "with an unknown Bearer token": {"x_api_key": None, "authorization": "Bearer a.b.c"},
    "with a simulated problem": {"sandbox_problem": "overloaded"},
    "for another media type": {"accept": "text/csv"},
    "at another address": {"path": "/v2/invoices/send"},
    "above the limit": {},
    "above the limit with an invalid body": {"data": b"{"},
}


def plain(one: Asked) -> tuple[object, ...]:
    """The response without ids and times."""
    headers = {name: value for name, value in one.named.items() if name not in VARYING}
    text = json.dumps(one.answer, sort_keys=True)
    return one.status, headers, re.sub(r"[0-9a-f]{8}-?[0-9a-f-]{24,27}", "…", text)


def test_a_group_has_the_responses_of_its_requests_alone(service):
    """Status, headers and body are equal, with problems, replays and what is left of the limit."""
    group, alone = Client(service), Client(service, group=False)

    together = group.ask(*(group.asking(**given) for given in MIXED.values()))
    separate = alone.ask(*(alone.asking(**given) for given in MIXED.values()))

    for name, ours, theirs in zip(MIXED, together, separate, strict=True):
        assert plain(ours) == plain(theirs), name
    assert {one.status for one in together} == {200, 400, 401, 406, 415, 429, 503}
    assert group.count() == alone.count()
    assert group.free_turns == alone.free_turns == TURNS


def test_a_group_is_counted_in_redis_with_one_round_trip(client, service, monkeypatch):
    """Each of its requests is counted, in order."""
    client.ask(client.asking())  # what is cached is cached
    redis = resources_of(service).redis
    trips = []
    commands = redis.commands
    monkeypatch.setattr(
        redis, "commands", lambda given: trips.append(len(given)) or commands(given)
    )

    asked = client.ask(*(client.asking() for _ in range(5)))

    assert trips == [5]
    assert [one.remaining for one in asked] == [LIMIT - 2 - n for n in range(5)]


def test_a_group_above_the_limit_is_refused_from_there_on(client):
    asked = client.ask(*(client.asking() for _ in range(LIMIT + 3)))

    assert [one.status for one in asked] == [200] * LIMIT + [429] * 3
    assert {one.slug for one in asked[LIMIT:]} == {"rate-limit-exceeded"}
    assert client.count() == LIMIT


def test_the_requests_of_a_group_count_for_their_own_keys(client, service):
    other = Client(service)
    other.intake = client.intake

    first, second, third = client.ask(client.asking(), other.asking(), client.asking())

    assert (first.remaining, second.remaining, third.remaining) == (LIMIT - 1, LIMIT - 1, LIMIT - 2)


def test_a_group_passes_uncounted_without_redis(client, service, monkeypatch):
    monkeypatch.setattr(resources_of(service).redis, "commands", _unavailable)

    asked = client.ask(client.asking(), client.asking())

    assert [one.status for one in asked] == [200, 200]
    assert [one.remaining for one in asked] == [LIMIT, LIMIT]


def _unavailable(_: object) -> None:
    raise RedisUnavailable("Redis does not answer")


def test_a_group_takes_the_scripts_that_redis_has_lost(client, service):
    resources_of(service).redis.command("SCRIPT", "FLUSH")

    asked = client.ask(client.asking(), client.asking())

    assert [one.remaining for one in asked] == [LIMIT - 1, LIMIT - 2]


def test_a_group_is_stored_with_one_call(client, monkeypatch):
    groups = []
    accept = acceptance.accept_together
    monkeypatch.setattr(
        acceptance, "accept_together", lambda new: groups.append(len(new)) or accept(new)
    )

    client.ask(client.asking(), client.asking(data=b"{"), client.asking())

    assert groups == [2]


def test_a_group_that_fails_answers_each_request_with_a_problem(client, monkeypatch):
    """The next group is answered as usual, and all turns are free."""
    with monkeypatch.context() as broken:
        broken.setattr(acceptance, "accept_together", lambda _: 1 / 0)
        asked = client.ask(client.asking(), client.asking(), client.asking(data=b"{"))

    assert [(one.status, one.slug) for one in asked] == [
        (500, "internal-error"), (500, "internal-error"), (400, "invalid-body"),
    ]  # fmt: skip
    assert client.ask(client.asking())[0].status == 200
    assert client.free_turns == TURNS


def test_a_group_that_cannot_be_counted_answers_each_request_with_a_problem(client, monkeypatch):
    monkeypatch.setattr(rate_limits, "hits", lambda _: 1 / 0)

    asked = client.ask(client.asking(), client.asking())

    assert [(one.status, one.slug) for one in asked] == [(500, "internal-error")] * 2
    assert client.free_turns == TURNS


def test_a_request_that_flask_does_not_take_fails_by_itself(client, service, monkeypatch):
    made = service.request_context
    broken = "broken.example"

    def _make(environ):
        return 1 / 0 if environ["HTTP_HOST"] == broken else made(environ)

    monkeypatch.setattr(service, "request_context", _make)
    bad, good = client.asking(host=broken), client.asking()
    with client.intake.sends._at_work:
        client.intake.begin(bad)
    client.ask(good)

    assert isinstance(bad.fault, ZeroDivisionError)
    assert good.status == 200
    assert client.free_turns == TURNS


def test_a_group_is_answered_when_one_client_is_gone(client):
    gone, others = client.asking(), [client.asking(), client.asking()]
    gone.response_bytes = _closed  # type: ignore[method-assign]

    sends = client.intake.sends
    with sends._at_work:
        client.intake.begin(gone)
        client.intake.begin(others[0])
    client.intake.begin(others[1])

    assert isinstance(gone.fault, ConnectionResetError)
    assert [one.status for one in others] == [200, 200]
    assert client.free_turns == TURNS


def _closed(*_: object) -> None:
    raise ConnectionResetError("the client is gone")


def test_requests_that_wait_for_a_turn_are_run_after_a_group(service, monkeypatch):
    """A send is in the next group; a request of another kind has a thread, as always."""
    client = Client(service)
    client.intake = Intake(service, RESERVED_TURNS + 2)  # two for one caller
    began, gate, answered = threading.Event(), threading.Event(), threading.Event()
    store = send.WORK.store
    held = send.WORK._replace(store=lambda new: (began.set(), gate.wait(10), store(new)))
    monkeypatch.setattr(send, "WORK", held)
    first, second, third = (client.asking() for _ in range(3))
    other = client.asking(data=b"{}", path="/api/nothing")
    other.response_bytes = lambda status, *_: (setattr(other, "status", status), answered.set())

    at_work = threading.Thread(target=client.intake.begin, args=(first,))
    at_work.start()
    assert began.wait(10)
    for one in (second, other, third):
        client.intake.begin(one)
    gate.set()
    at_work.join(10)

    assert answered.wait(10)
    assert [one.status for one in (first, second, third, other)] == [200, 200, 200, 404]


def test_after_a_group_of_several_the_thread_waits_for_as_many(client, monkeypatch):
    """A request alone waits for nothing, nor does a group behind which as many are."""
    sends, waits = client.intake.sends, []
    monkeypatch.setattr(sends._enough, "wait", waits.append)

    client.ask(client.asking())
    assert waits == []
    client.ask(client.asking(), client.asking())
    assert waits == [grouping.GATHER_SECONDS]
    sends._queue.extend([None, None])
    sends._gather(2)
    assert waits == [grouping.GATHER_SECONDS]
    sends._queue.clear()


def test_the_last_request_that_is_waited_for_ends_the_wait(client):
    sends = client.intake.sends
    with sends._at_work:
        sends._gather(2)
        client.intake.begin(client.asking())
        assert not sends._enough.is_set()
        client.intake.begin(client.asking())
        assert sends._enough.is_set()
    client.ask(client.asking())


def test_the_time_of_a_request_includes_its_wait_for_a_group(client, monkeypatch):
    times = []
    monkeypatch.setattr(metrics, "request_answered", lambda *given: times.append(given[-1]))
    now = clock.monotonic()
    first, second = client.asking(), client.asking()
    with client.intake.sends._at_work:
        monkeypatch.setattr(clock, "monotonic", lambda: now)
        client.intake.begin(first)
    monkeypatch.setattr(clock, "monotonic", lambda: now + 3)
    client.ask(second)

    assert times == [3, 0]


def test_requests_behind_a_group_that_hangs_are_refused_after_ten_seconds(client, monkeypatch):
    """Others have their turns then; a moment before, they still wait."""
    now = clock.monotonic()
    first, second = client.asking(), client.asking()
    with client.intake.sends._at_work:
        monkeypatch.setattr(clock, "monotonic", lambda: now)
        client.intake.begin(first)
        monkeypatch.setattr(clock, "monotonic", lambda: now + 1)
        client.intake.begin(second)
        for passed, expected in ((10.0, 0), (10.1, 1), (11.0, 0), (11.1, 1)):
            monkeypatch.setattr(clock, "monotonic", lambda seconds=passed: now + seconds)
            expired = client.intake.sends.expired()
            assert len(expired) == expected, passed
            for send_ in expired:
                send_.refuse()

    assert [(one.status, one.slug) for one in (first, second)] == [(503, "overloaded")] * 2
    assert client.free_turns == TURNS


@pytest.mark.parametrize(
    ("changed", "taken"),
    [
        ({}, True),
        ({"headers": {"prefer": "wait=0"}}, True),
        ({"headers": {"prefer": "wait=1"}}, False),
        ({"headers": {"prefer": "wait=1, respond-async"}}, False),
        ({"headers": {"prefer": "respond-async, wait=1"}}, True),
        ({"headers": {}}, True),  # this service waits only if it is asked to
        ({"headers": {"content-encoding": "gzip"}}, False),
        ({"method": "GET"}, False),
        ({"path": "/api/invoices/validate"}, False),
        ({"path": "/api/invoices/send/"}, False),
        ({"length": send.MAX_GROUPED_BYTES}, True),
        ({"length": send.MAX_GROUPED_BYTES + 1}, False),
    ],
)
def test_short_sends_that_do_not_wait_are_grouped(service, changed, taken):
    headers = {"prefer": ASYNC}
    given = {"method": "POST", "path": SEND, "headers": headers, "length": 10} | changed

    assert GroupedSends(service).takes(**given) is taken


def test_the_grouped_addresses_are_those_of_the_view_that_sends(service):
    """All of them: another view would be run as this one."""
    views = {name: inspect.unwrap(view) for name, view in service.view_functions.items()}
    wanted = views["public.send_invoice"]
    rules = service.url_map.iter_rules()

    found = {rule.rule for rule in rules if views[rule.endpoint] is wanted}
    assert found == PATHS


def test_a_group_computes_with_all_slots_and_answers_without(client, monkeypatch):
    """What is left of a request after it is stored is short."""
    seen = []
    compute, store = send.WORK
    noting = send.WORK._replace(
        compute=lambda drafts: (seen.append(slots._slots.used), compute(drafts)),
        store=lambda drafts: (seen.append(slots._slots.used), store(drafts)),
    )
    monkeypatch.setattr(send, "WORK", noting)

    client.ask(client.asking(), client.asking())

    assert seen == [slots.MAX_COMPUTING, 0]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        (True, ["serving/intake", "serving/grouped_sends", "public/views"]),
        (False, ["serving/intake", "serving/wsgi_call", "compression", "networks/hosts",
                 "application", "public/views"]),
    ],
)  # fmt: skip
def test_few_modules_are_between_a_request_and_the_service_of_sends(
    service, monkeypatch, group, expected
):
    """The web's own modules on the way of a call, without the hooks, which have returned."""
    found: list[str] = []
    draft_of = send.draft_of

    def noting(*given: Any) -> Any:
        called = [frame.filename.rpartition("/einvoice/web/") for frame in inspect.stack(0)]
        found[:] = dict.fromkeys(path[:-3] for _, web, path in reversed(called) if web)
        return draft_of(*given)

    monkeypatch.setattr(send, "draft_of", noting)
    client = Client(service, group=group)
    client.ask(client.asking())

    assert found == expected
