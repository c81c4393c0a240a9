"""Accounts of tenants at networks, added and changed by operators with the form of the network."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from flask import Flask

import einvoice_loopback
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.web.caller import slug
from tests.web.dashboard import Dashboard

ACCOUNT = {"environment": "test", "network": "toll-station", "account": "RO 1"}
STATION = ACCOUNT | {"credentials": {"user": "toll", "password": "hunter2-secret"}}
TYPED = ACCOUNT | {
    "network": "toll-station-test",
    "credentials.user": "toll",
    "credentials.password": "hunter2-secret",
}


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask], toll: TollAccountsPlugin) -> Flask:
    return build([einvoice_loopback, toll])


@pytest.fixture
def tenant(program, toll) -> str:
    toll.station.outcome = "works"
    return str(program.post("/tenants", {"name": "Brewery Ltd"}).json["tenantId"])


def test_an_account_is_added_with_its_credentials_and_changed(program, toll, tenant):
    """Credentials reach the network, and no answer."""
    path = f"/tenants/{tenant}/connections"
    made = program.post(path, STATION)
    one = f"/api/operator{path}/{made.json['connectionId']}"
    changed = program.call("PATCH", one, {"credentials": {"password": "other-secret"}})
    listed = program.get(path)

    assert (made.status_code, made.json["state"]) == (201, "active")
    assert changed.status_code == 200, changed.text
    assert toll.station.calls[-1].credentials == {"user": "toll", "password": "other-secret"}
    assert listed.json["items"][0]["tenantId"] == tenant
    assert "secret" not in made.text + changed.text + listed.text


def test_the_page_has_the_form_of_each_network(program, person, toll, tenant):
    path = f"/tenants/{tenant}/connections"
    page = person.get(path).text
    file = {"credentials.key": (io.BytesIO(b"\x00key"), "key.p12")}
    added = person.followed(person.post(path, TYPED | file))
    [one] = program.get(path).json["items"]
    saved = person.post(
        f"{path}/{one['connectionId']}/credentials",
        {"name": "Head office", "credentials.user": "x"},
    )
    after = person.followed(saved).text

    assert "Toll number" in page
    assert 'name="credentials.password" type="password"' in page
    assert "The account is added" in added.text
    assert toll.station.calls[0].credentials.get("key") in (None, "AGtleQ==")
    assert toll.station.calls[-1].credentials["user"] == "x"
    assert toll.station.calls[-1].credentials["key"] == "AGtleQ=="
    assert "Head office" in after
    assert "hunter2" not in added.text + after


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"credentials": {"user": "toll"}}, "/credentials/password"),
        ({"credentials": {"user": "toll", "password": "p", "pin": "1"}}, "/credentials/pin"),
        ({"account": " "}, "/account"),
        ({"network": "nowhere"}, "/network"),
    ],
)
def test_what_is_wrong_is_said_at_its_field(program, person, tenant, wrong, field):
    answer = program.post(f"/tenants/{tenant}/connections", STATION | wrong)
    nested = {f"credentials.{k}": v for k, v in wrong.get("credentials", {}).items()}
    plain = {name: text for name, text in wrong.items() if name != "credentials"}
    typed = {k: v for k, v in TYPED.items() if not nested or not k.startswith("credentials.")}
    page = person.post(f"/tenants/{tenant}/connections", typed | nested | plain)

    assert slug(answer) == "invalid-field"
    assert field in [one["pointer"] for one in answer.json["errors"]]
    assert page.status_code == 400
    assert program.get(f"/tenants/{tenant}/connections").json["items"] == []


def test_a_network_that_refuses_is_shown_with_its_reason(program, person, toll, tenant):
    toll.station.outcome = "refuses"
    made = program.post(f"/tenants/{tenant}/connections", STATION)

    assert made.status_code == 201
    assert made.json["state"] != "active"
    assert made.json["state"] in person.get(f"/tenants/{tenant}/connections").text


def test_connections_of_all_tenants_are_listed_with_their_tenant(program, person, tenant):
    made = program.post(f"/tenants/{tenant}/connections", STATION | {"account": "RO 9"})
    found = program.get("/connections").json["items"]
    page = person.get("/networks").text

    assert made.json["connectionId"] in {one["connectionId"] for one in found}
    assert re.search(rf'href="/operator/tenants/{tenant}/connections"', page)
    assert program.get("/connections/forms").json["items"]


def test_a_connection_of_another_tenant_is_not_changed_below_this_one(
    service, program, person, toll, tenant
):
    other = Dashboard(service)
    there = other.post("/api/connections", STATION).json["connectionId"]
    calls = len(toll.station.calls)
    path = f"/tenants/{tenant}/connections/{there}"
    answers = [
        program.call("PATCH", f"/api/operator{path}", {"name": "x"}),
        person.post(f"{path}/credentials", {"credentials.user": "x"}),
        person.post(path, {"do": "link"}),
    ]

    assert [answer.status_code for answer in answers] == [404] * 3
    assert len(toll.station.calls) == calls


def test_a_closed_tenant_gets_no_account(program, tenant):
    program.post(f"/tenants/{tenant}/close", {"confirm": tenant})

    assert slug(program.post(f"/tenants/{tenant}/connections", STATION)) == "account-closed"
