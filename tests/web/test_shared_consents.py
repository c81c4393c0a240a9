"""Consents that connections share: by the API, on the page of connections, and by the CLI."""

from __future__ import annotations

import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from click.testing import CliRunner
from flask import Flask

from einvoice.cli import application, doctor_work
from einvoice.cli.connections import connections
from einvoice.domain.roles import Role
from tests.networks.toll.accounts import TollAccountsPlugin, TollConsentsPlugin
from tests.web.caller import slug
from tests.web.dashboard import Dashboard
from tests.web.pages.visitor import Visitor

PATH, PAGE = "/api/connections", "/dashboard/connections"
FIRST = {"environment": "test", "network": "toll-consents", "account": "RO 1", "name": "Head"}


@pytest.fixture(scope="module")
def toll() -> TollConsentsPlugin:
    return TollConsentsPlugin()


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask], toll: TollConsentsPlugin) -> Flask:
    return build([toll, TollAccountsPlugin()])


@pytest.fixture
def ann(service, toll) -> Dashboard:
    toll.consents.rights["ann"] = {"RO1", "RO2"}
    return Dashboard(service, role=Role.ADMIN)


@pytest.fixture
def first(service, ann, toll) -> str:
    """The id of a connection with consent."""
    made = ann.post(PATH, FIRST).json["connectionId"]
    begun = ann.post(f"{PATH}/{made}/authorise")
    (state,) = parse_qs(urlsplit(begun.json["authoriseUrl"]).query)["state"]
    code = f"ann:{toll.consents.authority.consent('ann')}"
    done = service.test_client(use_cookies=False).get(
        "/connections/callback",
        query_string={"state": state, "code": code},
        headers={"Cookie": begun.headers["Set-Cookie"].partition(";")[0]},
    )
    assert "is connected to" in done.text
    return str(made)


def test_a_further_account_uses_the_consent_of_a_connection(ann, first):
    """It is active at once, with the times of the consent."""
    made = ann.post(PATH, FIRST | {"account": "RO 2", "consentOf": first})
    shown = ann.get(f"{PATH}/{first}").json

    assert (made.status_code, made.json["state"]) == (201, "active")
    for name in ("consentId", "consentBy", "consentAt"):
        assert made.json[name] == shown[name] is not None, name
    assert made.json["validUntil"] < made.json["expiresAt"]
    assert made.json["renewedAt"] >= made.json["createdAt"]


def test_an_account_that_the_consent_does_not_cover_is_named(ann, first):
    made = ann.post(PATH, FIRST | {"account": "RO 9", "consentOf": first}).json

    assert (made["state"], made["reason"]) == ("needs-person", "The consent does not cover RO9.")


@pytest.mark.parametrize("consent_of", ["", "none", "x" * 41, 5])
def test_a_consent_of_no_connection_is_refused(ann, consent_of):
    refused = ann.post(PATH, FIRST | {"consentOf": consent_of})

    assert refused.status_code == 400
    assert "consentOf" in refused.text


def test_a_connection_without_consent_has_none_to_share(ann):
    made = ann.post(PATH, FIRST).json
    refused = ann.post(PATH, FIRST | {"account": "RO 2", "consentOf": made["connectionId"]})

    assert (refused.status_code, slug(refused)) == (409, "conflict")
    assert "has no consent" in refused.json["detail"]


def test_forms_say_where_consents_are_shared(ann, first):
    forms = {
        form["network"]: form["sharesConsent"] for form in ann.get(f"{PATH}/forms").json["items"]
    }
    station = {"network": "toll-station", "credentials": {"user": "a", "password": "b"}}
    refused = ann.post(PATH, FIRST | station | {"consentOf": first})

    assert forms == {"toll-consents": True, "toll": False, "toll-station": False}
    assert refused.status_code == 400
    assert "not-shared" in refused.text


def test_the_page_offers_the_consents_that_were_given(service, ann, first):
    """And names the other connections that use it."""
    visitor = Visitor(service, ann.tenant, role=Role.ADMIN)
    visitor.post("/dashboard/preferences", {"environment": "test"})
    page = visitor.get(PAGE).text
    assert re.search(rf'<option value="{first}">Use the consent of Head</option>', page)
    assert page.count('name="consentOf"') == 1  # not for networks that share none
    form = {"network": "toll-consents-test", "account": "RO 2", "name": "Branch"}
    answer = visitor.post(PAGE, {**form, "consentOf": first})
    shown = visitor.get(answer.headers["Location"]).text

    assert "Its consent is used by further connections too: Branch." in shown
    assert shown.count("renewed automatically, last on") == 2
    refused = visitor.post(PAGE, {**form, "account": "RO 3", "consentOf": "gone"})
    assert refused.status_code == 409
    assert 'aria-invalid="true"' in refused.text


def test_a_connection_with_a_consent_is_added_by_command(service, ann, first, monkeypatch):
    monkeypatch.setattr(application, "application", lambda: service)
    line = ("add", ann.tenant, "toll-consents", "RO 2", "--consent-of", first)
    added = CliRunner().invoke(connections, line)
    listed = CliRunner().invoke(connections, ("list", ann.tenant))

    assert "is active" in added.output, added.output
    assert listed.output.count(ann.get(f"{PATH}/{first}").json["consentId"]) == 2


def test_doctor_lists_tokens_with_their_times(service, ann, first):
    """Until when each connection works, when the consent ends, and when it was last renewed."""
    shown = ann.get(f"{PATH}/{first}").json
    with service.app_context():
        lines = list(doctor_work.connections())

    times = f"valid until {shown['validUntil'][:10]}, consent ends {shown['expiresAt'][:10]}"
    renewed = shown["renewedAt"][:16].replace("T", " ")
    assert f"  toll-consents-test RO1: {times}, last renewed {renewed}" in lines
