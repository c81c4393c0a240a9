"""The header `Sandbox-Problem`: a key of the sandbox provokes a 429 or 503, a live key does not."""

from __future__ import annotations

import time

import pytest
from prometheus_client import REGISTRY

from einvoice.domain.credentials import OAUTH_CLIENT
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.web.api import refused
from einvoice.web.openapi.document import routes, shown
from einvoice.web.problems import PROBLEMS
from einvoice.web.runtime import runtime_of
from einvoice.web.sandbox_problems import HEADER, SLUGS
from tests.builders import send_body
from tests.web.caller import RECEIVER, Caller, slug
from tests.web.dashboard import Dashboard

LOOKUP = f"/api/participants/lookup?participantId={RECEIVER}"
LIMITED = "rate-limit-exceeded"
ONE_DATABASE = pytest.mark.parametrize("build", ["sqlite"], indirect=True)
pytestmark = ONE_DATABASE


@pytest.fixture
def app(build, redis_url, own_budgets):
    return build(redis_url=redis_url, limit_post=2)


@pytest.fixture
def ann(app) -> Caller:
    return Caller(app)


def asking(caller: Caller, problem: str, path: str = LOOKUP, **headers: str):
    return caller.get(path, **{HEADER: problem} | headers)


def form(answer) -> tuple[object, ...]:
    """What two responses to the same problem have in common."""
    body = answer.json
    same = {name: body[name] for name in ("type", "title", "status", "instance")}
    return answer.status_code, same, sorted(body), sorted(answer.headers.keys())


def test_a_provoked_429_is_the_real_one(ann):
    """The same document and headers, and nothing is sent."""
    body = send_body("any")
    provoked = ann.send(body, Sandbox_Problem=LIMITED, Idempotency_Key="one")
    for _ in range(2):
        real = ann.send(body, Idempotency_Key="one")
    assert slug(real) == slug(provoked) == LIMITED

    assert form(provoked) == form(real)
    assert provoked.headers["Retry-After"] == "2"
    assert provoked.headers["X-RateLimit-Limit"] == "2"
    assert provoked.headers["X-RateLimit-Remaining"] == "0"
    reset = int(provoked.headers["X-RateLimit-Reset"])
    assert 0 <= reset - time.time() <= 3
    assert ann.stored() == 0


def test_a_provoked_overload_is_the_real_one(build, redis_url, own_budgets):
    """That of a send while too much work waits."""
    ann = Caller(build(redis_url=redis_url, max_queue_age=-1.0))
    body = ann.body()
    provoked = ann.send(body, Sandbox_Problem="overloaded", Idempotency_Key="one")
    real = ann.send(body, Idempotency_Key="one")
    assert slug(real) == slug(provoked) == "overloaded"

    assert form(provoked) == form(real)
    assert provoked.headers["Retry-After"] == real.headers["Retry-After"]
    assert ann.stored() == 0


def test_a_provoked_outage_of_the_directory_is_the_real_one(ann):
    """That of the participant whose lookup answers 503 once."""
    path = "/api/participants/lookup?participantId=0088:9520000000158"
    provoked, real = asking(ann, "access-point-unavailable", path), ann.get(path)
    assert slug(real) == slug(provoked) == "access-point-unavailable"

    assert form(provoked) == form(real)
    assert provoked.headers["Retry-After"] == real.headers["Retry-After"]


def counted(status: str) -> float:
    """Lookups that were answered so, by the metrics."""
    labels = {"endpoint": "public.lookup_participant", "method": "GET", "status": status}
    return REGISTRY.get_sample_value("einvoice_http_requests_total", labels) or 0.0


@pytest.mark.parametrize("provoke", ["header", "participant"])
def test_operators_are_not_told_of_what_was_provoked(ann, provoke):
    """Neither as an answer of 503 nor as a directory that does not answer."""
    headers, participant = {HEADER: "access-point-unavailable"}, RECEIVER
    if provoke == "participant":
        headers, participant = {}, "0088:9520000000158"
        directory = runtime_of(ann.app).access_points["simulator"]._directory
        directory._memory.unlink(missing_ok=True)
    failed, before = counted("503"), counted("provoked")
    faults = REGISTRY.get_sample_value("einvoice_network_faults_total")
    answer = ann.get(f"/api/participants/lookup?participantId={participant}", **headers)

    assert answer.status_code == 503
    assert (counted("503"), counted("provoked")) == (failed, before + 1)
    assert REGISTRY.get_sample_value("einvoice_network_faults_total") == faults


def test_too_busy_has_no_budget_as_it_comes_before_the_key(ann):
    answer = asking(ann, "too-busy")

    assert (answer.status_code, slug(answer)) == (503, "too-busy")
    assert answer.headers["Retry-After"] == "2"
    assert not [name for name in dict(answer.headers) if name.startswith("X-RateLimit")]


@pytest.mark.parametrize("problem", SLUGS)
def test_every_problem_is_provoked_where_a_route_documents_it(app, ann, problem):
    """With the status and title that it always has."""
    provoked = []
    for route in routes(app):
        of_keys = "bearer" in route.requirement.schemes and not route.ids
        if of_keys and (problem in refused(route.view) or problem in (LIMITED, "too-busy")):
            ann = Caller(app)  # with a budget of its own
            provoked.append(
                ann.call(route.method.upper(), shown(route.rule), None, **{HEADER: problem})
            )

    assert provoked
    for answer in provoked:
        assert slug(answer) == problem
        assert (answer.status_code, answer.json["title"]) == PROBLEMS[problem]
        assert answer.json["detail"].startswith("Simulated: ")
        assert int(answer.headers["Retry-After"]) > 0


@pytest.mark.parametrize("problem", [*SLUGS, f"{LIMITED}; once", "not-a-problem", ""])
def test_a_live_key_is_never_answered_so(app, problem):
    """Whatever it asks for: the header is ignored."""
    live = Caller(app, Environment.LIVE)
    answers = [live.get("/api/invoices"), asking(live, problem, "/api/invoices")]

    assert [answer.status_code for answer in answers] == [200, 200]


def test_a_person_is_not_answered_so(app):
    person = Dashboard(app)
    answer = person.call("GET", "/api/invoices", None, **{HEADER: LIMITED})

    assert answer.status_code == 200


@pytest.mark.parametrize("mode", ["; once", ";once", " ;  once"])
def test_a_repetition_after_the_time_is_answered_with_once(ann, monkeypatch, mode):
    """Not earlier; and for other requests the problem begins again."""
    monkeypatch.setattr("einvoice.web.sandbox_problems.RATE_LIMIT_SECONDS", 1)
    first, second = (asking(ann, LIMITED + mode) for _ in range(2))
    time.sleep(1.05)
    third = asking(ann, LIMITED + mode)
    other = asking(ann, LIMITED + mode, "/api/invoices")

    assert [a.status_code for a in (first, second, third, other)] == [429, 429, 200, 429]


def test_with_once_each_idempotency_key_is_a_request_of_its_own(app, monkeypatch):
    monkeypatch.setattr("einvoice.web.sandbox_problems.RATE_LIMIT_SECONDS", 1)
    ann = Caller(app)
    body = ann.body()
    given = {"Sandbox_Problem": f"{LIMITED}; once"}
    refused_ = ann.send(body, Idempotency_Key="one", **given)
    time.sleep(1.05)
    accepted = ann.send(body, Idempotency_Key="one", **given)

    assert (refused_.status_code, accepted.status_code) == (429, 200)
    assert ann.count() == 1


def test_without_redis_once_refuses_every_time(build):
    """Nothing knows which requests came before."""
    ann = Caller(build())
    answers = [asking(ann, f"{LIMITED}; once").status_code for _ in range(3)]

    assert answers == [429] * 3


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        (LOOKUP, "not-found"),
        (LOOKUP, "overloaded"),
        (LOOKUP, "429"),
        (LOOKUP, ""),
        (LOOKUP, f"{LIMITED}; twice"),
        ("/api/invoices", "access-point-unavailable"),
    ],
)
def test_a_problem_that_the_route_does_not_have_is_refused(ann, path, problem):
    """400 with the header as pointer and the problems that it may be."""
    answer = asking(ann, problem, path)

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    (error,) = answer.json["errors"]
    assert (error["pointer"], error["code"]) == (f"/{HEADER}", "unknown-problem")
    assert LIMITED in error["message"]
    assert ("access-point-unavailable" in error["message"]) == (path == LOOKUP)


def test_a_wrong_key_is_refused_as_ever(ann):
    answer = ann.client.get(LOOKUP, headers={"x-api-key": "sk_test_x", HEADER: LIMITED})

    assert (answer.status_code, slug(answer)) == (401, "invalid-api-key")


@pytest.mark.parametrize("environment", Environment)
def test_an_access_token_provokes_in_the_sandbox_only(app, environment):
    """Like a key; in live the header is ignored."""
    with app.app_context():
        tenant = tenants.create("Programs")
        made = credentials.create(OAUTH_CLIENT, tenant, "erp", environment)
    client = {"client_id": made.record.id, "client_secret": made.secret}
    form = {"grant_type": "client_credentials"} | client
    token = app.test_client().post("/oauth/token", data=form).json["access_token"]
    given = {"Authorization": f"Bearer {token}", HEADER: LIMITED}
    answer = app.test_client().get("/v1/invoices", headers=given)

    assert answer.status_code == (429 if environment is Environment.TEST else 200)
    assert answer.headers["X-RateLimit-Limit"] == "60"


def test_a_key_as_bearer_provokes_too(ann):
    answer = ann.bearer("GET", "/v1/invoices", None, **{HEADER: LIMITED})

    assert (answer.status_code, slug(answer)) == (429, LIMITED)
