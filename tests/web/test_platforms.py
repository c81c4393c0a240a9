"""Platforms: tenants by API, and requests for them with X-Tenant (decisions 21.1)."""

from __future__ import annotations

import json
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from einvoice import clock
from einvoice.domain.credentials import PLATFORM_CLIENT, PLATFORM_KEY, PLATFORM_SCOPES
from einvoice.domain.environments import Environment
from einvoice.security.api_keys import SCOPES
from einvoice.services.account import audit, credentials, tenants
from einvoice.store.tables import Transmission
from einvoice.store.webhooks import feed
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.inbox import Inbox
from tests.web.platform import Platform
from tests.web.resending import Again
from tests.web.submission.documents import request_of, two_lines
from tests.web.webhook_events import emit

TENANTS = "/api/platform/tenants"


@pytest.fixture
def platform(service) -> Platform:
    return Platform(service)


@pytest.fixture
def live(service, platform) -> Platform:
    """The same platform with a live key."""
    return Platform(service, Environment.LIVE, platform.id)


# -- creating --------------------------------------------------------------------------------------


def test_a_tenant_is_created_once_for_an_external_id(platform):
    """The second run of a script changes nothing: 200 with the tenant that exists."""
    first, second = platform.create("c-1"), platform.create("c-1")

    assert [first.status_code, second.status_code] == [201, 200]
    assert first.json == second.json
    assert first.headers["Location"] == f"{TENANTS}/{first.json['tenantId']}"
    assert first.json["state"] == "active"
    assert [each["externalId"] for each in platform.get(TENANTS).json["items"]] == ["c-1"]


def test_concurrent_creations_of_an_external_id_make_one_tenant(platform):
    """All are answered with the same tenant; one of them has made it."""
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda _: platform.create("c-1"), range(40)))

    assert len({answer.json["tenantId"] for answer in answers}) == 1
    assert sorted(answer.status_code for answer in answers) == [200] * 39 + [201]


@pytest.mark.long
def test_of_many_thousand_concurrent_creations_one_makes_the_tenant(build):
    """None is lost: each has the tenant, or is told to come again; the tenant is made once."""
    platform = Platform(build(limit_platform_post=MANY))

    with ThreadPoolExecutor(200) as pool:
        answers = list(pool.map(lambda _: platform.create("c-1"), range(10_000)))

    found = Counter(answer.status_code for answer in answers)
    assert set(found) <= {200, 201, 429, 503}, found
    assert found[201] == 1
    assert found[200] > len(answers) / 2, found
    made = {answer.json["tenantId"] for answer in answers if answer.status_code in (200, 201)}
    assert [each["tenantId"] for each in platform.get(TENANTS).json["items"]] == list(made)


MANY = 100_000  # requests a minute


def test_an_external_id_is_unique_per_platform_only(service, platform):
    assert platform.created("c-1") != Platform(service).created("c-1")


@pytest.mark.parametrize("members", [{"name": "Other"}, {"limits": {"post": 7}}])
def test_a_creation_with_other_values_is_refused(platform, members):
    """Values that would be ignored are refused, and the refusal says how they are changed."""
    tenant = platform.created("c-1")

    answer = platform.create("c-1", **members)

    assert slug(answer) == "conflict"
    assert next(iter(members)) in answer.json["detail"]
    assert platform.get(f"{TENANTS}/{tenant}").json["name"] == "Tenant c-1"


@pytest.mark.parametrize(
    "external_id", ["", " ", "a b", "a/b", "-a", "é", "x" * 101, "a\x00", None, 7, {"a": 1}]
)
def test_external_ids_that_no_header_carries_are_refused(platform, external_id):
    answer = platform.post(TENANTS, {"externalId": external_id, "name": "A"})

    assert slug(answer) == "invalid-field"
    assert answer.json["errors"][0]["pointer"] == "/externalId"


def test_a_tenant_is_found_by_both_ids(platform):
    tenant = platform.created("c:1@erp.example+x")

    assert platform.get(f"{TENANTS}/c:1@erp.example+x").json["tenantId"] == tenant
    assert platform.get(f"{TENANTS}/{tenant}").json["externalId"] == "c:1@erp.example+x"
    listed = platform.get(f"{TENANTS}?externalId=c:1@erp.example%2Bx").json["items"]
    assert [each["tenantId"] for each in listed] == [tenant]


def test_an_external_id_keeps_its_letters_in_an_address(platform):
    """Also one that looks like an id of ours: programs on Windows write capitals."""
    name = "6F1C2A9E-0B8E-4F5E-9D5E-0C6A4B1F2D3C"
    tenant = platform.created(name)

    assert platform.get(f"{TENANTS}/{name}").json["tenantId"] == tenant
    assert platform.get(f"{TENANTS}/{name.lower()}").status_code == 404
    assert platform.get(f"{TENANTS}/{tenant.upper()}").json["externalId"] == name


def test_tenants_are_listed_in_pages(platform):
    made = [platform.created(f"c-{n}") for n in range(5)]
    platform.post(f"{TENANTS}/c-3/suspend")

    first = platform.get(f"{TENANTS}?limit=3").json
    rest = platform.get(f"{TENANTS}?limit=3&cursor={first['nextCursor']}").json
    found = [each["tenantId"] for each in first["items"] + rest["items"]]

    assert (found, rest["hasMore"]) == (made, False)
    by_state = {
        state: len(platform.get(f"{TENANTS}?state={state}").json["items"])
        for state in ("active", "suspended", "closed")
    }
    assert by_state == {"active": 4, "suspended": 1, "closed": 0}


def test_name_external_id_and_limits_are_changed(platform):
    tenant = platform.created("c-1")
    platform.created("c-2")
    changes = {"name": "New", "externalId": "n-1", "limits": {"get": 5, "post": 6}}

    changed = platform.call("PATCH", f"{TENANTS}/{tenant}", changes)
    taken = platform.call("PATCH", f"{TENANTS}/{tenant}", {"externalId": "c-2"})
    restored = platform.call("PATCH", f"{TENANTS}/{tenant}", {"limits": None})

    assert {name: changed.json[name] for name in changes} == changes
    assert slug(taken) == "conflict"
    assert restored.json["limits"] == {"get": 60, "post": 20}


# -- for a tenant ----------------------------------------------------------------------------------


@pytest.mark.parametrize("by", ["externalId", "tenantId"])
def test_with_x_tenant_a_platform_is_answered_as_a_key_of_the_tenant(service, platform, by):
    tenant = platform.created("c-1")

    sent = platform.send("c-1" if by == "externalId" else tenant)

    assert sent.status_code == 200, sent.text
    own = Caller(service, tenant=tenant)
    assert own.get(f"/api/invoices/{sent.json['invoiceId']}").status_code == 200


def test_a_platform_manages_keys_participants_and_profile_of_a_tenant(platform):
    """What people do at the dashboard, it does with the scope tenants:manage."""
    tenant = platform.created("c-1")
    key = platform.post("/api/keys", {"name": "ERP", "environment": "test"}, tenant)
    claimed = {"participantId": "0208:0403019261", "environment": "test"}

    assert key.json["key"].startswith("sk_test_")
    assert platform.post("/api/participants", claimed, tenant).status_code == 201
    assert platform.get("/api/participants", tenant).json["items"][0]["status"] == "verified"
    assert platform.call("PATCH", "/api/tenant", {"displayName": "A"}, tenant).status_code == 200
    assert platform.get("/api/usage", tenant).status_code == 200


def test_without_x_tenant_a_platform_is_answered_about_itself_only(platform):
    platform.created("c-1")

    asked = [platform.get(path) for path in ("/api/invoices", "/api/keys", "/api/webhooks")]

    assert [slug(answer) for answer in asked] == ["tenant-required"] * 3
    assert slug(platform.get(TENANTS, "c-1")) == "invalid-field"


def test_the_tenant_of_another_platform_is_not_found(service, platform):
    """By its id, by its external id, and with X-Tenant; the same as for one that does not exist."""
    other = Platform(service)
    tenant = platform.created("c-1")
    own = Caller(service).tenant
    paths = (f"{TENANTS}/{{}}", f"{TENANTS}/{{}}/suspend", f"{TENANTS}/{{}}/close")

    for name in (tenant, "c-1", own, other.id, platform.id, str(uuid.uuid4())):
        answers = [other.get("/api/invoices", name), other.get(paths[0].format(name))]
        answers += [other.post(path.format(name)) for path in paths[1:]]
        answers.append(other.call("PATCH", paths[0].format(name), {"name": "Mine"}))
        assert {slug(answer) for answer in answers} == {"not-found"}, name
    assert platform.get(f"{TENANTS}/{tenant}").json["state"] == "active"


def test_the_key_of_a_tenant_is_answered_about_its_tenant_only(service, platform):
    """X-Tenant with another tenant's name is refused, not ignored."""
    platform.created("c-1")
    caller = Caller(service, scopes=SCOPES)

    assert slug(caller.get("/api/invoices", X_Tenant="c-1")) == "not-found"
    assert caller.get("/api/invoices", X_Tenant=caller.tenant).status_code == 200
    assert slug(caller.get(TENANTS)) == "invalid-api-key"


def test_a_test_key_reaches_only_the_sandbox_of_a_tenant(platform, live):
    """Objects of the live environment are not found, and not made."""
    tenant = live.created("c-1")
    key = live.post("/api/keys", {"name": "ERP", "environment": "live"}, tenant).json["keyId"]
    new = {"name": "ERP", "environment": "live"}
    claim = {"participantId": "0208:0403019261", "environment": "live"}
    live.post("/api/participants", claim, tenant)

    refused = [
        platform.get(f"/api/keys/{key}", tenant),
        platform.call("PATCH", f"/api/keys/{key}", {"name": "x"}, tenant),
        platform.post(f"/api/keys/{key}/rotate", None, tenant),
        platform.call("DELETE", f"/api/keys/{key}", None, tenant),
        platform.call("DELETE", "/api/participants/live/0208:0403019261", None, tenant),
        platform.post("/api/keys", new, tenant),
        platform.post("/api/participants", claim, tenant),
        platform.get("/api/keys?environment=live", tenant),
    ]

    assert [slug(answer) for answer in refused] == ["not-found"] * 5 + ["invalid-field"] * 3
    assert platform.get("/api/keys", tenant).json["items"] == []
    assert platform.get("/api/participants", tenant).json["items"] == []


def test_a_test_key_changes_no_tenant_with_a_live_environment(platform, live):
    """A script that is tried in the sandbox cannot suspend or close real customers."""
    tenant = live.created("c-1")
    calls = [
        platform.post(f"{TENANTS}/{tenant}/suspend"),
        platform.post(f"{TENANTS}/{tenant}/close"),
        platform.call("PATCH", f"{TENANTS}/{tenant}", {"name": "x"}),
        platform.call("PATCH", "/api/tenant", {"displayName": "A"}, tenant),
    ]

    assert [slug(answer) for answer in calls] == ["insufficient-scope"] * 4


def test_a_tenant_of_the_sandbox_becomes_live_by_a_live_creation(platform, live):
    tenant = platform.created("c-1")
    before = live.get("/api/invoices", "c-1")

    assert slug(before) == "not-found"
    assert live.created("c-1") == tenant
    assert live.get("/api/invoices", "c-1").status_code == 200
    assert slug(platform.post(f"{TENANTS}/c-1/suspend")) == "insufficient-scope"


@pytest.mark.parametrize("scope", PLATFORM_SCOPES)
def test_each_route_needs_its_scope(service, scope):
    platform = Platform(service, scopes=[scope, "invoices:read"])
    manager = Platform(service, platform=platform.id)
    tenant = manager.created("c-1")

    allowed = {
        "read": platform.get(f"{TENANTS}/{tenant}").status_code == 200,
        "read keys": platform.get("/api/keys", tenant).status_code == 200,
        "manage": platform.post(f"{TENANTS}/{tenant}/suspend").status_code == 200,
        "make keys": platform.post("/api/keys", {"name": "a", "environment": "test"}, tenant)
        .status_code == 201,
        "send": platform.send(tenant, manager.body(tenant)).status_code == 200,
    }  # fmt: skip

    reads = scope != "usage:read"
    manages = scope == "tenants:manage"
    assert allowed == {"read": reads, "read keys": reads, "manage": manages,
                       "make keys": manages, "send": False}  # fmt: skip


def test_the_oauth_client_of_a_platform_acts_for_its_tenants(service, platform):
    tenant = platform.created("c-1")
    with service.app_context():
        made = credentials.create(PLATFORM_CLIENT, platform.id, "erp", Environment.TEST)
    form = {"grant_type": "client_credentials", "client_id": made.record.id,
            "client_secret": made.secret}  # fmt: skip
    granted = service.test_client().post("/oauth/token", data=form)
    bearer = {"Authorization": f"Bearer {granted.json['access_token']}"}

    def get(path: str, **more: str):
        return service.test_client().get(path, headers=bearer | more)

    assert made.record.id.startswith("pi_test_")
    assert get(f"{TENANTS}/{tenant}").status_code == 200
    assert get("/api/keys", **{"X-Tenant": "c-1"}).status_code == 200
    assert slug(get("/api/invoices")) == "tenant-required"


def test_the_audit_log_names_the_platform(service, platform):
    tenant = platform.created("c-1")
    platform.post("/api/keys", {"name": "ERP", "environment": "test"}, tenant)

    with service.app_context():
        entries = audit.page(tenant, before=None, limit=10, matching={})

    assert [entry.action for entry in entries] == ["key.created", "tenant.created"]
    assert {(entry.actor_kind, entry.actor) for entry in entries} == {("platform", platform.id)}
    assert {entry.detail["credential"] for entry in entries} == {platform.key_id}
    assert all(entry.detail["platform"].startswith("Platform ") for entry in entries)


# -- the end ---------------------------------------------------------------------------------------


def test_a_suspended_tenant_answers_no_bill_and_sends_nothing_again(service, platform):
    """Each way out is closed, to people, its keys and the platform; bills arrive as before."""
    tenant = platform.created("c-1")
    caller = Caller(service, tenant=tenant, scopes=SCOPES)
    again, inbox, person = Again(caller), Inbox(caller), Dashboard(service, tenant)
    bill, body = inbox.arrives(), caller.body()
    platform.post(f"{TENANTS}/c-1/suspend", {"reason": "Unpaid"})
    before = caller.count(Transmission)
    response, batch = {"responseCode": "AP"}, {"invoices": [request_of(two_lines("S-1"))]}

    answers = {
        "send": caller.send(body),
        "/v2": caller.call("POST", "/v2/invoices/send", json.dumps(body).encode()),
        "/v1": caller.bearer("POST", "/v1/invoices", request_of(two_lines("S-1"))),
        "resend": again.resend(),
        "resend with a key": again.resend(Idempotency_Key="k"),
        "resend by a person": person.post(f"/api/invoices/{again.invoice}/resend", None),
        "resend by the platform": platform.post(
            f"/api/invoices/{again.invoice}/resend", None, tenant
        ),
        "response": platform.post(f"/api/invoices/{bill}/response", response, tenant),
        "response by a person": person.post(f"/api/invoices/{bill}/response", response),
    }
    (item,) = caller.bearer("POST", "/v1/invoices/batch", batch).json["results"]

    assert {name: slug(answer) for name, answer in answers.items()} == dict.fromkeys(
        answers, "tenant-suspended"
    )
    assert item["error"]["type"].endswith("/tenant-suspended")
    assert caller.count(Transmission) == before
    assert inbox.arrives(number="after") in inbox.ids("direction=received")


def test_a_suspended_tenant_receives_and_sends_nothing(service, platform):
    """Its own keys and the platform are told why; what it can read stays; resuming ends it."""
    tenant = platform.created("c-1")
    body, caller = platform.body(tenant), Caller(service, tenant=tenant)
    platform.post(f"{TENANTS}/c-1/suspend", {"reason": "Invoice of May is unpaid"})

    dry = body | {"options": {"dryRun": True}}
    refused = [platform.send(tenant, body), caller.send(body), caller.send(dry)]

    assert [slug(answer) for answer in refused] == ["tenant-suspended"] * 3
    assert "Invoice of May is unpaid" in refused[0].json["detail"]
    assert caller.get("/api/invoices").status_code == 200
    platform.post(f"{TENANTS}/c-1/resume")
    assert caller.send(body).status_code == 200


def test_a_closed_tenant_stays_in_the_list(platform):
    tenant = platform.created("c-1")
    closed = [platform.post(f"{TENANTS}/c-1/close") for _ in range(2)]

    assert [answer.json["state"] for answer in closed] == ["closed"] * 2
    assert slug(platform.get("/api/invoices", tenant)) == "account-closed"
    assert slug(platform.post(f"{TENANTS}/c-1/resume")) == "conflict"
    for other in ({}, {"name": "Another"}, {"plan": {"monthlyDocuments": 7}}):
        again = platform.create("c-1", **other)
        assert (again.status_code, again.json["closedAt"]) == (200, closed[0].json["closedAt"])


# -- limits ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def counting(build, redis_server):
    """A service with Redis."""
    return build(redis_url=redis_server)


@pytest.fixture
def counted(counting) -> Platform:
    return Platform(counting)


def test_a_revoked_platform_key_ends_at_once(counting, counted):
    counted.created("c-1")
    with counting.app_context():
        credentials.revoke(PLATFORM_KEY, counted.id, counted.key_id)

    assert slug(counted.get("/api/invoices", "c-1")) == "invalid-api-key"


def test_a_tenants_flood_takes_nothing_from_the_others(counted):
    """Requests above the limit of a tenant do not count for the counted."""
    counted.created("c-1", limits={"get": 2})
    counted.created("c-2")

    flood = [counted.get("/api/invoices", "c-1") for _ in range(4)]
    other = counted.get("/api/invoices", "c-2")

    assert [answer.status_code for answer in flood] == [200, 200, 429, 429]
    assert flood[2].headers["X-RateLimit-Limit"] == "2"
    assert "for this tenant" in flood[2].json["detail"]
    assert int(flood[2].headers["Retry-After"]) > 0
    assert other.headers["X-RateLimit-Remaining"] == str(6000 - 3)


def test_requests_for_unknown_tenants_count_for_the_platform(counted):
    missing = counted.get("/api/invoices", "nobody")

    assert missing.headers["X-RateLimit-Remaining"] == "5999"


def test_a_tenant_of_the_operator_is_as_before(service):
    """It has no platform, and no request of one reaches it."""
    caller = Caller(service)
    with service.app_context():
        found = tenants.get(caller.tenant)

    assert (found.platform_id, found.external_id, found.suspended_at) == (None, None, None)


# -- webhooks and events ---------------------------------------------------------------------------


def test_the_events_of_all_tenants_are_those_of_the_platform(service, platform, monkeypatch):
    """Each says whose it is; the tenants have their own, and other platforms none."""
    tenants_ = [platform.created(name) for name in ("c-1", "c-2")]
    invoices = [platform.send(tenant).json["invoiceId"] for tenant in tenants_]
    for tenant, invoice in zip(tenants_, invoices, strict=True):
        emit(service, tenant, invoice=invoice)
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() + feed.COMMIT_MARGIN + timedelta(seconds=1))

    found = platform.get("/api/platform/events").json["items"]
    (own,) = platform.get("/api/events", tenants_[0]).json["items"]
    one = platform.get(f"/api/platform/events/{found[0]['eventId']}").json

    assert [(each["tenantId"], each["externalId"], each["invoiceId"]) for each in found] == [
        (tenants_[0], "c-1", invoices[0]),
        (tenants_[1], "c-2", invoices[1]),
    ]
    assert found[0] == own | {name: found[0][name] for name in _OF_PLATFORM}
    assert one == found[0] | {"provider": one["provider"]}
    assert Platform(service).get("/api/platform/events").json["items"] == []


_OF_PLATFORM = ("eventId", "tenantId", "externalId")


def test_one_webhook_hears_of_all_tenants(service, platform):
    """With its log and redelivery; webhooks of a tenant are not among those of the platform."""
    tenant = platform.created("c-1")
    made = platform.post("/api/platform/webhooks", {"url": "https://platform.example/hook"})
    platform.post("/api/webhooks", {"url": "https://tenant.example/hook"}, tenant)
    emit(service, tenant)

    path = made.headers["Location"]
    log = platform.get(f"{path}/deliveries").json["items"]
    again = platform.post(f"{path}/deliveries/{log[0]['deliveryId']}/redeliver")

    assert path == f"/api/platform/webhooks/{made.json['webhookId']}"
    assert len(platform.get("/api/platform/webhooks").json["items"]) == 1
    assert [each["eventType"] for each in log] == ["transaction.sent"]
    assert again.status_code == 202, again.text
    assert slug(platform.get(f"/api/webhooks/{made.json['webhookId']}", tenant)) == "not-found"
