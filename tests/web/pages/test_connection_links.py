"""The page of connection links: made for somebody else, shown once, and withdrawn."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from flask import Flask

import einvoice_loopback
from einvoice.domain.roles import Role
from tests.networks.toll.accounts import TollAccountsPlugin
from tests.web.pages.test_connections import STATION, made
from tests.web.pages.visitor import Visitor

PAGE = "/dashboard/connections/links"
NETWORKS = "/dashboard/networks"


@pytest.fixture(scope="module")
def service(build: Callable[..., Flask]) -> Flask:
    return build([einvoice_loopback, TollAccountsPlugin()])


@pytest.fixture
def ann(service) -> Visitor:
    visitor = Visitor(service, role=Role.OWNER)
    visitor.post("/dashboard/preferences", {"environment": "test"})
    return visitor


def url_of(page: str) -> str:
    """The path of the link that a page shows."""
    found = re.search(r'id="secret" readonly value="[^"]*(/connect/[^"]+)"', page)
    return found[1] if found else ""


def link(ann: Visitor, **form: str) -> str:
    return url_of(ann.followed(ann.post(PAGE, form)).text)


def test_an_owner_makes_a_link_for_a_network_from_the_page_of_networks(service, ann):
    """It opens without a login, and is shown once."""
    [there] = re.findall(
        rf'href="({PAGE}\?network=toll-station-test[^"]*)"', ann.get(NETWORKS).text
    )
    form = ann.get(there.replace("&amp;", "&")).text
    url = link(ann, network="toll-station-test", account="RO 1", name="Head office")
    again = ann.get(PAGE).text
    opened = service.test_client().get(url)

    assert '<option value="toll-station-test" selected>' in form
    assert (opened.status_code, "RO1" in opened.text) == (200, True)
    assert url.rpartition("/")[2] not in again
    assert "Not used yet" in again
    assert "Head office" in again


def test_a_link_that_is_withdrawn_opens_nothing(service, ann):
    url = link(ann, network="toll-station-test")
    [address] = re.findall(rf'action="({PAGE}/[0-9a-f-]+/withdraw)', ann.get(PAGE).text)
    page = ann.followed(ann.post(address)).text

    assert "The link is withdrawn." in page
    assert "Withdrawn" in page
    assert service.test_client().get(url).status_code == 404
    assert ann.post(address).status_code == 303  # a second time changes nothing


def test_a_connection_is_handed_to_somebody_else(service, ann):
    connection = made(ann, {**STATION, "account": "RO 7"})
    assert f'name="connectionId" value="{connection}"' in ann.get("/dashboard/connections").text
    opened = service.test_client().get(link(ann, connectionId=connection))

    assert (opened.status_code, "RO7" in opened.text) == (200, True)


@pytest.mark.parametrize(
    "form",
    [
        {},
        {"network": "nowhere"},
        {"network": "toll-station-test", "account": "x" * 100_000},
        {"network": "toll-station-test", "name": "x" * 101},
    ],
    ids=["nothing", "no network", "a long account", "a long name"],
)
def test_a_form_that_is_refused_is_shown_again_without_a_link(ann, form):
    answer = ann.post(PAGE, form)

    assert answer.status_code == 409
    assert "/connect/" not in answer.text
    assert "Not used yet" not in ann.get(PAGE).text


def test_a_link_of_another_account_is_not_withdrawn(service, ann):
    url = link(ann, network="toll-station-test")
    [address] = re.findall(rf'action="({PAGE}/[0-9a-f-]+/withdraw)', ann.get(PAGE).text)
    bob = Visitor(service, role=Role.OWNER)

    assert bob.post(address).status_code == 404
    assert service.test_client().get(url).status_code == 200


def test_a_member_makes_no_link(service):
    member = Visitor(service, role=Role.MEMBER)

    assert member.get(PAGE).status_code == 403
    assert member.post(PAGE, {"network": "toll-station-test"}).status_code == 403
