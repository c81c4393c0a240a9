"""The page of connections: what they are, what to do next, and doing it."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest
from flask import Flask

import einvoice_loopback
from einvoice.domain.roles import Role
from einvoice.web.shared import consent_cookie
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/connections"
STATION = {
    "network": "toll-station",
    "account": "RO 1",
    "name": "Head office",
    "credentials.user": "toll",
    "credentials.password": "hunter2-secret",
}
TOLL = {"network": "toll", "account": "RO 1", "credentials.clientSecret": "cs-very-secret"}


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask], toll: TollAccountsPlugin) -> Flask:
    return build([einvoice_loopback, toll])


@pytest.fixture
def ann(service, toll) -> Visitor:
    toll.station.outcome = "works"
    visitor = Visitor(service, role=Role.ADMIN)
    visitor.post("/dashboard/preferences", {"environment": "test"})
    return visitor


def made(ann: Visitor, form=STATION) -> str:
    """The id of a connection that was added on the page."""
    answer = ann.post(PAGE, dict(form))
    assert answer.status_code == 303, answer.text
    page = ann.get(answer.headers["Location"]).text
    return re.search(rf"{PAGE}/([0-9a-f-]{{36}})/check", page)[1]


def test_without_connections_the_page_offers_what_each_network_asks_for(ann):
    page = ann.get(PAGE).text

    assert "No connections yet" in page
    assert "Toll number" in page
    assert re.search(r'name="credentials.password" type="password" maxlength="20"', page)
    assert 'name="credentials.key" type="file"' in page
    assert "The file that the authority has sent you." in page


def test_an_account_is_added_and_its_credentials_are_never_shown(ann, toll):
    made(ann)
    page = ann.get(PAGE).text

    assert "Head office" in page
    assert "The account works. Nothing to do." in page
    assert "hunter2" not in page
    assert toll.station.calls[-1].credentials["password"] == "hunter2-secret"


def test_a_file_reaches_the_network_as_it_is(ann, toll):
    made(
        ann, {**STATION, "account": "RO 2", "credentials.key": (io.BytesIO(b"\x00key"), "key.p12")}
    )

    assert toll.station.calls[-1].credentials["key"] == "AGtleQ=="


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"account": " "}, "account"),
        ({"credentials.password": "x" * 21}, "credentials.password"),
        ({"credentials.password": ""}, "credentials.password"),
    ],
)
def test_a_wrong_form_keeps_what_was_typed_and_shows_the_fault(ann, change, field):
    answer = ann.post(PAGE, STATION | change)

    assert answer.status_code == 409
    assert 'aria-invalid="true"' in answer.text
    assert 'value="Head office"' in answer.text
    assert "hunter2" not in answer.text


def test_an_account_that_needs_a_person_says_what_to_do(ann, toll):
    connection = made(ann)
    toll.station.outcome = "needs-person"
    done = ann.post(f"{PAGE}/{connection}/check")
    page = ann.get(done.headers["Location"]).text

    assert "The connection was checked." in page
    assert "Authorise the connection again, or replace its credentials." in page
    toll.station.outcome = "works"
    ann.post(f"{PAGE}/{connection}/credentials", {"credentials.password": "new"})
    assert toll.station.calls[-1].credentials == {"user": "toll", "password": "new"}
    assert "The account works." in ann.get(PAGE).text


def test_consent_begins_with_a_link_to_the_network_and_a_cookie_of_this_browser(ann):
    connection = made(ann, TOLL)
    answer = ann.post(f"{PAGE}/{connection}/authorise")

    assert 'href="https://authority.example/authorize?account=RO1' in answer.text
    (cookie,) = (
        each
        for each in answer.headers.getlist("Set-Cookie")
        if each.startswith(f"{consent_cookie.NAME}=")
    )
    assert "HttpOnly" in cookie
    assert "Path=/connections/callback" in cookie


def test_an_ended_connection_can_be_added_again(ann):
    connection = made(ann)
    done = ann.post(f"{PAGE}/{connection}/revoke")

    assert "The connection is ended." in ann.get(done.headers["Location"]).text
    assert f"{PAGE}/{connection}/check" not in ann.get(PAGE).text
    made(ann)


def test_connections_are_for_administrators_of_the_account(ann, service):
    connection, stranger = made(ann), Visitor(service, role=Role.ADMIN)
    member = Visitor(service, ann.tenant, Role.MEMBER)

    assert member.get(PAGE).status_code == 403
    for action in ("check", "authorise", "revoke", "credentials"):
        assert stranger.post(f"{PAGE}/{connection}/{action}").status_code == 404
        assert member.post(f"{PAGE}/{connection}/{action}").status_code == 403
    assert "Head office" not in stranger.get(f"{PAGE}?environment=test").text
