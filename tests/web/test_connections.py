"""Connections at the dashboard: who may see and change which, and what is refused."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from flask import Flask
from werkzeug.test import TestResponse

import einvoice_loopback
from einvoice.domain.connections import NEXT_STEPS, State
from einvoice.domain.roles import Role
from einvoice.security.api_keys import SCOPES
from einvoice.validation import texts
from einvoice.web.shared import connection_words
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

PATH = "/api/connections"
STATION = {
    "environment": "test",
    "network": "toll-station",
    "account": "RO 1",
    "credentials": {"user": "toll", "password": "hunter2-secret"},
}
TOLL = {
    "environment": "test",
    "network": "toll",
    "account": "RO 1",
    "name": "Head office",
    "credentials": {"clientSecret": "cs-very-secret"},
}


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask], toll: TollAccountsPlugin) -> Flask:
    return build([einvoice_loopback, toll])


@pytest.fixture
def ann(service, toll) -> Dashboard:
    toll.station.outcome = "works"
    return Dashboard(service, role=Role.ADMIN)


def made(person: Dashboard, body: Any = STATION) -> str:
    answer = person.post(PATH, body)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"{PATH}/{answer.json['connectionId']}"
    return str(answer.json["connectionId"])


def test_a_connection_is_shown_without_its_credentials(ann):
    connection_id = made(ann)
    one = ann.get(f"{PATH}/{connection_id}")
    listed = ann.get(PATH)

    assert one.json | {"state": "active", "consentBy": "ann@example.com"} == one.json
    assert (one.json["account"], one.json["network"]) == ("RO1", "toll-station")
    assert (one.json["nextStep"], one.json["reason"]) == ("Nothing to do.", None)
    assert [one.json] == [item | {"provider": "eInvoice"} for item in listed.json["items"]]
    log = ann.get("/api/audit?action=connection.created")
    assert log.json["items"][0]["target"] == connection_id
    assert "hunter2" not in one.text + listed.text + log.text


def test_forms_show_what_each_network_asks_for(ann):
    forms = {form["network"]: form for form in ann.get(f"{PATH}/forms").json["items"]}

    assert (forms["toll"]["browser"], forms["toll-station"]["browser"]) == (True, False)
    assert [(f["name"], f["kind"], f["maxSize"]) for f in forms["toll-station"]["asksFor"]] == [
        ("user", "text", 4000), ("password", "secret", 20), ("key", "file", 10_000),
    ]  # fmt: skip


def test_what_to_do_next_is_in_plain_words(ann, toll):
    connection_id = made(ann)
    toll.station.outcome = "needs-person"
    checked = ann.post(f"{PATH}/{connection_id}/check")

    assert (checked.status_code, checked.json["state"]) == (200, "needs-person")
    assert checked.json["nextStep"] == (
        "Authorise the connection again, or replace its credentials."
    )
    assert ann.get(f"{PATH}?state=active").json["items"] == []
    assert len(ann.get(f"{PATH}?state=needs-person&environment=test").json["items"]) == 1
    assert ann.get(f"{PATH}?environment=live").json["items"] == []


@pytest.mark.parametrize(
    ("accept", "language", "state", "step"),
    [
        ("de-AT, en;q=0.5", "de", "Das Konto kann nicht benutzt werden", "erneut frei"),
        ("fr", "fr", "Le compte ne peut pas être utilisé", "Autorisez de nouveau"),
        ("nl", "nl", "De aansluiting kan niet gebruikt worden", "opnieuw toe"),
        ("ro-RO", "ro", "Contul nu poate fi folosit", "Autorizați din nou"),
        ("pl", "pl", "Konta nie można używać", "Autoryzuj połączenie ponownie"),
        ("pt", "en", "The account cannot be used", "Authorise the connection again"),
    ],
)
def test_state_and_next_step_are_in_the_language_of_the_reader(
    ann, toll, accept, language, state, step
):
    path = f"{PATH}/{made(ann)}"
    toll.station.outcome = "needs-person"
    ann.post(f"{path}/check")
    one, listed = (ann.get(each, Accept_Language=accept) for each in (path, PATH))

    assert one.headers["Content-Language"] == language
    assert "Accept-Language" in one.headers["Vary"]
    assert one.json["stateText"].startswith(state)
    assert step in one.json["nextStep"]
    assert listed.json["items"][0]["nextStep"] == one.json["nextStep"]


def test_every_language_words_every_state():
    for language in texts.languages():
        for state in State:
            words = (
                connection_words.meaning(state, language),
                connection_words.next_step(state, language),
            )
            assert all(text.endswith(".") for text in words)
    assert {s: connection_words.next_step(s, "en") for s in State} == NEXT_STEPS


def test_the_list_is_paged(ann):
    ids = [made(ann, STATION | {"account": str(number)}) for number in range(5)]
    seen, cursor = [], ""
    while cursor is not None:
        page = ann.get(f"{PATH}?limit=2{cursor}").json
        seen.append([item["connectionId"] for item in page["items"]])
        cursor = f"&cursor={page['nextCursor']}" if page["hasMore"] else None

    assert seen == [ids[:2], ids[2:4], ids[4:]]


def test_name_and_credentials_can_be_changed(ann, toll):
    connection_id = made(ann)
    changed = ann.patch(
        f"{PATH}/{connection_id}", {"name": "Branch", "credentials": {"password": "new-one"}}
    )

    assert (changed.status_code, changed.json["name"]) == (200, "Branch")
    assert toll.station.calls[-1].credentials == {"user": "toll", "password": "new-one"}


def test_a_second_connection_for_an_account_conflicts(ann):
    first = made(ann)
    second = ann.post(PATH, STATION | {"account": "ro1"})

    assert (second.status_code, slug(second)) == (409, "conflict")
    assert first in second.json["detail"]


def test_a_revoked_connection_stays_in_the_list(ann):
    connection_id = made(ann)
    removed = [ann.delete(f"{PATH}/{connection_id}").status_code for _ in range(2)]
    checked = ann.post(f"{PATH}/{connection_id}/check")

    assert removed == [204, 204]
    assert ann.get(f"{PATH}/{connection_id}").json["state"] == "revoked"
    assert (checked.status_code, slug(checked)) == (409, "conflict")


def every_call(connection_id: str) -> list[tuple[str, str, Any]]:
    one = f"{PATH}/{connection_id}"
    return [
        ("GET", one, None),
        ("PATCH", one, {"name": "x", "credentials": {"password": "x"}}),
        ("DELETE", one, None),
        ("POST", f"{one}/check", {}),
        ("POST", f"{one}/authorise", {}),
    ]


def test_a_connection_of_another_tenant_is_not_found_on_any_route(service, ann):
    mine, theirs = made(ann), made(Dashboard(service, role=Role.OWNER), TOLL)
    before = ann.get(f"{PATH}/{mine}").json
    answers = [ann.call(*call) for call in every_call(theirs)]

    assert [(a.status_code, slug(a)) for a in answers] == [(404, "not-found")] * 5
    assert ann.get(f"{PATH}/{mine}").json == before
    assert theirs not in ann.get(PATH).text


@pytest.mark.parametrize("role", [Role.VIEWER, Role.MEMBER])
def test_connections_are_for_administrators(service, ann, role):
    """Also with an API key and all its scopes nothing is shown."""
    connection_id = made(ann)
    calls = [("GET", PATH, None), ("GET", f"{PATH}/forms", None), ("POST", PATH, STATION)]
    calls += every_call(connection_id)
    person = Dashboard(service, ann.tenant, role=role)
    key = Caller(service, scopes=SCOPES).key
    refused = [person.call(*call) for call in calls]
    by_key = [ann.call(*call, Authorization=f"Bearer {key}") for call in calls]

    assert {(a.status_code, slug(a)) for a in refused} == {(403, "forbidden")}
    assert {(a.status_code, slug(a)) for a in by_key} == {(401, "invalid-token")}


def test_a_secret_file_of_5_mb_is_refused(ann, toll):
    big = {**STATION["credentials"], "key": base64.b64encode(b"x" * 5_000_000).decode()}
    medium = {**STATION["credentials"], "key": base64.b64encode(b"x" * 100_000).decode()}
    connection_id, calls = made(ann), len(toll.station.calls)
    answers = [
        ann.post(PATH, STATION | {"account": "2", "credentials": big}),
        ann.patch(f"{PATH}/{connection_id}", {"credentials": big}),
        ann.post(PATH, STATION | {"account": "2", "credentials": medium}),
    ]

    assert [(a.status_code, slug(a)) for a in answers] == [
        (413, "payload-too-large"), (413, "payload-too-large"), (400, "invalid-field"),
    ]  # fmt: skip
    assert answers[2].json["errors"] == [
        {
            "pointer": "/credentials/key",
            "code": "too-long",
            "message": "has 100,000 bytes; at most 10,000 are allowed",
        }
    ]
    assert (len(ann.get(PATH).json["items"]), len(toll.station.calls)) == (1, calls)


@pytest.mark.parametrize(
    ("changed", "pointer", "code"),
    [
        ({"network": "peppol"}, "/network", "unknown-network"),
        ({"environment": "live"}, "/network", "unknown-network"),
        ({"account": " "}, "/account", "blank"),
        ({"credentials": {"user": 1}}, "/credentials/user", "wrong-type"),
        ({"credentials": []}, "/credentials", "wrong-type"),
        ({"state": "active"}, "/state", "unknown-field"),
    ],
)
def test_a_wrong_connection_is_refused_with_its_field(ann, changed, pointer, code):
    answer = ann.post(PATH, STATION | changed)

    assert answer.status_code == 400
    assert (pointer, code) in [(e["pointer"], e["code"]) for e in answer.json["errors"]]
    assert ann.get(PATH).json["items"] == []


# -- consent in the browser ------------------------------------------------------------------------


def begun(person: Dashboard, connection_id: str) -> tuple[str, str]:
    """The state in the URL, and the cookie of the browser."""
    answer = person.post(f"{PATH}/{connection_id}/authorise")
    assert answer.status_code == 200, answer.text
    cookie = answer.headers["Set-Cookie"]
    assert "HttpOnly" in cookie
    assert "SameSite=Lax" in cookie
    assert "Path=/connections/callback" in cookie
    query = parse_qs(urlsplit(answer.json["authoriseUrl"]).query)
    assert query["redirect_uri"][0].endswith("/connections/callback")
    return query["state"][0], cookie.partition(";")[0]


def come_back(app: Flask, cookie: str, **query: str) -> TestResponse:
    client = app.test_client(use_cookies=False)
    return client.get("/connections/callback", query_string=query, headers={"Cookie": cookie})


def test_a_consent_is_completed_in_the_browser_in_which_it_began(service, ann, toll):
    connection_id = made(ann, TOLL)
    state, cookie = begun(ann, connection_id)
    before = ann.get(f"{PATH}/{connection_id}").json
    page = come_back(service, cookie, state=state, code=toll.authority.consent("RO1"))
    after = ann.get(f"{PATH}/{connection_id}").json

    assert (before["state"], after["state"]) == ("setting-up", "active")
    assert (after["consentBy"], page.status_code) == ("ann@example.com", 200)
    assert "is connected to toll" in page.text
    assert page.headers["Cache-Control"] == "no-store"


def test_a_state_of_another_session_is_refused(service, ann, toll):
    """A person who is led to the consent of another tenant authorises nothing."""
    bob = Dashboard(service, role=Role.ADMIN, subject="bob", email="bob@example.com")
    mine, theirs = made(ann, TOLL), made(bob, TOLL | {"account": "RO 2"})
    state, _ = begun(ann, mine)
    _, cookie_of_bob = begun(bob, theirs)
    code = toll.authority.consent("RO1")
    pages = [come_back(service, cookie, state=state, code=code) for cookie in (cookie_of_bob, "")]

    assert [page.status_code for page in pages] == [400, 400]
    for person, connection_id in ((ann, mine), (bob, theirs)):
        assert person.get(f"{PATH}/{connection_id}").json["state"] == "setting-up"


def test_a_state_is_used_once(service, ann, toll):
    connection_id = made(ann, TOLL | {"account": "RO 3"})
    state, cookie = begun(ann, connection_id)
    before = len(toll.authority.issued.get("RO3", []))
    pages = [
        come_back(service, cookie, state=state, code=toll.authority.consent("RO3"))
        for _ in range(2)
    ]

    assert [page.status_code for page in pages] == [200, 400]
    assert len(toll.authority.issued["RO3"]) == before + 1


def test_consent_that_was_not_given_is_noted(service, ann):
    connection_id = made(ann, TOLL)
    state, cookie = begun(ann, connection_id)
    page = come_back(service, cookie, state=state, error="access_denied")
    after = ann.get(f"{PATH}/{connection_id}").json

    assert page.status_code == 200
    assert (after["state"], after["reason"]) == (
        "setting-up", "Consent was not given at the network.",
    )  # fmt: skip


def test_a_callback_shows_nothing_of_what_it_was_given(service):
    page = come_back(service, "", state="<script>", code="<b>" * 1000, error="<i>")

    assert page.status_code == 400
    assert "<script>" not in page.text
    assert "<b>" not in page.text


def test_a_network_without_a_browser_form_has_no_consent(ann):
    answer = ann.post(f"{PATH}/{made(ann)}/authorise")

    assert (answer.status_code, slug(answer)) == (409, "conflict")
