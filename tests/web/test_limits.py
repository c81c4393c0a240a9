"""Rate limits (decisions 0.6): budgets, headers, policies, revocation."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from redis import Redis

from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services.account import authentication, closure, credentials, tenants
from einvoice.services.caches import Caches
from einvoice.store.core import budgets
from einvoice.store.core.resources import resources_of
from einvoice.web.runtime import runtime_of

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)

INVOICE = "/api/invoices/0c1f7a52-6f0e-4a6e-9f0f-000000000000"  # unknown
LOOKUP = "/api/participants/lookup"
SEND = "/api/invoices/send"


class Caller:
    """Requests with a key of a tenant."""

    def __init__(self, app, redis_url, **policy) -> None:
        self.client = app.test_client()
        self.tenant = tenants.create("Acme")
        made = credentials.create(API_KEY, self.tenant, "tests", Environment.TEST, **policy)
        self.key_id, self.headers = made.record.id, {"x-api-key": made.secret}
        self.redis = Redis.from_url(redis_url)

    def call(self, path=LOOKUP, method="GET"):
        return self.client.open(path, method=method, headers=self.headers)

    def let_pass(self, seconds, verb="get"):
        """Make the requests of the window older."""
        name = f"einvoice:key:{{{self.key_id}}}:{verb}"
        times = [int(at) - seconds * 1000 for at in self.redis.lrange(name, 0, -1)]
        self.redis.delete(name)
        self.redis.rpush(name, *times)


@pytest.fixture
def app(make_app, redis_url):
    app = make_app(redis_url=redis_url, limit_get=3, limit_post=2)
    with app.app_context():
        yield app
        resources_of(app).close()


@pytest.fixture
def caller(app, redis_url):
    caller = Caller(app, redis_url)
    with caller.redis:
        yield caller


def budget_of(answer):
    names = ("Limit", "Remaining", "Reset")
    return tuple(int(answer.headers[f"X-RateLimit-{name}"]) for name in names)


def test_the_documented_budget_is_60_get_and_20_post_requests_a_minute(make_app, redis_url):
    """The 60th GET passes, the 61st does not; the 20th POST, the 21st."""
    app = make_app(redis_url=redis_url)
    with app.app_context():
        caller = Caller(app, redis_url)
        gets = [caller.call().status_code for _ in range(61)]
        posts = [caller.call(SEND, "POST").status_code for _ in range(21)]

    assert gets == [400] * 60 + [429]
    assert posts == [400] * 20 + [429]


def test_every_answer_states_limit_remaining_and_reset(caller):
    before = int(time.time())
    limit, remaining, reset = budget_of(caller.call())

    assert (limit, remaining) == (3, 2)
    assert before + 60 <= reset <= time.time() + 61


def test_reset_is_when_the_oldest_request_ages_out_not_the_newest(caller):
    before = time.time()
    caller.call()
    caller.let_pass(50)
    _, remaining, reset = budget_of(caller.call())

    assert remaining == 1
    assert before + 9 < reset < time.time() + 12


def test_the_window_is_sliding(caller):
    """With three used, one of them a minute old, exactly one more passes."""
    caller.call()
    caller.let_pass(40)
    caller.call()
    caller.call()

    assert caller.call().status_code == 429
    caller.let_pass(20)
    assert [caller.call().status_code for _ in range(2)] == [400, 429]


def test_refused_requests_are_not_counted(caller):
    """A caller that keeps trying passes as early as one that waits."""
    for _ in range(8):
        caller.call()
    caller.let_pass(60)

    assert budget_of(caller.call())[1] == 2


def test_retry_after_and_reset_of_a_refusal_agree(caller):
    """429 is a problem; Retry-After counts from now to X-RateLimit-Reset."""
    for _ in range(3):
        caller.call()
    caller.let_pass(20)
    before, refused, after = time.time(), caller.call(), time.time()

    assert (refused.status_code, refused.content_type) == (429, "application/problem+json")
    assert refused.json["type"].endswith("/rate-limit-exceeded")
    assert budget_of(refused)[:2] == (3, 0)
    moment = budget_of(refused)[2] - int(refused.headers["Retry-After"])
    assert before - 1 < moment < after + 1
    assert refused.headers["Retry-After"] in refused.json["detail"]


def test_retry_after_is_at_most_the_window(caller):
    """Also if the whole limit was used at once."""
    refused = [caller.call() for _ in range(4)][-1]

    assert 30 <= int(refused.headers["Retry-After"]) <= 60


def test_a_request_after_retry_after_passes(caller):
    """Rounded up, never down: the millisecond before would be refused again."""
    refused = [caller.call() for _ in range(4)][-1]
    caller.let_pass(int(refused.headers["Retry-After"]))

    assert caller.call().status_code == 400


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS"])
def test_reading_methods_count_as_get(caller, method):
    caller.call(method=method)

    assert budget_of(caller.call())[:2] == (3, 1)


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE"])
def test_other_methods_count_as_post(caller, method):
    assert budget_of(caller.call(SEND, method))[:2] == (2, 1)
    assert budget_of(caller.call())[:2] == (3, 2)


@pytest.mark.parametrize(
    ("path", "method", "status"),
    [
        (LOOKUP, "GET", 400),
        (INVOICE, "GET", 404),
        ("/api/nothing-here", "GET", 404),
        (SEND, "GET", 405),
        (LOOKUP, "POST", 405),
        (SEND, "POST", 400),
        ("/api/unknown-route", "DELETE", 404),
    ],
)
def test_errors_with_a_known_key_state_its_limit(caller, path, method, status):
    """Decisions 0.6: the headers are on every answer, and every answer was counted."""
    answer = caller.call(path, method)

    limit, remaining, _ = budget_of(answer)
    assert (answer.status_code, limit - remaining) == (status, 1)


def test_a_key_used_from_a_wrong_address_is_counted(app, redis_url):
    caller = Caller(app, redis_url, allowed_ips=["192.0.2.1"])

    assert (caller.call().status_code, budget_of(caller.call())[1]) == (403, 1)


@pytest.mark.parametrize("key", ["", "nonsense", "sk_test_" + "a" * 49])
def test_without_a_known_key_no_limit_is_stated(app, key):
    answer = app.test_client().get(LOOKUP, headers={"x-api-key": key})

    assert answer.status_code == 401
    assert not [name for name, _ in answer.headers if name.startswith("X-RateLimit")]


@pytest.mark.parametrize("path", ["/healthz", "/readyz", "/openapi.json"])
def test_requests_to_public_routes_are_not_counted(caller, path):
    assert "X-RateLimit-Limit" not in caller.call(path).headers
    assert budget_of(caller.call())[1] == 2


def test_budgets_of_two_keys_are_two(caller, app, redis_url):
    for _ in range(4):
        caller.call()

    assert Caller(app, redis_url).call().status_code == 400


def test_an_operator_s_limit_of_a_key_applies_at_once(caller):
    """`einvoice keys limit`: raised, lowered below what is used, and back to the default."""
    caller.call()
    caller.call()
    credentials.limit(API_KEY, caller.tenant, caller.key_id, 5, 1)
    caller.call()
    assert budget_of(caller.call())[:2] == (5, 1)
    assert budget_of(caller.call(SEND, "POST"))[:2] == (1, 0)

    credentials.limit(API_KEY, caller.tenant, caller.key_id, 1, None)
    caller.call()
    assert budget_of(caller.call())[:2] == (1, 0)
    credentials.limit(API_KEY, caller.tenant, caller.key_id, None, None)
    caller.call()
    assert budget_of(caller.call())[0] == 3


def test_reset_of_a_lowered_limit_is_when_a_request_passes(caller):
    """Not when the oldest request expires, because the limit would still be used up."""
    caller.call()
    caller.let_pass(50)
    caller.call()
    credentials.limit(API_KEY, caller.tenant, caller.key_id, 1, None)
    caller.call()

    assert int(caller.call().headers["Retry-After"]) > 30


def test_concurrent_requests_do_not_exceed_the_limit(caller, app):
    """Counting and refusing are one step in Redis."""

    def call(_):
        return app.test_client().get(LOOKUP, headers=caller.headers).status_code

    credentials.limit(API_KEY, caller.tenant, caller.key_id, 10, None)
    runtime_of(app).caches.clear()
    with ThreadPoolExecutor(12) as pool:
        answers = sorted(pool.map(call, range(30)))

    assert answers == [400] * 10 + [429] * 20


def test_a_revoked_key_stops_at_once_in_every_process(caller):
    """By the stamp in Redis, a process that has cached the key reads it again."""
    assert caller.call().status_code == 400
    credentials.revoke(API_KEY, caller.tenant, caller.key_id)
    refused = caller.call()

    assert refused.status_code == 401
    assert refused.json["type"].endswith("/invalid-api-key")
    assert "X-RateLimit-Limit" not in refused.headers


ENDS = {
    "changed": lambda key: credentials.change(
        API_KEY, key.tenant, key.key_id, {"allowed_ips": ["192.0.2.1/32"]}, None
    ),
    "rotated": lambda key: credentials.rotate(API_KEY, key.tenant, key.key_id, 0),
    "of a closed tenant": lambda key: closure.close(key.tenant, Caches()),
}


def test_whatever_ends_a_key_ends_it_at_once_in_every_process(app, redis_url):
    """Each writes a stamp; without one, a process goes on with what it has cached for a second."""
    found = {}
    for name, end in ENDS.items():
        caller = Caller(app, redis_url)
        with caller.redis:
            before = caller.call().status_code
            end(caller)
            found[name] = before, caller.call().status_code

    assert found == {"changed": (400, 403), "rotated": (400, 401), "of a closed tenant": (400, 401)}


def test_a_revoked_key_over_its_budget_is_revoked(caller):
    for _ in range(4):
        caller.call()
    credentials.revoke(API_KEY, caller.tenant, caller.key_id)

    assert caller.call().status_code == 401


def test_a_key_read_just_before_its_revocation_is_read_again(caller, monkeypatch):
    """A key that was loaded before the stamp is read again after it."""
    find = authentication.stored.find_live_key

    def _revoked_meanwhile(*args):
        record = find(*args)
        monkeypatch.setattr(authentication.stored, "find_live_key", find)
        credentials.revoke(API_KEY, caller.tenant, caller.key_id)
        return record

    monkeypatch.setattr(authentication.stored, "find_live_key", _revoked_meanwhile)

    assert caller.call().status_code == 401


def test_a_lost_script_is_loaded_again(caller):
    caller.call()
    caller.redis.script_flush()

    assert budget_of(caller.call())[1] == 1


def test_counts_expire_in_redis_after_the_minute(caller):
    caller.call()
    name = f"einvoice:key:{{{caller.key_id}}}:get"

    assert 30_000 < caller.redis.pttl(name) <= budgets.WINDOW_SECONDS * 1000
