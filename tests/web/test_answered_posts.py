"""Idempotency-Key of POSTs that are no sends (decisions 30.2)."""

from __future__ import annotations

import gzip
import io
import json
from concurrent.futures import ThreadPoolExecutor

import pytest
import sqlalchemy as sa
from flask import Flask

from einvoice.domain.credentials import API_KEY
from einvoice.domain.environments import Environment
from einvoice.services import retention
from einvoice.services.account import credentials
from einvoice.store import tables
from einvoice.store.account import answered_posts
from einvoice.store.account.answered_posts import PostScope
from einvoice.store.core import db
from einvoice.web import api
from einvoice.web.answered_posts import KEY, refuses_keys
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard
from tests.web.platform import Platform

SCOPES = ("webhooks:manage", "invoices:send", "invoices:read")
HOOK = {"url": "https://erp.example.com/hook"}


@pytest.fixture
def manager(service: Flask) -> Caller:
    return Caller(service, scopes=SCOPES)


def _hook(caller: Caller, body: object = HOOK, **headers: str):
    return caller.call(
        "POST", "/api/webhooks", json.dumps(body).encode(),
        Content_Type="application/json", **headers,
    )  # fmt: skip


def _hooks(caller: Caller) -> int:
    return caller.count(tables.WebhookEndpoint)


def test_every_post_for_tenants_takes_a_key_or_refuses_it(service):
    """None ignores it silently; those that refuse it make nothing, or what is of use only once."""
    posts = {
        rule.endpoint: service.view_functions[rule.endpoint]
        for rule in service.url_map.iter_rules()
        if "POST" in (rule.methods or ()) and rule.rule.startswith(("/api/", "/v1/", "/v2/"))
    }
    ignoring = [
        name for name, view in posts.items()
        if KEY not in api.headers_read(view) and not refuses_keys(view)
    ]  # fmt: skip
    refusing = {
        name
        for name, view in posts.items()
        if refuses_keys(view) and not name.startswith("operator_")  # each is final
    }

    assert ignoring == []
    assert refusing == {
        "connections.authorise_connection",
        "conversion.convert_document",
        "mail.preview_mail",
        "mail.test_mail",
        "submission.validate_document",
    }


def test_a_repeated_post_makes_one_thing_and_gets_the_first_answer(manager):
    """The secrets, which are shown only once, are null in it."""
    first, second = (_hook(manager, Idempotency_Key="k") for _ in range(2))

    assert (first.status_code, second.status_code) == (201, 201)
    assert _hooks(manager) == 1
    assert second.json == first.json | {"secret": None, "signingSecret": None}
    assert second.headers["Location"] == first.headers["Location"]
    assert [a.headers["Idempotency-Replay"] for a in (first, second)] == ["false", "true"]
    assert [a.headers["Idempotency-Key"] for a in (first, second)] == ["k", "k"]
    assert "Idempotency-Payload-Mismatch" not in second.headers


def test_no_secret_is_stored_with_the_answer(manager):
    made = _hook(manager, Idempotency_Key="k").json
    with manager.app.app_context(), db.db.engine.connect() as connection:
        scope = connection.execute(
            sa.select(*(getattr(tables.AnsweredPost, n) for n in PostScope.__slots__)).where(
                tables.AnsweredPost.tenant_id == manager.tenant
            )
        ).one()
        kept = answered_posts.find(connection, PostScope(**scope._asdict()))

    assert made["secret"].encode() not in kept.body
    assert made["signingSecret"].encode() not in kept.body


def test_another_key_another_address_and_no_key_make_another_thing(manager):
    _hook(manager, Idempotency_Key="k")
    _hook(manager, Idempotency_Key="l")
    answer = _hook(manager)
    made = answer.json["webhookId"]
    tested = manager.call("POST", f"/api/webhooks/{made}/test", b"", Idempotency_Key="k")

    assert _hooks(manager) == 3
    assert "Idempotency-Key" not in answer.headers
    assert (tested.status_code, tested.headers["Idempotency-Replay"]) == (202, "false")


@pytest.mark.parametrize("strict", [False, True])
def test_another_body_gets_the_first_answer_marked_or_is_refused(manager, strict):
    if strict:
        manager.switch(strict_idempotency=True)
    first = _hook(manager, Idempotency_Key="k")
    other = _hook(manager, HOOK | {"description": "another"}, Idempotency_Key="k")

    assert _hooks(manager) == 1
    if strict:
        assert (other.status_code, slug(other)) == (422, "idempotency-key-reuse")
    else:
        assert other.json["webhookId"] == first.json["webhookId"]
        assert other.headers["Idempotency-Payload-Mismatch"] == "true"


@pytest.mark.parametrize(
    "refused", [b"{", json.dumps({"url": "http://127.0.0.1/"}).encode()], ids=["body", "url"]
)
def test_a_refused_post_leaves_its_key_free(manager, refused):
    bad = manager.call(
        "POST", "/api/webhooks", refused, Content_Type="application/json", Idempotency_Key="k"
    )
    good = _hook(manager, Idempotency_Key="k")

    assert (bad.status_code, bad.headers["Idempotency-Key"]) == (400, "k")
    assert (good.status_code, good.headers["Idempotency-Replay"]) == (201, "false")


def test_a_post_refused_after_it_has_written_leaves_its_key_free(manager):
    """The twenty-first webhook is refused within the transaction that would make it."""
    for _ in range(20):
        _hook(manager)
    full = _hook(manager, Idempotency_Key="k")
    ids = [item["webhookId"] for item in manager.get("/api/webhooks").json["items"]]
    manager.call("DELETE", f"/api/webhooks/{ids[0]}")
    again = _hook(manager, Idempotency_Key="k")

    assert (full.status_code, again.status_code) == (409, 201)


def test_of_posts_at_once_one_makes_the_thing(manager):
    """The others get its answer, or 409 while it is being made."""
    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: _hook(manager, Idempotency_Key="k"), range(6)))

    assert _hooks(manager) == 1
    assert {a.status_code for a in answers} <= {201, 409}
    made = {a.json["webhookId"] for a in answers if a.status_code == 201}
    assert len(made) == 1
    assert all(slug(a) == "idempotency-in-progress" for a in answers if a.status_code == 409)


def test_a_post_killed_after_it_has_written_is_not_done_again(manager):
    """Its repetition is told that there is no answer."""
    _hook(manager, Idempotency_Key="k")
    with manager.app.app_context(), db.writing() as connection:
        connection.execute(sa.update(tables.AnsweredPost).values(status=None, body=None))
    again = _hook(manager, Idempotency_Key="k")

    assert (again.status_code, slug(again)) == (409, "idempotency-in-progress")
    assert "read what it has made" in again.json["detail"]
    assert _hooks(manager) == 1


def test_keys_are_separate_per_tenant_environment_and_scopes(service, manager):
    """A key without the scope of the first one gets its refusal, not the first answer."""
    first = _hook(manager, Idempotency_Key="k")
    other = _hook(Caller(service, scopes=SCOPES), Idempotency_Key="k")
    live = _hook(
        Caller(service, Environment.LIVE, tenant=manager.tenant, scopes=SCOPES), Idempotency_Key="k"
    )
    weak = Caller(service, tenant=manager.tenant, scopes=("invoices:send",))

    assert len({first.json["webhookId"], other.json["webhookId"], live.json["webhookId"]}) == 3
    assert _hook(weak, Idempotency_Key="k").status_code == 403


def test_keys_of_one_tenant_with_the_same_scopes_share_first_answers(service, manager):
    """So a rotated API key repeats what the one before it has begun."""
    first = _hook(manager, Idempotency_Key="k")
    with service.app_context():
        successor = credentials.create(
            API_KEY, manager.tenant, "next", Environment.TEST, scopes=SCOPES
        )
    manager.key = successor.secret

    assert _hook(manager, Idempotency_Key="k").json["webhookId"] == first.json["webhookId"]


def test_a_person_repeats_an_import_with_another_boundary(service):
    """Browsers and clients make a new boundary for each form: it is not part of the body."""
    csv, owner = "Name,TaxId\nBuyer One,BE0123456749\n", Dashboard(service).token
    answers = [
        service.test_client().post(
            "/api/customers/import",
            data={"file": (io.BytesIO(csv.encode()), "customers.csv")},
            headers={"Authorization": f"Bearer {owner}", "Idempotency-Key": "import-1"},
        )
        for _ in range(2)
    ]

    assert [a.json["created"] for a in answers] == [1, 1]
    assert answers[1].headers["Idempotency-Replay"] == "true"
    assert "Idempotency-Payload-Mismatch" not in answers[1].headers


def test_a_compressed_body_is_what_it_inflates_to(manager):
    """Clients write the time into what they compress, anew for each repetition."""
    manager.switch(strict_idempotency=True)
    body = json.dumps(HOOK).encode()
    sent = [gzip.compress(body, mtime=0), gzip.compress(body, mtime=1), body]
    encodings = [{"Content_Encoding": "gzip"}, {"Content_Encoding": "gzip"}, {}]
    same = [
        manager.call(
            "POST", "/api/webhooks", each,
            Content_Type="application/json", Idempotency_Key="k", **encoding,
        )
        for each, encoding in zip(sent, encodings, strict=True)
    ]  # fmt: skip

    assert [a.status_code for a in same] == [201, 201, 201]
    assert "Idempotency-Payload-Mismatch" not in same[1].headers


@pytest.mark.parametrize(
    "other",
    [gzip.compress(json.dumps(HOOK | {"description": "another"}).encode()), b"no gzip"],
    ids=["another", "unreadable"],
)
def test_another_compressed_body_is_another(manager, other):
    _hook(manager, Idempotency_Key="k")
    answer = manager.call(
        "POST", "/api/webhooks", other,
        Content_Type="application/json", Content_Encoding="gzip", Idempotency_Key="k",
    )  # fmt: skip

    assert answer.headers["Idempotency-Payload-Mismatch"] == "true"


def test_keys_of_a_platform_are_separate_per_environment(service):
    """On routes of administrators too: what it made in the sandbox is not the answer in live."""
    live = Platform(service, Environment.LIVE)
    test = Platform(service, Environment.TEST, live.id)
    live.created("c-1")
    made = [
        platform.post(
            "/api/keys", {"name": "ERP", "environment": platform.environment}, "c-1",
            Idempotency_Key="key-c-1",
        ).json
        for platform in (test, live, live)
    ]  # fmt: skip

    assert [each["environment"] for each in made] == ["test", "live", "live"]
    assert [each["key"] is None for each in made] == [False, False, True]


@pytest.mark.parametrize("path", ["/v1/invoices/validate", "/v1/invoices/convert?to=cii"])
def test_a_post_that_makes_nothing_refuses_a_key(manager, path):
    answer = manager.call(
        "POST", path, b"<x/>", Content_Type="application/xml", Idempotency_Key="k"
    )

    assert (answer.status_code, slug(answer)) == (400, "idempotency-key-unsupported")


@pytest.mark.parametrize("key", ["", "x" * 129, "ключ".encode().decode("latin-1")])
def test_a_malformed_key_is_refused(manager, key):
    answer = _hook(manager, Idempotency_Key=key)

    assert (answer.status_code, slug(answer)) == (400, "invalid-idempotency-key")
    assert _hooks(manager) == 0


def test_first_answers_are_deleted_after_thirty_days(service, manager, move):
    _hook(manager, Idempotency_Key="k")
    move(days=29)
    with service.app_context():
        retention.sweep_all()
    assert manager.count(tables.AnsweredPost) == 1
    move(days=2)
    with service.app_context():
        retention.sweep_all()

    assert manager.count(tables.AnsweredPost) == 0


def test_the_document_names_the_header_at_every_post_that_takes_it(service):
    paths = service.test_client().get("/openapi.json").json["paths"]
    create = paths["/api/webhooks"]["post"]

    assert {"$ref": "#/components/parameters/Idempotency-Key"} in create["parameters"]
    assert "409" in create["responses"]
