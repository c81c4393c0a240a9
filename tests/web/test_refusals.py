"""Which refusal comes first, every slug a send can meet, and what problem documents look like."""

from __future__ import annotations

import json
import uuid
from typing import Any

import pytest

from einvoice.domain.identifiers import ParticipantId
from einvoice.security.sealing import new_key
from einvoice.services.invoices import detail
from einvoice.store.core import db
from einvoice.web.openapi.members import MEMBERS, OPTIONAL
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.changing import change

# In the order of decisions 19.1; each fault may stand beside all those after it.
FAULTS: list[tuple[str, str, Any]] = [
    ("missing-routing", "routing.accessPointRef", None),
    ("invalid-sender-id", "routing.senderParticipantId", "0208"),
    ("invalid-receiver-id", "routing.receiverParticipantId", "0088:"),
    ("invalid-field", "invoice.issueDate", "2026-02-30"),
    ("declared-totals-mismatch", "invoice.totals.grandTotal", 1),
    ("unknown-access-point-ref", "routing.accessPointRef", str(uuid.uuid4())),
    ("validation-failed", "invoice.lineItems.0.taxCategory", "E"),
]


@pytest.mark.parametrize("position", range(len(FAULTS)))
def test_the_first_fault_in_the_order_of_the_decisions_is_reported(caller, position):
    """All later values are wrong too; only the first fault is reported."""
    body = caller.body()
    for _, path, value in reversed(FAULTS[position:]):
        body = change(body, path, value)
    answer = caller.send(body)

    assert (answer.status_code, slug(answer)) == (400, FAULTS[position][0])
    assert caller.stored() == 0


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("routing", ..., "missing-routing"),
        ("routing", None, "missing-routing"),
        ("routing", [], "missing-routing"),
        ("routing.senderParticipantId", ..., "missing-routing"),
        ("routing.senderParticipantId", None, "missing-routing"),
        ("routing.senderParticipantId", " ", "missing-routing"),
        ("routing.senderParticipantId", 208, "invalid-sender-id"),
        ("routing.senderParticipantId", ["0208:1"], "invalid-sender-id"),
        ("routing.senderParticipantId", "0208:0123456789\x00", "invalid-sender-id"),
        ("routing.receiverParticipantId", "", "missing-routing"),
        ("routing.receiverParticipantId", {}, "invalid-receiver-id"),
        ("routing.receiverParticipantId", "208:1", "invalid-receiver-id"),
        ("routing.receiverParticipantId", "0208:0123456749", "self-invoicing"),
        ("routing.receiverParticipantId", " 0208:0123456749 ", "self-invoicing"),
        ("routing.accessPointRef", "", "missing-routing"),
        ("routing.accessPointRef", 7, "invalid-field"),
        ("routing.accessPointRef", "no-uuid", "unknown-access-point-ref"),
        ("routing.accessPointRef", "a\x00b", "invalid-field"),
        ("invoice", ..., "missing-routing"),
        ("invoice", None, "missing-routing"),
        ("invoice", {}, "invalid-field"),
        ("invoice", "text", "invalid-field"),
        ("invoice.number", "", "invalid-field"),
        ("invoice.lineItems", [], "invalid-field"),
        ("invoice.totals.subtotal", 100.01, "declared-totals-mismatch"),
        ("invoice.totals.taxAmount", 20.99, "declared-totals-mismatch"),
        ("invoice.totals.grandTotal", 121.01, "declared-totals-mismatch"),
        ("invoice.lineItems.0.quantity", 3, "declared-totals-mismatch"),
        ("invoice.lineItems.0.taxCategory", "E", "validation-failed"),
        ("invoice.extra", 1, "invalid-field"),
        ("extra", 1, "invalid-field"),
        ("options", {"dryrun": True}, "invalid-field"),
    ],
)
def test_each_fault_has_its_slug(caller, path, value, expected):
    answer = caller.send(change(caller.body(), path, value))

    assert (answer.status_code, slug(answer)) == (400, expected)
    assert caller.stored() == 0


def test_a_reference_is_for_the_participant_that_was_looked_up(caller):
    body = caller.body("0088:9520000000004")
    body["routing"]["receiverParticipantId"] = "0088:9520000000011"

    assert slug(caller.send(body)) == "unknown-access-point-ref"


def test_a_receiver_without_bis_billing_is_named(caller):
    answer = caller.send(caller.body("0088:9520000000097"))

    assert (answer.status_code, slug(answer)) == (400, "document-type-not-supported")
    assert answer.json["receiverParticipantId"] == "0088:9520000000097"


def test_a_receiver_that_has_left_the_directory_is_named(service, monkeypatch):
    """The reference stays valid; the last lookup decides."""
    caller = Caller(service)
    body = caller.body("0088:9520000000011")
    point = runtime_of(service).access_points["simulator"]
    absent = point.lookup(ParticipantId.parse("0088:9520000000080"))
    monkeypatch.setattr(point, "lookup", lambda _: absent)
    assert caller.lookup("0088:9520000000011").json["isRegistered"] is False
    answer = caller.send(body)

    assert (answer.status_code, slug(answer)) == (400, "receiver-not-registered")
    assert answer.json["receiverParticipantId"] == "0088:9520000000011"


def test_a_totals_mismatch_has_the_computed_totals(caller):
    """Exact decimals, as in the request (decisions 17.14)."""
    body = change(caller.body(), "invoice.totals.taxAmount", 20)
    answer = caller.send(body)

    assert slug(answer) == "declared-totals-mismatch"
    assert b'"computedTaxAmount":21.00' in answer.data
    assert {"computedSubtotal", "computedGrandTotal", "computedLineExtensions"} <= set(answer.json)
    promised = {name for name in MEMBERS if name.startswith(("computed", "holds"))} - OPTIONAL
    assert promised - {"computedTotalAmount"} <= set(answer.json), "as the document promises them"


def test_a_violated_rule_is_reported_as_text_and_as_data(caller):
    answer = caller.send(change(caller.body(), "invoice.lineItems.0.taxCategory", "E"))

    assert slug(answer) == "validation-failed"
    assert all(isinstance(line, str) and ": " in line for line in answer.json["validationErrors"])
    errors = [f for f in answer.json["findings"] if f["severity"] == "error"]
    assert len(errors) == len(answer.json["validationErrors"])
    assert all(f["ruleId"] and f["message"] for f in errors)


def test_all_invalid_fields_are_reported_at_once(caller):
    """JSON pointers, in the order of the contract, unknown names last."""
    body = caller.body(currency="EURO", issueDate=None)
    body["invoice"]["lineItems"][0] |= {"quantity": "2", "x/y~z": 1}
    answer = caller.send(body)

    assert slug(answer) == "invalid-field"
    assert [(e["pointer"], e["code"]) for e in answer.json["errors"]] == [
        ("/invoice/issueDate", "required"),
        ("/invoice/currency", "unknown-code"),
        ("/invoice/lineItems/0/quantity", "wrong-type"),
        ("/invoice/lineItems/0/x~1y~0z", "unknown-field"),
    ]
    assert all(e["message"] for e in answer.json["errors"])


# -- what is not about a body ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "path", "status", "expected"),
    [
        ("GET", "/api", 404, "not-found"),
        ("GET", "/api/invoices/send", 405, "method-not-allowed"),
        ("GET", "/api//invoices/x", 404, "not-found"),
        ("GET", "/api/invoices/x/", 404, "not-found"),
        ("PUT", "/api/invoices/send", 405, "method-not-allowed"),
        ("DELETE", "/api/participants/lookup", 405, "method-not-allowed"),
        ("POST", "/healthz", 405, "method-not-allowed"),
        ("BREW", "/api/invoices/send", 405, "method-not-allowed"),
    ],
)
def test_wrong_addresses_and_methods_are_problems_too(caller, method, path, status, expected):
    answer = caller.call(method, path)

    assert (answer.status_code, slug(answer)) == (status, expected)
    assert ("Allow" in answer.headers) is (status == 405)


@pytest.mark.parametrize(
    "media",
    ["text/xml", "application/xml", "application/ubl+xml", "multipart/form-data; boundary=x"],
)
def test_xml_and_forms_are_refused_by_type(caller, media):
    answer = caller.send(Content_Type=media)

    assert (answer.status_code, slug(answer)) == (415, "unsupported-media-type")


@pytest.mark.parametrize("media", ["", "text/plain", "application/x-www-form-urlencoded", "odd"])
def test_json_is_read_under_any_other_type(caller, media):
    assert caller.send(Content_Type=media).status_code == 200


def test_a_body_over_the_limit_is_413(build):
    """Exactly the limit is read."""
    caller = Caller(build(max_body_bytes=5000))
    good = json.dumps(caller.body()).encode()
    fits, over = caller.send(good.ljust(5000)), caller.send(good.ljust(5001))

    assert fits.status_code == 200
    assert (over.status_code, slug(over)) == (413, "payload-too-large")


@pytest.mark.parametrize(
    "fault",
    [RuntimeError("SELECT secret FROM shelf"), KeyError("x"), AssertionError(), MemoryError()],
)
def test_an_unexpected_error_reveals_only_the_request_id(caller, monkeypatch, fault):
    """Without traceback, SQL and internal messages."""

    def fail(*_: Any) -> None:
        raise fault

    monkeypatch.setattr(detail, "get", fail)
    answer = caller.get("/api/invoices/x")

    assert (answer.status_code, slug(answer)) == (500, "internal-error")
    assert not any(word in answer.text for word in ("SELECT", "Traceback", "Error(", "shelf"))


def test_a_database_that_is_gone_is_a_plain_500(caller, monkeypatch):
    """The next request succeeds."""

    class Away:
        def connect(self) -> None:
            raise ConnectionError("could not connect to server db-7.internal")

        begin = connect

    with monkeypatch.context() as patch:
        patch.setattr(type(db.db), "engine", property(lambda _: Away()))
        answer = caller.get("/api/invoices/x")
    assert (answer.status_code, slug(answer)) == (500, "internal-error")
    assert "connect" not in answer.text
    assert caller.get("/api/invoices/x").status_code == 404


@pytest.mark.parametrize("path", ["/healthz", "/api/invoices/x", "/nowhere"])
def test_every_answer_has_the_common_headers(caller, path):
    answer = caller.get(path)

    assert answer.headers["X-Request-Id"]
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["Cache-Control"] == "no-store"
    assert "Strict-Transport-Security" not in answer.headers


def test_production_sends_strict_transport_security(build):
    app = build(mode="production", base_url="https://api.example", secret_key=new_key())

    answer = app.test_client().get("/healthz")
    assert answer.headers["Strict-Transport-Security"].startswith("max-age=")
