"""Share links at the dashboard (decisions 19.14)."""

from __future__ import annotations

import base64
import hashlib
import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa

from einvoice.domain.roles import Role
from einvoice.store.core import db
from einvoice.store.tables import AuditEntry, ShareLink
from tests.web.buyer.shop import Shop
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard


@pytest.fixture
def shop(service) -> Shop:
    return Shop(service)


@pytest.fixture
def dashboard(service, shop) -> Dashboard:
    return Dashboard(service, shop.tenant)


@pytest.fixture
def invoice(shop) -> str:
    return shop.invoice()


def rows(app, statement):
    with app.app_context(), db.reading() as connection:
        return connection.execute(statement).all()


def seen(shop, reported):
    """The status of the link in a response; None without a link."""
    return shop.open(reported["shareToken"]).status_code


def test_the_token_of_a_link_is_returned_once(dashboard, shop, invoice):
    """A second request returns alreadyShared, null token and URL, and the time of creation."""
    first = dashboard.post(f"/api/invoices/{invoice}/share")
    again = dashboard.post(f"/api/invoices/{invoice}/share")

    assert (first.status_code, again.status_code) == (200, 200)
    assert first.json["alreadyShared"] is False
    assert (
        first.json["shareUrl"]
        == f"http://127.0.0.1:8000/api/invoices/view/{first.json['shareToken']}"
    )
    assert again.json == {
        "shareToken": None,
        "shareUrl": None,
        "alreadyShared": True,
        "shareTokenCreatedAt": first.json["shareTokenCreatedAt"],
        "provider": "eInvoice",
    }
    assert seen(shop, first.json) == 200


def test_the_token_is_32_random_bytes_of_which_only_the_digest_is_kept(service, dashboard, invoice):
    token = dashboard.post(f"/api/invoices/{invoice}/share").json["shareToken"]
    ((digest,),) = rows(service, sa.select(ShareLink.digest).where(ShareLink.invoice_id == invoice))

    assert len(base64.urlsafe_b64decode(token + "=")) == 32
    assert digest == hashlib.sha256(token.encode()).hexdigest()


def test_regenerating_replaces_the_link_at_once(dashboard, shop, invoice):
    old = dashboard.post(f"/api/invoices/{invoice}/share").json
    new = dashboard.post(f"/api/invoices/{invoice}/share?regenerate=true").json

    assert new["alreadyShared"] is False
    assert (seen(shop, old), seen(shop, new)) == (404, 200)


def test_regenerating_makes_a_link_where_there_is_none(dashboard, shop, invoice):
    reported = dashboard.post(f"/api/invoices/{invoice}/share?regenerate=true").json

    assert (reported["alreadyShared"], seen(shop, reported)) == (False, 200)


def test_a_revoked_link_is_invalid_and_its_digest_deleted(service, dashboard, shop, invoice):
    """Also its digest is deleted."""
    reported = dashboard.post(f"/api/invoices/{invoice}/share").json
    answer = dashboard.delete(f"/api/invoices/{invoice}/share")

    assert (answer.status_code, answer.data) == (204, b"")
    assert seen(shop, reported) == 404
    assert rows(service, sa.select(ShareLink.digest).where(ShareLink.invoice_id == invoice)) == [
        (None,)
    ]
    assert dashboard.post(f"/api/invoices/{invoice}/share").json["alreadyShared"] is False


def test_revoking_without_a_link_is_204_too(dashboard, invoice):
    assert dashboard.delete(f"/api/invoices/{invoice}/share").status_code == 204


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "Processing"}, "is Processing"),
        ({"status": "Failed"}, "is Failed"),
        ({"direction": "received"}, "was received"),
    ],
)
def test_only_a_delivered_sent_invoice_can_be_shared(dashboard, shop, changes, words):
    invoice = shop.invoice(**changes)
    answer = dashboard.post(f"/api/invoices/{invoice}/share")

    assert (answer.status_code, slug(answer)) == (409, "not-shareable")
    assert words in answer.json["detail"]


@pytest.mark.parametrize("query", ["", "?regenerate=true"])
def test_concurrent_requests_leave_one_link(service, dashboard, shop, invoice, query):
    """A returned token is invalid only if a later request has replaced the link."""
    path = f"/api/invoices/{invoice}/share{query}"
    with ThreadPoolExecutor(6) as pool:
        reported = [answer.json for answer in pool.map(lambda _: dashboard.post(path), range(6))]
    tokens = [one["shareToken"] for one in reported if one["shareToken"]]

    assert len(tokens) == (6 if query else 1)
    assert [shop.open(token).status_code for token in tokens].count(200) == 1
    live = sa.select(ShareLink.id).where(
        ShareLink.invoice_id == invoice, ShareLink.revoked_at.is_(None)
    )
    assert len(rows(service, live)) == 1


def test_lists_and_the_invoice_say_whether_it_is_shared(dashboard, shop, invoice):
    def shared():
        listed = dashboard.get("/api/invoices").json["items"]
        alone = dashboard.get(f"/api/invoices/{invoice}").json
        return [item["shared"] for item in listed], alone["shared"]

    assert shared() == ([False], False)
    token = shop.link(invoice)
    assert shared() == ([True], True)
    shop.revoke(invoice)
    assert shared() == ([False], False)
    assert shop.open(token).status_code == 404


def test_links_are_in_the_history_and_do_not_change_updated_at(dashboard, invoice):
    before = dashboard.get(f"/api/invoices/{invoice}").json
    for query in ("", "?regenerate=true"):
        dashboard.post(f"/api/invoices/{invoice}/share{query}")
    dashboard.delete(f"/api/invoices/{invoice}/share")
    after = dashboard.get(f"/api/invoices/{invoice}").json

    reported = [entry["event"] for entry in after["history"]]
    assert [event for event in reported if event in ("shared", "revoked")] == [
        "shared", "revoked", "shared", "revoked",
    ]  # fmt: skip
    assert after["updatedAt"] == before["updatedAt"]


def test_every_change_is_in_the_audit_log_and_nothing_else(service, dashboard, shop, invoice):
    for query in ("", "", "?regenerate=true"):
        dashboard.post(f"/api/invoices/{invoice}/share{query}")
    for _ in range(2):
        dashboard.delete(f"/api/invoices/{invoice}/share")
    noted = rows(
        service,
        sa.select(AuditEntry.action, AuditEntry.target, AuditEntry.detail).where(
            AuditEntry.tenant_id == shop.tenant
        ),
    )

    assert sorted(map(repr, noted)) == sorted(
        repr(entry)
        for entry in [
            ("invoice.shared", invoice, {"replaced": False}),
            ("invoice.shared", invoice, {"replaced": True}),
            ("invoice.unshared", invoice, {}),
        ]
    )


def test_another_tenant_gets_404_for_links(service, shop, invoice):
    stranger = Dashboard(service)
    nothing = uuid.uuid4()
    reported = {}
    for call in (stranger.post, stranger.delete):
        for ident in (invoice, nothing):
            answer = call(f"/api/invoices/{ident}/share")
            assert (answer.status_code, slug(answer)) == (404, "not-found")
            reported.setdefault(call.__name__, set()).add(
                answer.json["detail"].replace(str(ident), "")
            )

    assert all(len(words) == 1 for words in reported.values())


@pytest.mark.parametrize("text", ["x", "%00", "%FF", "a" * 3000, "%27%20OR%201=1", "é"])
def test_a_malformed_id_is_not_found(dashboard, text):
    for call in (dashboard.post, dashboard.delete):
        answer = call(f"/api/invoices/{text}/share")
        assert (answer.status_code, slug(answer)) == (404, "not-found")


@pytest.mark.parametrize("method", ["POST", "DELETE"])
def test_an_api_key_does_not_open_these_routes(service, shop, invoice, method):
    """API keys are refused (decisions 9)."""
    caller = Caller(service, tenant=shop.tenant)
    path = f"/api/invoices/{invoice}/share"

    assert slug(caller.call(method, path)) == "token-required"
    bearer = {"Authorization": f"Bearer {caller.key}"}
    answer = service.test_client().open(path, method=method, headers=bearer)
    assert (answer.status_code, slug(answer)) == (401, "invalid-token")


@pytest.mark.parametrize(("role", "status"), [(Role.VIEWER, 403), (Role.MEMBER, 200)])
def test_sharing_needs_a_member(service, shop, invoice, role, status):
    person = Dashboard(service, shop.tenant, role)

    assert person.post(f"/api/invoices/{invoice}/share").status_code == status


@pytest.mark.parametrize(
    ("query", "pointer"),
    [("regenerate=yes", "/regenerate"), ("regenerate=", "/regenerate"), ("force=true", "/force")],
)
def test_an_invalid_query_of_sharing_is_refused(dashboard, invoice, query, pointer):
    answer = dashboard.post(f"/api/invoices/{invoice}/share?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")
    assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


def test_the_body_of_sharing_is_empty(dashboard, invoice):
    path = f"/api/invoices/{invoice}/share"

    assert dashboard.post(path, {}).status_code == 200
    assert slug(dashboard.post(path, {"regenerate": True})) == "invalid-field"


def test_each_environment_has_links_on_its_own_host(build):
    """The base comes from the settings, whatever the request's Host says."""
    app = build(base_url="https://api.example.com", sandbox_base_url="https://sandbox.example.com/")
    shop = Shop(app)
    dashboard = Dashboard(app, shop.tenant)
    reported = [
        dashboard.post(
            f"/api/invoices/{shop.invoice(environment=environment)}/share", Host="evil.example"
        ).json
        for environment in ("live", "test")
    ]

    assert [one["shareUrl"].removesuffix(one["shareToken"]) for one in reported] == [
        "https://api.example.com/api/invoices/view/",
        "https://sandbox.example.com/api/invoices/view/",
    ]
