"""GET /api/events: the events of webhooks as a feed (decisions 4)."""

from __future__ import annotations

import uuid
from urllib.parse import quote

import pytest

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.roles import Role
from einvoice.services import retention
from einvoice.services.webhooks import feed as service
from einvoice.store.core import db
from einvoice.store.webhooks import events, feed
from tests.web.caller import Caller, slug
from tests.web.dashboard import Dashboard


@pytest.fixture
def ann(service) -> Dashboard:
    return Dashboard(service, role=Role.VIEWER)


def emit(person, **changes) -> str:
    given = {"environment": "test", "event_type": "transaction.sent", "invoice_id": None}
    given |= {"payload": {"status": "Delivered"}} | changes
    with person.app.app_context(), db.writing() as connection:
        return events.emit(connection, tenant_id=person.tenant, **given)


def ids(answer) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [item["eventId"] for item in answer.json["items"]]


def test_an_event_is_the_body_a_webhook_is_posted(ann, later):
    invoice = str(uuid.uuid4())
    event = emit(ann, invoice_id=invoice, payload={"status": "Delivered", "transactionId": "txn_1"})
    later(6)
    (item,) = ann.get("/api/events").json["items"]

    assert item == {
        "eventType": "transaction.sent", "eventId": event, "createdAt": item["createdAt"],
        "environment": "test", "invoiceId": invoice, "networkStatus": "Delivered",
        "status": "Delivered", "transactionId": "txn_1",
    }  # fmt: skip


def test_the_description_allows_what_the_type_of_an_event_adds(ann):
    """Otherwise generated clients would refuse real events."""
    schemas = ann.get("/openapi.json").json["components"]["schemas"]

    assert schemas["Event"]["additionalProperties"] is True


@pytest.mark.parametrize("limit", [1, 3, 50])
def test_following_the_cursor_returns_every_event_once(ann, later, limit):
    """In order, also after the end was reached, with both environments merged."""
    seen, cursor = [], ""
    emitted = []
    for round_ in range(3):
        emitted += [emit(ann, environment="live" if n % 2 else "test") for n in range(round_ * 2)]
        later(6)
        more = True
        while more:
            answer = ann.get(f"/api/events?limit={limit}{cursor}")
            seen += ids(answer)
            more, cursor = answer.json["hasMore"], f"&cursor={answer.json['nextCursor']}"

    assert seen == emitted


def test_an_event_is_listed_once_none_can_be_committed_before_it(ann, later):
    """On PostgreSQL another transaction may still commit a smaller sequence."""
    event = emit(ann)
    with ann.app.app_context():
        held = db.is_postgresql()
    assert ids(ann.get("/api/events")) == ([] if held else [event])
    later(feed.COMMIT_MARGIN.total_seconds() + 1)

    assert ids(ann.get("/api/events")) == [event]


def test_filters_select_events(ann, later):
    invoice = str(uuid.uuid4())
    one = emit(ann, invoice_id=invoice)
    two = emit(ann, event_type="transaction.failed", payload={"status": "Failed"})
    three = emit(ann, environment="live", invoice_id=invoice)
    later(6)

    assert ids(ann.get(f"/api/events?invoiceId={invoice}")) == [one, three]
    assert ids(ann.get(f"/api/events?invoiceId={invoice.upper()}")) == [one, three]
    assert ids(ann.get("/api/events?eventType=transaction.failed")) == [two]
    assert ids(ann.get(f"/api/events?environment=live&invoiceId={invoice}")) == [three]
    assert ids(ann.get("/api/events?eventType=webhook.test")) == []


@pytest.mark.parametrize("moment", ["0001-01-01T00:00:00Z", "0001-01-01", "0001-01-01T00:01:00Z"])
def test_since_the_beginning_of_the_calendar_is_since_the_first_event(ann, later, moment):
    """Programs write the year 1 for no time."""
    event = emit(ann)
    later(6)

    assert ids(ann.get(f"/api/events?since={moment}")) == [event]


def test_since_includes_events_of_its_time(ann, later):
    """To the millisecond, with any number of events before, however shortly."""
    before = [emit(ann) for _ in range(3)]
    later(600)
    before.append(emit(ann))
    later(1)
    moment = clock.timestamp(clock.now())
    after = [emit(ann) for _ in range(3)]
    later(600)

    assert ids(ann.get("/api/events")) == before + after
    assert ids(ann.get(f"/api/events?since={quote(moment)}")) == after
    assert ids(ann.get("/api/events?since=2030-01-01T00:00:00Z")) == []


@pytest.mark.parametrize(
    "query",
    [
        "eventType=transaction.failed",
        "invoiceId={invoice}",
        "invoiceId={invoice}&eventType=transaction.failed",
        "invoiceId={invoice}&eventType=transaction.failed&since=2026-01-01",
    ],
)
def test_a_rare_event_of_a_type_or_an_invoice_is_on_the_first_page(ann, later, monkeypatch, query):
    """Whatever else happened before: an index has it."""
    monkeypatch.setattr(service, "MAX_EXAMINED", 3)
    invoice = str(uuid.uuid4())
    for _ in range(7):
        emit(ann)
        emit(ann, event_type="transaction.failed", environment="live")
    rare = emit(ann, event_type="transaction.failed", invoice_id=invoice)
    later(6)
    path = f"/api/events?environment=test&{query.format(invoice=invoice)}"

    assert followed(ann, path) == ([rare], 1)


def test_filters_combine(ann, later):
    """An event must match all of them."""
    invoice = str(uuid.uuid4())
    kinds = ("transaction.sent", "transaction.failed", "invoice.responded")
    sent, failed, responded = [emit(ann, event_type=kind, invoice_id=invoice) for kind in kinds]
    emit(ann, event_type="transaction.failed")
    later(6)
    both = f"/api/events?invoiceId={invoice}&eventType="

    assert [ids(ann.get(both + kind)) for kind in kinds] == [[sent], [failed], [responded]]
    assert ids(ann.get(f"{both}webhook.test")) == []


@pytest.mark.parametrize("limit", [1, 2, 50])
@pytest.mark.parametrize("by", ["eventType=invoice.responded", "invoiceId={invoice}"])
def test_following_the_cursor_of_a_filter_returns_every_event_once(ann, later, limit, by):
    """Of both environments, in order."""
    invoice = str(uuid.uuid4())
    emitted = []
    for n in range(5):
        given = {"event_type": "invoice.responded", "invoice_id": invoice}
        emitted.append(emit(ann, environment="live" if n % 2 else "test", **given))
        emit(ann)
    later(6)
    found, _ = followed(ann, f"/api/events?limit={limit}&{by.format(invoice=invoice)}")

    assert found == emitted


def test_an_event_of_a_send_is_found_on_several_short_pages(ann, later, monkeypatch):
    """The index of types leaves it out; each page examines a bounded number of events."""
    monkeypatch.setattr(service, "MAX_EXAMINED", 3)
    for _ in range(7):
        emit(ann, event_type="transaction.failed")
    rare = emit(ann)
    later(6)

    assert followed(ann, "/api/events?eventType=transaction.sent") == ([rare], 3)


def followed(person, path) -> tuple[list[str], int]:
    """The ids on all pages, and the number of pages."""
    found, cursor, pages = [], "", 0
    while True:
        answer = person.get(path + cursor)
        found, pages = found + ids(answer), pages + 1
        if not answer.json["hasMore"]:
            return found, pages
        cursor = f"&cursor={answer.json['nextCursor']}"


@pytest.mark.parametrize(
    "query", ["eventType=invoice.lost", "since=yesterday", "limit=0", "cursor=x", "after=5"]
)
def test_an_unknown_parameter_is_refused(ann, query):
    answer = ann.get(f"/api/events?{query}")

    assert (answer.status_code, slug(answer)) == (400, "invalid-field")


def test_a_key_reads_the_feed_of_its_environment(service, ann, later):
    emit(ann)
    live = emit(ann, environment="live")
    later(6)
    key = Caller(service, Environment.LIVE, ann.tenant, scopes=["invoices:read"])
    without = Caller(service, Environment.LIVE, ann.tenant, scopes=["invoices:send"])

    assert ids(key.get("/api/events")) == [live]
    assert slug(without.get("/api/events")) == "insufficient-scope"


def test_events_of_another_tenant_are_not_listed(service, ann, later):
    emit(ann)
    later(6)
    cursor = ann.get("/api/events").json["nextCursor"]
    stranger = Dashboard(service)

    assert ids(stranger.get("/api/events")) == []
    assert slug(stranger.get(f"/api/events?cursor={cursor}")) == "invalid-field"


def test_one_event_is_read_by_its_id(service, ann, later):
    """At once, and only in an environment that the caller sees."""
    event = emit(ann, environment="live", invoice_id=str(uuid.uuid4()))
    live, test = (
        Caller(service, environment, ann.tenant, scopes=["invoices:read"])
        for environment in (Environment.LIVE, Environment.TEST)
    )
    answer = live.get(f"/api/events/{event}")
    later(6)
    (listed,) = ann.get("/api/events").json["items"]

    assert answer.status_code == 200
    assert answer.json == listed | {"provider": answer.json["provider"]}
    assert ann.get(f"/api/events/{event}").json == answer.json
    for caller, path in ((test, event), (Dashboard(service), event), (ann, "evt_unknown")):
        refused = caller.get(f"/api/events/{path}")
        assert (refused.status_code, slug(refused)) == (404, "not-found")


def test_an_event_is_read_with_the_scope_of_invoices_only(service, ann):
    event = emit(ann)
    without = Caller(service, Environment.TEST, ann.tenant, scopes=["invoices:send"])

    assert slug(without.get(f"/api/events/{event}")) == "insufficient-scope"


def test_events_are_deleted_after_thirty_days(ann, later, monkeypatch):
    """In batches; newer ones stay."""
    monkeypatch.setattr(retention, "MAX_ROWS", 2)
    for _ in range(3):
        emit(ann)
    later(20 * 86_400)
    kept = emit(ann)
    later(10 * 86_400 + 3600)
    with ann.app.app_context():
        assert retention.sweep_all().events >= 3

    assert ids(ann.get("/api/events")) == [kept]
