"""The id and trace context of a request, in what it causes and in the access log."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa
import structlog

from einvoice.domain.trace import Trace
from einvoice.store.core import db
from einvoice.store.tables import Event, Transmission
from einvoice.store.webhooks import feed
from einvoice.web import requests
from tests.web.caller import Caller
from tests.web.resending import Again
from tests.web.submission.batches import entry, submit

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
on_sqlite = pytest.mark.parametrize("build", ["sqlite"], indirect=True)


class Lines(list[dict[str, Any]]):
    """A logger that keeps its lines, with the fields of the context."""

    def info(self, event: str, **fields: object) -> None:
        self.append({"event": event} | structlog.contextvars.get_contextvars() | fields)


@pytest.fixture
def log(monkeypatch: pytest.MonkeyPatch) -> Lines:
    lines = Lines()
    monkeypatch.setattr(requests, "log", lines)
    return lines


def traces(caller) -> list[Trace | None]:
    query = sa.select(Transmission.trace).where(Transmission.tenant_id == caller.tenant)
    with caller.app.app_context(), db.reading() as connection:
        return list(connection.execute(query.order_by(Transmission.created_at)).scalars())


def stored_events(caller) -> set[tuple[str, str]]:
    """Type and request id of the events of the tenant, also of those not in the feed yet."""
    query = sa.select(Event.id, Event.type).where(Event.tenant_id == caller.tenant)
    with caller.app.app_context(), db.reading() as connection:
        kinds = {row.id: row.type for row in connection.execute(query)}
        found = feed.traces_of(kinds.keys())
    return {(kinds[event_id], trace.request_id) for event_id, trace in found.items()}


@pytest.mark.parametrize("traceparent", [TRACEPARENT, None])
def test_a_send_stores_the_id_and_trace_context_of_its_request(caller, traceparent):
    """Stored by the statement that accepts it, on each database."""
    more = {"traceparent": traceparent} if traceparent else {}
    assert caller.send(X_Request_Id="order-17", **more).status_code == 200

    assert traces(caller) == [Trace("order-17", traceparent)]


@on_sqlite
def test_a_request_without_an_id_stores_the_one_of_its_answer(caller):
    answer = caller.send()

    assert traces(caller) == [Trace(answer.headers["X-Request-Id"])]


def test_a_resend_has_the_id_of_its_own_request(caller):
    again = Again(caller)
    first = traces(caller)[0]
    assert again.resend(X_Request_Id="second").status_code == 200
    caller.work()

    assert traces(caller) == [first, Trace("second")]
    assert stored_events(caller) == {
        ("transaction.failed", first.request_id),
        ("transaction.failed", "second"),
    }


def test_each_document_of_a_batch_has_the_id_of_the_request(caller):
    """Their events too, also the one that names no transaction."""
    submit(caller, [entry("B-1"), entry("B-2")], X_Request_Id="batch")

    assert traces(caller) == [Trace("batch")] * 2
    assert stored_events(caller) == {("invoice.validated", "batch")}


@on_sqlite
def test_the_access_log_has_the_route_and_not_the_path(build, log):
    """One line for each request; what a path contains may be secret."""
    caller = Caller(build(access_log=True))
    caller.get("/api/invoices/not-there", X_Request_Id="first")
    caller.client.get(
        "/api/invoices/view/secret-of-a-share-link", headers={"X-Request-Id": "second"}
    )
    caller.client.get("/no/such/page", headers={"X-Request-Id": "third"})

    found = [line for line in log if line["event"] == "request answered"]
    assert [(line["request"], line["method"], line["status"]) for line in found] == [
        ("first", "GET", 404), ("second", "GET", 404), ("third", "GET", 404)
    ]  # fmt: skip
    assert found[0]["route"] == "/api/invoices/<invoice_id>"
    assert found[2]["route"] == "none"
    assert [line["tenant"] for line in found] == [caller.tenant, None, None]
    assert all(line["ms"] >= 0 for line in found)
    assert not any(text in json.dumps(found) for text in ("secret-of", "not-there", "/no/such"))


@on_sqlite
@pytest.mark.parametrize("wanted", [True, False])
def test_the_access_log_is_written_only_if_the_setting_says_so(build, log, wanted):
    build(access_log=wanted).test_client().get("/healthz")

    assert ("request answered" in [line["event"] for line in log]) is wanted


@on_sqlite
def test_an_invoice_that_the_sandbox_sends_back_has_no_trace(caller):
    """Its receiver may be another tenant than the one whose request it answers."""
    caller.own()
    body = caller.body("0088:9520000000127")
    invoice = caller.send(body, X_Request_Id="first").json["invoiceId"]
    for _ in range(3):
        caller.work()
        path = f"/api/sandbox/invoices/{invoice}/advance"
        caller.call("POST", path, X_Request_Id="advanced")
    caller.work()

    assert traces(caller) == [Trace("first"), None]
