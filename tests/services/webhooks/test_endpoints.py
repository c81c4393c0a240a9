"""Webhook endpoints: which URLs may be registered, and how their secrets are stored."""

from __future__ import annotations

from dataclasses import asdict, replace
from datetime import timedelta

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, InvalidField, NotFound
from einvoice.services.webhooks import endpoints, redelivery
from einvoice.store.core import db
from einvoice.store.tables import WebhookEndpoint
from tests.services.webhooks.fixtures import TENANT, happen, log_of, register, set_rows, state_of

URL = "https://receiver.example/hook"


def test_an_endpoint_is_read_without_its_secrets(app_with_tenants, settings):
    """Secrets are returned once, on creation."""
    made = register(URL, settings, "transaction.sent", description="our ERP")

    assert endpoints.get(TENANT, made.endpoint.id) == made.endpoint
    assert endpoints.of_tenant(TENANT) == [made.endpoint]
    assert made.endpoint.event_types == ["transaction.sent"]
    assert not any("secret" in name for name in asdict(made.endpoint))
    assert made.secret != made.signing_secret


def test_secrets_are_sealed_in_the_database(app_with_tenants, settings):
    """A copy of the database alone cannot sign."""
    made = register(URL, settings)
    with db.reading() as connection:
        row = connection.execute(
            sa.select(WebhookEndpoint.secret, WebhookEndpoint.signing_secret)
        ).one()

    assert made.secret.encode() not in row.secret
    assert made.signing_secret.encode() not in row.signing_secret


@pytest.mark.parametrize(
    ("url", "environment", "allowed"),
    [
        (URL, Environment.LIVE, True),
        (URL, Environment.TEST, True),
        ("http://receiver.example/hook", Environment.LIVE, False),
        ("http://receiver.example/hook", Environment.TEST, True),
        ("https://127.0.0.1/hook", Environment.LIVE, False),
        ("https://127.0.0.1./hook", Environment.LIVE, False),
        ("https://localhost./hook", Environment.LIVE, False),
        ("https://0177.1./hook", Environment.LIVE, False),
        ("https://127.0.0.1/hook", Environment.TEST, False),
        ("https://localhost/hook", Environment.TEST, False),
        ("https://user:pass@receiver.example/", Environment.TEST, False),
        ("https://receiver.example:25/", Environment.TEST, False),
        ("https://receiver.example:8443/", Environment.LIVE, True),
        ("", Environment.TEST, False),
        ("receiver.example", Environment.TEST, False),
        (f"https://receiver.example/{'x' * 1975}", Environment.TEST, True),
        (f"https://receiver.example/{'x' * 1976}", Environment.TEST, False),
    ],
)
def test_only_urls_that_can_be_posted_to_are_registered(
    url, environment, allowed, app_with_tenants, settings
):
    """The URL is checked by the same policy as at delivery, so the owner learns it at once."""
    strict = replace(settings, webhook_allow_private=False)
    if allowed:
        assert register(url, strict, environment=environment).endpoint.url == url
        return
    with pytest.raises(InvalidField) as refusal:
        register(url, strict, environment=environment)
    assert [error.pointer for error in refusal.value.errors] == ["/url"]


def test_all_wrong_fields_are_named_at_once(app_with_tenants, settings):
    """The caller can correct them in one request."""
    with pytest.raises(InvalidField) as refusal:
        register("ftp://x", settings, "transaction.sent", "no.such", description="x" * 501)

    pointers = {error.pointer for error in refusal.value.errors}
    assert pointers == {"/url", "/eventTypes/1", "/description"}


def test_twenty_endpoints_per_environment(app_with_tenants, settings):
    """The twenty-first is refused; the other environment has its own twenty."""
    for _ in range(20):
        register(URL, settings)
    with pytest.raises(Conflict):
        register(URL, settings)

    register(URL, settings, environment=Environment.LIVE)
    register(URL, settings, tenant_id="tenant-2")


def test_an_unknown_tenant_gets_no_endpoint(app_with_tenants, settings):
    """A typing error in an operator's command is refused, not a database error."""
    with pytest.raises(NotFound):
        register(URL, settings, tenant_id="unknown")


@pytest.mark.parametrize(
    "do",
    [
        lambda i, s: endpoints.get("tenant-2", i),
        lambda i, s: endpoints.get(TENANT, i, Environment.LIVE),
        lambda i, s: endpoints.change("tenant-2", i, {"url": URL}, settings=s),
        lambda i, s: endpoints.rotate("tenant-2", i, settings=s),
        lambda i, s: endpoints.remove("tenant-2", i),
        lambda i, s: redelivery.send_test("tenant-2", i),
        lambda i, s: redelivery.deliveries("tenant-2", i),
        lambda i, s: redelivery.recover("tenant-2", i, since=clock.now() - timedelta(1)),
        lambda i, s: redelivery.redeliver("tenant-2", i, "x"),
        lambda i, s: redelivery.redeliver(TENANT, i, "no-such-delivery"),
    ],
)
def test_another_tenant_s_endpoint_does_not_exist(do, app_with_tenants, settings):
    """Every operation on its id gets the same response as an unknown id."""
    endpoint = register(URL, settings).endpoint
    with pytest.raises(NotFound):
        do(endpoint.id, settings)

    assert endpoints.get(TENANT, endpoint.id) == endpoint


def test_a_change_is_checked_like_a_registration(app_with_tenants, settings):
    """A live endpoint cannot become http later."""
    endpoint = register(URL, settings, environment=Environment.LIVE).endpoint
    for changes in (
        {"url": "http://receiver.example/"},
        {"event_types": ["no.such"]},
        {"status": "paused"},
    ):
        with pytest.raises(InvalidField):
            endpoints.change(TENANT, endpoint.id, changes, settings=settings)

    changed = endpoints.change(
        TENANT, endpoint.id, {"url": f"{URL}2", "description": None}, settings=settings
    )
    assert (changed.url, changed.status) == (f"{URL}2", "active")


def test_enabling_an_endpoint_resets_its_failures(app_with_tenants, settings):
    """Otherwise the first failure after five days would disable it again."""
    made = register(URL, settings)
    set_rows(WebhookEndpoint, failing_since=clock.now() - timedelta(days=6))
    for status, reason in (("disabled", "by its owner"), ("active", None)):
        changes = {"status": status}
        endpoint = endpoints.change(TENANT, made.endpoint.id, changes, settings=settings)
        assert (endpoint.status, endpoint.disabled_reason) == (status, reason)

    assert state_of(made).failing_since is None


def test_a_disabled_endpoint_is_not_redelivered_to(app_with_tenants, settings):
    """Conflict asks to enable it first; its deliveries would fail at once."""
    made = register(URL, settings)
    happen()
    (record,) = log_of(made)
    endpoints.change(TENANT, made.endpoint.id, {"status": "disabled"}, settings=settings)

    with pytest.raises(Conflict):
        redelivery.redeliver(TENANT, made.endpoint.id, record.id)
    with pytest.raises(Conflict):
        redelivery.recover(TENANT, made.endpoint.id, since=clock.now() - timedelta(days=1))


@pytest.mark.parametrize(
    ("since", "until"),
    [(timedelta(days=31), None), (timedelta(hours=1), timedelta(hours=1)), (-timedelta(1), None)],
    ids=["too long ago", "empty", "in the future"],
)
def test_a_period_that_cannot_be_recovered_is_refused(since, until, app_with_tenants, settings):
    """The log covers thirty days; earlier deliveries are unknown."""
    made, now = register(URL, settings), clock.now()
    with pytest.raises(InvalidField):
        redelivery.recover(TENANT, made.endpoint.id, since=now - since, until=until and now - until)


def test_the_log_is_paged_newest_first(app_with_tenants, settings):
    """Deliveries of the same millisecond are neither repeated nor lost."""
    made = register(URL, settings)
    happen(count=25)
    seen, before = [], None
    while page := redelivery.deliveries(TENANT, made.endpoint.id, limit=10, before=before):
        seen += [record.id for record in page]
        before = (page[-1].created_at, page[-1].id)

    assert len(seen) == len(set(seen)) == 25
    assert redelivery.deliveries(TENANT, made.endpoint.id, status="failed") == []
