"""CORS: off unless origins are listed, and for the routes of people only (decisions 20.12)."""

from __future__ import annotations

import pytest

from einvoice.config import Settings, SettingsFault
from einvoice.domain.roles import Role
from einvoice.web import roles
from einvoice.web.openapi.document import routes, shown
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

ORIGIN, OTHER = "https://app.example.com", "https://admin.example.com:8443"
CORS = "Access-Control-"


@pytest.fixture(scope="module")
def listed(build):
    """The service with two listed origins."""
    return build(cors_origins=f" {ORIGIN}, {OTHER.upper()},")


def preflight(app, path: str, method: str, origin: str | None = ORIGIN):
    headers = {"Access-Control-Request-Method": method} | ({"Origin": origin} if origin else {})
    return app.test_client().options(path, headers=headers)


def cors_headers(answer) -> dict[str, str]:
    return {name: value for name, value in answer.headers.items() if name.startswith(CORS)}


def is_of_people(route) -> bool:
    return "session" in route.requirement.schemes


def path_of(route) -> str:
    path = route.rule.rule
    for name in route.ids:
        path = path.replace(f"<{name}>", "00000000-0000-4000-8000-000000000000")
    return path


def test_every_route_of_people_has_a_preflight_and_no_other_has(listed):
    """Generated from the routes; without a token, and with the method that is asked for."""
    wrong = []
    for route in routes(listed):
        method = route.method.upper()
        answer = preflight(listed, path_of(route), method)
        allowed = answer.headers.get("Access-Control-Allow-Methods")
        if is_of_people(route):
            right = (answer.status_code, allowed, answer.data) == (204, method, b"")
        else:
            right = not cors_headers(answer)
        if not right:
            wrong.append(f"{method} {shown(route.rule)} → {answer.status_code}, {allowed}")

    assert wrong == []
    assert {r.rule.endpoint for r in routes(listed) if is_of_people(r)} == set(roles.LEAST)


def test_a_preflight_permits_what_the_routes_read(listed):
    """No wildcard, no credentials, no API key; cached for ten minutes."""
    answer = preflight(listed, "/api/keys", "POST")

    assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
    assert answer.headers["Access-Control-Max-Age"] == "600"
    assert answer.headers["Vary"] == "Origin"
    assert "Access-Control-Allow-Credentials" not in answer.headers
    permitted = answer.headers["Access-Control-Allow-Headers"].lower().split(", ")
    assert {"authorization", "content-type", "if-match", "idempotency-key"} <= set(permitted)
    assert "x-api-key" not in permitted
    assert "X-RateLimit-Limit" not in answer.headers


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (ORIGIN, True),
        (OTHER, True),
        (None, False),
        ("null", False),
        ("https://example.com", False),
        ("http://app.example.com", False),
        ("https://app.example.com:443", False),
        ("https://app.example.com.evil.example", False),
        ("https://evil.example/https://app.example.com", False),
        (f"{ORIGIN},{OTHER}", False),
    ],
)
def test_origins_are_compared_exactly(listed, origin, allowed):
    """In preflights and in responses."""
    person = Dashboard(listed)
    given = {"Origin": origin} if origin else {}
    answers = [
        preflight(listed, "/api/session", "GET", origin),
        person.get("/api/session", **given),
    ]
    found = [answer.headers.get("Access-Control-Allow-Origin") for answer in answers]

    assert found == [origin if allowed else None] * 2
    assert answers[1].status_code == 200
    assert "Origin" in answers[1].headers["Vary"]


def test_refusals_can_be_read_too(listed):
    """Without a token, with too low a role, and of an unknown id; and their challenge."""
    viewer, owner = Dashboard(listed, role=Role.VIEWER), Dashboard(listed)
    answers = [
        listed.test_client().get("/api/session", headers={"Origin": ORIGIN}),
        viewer.get("/api/keys", Origin=ORIGIN),
        owner.get("/api/keys/00000000-0000-4000-8000-000000000000", Origin=ORIGIN),
    ]

    assert [answer.status_code for answer in answers] == [401, 403, 404]
    for answer in answers:
        slug(answer)
        assert answer.headers["Access-Control-Allow-Origin"] == ORIGIN
        shown_headers = answer.headers["Access-Control-Expose-Headers"].split(", ")
        assert {"WWW-Authenticate", "ETag", "X-Request-Id", "X-RateLimit-Remaining"} <= {
            *shown_headers
        }


def test_responses_to_programs_have_no_such_headers(listed):
    caller = Caller(listed)
    answers = [
        caller.get("/api/participants/lookup?participantId=0088:9520000000004", Origin=ORIGIN),
        caller.bearer("GET", "/v1/compliance/countries", Origin=ORIGIN),
        listed.test_client().get("/openapi.json", headers={"Origin": ORIGIN}),
        listed.test_client().post("/oauth/token", headers={"Origin": ORIGIN}),
    ]

    assert [cors_headers(answer) for answer in answers] == [{}] * 4


@pytest.mark.parametrize(("path", "method"), [("/api/keys", "PUT"), ("/api/nothing", "GET")])
def test_what_no_route_takes_is_not_permitted(listed, path, method):
    assert cors_headers(preflight(listed, path, method)) == {}


def test_it_is_off_by_default(service):
    """Then a request of another origin gets what it got before."""
    person = Dashboard(service)
    answers = [preflight(service, "/api/session", "GET"), person.get("/api/session", Origin=ORIGIN)]

    assert [cors_headers(answer) for answer in answers] == [{}] * 2
    assert answers[0].status_code == 401
    assert "Origin" not in answers[1].headers.get("Vary", "")


@pytest.mark.parametrize(
    ("text", "mode", "fault"),
    [
        ("", "development", None),
        (" , ", "development", None),
        ("https://a.example", "development", None),
        ("http://localhost:3000,http://[::1]:3000", "development", None),
        ("*", "development", "not an origin"),
        ("null", "development", "not an origin"),
        ("https://*.example.com", "development", "not an origin"),
        ("https://a.example/", "development", "not an origin"),
        ("https://a.example/path", "development", "not an origin"),
        ("https://user@a.example", "development", "not an origin"),
        ("a.example", "development", "not an origin"),
        ("https://a.example https://b.example", "development", "not an origin"),
        ("ftp://a.example", "development", "not an origin"),
        ("https://a.example", "production", None),
        ("https://a.example,http://b.example", "production", "must be https"),
    ],
)
def test_a_setting_that_is_no_list_of_origins_stops_the_start(text, mode, fault):
    environ = {
        "EINVOICE_CORS_ORIGINS": text, "EINVOICE_MODE": mode, "EINVOICE_SECRET_KEY": "x" * 44,
        "EINVOICE_BASE_URL": "https://api.example.com",
    }  # fmt: skip
    if fault is None:
        assert isinstance(Settings.from_env(environ).allowed_origins, frozenset)
    else:
        with pytest.raises(SettingsFault, match=f"EINVOICE_CORS_ORIGINS.*{fault}"):
            Settings.from_env(environ)
