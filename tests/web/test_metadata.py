"""`metadata` of a send comes back unchanged wherever its invoice is shown (decisions 20.5)."""

from __future__ import annotations

import json
import uuid
from datetime import timedelta
from typing import Any

import pytest
import sqlalchemy as sa

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.services.webhooks import deliveries
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.web.runtime import runtime_of
from einvoice.web.shared.metadata import MAX_BYTES, MAX_MEMBERS
from tests.services.webhooks.fixtures import receiving
from tests.web.caller import Caller, slug
from tests.web.legacy_sends import BODY as LEGACY_BODY
from tests.web.legacy_sends import send as send_legacy
from tests.web.resending import REJECTING
from tests.web.submission.documents import request_of, two_lines

METADATA = {
    "erpId": "4711",
    "note": 'ü "quoted" 🙂\n',
    "empty": "",
    "none": None,
    "B": "1",
    "a": "2",
}


def by_send(caller: Caller, metadata: Any):
    return caller.send(caller.body(metadata=metadata))


def by_legacy_send(caller: Caller, metadata: Any):
    return send_legacy(caller, LEGACY_BODY | {"metadata": metadata})


def by_submission(caller: Caller, metadata: Any):
    body = request_of(two_lines("M-1"), metadata=metadata)
    return caller.bearer("POST", "/v1/invoices", body, Prefer="respond-async")


def by_batch(caller: Caller, metadata: Any):
    body = {"invoices": [request_of(two_lines("M-2"), metadata=metadata)]}
    return caller.bearer("POST", "/v1/invoices/batch", body)


ROUTES = [by_send, by_legacy_send, by_submission, by_batch]
routes = pytest.mark.parametrize("send", ROUTES, ids=lambda send: send.__name__)


def id_of(answer) -> str:
    assert answer.status_code in (200, 202), answer.text
    found = answer.json.get("results", [answer.json])[0]
    return str(found.get("invoiceId") or found["id"])


def shown(caller: Caller, invoice_id: str) -> list[Any]:
    """The metadata in every answer about the invoice."""
    lists = [caller.get(path).json["items"][0] for path in ("/api/invoices", "/v1/invoices")]
    ones = [caller.get(f"{path}/{invoice_id}").json for path in ("/api/invoices", "/v1/invoices")]
    return [answer["metadata"] for answer in (*lists, *ones)]


@routes
def test_metadata_comes_back_in_every_answer(caller, send):
    """Also after a resend; in the order and with the characters that were given."""
    answers = shown(caller, id_of(send(caller, METADATA)))

    assert answers == [METADATA] * 4
    assert [list(answer) for answer in answers] == [list(METADATA)] * 4


@routes
@pytest.mark.parametrize("given", [{}, None])
def test_an_invoice_without_metadata_has_an_empty_object(caller, send, given):
    invoice_id = id_of(send(caller, given))

    assert shown(caller, invoice_id) == [{}] * 4
    with caller.app.app_context(), db.reading() as connection:
        query = sa.text("SELECT sender_metadata IS NULL FROM invoices WHERE id = :id")
        assert connection.execute(query, {"id": invoice_id}).scalar_one()


def test_metadata_stays_with_a_resent_invoice(caller):
    invoice_id = caller.sent(REJECTING, metadata=METADATA)
    caller.work()
    answer = caller.call("POST", f"/api/invoices/{invoice_id}/resend", Prefer="respond-async")

    assert answer.status_code == 200, answer.text
    assert shown(caller, invoice_id) == [METADATA] * 4


def test_metadata_is_in_no_document_and_no_dry_run_stores_it(caller):
    """It is never sent to the receiver."""
    body = caller.body(metadata={"secretName": "secretText"})
    caller.send(body | {"options": {"dryRun": True}})
    assert caller.stored() == 0
    invoice_id = id_of(caller.send(body))
    path = f"/api/invoices/{invoice_id}/artefacts"
    (ubl,) = caller.get(f"{path}?type=UBL").json["items"]

    assert b"secret" not in caller.get(f"{path}/{ubl['artefactId']}").data


def test_metadata_is_in_events_and_webhooks_of_its_invoice_only(build, later):
    """Every event of the invoice, the feed and the webhook alike."""
    app = build(webhook_allow_private=True)
    caller = Caller(app, scopes=["invoices:send", "invoices:read", "participants:read",
                                 "webhooks:manage"])  # fmt: skip
    with receiving() as receiver:
        hook = {"url": receiver.url, "eventTypes": ["*"]}
        made = caller.call("POST", "/api/webhooks", json.dumps(hook).encode())
        assert made.status_code == 201, made.text
        named, unnamed = id_of(by_submission(caller, METADATA)), caller.sent()
        for _ in range(3):
            caller.work()
            later(3)
        _deliver(caller)
        later(6)
        feed = caller.get("/api/events").json["items"]
        posted = [got.payload for got in receiver.received]

    for bodies in (feed, posted):
        assert {body["eventType"] for body in bodies} >= {"transaction.sent", "invoice.delivered"}
        of = {body["invoiceId"]: body for body in bodies}
        assert of.keys() == {named, unnamed}
        for body in bodies:
            assert body.get("metadata") == (METADATA if body["invoiceId"] == named else None)
    one = caller.get(f"/api/events/{feed[0]['eventId']}").json
    assert one.get("metadata") == feed[0].get("metadata")


def _deliver(caller: Caller) -> None:
    """Post the webhooks that are due, as a worker would."""
    token = uuid.uuid4().hex
    with caller.app.app_context():
        rows = outbox.claim(
            outbox.WEBHOOKS, caller.tenant, 100,
            token=token, now=clock.now(), lease=timedelta(seconds=120),
        )  # fmt: skip
        deliveries.deliver([row.id for row in rows], token, runtime_of(caller.app).settings)


def test_a_page_of_events_reads_all_metadata_with_one_query(caller, later):
    """However many events it has."""
    costs = []
    for _ in range(2):
        for number in range(4):
            by_submission(caller, {"n": str(number)})
        later(6)
        costs.append(_statements(caller, "/api/events"))

    assert costs[0] == costs[1]


def _statements(caller: Caller, path: str) -> int:
    ran: list[str] = []

    def note(_connection, _cursor, statement, *_):
        ran.append(statement)

    with caller.app.app_context():
        engine = db.db.engine
    caller.get(path)  # fills the caches
    sa.event.listen(engine, "before_cursor_execute", note)
    try:
        assert len(caller.get(path).json["items"]) > 0
    finally:
        sa.event.remove(engine, "before_cursor_execute", note)
    return len(ran)


# -- bounds ----------------------------------------------------------------------------------------

_FRAME = len('{"k0":"","k1":"","k2":"","k3":"","k4":"","k5":"","k6":"","k7":"","k8":""}')


def of_bytes(size: int) -> dict[str, str]:
    """Metadata with exactly so many bytes as compact JSON."""
    rest = size - _FRAME
    lengths = [500] * 8 + [rest - 8 * 500]
    found = {f"k{n}": "x" * length for n, length in enumerate(lengths)}
    assert len(json.dumps(found, separators=(",", ":"))) == size
    return found


def of_members(count: int) -> dict[str, str]:
    return {str(number): "" for number in range(count)}


INSIDE = [of_bytes(MAX_BYTES), of_members(MAX_MEMBERS), {"ü" * 40: "🙂" * 500}]
OUTSIDE = [
    (of_bytes(MAX_BYTES + 1), "too-long", ""),
    (of_members(MAX_MEMBERS + 1), "too-many", ""),
    ({"a": "🙂" * 500, "b": "🙂" * 500, "c": "ü" * 48}, "too-long", ""),
    ({"a" * 41: "x"}, "wrong-form", "/" + "a" * 41),
    ({"a": "x" * 501}, "too-long", "/a"),
    ({"a": 1}, "wrong-type", "/a"),
    ({"a": {"b": "c"}}, "wrong-type", "/a"),
    (["a"], "wrong-type", ""),
    ("a", "wrong-type", ""),
]  # fmt: skip


@routes
@pytest.mark.parametrize("metadata", INSIDE, ids=["bytes", "members", "characters"])
def test_metadata_just_inside_its_bounds_is_kept(caller, send, metadata):
    assert shown(caller, id_of(send(caller, metadata))) == [metadata] * 4


@routes
@pytest.mark.parametrize(("metadata", "code", "below"), OUTSIDE)
def test_metadata_just_outside_its_bounds_is_refused_with_its_field(
    caller, send, metadata, code, below
):
    answer = send(caller, metadata)
    if send is by_batch:
        problem = answer.json["results"][0]["error"]
    else:
        assert (answer.status_code, slug(answer)) == (400, "invalid-field")
        problem = answer.json
    prefix = "/invoice/metadata" if send is by_send else "/metadata"

    assert problem["type"].endswith("/errors/invalid-field")
    assert [(e["pointer"], e["code"]) for e in problem["errors"]] == [(prefix + below, code)]
    assert caller.stored() == 0


def test_a_key_repeated_with_other_metadata_is_another_payload(caller):
    """Also of a document, whose key does not stand for the bytes of the body."""
    answers = [
        caller.bearer(
            "POST", "/v1/invoices", request_of(two_lines("M-9"), metadata={"a": text}),
            Idempotency_Key="m-9", Prefer="respond-async",
        )
        for text in ("1", "1", "2")
    ]  # fmt: skip
    mismatches = [answer.headers.get("Idempotency-Payload-Mismatch") for answer in answers]

    assert len({id_of(answer) for answer in answers}) == 1
    assert mismatches == [None, None, "true"]


def test_metadata_of_another_tenant_or_environment_is_not_shown(service, caller):
    invoice_id = caller.sent(metadata=METADATA)
    for other in (Caller(service), Caller(service, Environment.LIVE, caller.tenant)):
        assert other.get("/api/invoices").json["items"] == []
        assert other.get(f"/api/invoices/{invoice_id}").status_code == 404
