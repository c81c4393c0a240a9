"""The first page: figures, and what needs a person."""

from __future__ import annotations

from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.roles import Role
from einvoice.store.core import db
from einvoice.store.tables import ApiKey, WebhookEndpoint
from tests.web.pages.visitor import Visitor

NEEDS = "This needs an administrator"


@pytest.fixture
def visitor(app) -> Visitor:
    return Visitor(app)


def change(visitor, table, **values) -> None:
    with visitor.person.app.app_context(), db.writing() as connection:
        mine = table.tenant_id == visitor.tenant
        connection.execute(sa.update(table).where(mine).values(**values))


def overview(visitor) -> str:
    return visitor.get("/dashboard?environment=test").text


@pytest.mark.parametrize(("days", "shown"), [(13.9, True), (14.1, False), (-1, False)])
def test_a_key_that_expires_within_fourteen_days_is_shown(visitor, days, shown):
    made = visitor.person.post("/api/keys", {"name": "ERP", "environment": "test"})
    assert made.status_code == 201, made.text
    change(visitor, ApiKey, expires_at=clock.now() + timedelta(days=days))

    assert (NEEDS in overview(visitor)) is shown
    assert ("the API key expires on" in overview(visitor)) is shown


@pytest.mark.parametrize(
    ("reason", "shown"), [("it failed for 5 days", True), ("by its owner", False)]
)
def test_a_webhook_that_was_given_up_is_shown_but_not_one_that_its_owner_disabled(
    visitor, reason, shown
):
    body = {"environment": "test", "url": "https://hooks.example/in", "eventTypes": ["*"]}
    made = visitor.person.post("/api/webhooks", body)
    assert made.status_code == 201, made.text
    assert "hooks.example" not in overview(visitor)
    change(visitor, WebhookEndpoint, status="disabled", disabled_reason=reason)

    assert ("https://hooks.example/in</a>: nothing is posted" in overview(visitor)) is shown


def test_a_webhook_that_fails_is_not_green_before_it_is_given_up(visitor):
    body = {"environment": "test", "url": "https://hooks.example/in", "eventTypes": ["*"]}
    visitor.person.post("/api/webhooks", body)
    change(visitor, WebhookEndpoint, failing_since=clock.now())
    hooks = visitor.get("/dashboard/developers/webhooks?environment=test").text

    assert "https://hooks.example/in</a>: Deliveries fail since" in overview(visitor)
    assert "Deliveries fail since" in hooks
    assert '<span class="badge good">Active' not in hooks


def test_what_only_administrators_may_change_is_shown_to_them_only(visitor, app):
    visitor.person.post("/api/keys", {"name": "ERP", "environment": "test"})
    change(visitor, ApiKey, expires_at=clock.now() + timedelta(days=1))
    member = Visitor(app, visitor.tenant, Role.MEMBER, "bob")

    assert NEEDS in overview(visitor)
    assert NEEDS not in overview(member)


def test_the_time_until_delivery_is_shown_once_a_document_was_delivered(caller, work):
    visitor = Visitor(caller.app, caller.tenant)
    assert "Until Delivered" not in overview(visitor)
    caller.sent()
    work()

    page = overview(visitor)
    assert "Until Delivered (median)" in page
    assert "95 % within" in page
