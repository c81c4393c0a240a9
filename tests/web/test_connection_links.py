"""Connection links: who makes them, what a person without a login does with one, how it ends."""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from flask import Flask
from werkzeug.test import TestResponse

import einvoice_loopback
from einvoice import clock
from einvoice.domain.connection_links import MAX_ATTEMPTS, MAX_OPEN, SCOPE
from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.domain.events import CONNECTION_OPENED
from einvoice.domain.roles import Role
from einvoice.security import tokens
from einvoice.services.account import credentials
from einvoice.services.connections import links
from einvoice.store.core import db
from einvoice.store.tables import ConnectionLink, Event
from einvoice.web.dashboard import connect
from einvoice.web.runtime import runtime_of
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import titles
from tests.web.platform import Platform

PATH = "/api/connection-links"
STATION = {"network": "toll-station", "account": "RO 1"}
FORM = {
    "person": "ana@example.com",
    "credentials.user": "toll",
    "credentials.password": "hunter2-secret",
}
_addresses = itertools.count(1)


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask], toll: TollAccountsPlugin) -> Flask:
    return build([einvoice_loopback, toll])


@pytest.fixture
def platform(service, toll) -> Platform:
    toll.station.outcome = "works"
    made = Platform(service)
    made.created("acme")
    return made


class Person:
    """A person of a customer, who has a link and a browser, and no login."""

    def __init__(self, app: Flask, url: str) -> None:
        self.path = urlsplit(url).path
        self.client = app.test_client(use_cookies=False)
        self.from_ = {"REMOTE_ADDR": f"10.0.{next(_addresses)}.1"}

    def opens(self, **headers: str) -> TestResponse:
        return self.client.get(self.path, headers=headers, environ_base=self.from_)

    def sends(self, form: Any = FORM) -> TestResponse:
        return self.client.post(self.path, data=dict(form), environ_base=self.from_)

    def comes_back(self, page: TestResponse, code: str) -> TestResponse:
        """Consents at the network's site, which leads the browser back."""
        begun = page.text.split("https://authority.example", 1)[1].partition('"')[0]
        state = parse_qs(urlsplit(begun.replace("&amp;", "&")).query)["state"][0]
        query, cookie = {"state": state, "code": code}, page.headers["Set-Cookie"]
        return self.client.get(
            "/connections/callback",
            query_string=query,
            headers={"Cookie": cookie.partition(";")[0]},
        )


def made(platform: Platform, body: Any = STATION, tenant: str = "acme") -> Any:
    answer = platform.post(PATH, body, tenant)
    assert answer.status_code == 201, answer.text
    assert answer.headers["Location"] == f"{PATH}/{answer.json['linkId']}"
    return answer.json


def shown(platform: Platform, link: Any, tenant: str = "acme") -> Any:
    return platform.get(f"{PATH}/{link['linkId']}", tenant).json


def events(platform: Platform) -> list[Any]:
    """What the platform hears of connections that were opened."""
    query = sa.select(Event.payload).where(
        Event.tenant_id == platform.id, Event.type == CONNECTION_OPENED
    )
    with platform.app.app_context(), db.reading() as connection:
        return list(connection.execute(query).scalars())


def test_a_customer_opens_a_connection_by_its_platforms_link_without_a_login(service, platform):
    link = made(platform)
    ana = Person(service, link["url"])
    page, done = ana.opens(), ana.sends()
    after = shown(platform, link)

    assert titles(page) == ["Connect Tenant acme to toll-station"]
    assert 'name="credentials.password"' in page.text
    assert "RO1" in page.text
    assert titles(done) == ["Tenant acme is connected to toll-station"]
    assert (link["state"], after["state"]) == ("open", "used")
    connection = platform.get(f"/api/connections/{after['connectionId']}", "acme").json
    assert (connection["state"], connection["consentBy"]) == ("active", "ana@example.com")
    assert (connection["account"], connection["environment"]) == ("RO1", "test")


def test_the_platform_hears_once_that_the_connection_is_open(service, platform):
    link = made(platform)
    Person(service, link["url"]).sends()
    after = shown(platform, link)
    platform.post(f"/api/connections/{after['connectionId']}/check", None, "acme")

    [said] = events(platform)
    assert (said["linkId"], said["connectionId"]) == (link["linkId"], after["connectionId"])
    assert (said["externalId"], said["state"]) == ("acme", "active")


def test_a_used_link_opens_nothing_any_more(service, platform):
    ana = Person(service, made(platform)["url"])
    ana.sends()
    page, again = ana.opens(), ana.sends(FORM | {"credentials.password": "another"})

    assert (page.status_code, again.status_code) == (404, 404)
    assert titles(page) == titles(again) == ["This link is not valid"]


def test_what_the_network_refuses_may_be_corrected(service, platform, toll):
    link = made(platform)
    ana = Person(service, link["url"])
    toll.station.outcome = "broken"
    refused = ana.sends()
    broken = shown(platform, link)
    toll.station.outcome = "works"
    done = ana.sends(FORM | {"credentials.password": "the right one"})

    assert refused.status_code == 409
    assert "It does not work yet." in refused.text
    assert "hunter2" not in refused.text
    assert (broken["state"], broken["attempts"]) == ("open", 1)
    assert done.status_code == 200
    assert shown(platform, link) | {"state": "used", "attempts": 2} == shown(platform, link)
    assert len(platform.get("/api/connections", "acme").json["items"]) == 1


def test_a_person_consents_at_the_site_of_the_network(service, platform, toll):
    link = made(platform, {"network": "toll", "account": "RO 7"})
    ana = Person(service, link["url"])
    onward = ana.sends({"person": "ana@example.com", "credentials.clientSecret": "cs"})
    cancelled = ana.comes_back(onward, "")
    still = shown(platform, link)
    onward = ana.sends({"person": "ana@example.com"})
    done = ana.comes_back(onward, toll.authority.consent("RO7"))

    assert "Continue at toll" in onward.text
    assert "Open the link that you were sent to try again." in cancelled.text
    assert still["state"] == "open"
    assert titles(done) == ["RO7 is connected to toll"]
    assert "/dashboard/connections" not in done.text
    assert shown(platform, link)["state"] == "used"
    assert [event["linkId"] for event in events(platform)] == [link["linkId"]]


def test_a_revoked_link_ends_the_consent_that_was_begun_by_it(service, platform, toll):
    link = made(platform, {"network": "toll", "account": "RO 8"})
    ana = Person(service, link["url"])
    onward = ana.sends({"person": "ana@example.com", "credentials.clientSecret": "cs"})
    gone = platform.call("DELETE", f"{PATH}/{link['linkId']}", None, "acme")
    back = ana.comes_back(onward, toll.authority.consent("RO8"))

    assert (gone.status_code, back.status_code) == (204, 400)
    assert shown(platform, link)["state"] == "revoked"
    assert ana.opens().status_code == 404
    [connection] = platform.get("/api/connections", "acme").json["items"]
    assert connection["state"] == "setting-up"


def test_a_link_without_an_account_asks_the_person_for_it(service, platform):
    link = made(platform, {"network": "toll-station"})
    ana = Person(service, link["url"])
    missing = ana.sends()
    done = ana.sends(FORM | {"account": "ro 9"})

    assert 'name="account"' in ana.opens().text or missing.status_code == 409
    assert missing.status_code == 409
    assert done.status_code == 200
    [connection] = platform.get("/api/connections", "acme").json["items"]
    assert connection["account"] == "RO9"


def test_a_wrong_account_may_be_corrected_until_the_connection_works(service, platform, toll):
    ana = Person(service, made(platform, {"network": "toll-station"})["url"])
    toll.station.outcome = "silent"
    ana.sends(FORM | {"account": "RO 10"})
    toll.station.outcome = "works"
    ana.sends(FORM | {"account": "RO 11"})

    [connection] = platform.get("/api/connections", "acme").json["items"]
    assert (connection["account"], connection["state"]) == ("RO11", "active")


def test_a_link_changes_no_other_connection_of_the_tenant(service, platform):
    Person(service, made(platform)["url"]).sends()
    other = Person(service, made(platform, {"network": "toll-station"})["url"])
    refused = other.sends(FORM | {"account": "RO 1", "credentials.password": "mine"})

    assert refused.status_code == 409
    assert "There is a connection for RO1 at toll-station already." in refused.text
    again = platform.post(PATH, STATION, "acme")
    assert (again.status_code, slug(again)) == (409, "conflict")
    [connection] = platform.get("/api/connections", "acme").json["items"]
    assert connection["connectionId"] in again.json["detail"]


def test_a_connection_that_needs_a_person_gets_a_link_of_its_own(service, platform, toll):
    first = made(platform)
    Person(service, first["url"]).sends()
    connection_id = shown(platform, first)["connectionId"]
    toll.station.outcome = "needs-person"
    platform.post(f"/api/connections/{connection_id}/check", None, "acme")
    toll.station.outcome = "works"
    link = made(platform, {"connectionId": connection_id})
    Person(service, link["url"]).sends(FORM | {"person": "bo@example.com"})

    assert (link["connectionId"], link["account"]) == (connection_id, "RO1")
    now = platform.get(f"/api/connections/{connection_id}", "acme").json
    assert (now["state"], now["consentBy"]) == ("active", "bo@example.com")
    assert {one["linkId"] for one in events(platform)} == {first["linkId"], link["linkId"]}


def test_a_later_link_for_the_same_account_ends_the_earlier_one(service, platform):
    first, second = made(platform), made(platform)

    assert Person(service, first["url"]).opens().status_code == 404
    assert Person(service, second["url"]).opens().status_code == 200
    states = [one["state"] for one in platform.get(PATH, "acme").json["items"]]
    assert states == ["revoked", "open"]


def test_two_tabs_make_one_connection_and_one_event(service, platform):
    link = made(platform, {"network": "toll-station"})
    people = [Person(service, link["url"]) for _ in range(2)]
    form = FORM | {"account": "RO 12"}
    threads = [threading.Thread(target=one.sends, args=(form,)) for one in people]
    for one in threads:
        one.start()
    for one in threads:
        one.join()

    assert len(platform.get("/api/connections", "acme").json["items"]) == 1
    assert [event["linkId"] for event in events(platform)] == [link["linkId"]]
    assert shown(platform, link)["state"] == "used"


def test_a_link_ends_after_too_many_attempts(service, platform, toll):
    link = made(platform)
    ana = Person(service, link["url"])
    toll.station.outcome = "broken"
    answers = [ana.sends().status_code for _ in range(MAX_ATTEMPTS + 1)]

    assert answers == [409] * MAX_ATTEMPTS + [404]
    assert shown(platform, link)["state"] == "revoked"


def test_a_link_expires(service, platform, monkeypatch):
    end = clock.timestamp(clock.now() + timedelta(days=2))
    link = made(platform, STATION | {"expiresAt": end})
    ana = Person(service, link["url"])
    before = ana.opens().status_code
    monkeypatch.setattr(clock, "now", lambda at=clock.now(): at + timedelta(days=2, seconds=1))

    assert (before, ana.opens().status_code, ana.sends().status_code) == (200, 404, 404)
    assert shown(platform, link)["state"] == "expired"
    assert platform.get("/api/connections", "acme").json["items"] == []


@pytest.mark.parametrize(
    ("body", "pointer"),
    [
        ({}, "/network"),
        ({"network": "nowhere"}, "/network"),
        (STATION | {"connectionId": "1"}, "/network"),
        (STATION | {"environment": "live"}, "/environment"),
        (STATION | {"expiresAt": "2020-01-01"}, "/expiresAt"),
        (STATION | {"expiresAt": "2999-01-01"}, "/expiresAt"),
        (STATION | {"account": "1" * 100_000}, "/account"),
        (STATION | {"token": "mine"}, "/token"),
    ],
)
def test_a_wrong_link_is_refused_with_its_field(platform, body, pointer):
    answer = platform.post(PATH, body, "acme")

    assert answer.status_code == 400, answer.text
    assert pointer in [error["pointer"] for error in answer.json["errors"]]
    assert platform.get(PATH, "acme").json["items"] == []


def test_the_token_is_returned_once_and_stored_as_a_digest(service, platform, caplog):
    caplog.set_level("DEBUG")
    first = platform.post(PATH, STATION, "acme", Idempotency_Key="link-1")
    again = platform.post(PATH, STATION, "acme", Idempotency_Key="link-1")
    token = first.json["url"].rpartition("/")[2]
    Person(service, first.json["url"]).opens()
    with service.app_context(), db.reading() as connection:
        rows = connection.execute(sa.select(ConnectionLink)).mappings().all()

    assert again.json == first.json | {"url": None}
    assert token not in str(rows)
    assert tokens.digest(token) in str(rows)
    log = platform.get("/api/audit", "acme").text
    assert token not in log + caplog.text + platform.get(PATH, "acme").text


def test_links_and_their_use_are_in_the_audit_log_of_the_tenant(service, platform):
    link = made(platform)
    Person(service, link["url"]).sends()
    log = platform.get("/api/audit", "acme").json["items"]
    said = {one["action"]: one for one in log}

    created, used = said["connectionLink.created"], said["connectionLink.used"]
    assert created["detail"]["credential"] == platform.key_id
    assert (used["actor"], used["email"]) == (link["linkId"], "ana@example.com")
    assert said["connection.created"]["actor"] == link["linkId"]


def test_links_of_other_tenants_and_environments_are_not_found(service, platform):
    link = made(platform)
    platform.created("other")
    stranger, live = Platform(service), Platform(service, Environment.LIVE, platform.id)
    stranger.created("acme")
    live.created("acme")
    address = f"{PATH}/{link['linkId']}"

    for who, tenant in ((platform, "other"), (stranger, "acme"), (live, "acme")):
        assert who.get(address, tenant).status_code == 404
        assert who.call("DELETE", address, None, tenant).status_code == 404
        assert who.get(PATH, tenant).json["items"] == []
    assert shown(platform, link)["state"] == "open"


def test_a_key_needs_the_scope_and_people_the_role(service):
    ann = Dashboard(service, role=Role.ADMIN)
    member = Dashboard(service, ann.tenant, Role.MEMBER, "bob")
    with service.app_context():
        keyed = credentials.create(API_KEY, ann.tenant, "links", Environment.TEST, scopes=[SCOPE])
        plain = credentials.create(API_KEY, ann.tenant, "plain", Environment.TEST)
    client, body = service.test_client(), STATION | {"environment": "test"}

    def by(key: str) -> int:
        return client.post(PATH, json=STATION, headers={"x-api-key": key}).status_code

    assert (by(keyed.secret), by(plain.secret)) == (201, 403)
    assert (ann.post(PATH, body).status_code, member.post(PATH, body).status_code) == (201, 403)
    assert ann.post(PATH, STATION).json["errors"][0]["pointer"] == "/environment"


def test_a_closed_tenant_has_no_links(service, platform):
    link = made(platform)
    ana = Person(service, link["url"])
    platform.post("/api/platform/tenants/acme/close")

    assert (ana.opens().status_code, ana.sends().status_code) == (404, 404)


def test_open_links_are_bounded_and_ended_ones_are_forgotten(service, platform, monkeypatch):
    monkeypatch.setattr(links, "MAX_OPEN", 2)
    monkeypatch.setattr(links, "MAX_ENDED", 1)
    made(platform, {"network": "toll-station"})
    made(platform, {"network": "toll-station"})
    refused = platform.post(PATH, {"network": "toll-station"}, "acme")
    for one in platform.get(PATH, "acme").json["items"]:
        platform.call("DELETE", f"{PATH}/{one['linkId']}", None, "acme")
    made(platform, {"network": "toll-station"})

    assert refused.status_code == 409
    assert MAX_OPEN == 100
    states = [one["state"] for one in platform.get(PATH, "acme").json["items"]]
    assert states == ["revoked", "open"]


def test_many_requests_of_one_address_are_refused_on_a_page(build, toll, redis_url, monkeypatch):
    monkeypatch.setattr(connect, "_PER_MINUTE", 2)
    service = build([einvoice_loopback, toll], redis_url=redis_url)
    platform = Platform(service)
    platform.created("acme")
    ana = Person(service, made(platform)["url"])
    answers = [ana.opens() for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "The service is busy." in answers[-1].text
    assert Person(service, ana.path).opens().status_code == 200


def test_the_page_is_in_the_language_of_the_browser_and_kept_by_nobody(service, platform):
    ana = Person(service, made(platform)["url"])
    page = ana.opens(**{"Accept-Language": "ro"})

    assert titles(page) == ["Conectați Tenant acme la toll-station"]
    assert page.headers["Cache-Control"] == "no-store"
    assert page.headers["Referrer-Policy"] == "no-referrer"
    assert "frame-ancestors 'none'" in page.headers["Content-Security-Policy"]


def test_hostile_forms_are_refused_with_the_page(service, platform):
    ana = Person(service, made(platform)["url"])
    hostile = "<script>alert(1)</script>" * 4_000
    for form in (
        {},
        {"person": "nobody"},
        FORM | {"person": hostile},
        FORM | {"account": hostile},
        FORM | {"credentials.password": hostile},
        FORM | {"credentials.other": "x"},
        FORM | {"network": "toll"},
    ):
        answer = ana.sends(form)
        assert answer.status_code == 409, form
        assert "<script>alert" not in answer.text
    assert platform.get("/api/connections", "acme").json["items"] == []


def test_the_link_is_at_the_host_to_which_networks_send_browsers_back(service):
    settings = runtime_of(service).settings

    assert links.address("t0ken", settings) == f"{settings.base_url.rstrip('/')}/connect/t0ken"
