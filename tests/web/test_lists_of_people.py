"""Invoices as people at the dashboard see them: both environments, and which it is (19.6)."""

from __future__ import annotations

from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.store.invoices import lists
from tests.builders import accepted
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard

START = clock.now() - timedelta(hours=1)


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.VIEWER)


@pytest.fixture
def ids(ann) -> list[str]:
    """Twelve invoices, oldest first: two of every three in the sandbox, some at the same time."""
    with ann.app.app_context():
        return [
            accepted(
                ann.tenant,
                environment="live" if n % 3 == 0 else "test",
                created_at=START + timedelta(seconds=n // 2),
            ).invoice_id
            for n in range(12)
        ]


def walk(ann, query: str) -> list[str]:
    found, cursor = [], ""
    while True:
        body = ann.get(f"/api/invoices?{query}{cursor}").json
        found += [(item["createdAt"], item["invoiceId"]) for item in body["items"]]
        if not body["hasMore"]:
            return found
        cursor = f"&cursor={body['nextCursor']}"


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 11, 12, 13])
@pytest.mark.parametrize("sort", ["createdAt", "-createdAt"])
def test_both_environments_are_one_list(ann, ids, limit, sort):
    """In order, each invoice once, with any size of pages."""
    found = walk(ann, f"limit={limit}&sort={sort}")

    assert found == sorted(found, reverse=sort == "-createdAt")
    assert sorted(i for _, i in found) == sorted(ids)


@pytest.mark.parametrize(("limit", "more"), [(11, True), (12, False)])
def test_a_page_that_holds_the_last_invoice_is_the_last(ann, ids, limit, more):
    """Also if it is exactly full."""
    body = ann.get(f"/api/invoices?limit={limit}").json

    assert (len(body["items"]), body["hasMore"]) == (limit, more)


@pytest.mark.parametrize("examined", [1, 2, 5])
def test_a_short_page_of_one_environment_hides_nothing_of_the_other(
    ann, ids, monkeypatch, examined
):
    """A page that ends in one environment hides nothing of the other."""
    monkeypatch.setattr(lists, "MAX_EXAMINED", examined)

    assert sorted(i for _, i in walk(ann, "limit=3&q=acme&currency=EUR")) == sorted(ids)


def test_the_filter_takes_one_environment_and_the_total_counts_it(ann, ids):
    for environment, count in (("test", 8), ("live", 4)):
        body = ann.get(f"/api/invoices?environment={environment}&include=total").json
        assert {item["environment"] for item in body["items"]} == {environment}
        assert (len(body["items"]), body["total"]) == (count, count)

    assert ann.get("/api/invoices?include=total").json["total"] == 12


def test_a_key_lists_its_own_environment_only(ann, ids):
    key = Caller(ann.app, Environment.LIVE, ann.tenant)

    assert len(key.get("/api/invoices").json["items"]) == 4
    assert len(key.get("/api/invoices?environment=live").json["items"]) == 4
    assert key.get("/api/invoices?environment=test").json["items"] == []


def test_a_cursor_of_a_key_is_invalid_for_a_person(ann, ids):
    """The cursor is sealed with the caller's environments too."""
    cursor = ann.get("/api/invoices?limit=1").json["nextCursor"]
    answer = Caller(ann.app, tenant=ann.tenant).get(f"/api/invoices?limit=1&cursor={cursor}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_the_earlier_paths_accept_no_session_token(service):
    """They are older than the dashboard, and for programs."""
    answer = Dashboard(service).get("/v1/invoices/x/artefacts")

    assert (answer.status_code, slug(answer)) == (401, "invalid-token")


def test_a_key_takes_precedence_over_a_token(service, ann):
    """The contract describes the key."""
    answer = ann.get("/api/invoices", x_api_key="sk_test_wrong")

    assert (answer.status_code, slug(answer)) == (401, "invalid-api-key")
