"""POST /api/invoices/send: what is answered, in which headers, and what follows from it."""

from __future__ import annotations

import json
import uuid

import pytest

from einvoice import clock, validation
from einvoice.documents.reading import invoice_in
from einvoice.domain.environments import Environment
from einvoice.store.tables import Invoice, Outbox
from tests.builders import RECEIVER, SENDER
from tests.web.caller import Caller, slug


def test_the_first_answer_is_that_of_the_contract(caller):
    answer = caller.send(Idempotency_Key="first")

    assert (answer.status_code, answer.content_type) == (200, "application/json")
    assert answer.json.keys() == {
        "invoiceId", "transactionId", "status", "networkStatus", "idempotencyKeyEcho", "provider"
    }  # fmt: skip
    assert uuid.UUID(answer.json["invoiceId"])
    assert answer.json["transactionId"].startswith("txn_")
    assert (answer.json["status"], answer.json["networkStatus"]) == ("success", "Processing")
    assert answer.json["idempotencyKeyEcho"] == "first"
    assert answer.json["provider"] == "eInvoice"


def test_without_a_key_the_echo_is_null(caller):
    answer = caller.send()

    assert answer.json["idempotencyKeyEcho"] is None
    assert "Idempotency-Key" not in answer.headers
    assert answer.headers["Idempotency-Replay"] == "false"


@pytest.mark.parametrize(
    ("body", "headers", "status"),
    [
        (None, {}, 200),
        (b"{", {}, 400),
        (b"<Invoice/>", {"Content_Type": "application/xml"}, 415),
        (None, {"x_api_key": ""}, 401),
        (None, {"x_api_key": "sk_test_wrong"}, 401),
        (lambda: b" " * (12 * 1024 * 1024 + 1), {}, 413),
    ],
)
def test_the_key_is_echoed_whatever_the_answer(caller, body, headers, status):
    """Header Idempotency-Key on every answer when one was sent (decisions 19.4)."""
    answer = caller.send(body() if callable(body) else body, Idempotency_Key="my key", **headers)

    assert answer.status_code == status
    assert answer.headers["Idempotency-Key"] == "my key"
    assert answer.headers["Idempotency-Replay"] == "false"


@pytest.mark.parametrize("key", ["k", "k" * 128, "a b~!"])
def test_a_key_of_1_to_128_printable_characters_is_taken(caller, key):
    assert caller.send(Idempotency_Key=key).headers["Idempotency-Key"] == key


@pytest.mark.parametrize("key", ["", "   ", "k" * 129, "\x7f", "clé"])
def test_any_other_key_is_refused(caller, key):
    answer = caller.send(Idempotency_Key=key)

    assert (answer.status_code, slug(answer)) == (400, "invalid-idempotency-key")
    assert caller.stored() == 0


@pytest.mark.parametrize(
    ("prefer", "applied"),
    [
        ("respond-async", "respond-async"),
        ("wait=0", "wait=0"),
        ("Wait = 0", "wait=0"),
        ('wait="0"', "wait=0"),
        ("handling=lenient, wait=0", "wait=0"),
        ("return=minimal", None),
        ("wait=soon", None),
        ("wait=-1", None),
        ("", None),
    ],
)
def test_a_preference_that_was_honoured_is_named(caller, prefer, applied):
    answer = caller.send(prefer=prefer)

    assert answer.status_code == 200
    assert answer.headers.get("Preference-Applied") == applied


@pytest.mark.parametrize(
    ("given", "echoed"),
    [("abc-1.2_3", True), ("a" * 64, True), ("a" * 65, False), ("a b", False), ("", False)],
)
def test_a_valid_request_id_comes_back(caller, given, echoed):
    """On answers and in problems; anything else is replaced by one of ours."""
    for answer in (caller.send(X_Request_Id=given), caller.send(b"{", X_Request_Id=given)):
        assert (answer.headers["X-Request-Id"] == given) is echoed
        assert echoed or uuid.UUID(answer.headers["X-Request-Id"])


def test_an_accepted_invoice_is_read_back_to_the_cent(caller):
    invoice = caller.get(f"/api/invoices/{caller.sent(number='N/1')}")

    assert b'"grandTotal":121.00' in invoice.data
    assert invoice.json["number"] == "N/1"
    assert invoice.json["networkStatus"] == "Processing"
    assert (invoice.json["direction"], invoice.json["environment"]) == ("sent", "test")
    assert invoice.json["senderParticipantId"] == SENDER
    assert invoice.json["receiverParticipantId"] == RECEIVER
    assert [h["event"] for h in invoice.json["history"]] == ["received", "validated"]


@pytest.mark.parametrize("wanted", [True, False, None])
def test_a_dry_run_returns_the_document_if_it_is_wanted(caller, wanted):
    """The one that is sent: it has the number of the invoice, and the rules have accepted it."""
    options = {"dryRun": True} | ({} if wanted is None else {"includeDocument": wanted})
    answer = caller.send(caller.body(number="DRY-1") | {"options": options})

    assert answer.status_code == 200
    assert ("document" in answer.json) is bool(wanted)
    if wanted:
        document = answer.json["document"].encode()
        assert invoice_in(document).number == "DRY-1"
        assert validation.check(document, on=clock.today()).errors == []
        sent = caller.sent(number="DRY-1")
        path = f"/api/invoices/{sent}/artefacts"
        ubl = next(i for i in caller.get(path).json["items"] if i["type"] == "UBL")
        assert caller.get(f"{path}/{ubl['artefactId']}").data == document


@pytest.mark.parametrize("options", [{}, {"dryRun": False}])
def test_the_document_of_a_send_is_not_in_its_answer(caller, options):
    """It is an artefact; the option without dryRun is refused, so that it is not lost silently."""
    answer = caller.send(caller.body() | {"options": options | {"includeDocument": True}})

    assert slug(answer) == "invalid-field"
    assert [e["pointer"] for e in answer.json["errors"]] == ["/options/includeDocument"]
    assert caller.stored() == 0


def test_a_dry_run_checks_everything_and_stores_nothing(caller):
    """Ids and status are null, and the key is ignored; refusals are those of a send."""
    body = caller.body() | {"options": {"dryRun": True}}
    answer = caller.send(body, Idempotency_Key="dry")
    wrong = caller.send(
        body | {"invoice": body["invoice"] | {"buyerReference": None, "lineItems": []}}
    )

    assert answer.status_code == 200
    assert answer.json["dryRun"] is True
    assert [answer.json[n] for n in ("invoiceId", "transactionId", "networkStatus")] == [None] * 3
    assert slug(wrong) == "invalid-field"
    assert caller.stored() == 0
    assert caller.send(Idempotency_Key="dry").headers["Idempotency-Replay"] == "false"


@pytest.mark.parametrize("rejects", [True, False], ids=["refused", "warned"])
def test_a_dry_run_looks_for_the_number_as_a_send_does(caller, rejects):
    """Another number, and one whose invoice has failed, is free."""
    caller.switch(reject_duplicate_numbers=rejects)
    caller.sent(number="T-1")
    failed = caller.sent("0088:9520000000059", number="T-2")
    caller.work_until(
        lambda: caller.get(f"/api/invoices/{failed}").json["networkStatus"] == "Failed"
    )

    def said(number: str, *, dry: bool) -> object:
        answer = caller.send(caller.body(number=number) | {"options": {"dryRun": dry}})
        if answer.status_code != 200:
            return slug(answer), answer.json.get("existingId")
        return [w for w in answer.json.get("warnings", ()) if w["code"] == "possible-duplicate"]

    dry = [said(number, dry=True) for number in ("T-1", "T-2", "T-3")]

    assert dry == [said(number, dry=False) for number in ("T-1", "T-2", "T-3")]
    assert dry[0]
    assert dry[1:] == [[], []]


def test_an_assumption_is_a_warning_with_code_message_and_field(caller):
    answer = caller.send(caller.body(buyerReference=None, dueDate=None))
    found = {w["code"]: w for w in answer.json["warnings"]}

    assert {"buyer-reference-defaulted", "due-date-missing"} <= found.keys()
    assert all(w.keys() == {"code", "message", "field"} for w in found.values())
    kept = caller.get(f"/api/invoices/{answer.json['invoiceId']}").json["warnings"]
    assert kept == answer.json["warnings"]


@pytest.mark.parametrize("dry", [False, True])
def test_improbable_values_are_warnings_of_a_send_and_of_a_dry_run(caller, dry):
    """Decisions 20.3: each is sent as it is."""
    body = caller.body(
        issueDate="2001-01-02", dueDate="2001-01-01", paymentMeans={"iban": "BE68539007547035"}
    )
    answer = caller.send(body | {"options": {"dryRun": dry}})

    assert answer.status_code == 200, answer.text
    assert {w["code"]: w["field"] for w in answer.json["warnings"]} == {
        "issue-date-far-off": "invoice.issueDate",
        "due-date-before-issue-date": "invoice.dueDate",
        "iban-check-digits-wrong": "invoice.paymentMeans.iban",
    }


def test_a_number_sent_before_is_a_warning(caller):
    first = caller.send(caller.body(number="N-1"))
    second = caller.send(caller.body(number="N-1"))

    assert "warnings" not in first.json
    assert [w["code"] for w in second.json["warnings"]] == ["possible-duplicate"]


def test_a_tenant_may_refuse_numbers_sent_before(caller):
    """409 with the earlier invoice; another number goes through."""
    caller.switch(reject_duplicate_numbers=True)
    first = caller.sent(number="N-1")
    again = caller.send(caller.body(number="N-1"))

    assert (again.status_code, slug(again)) == (409, "duplicate-invoice")
    assert again.json["existingId"] == first
    assert caller.send(caller.body(number="N-2")).status_code == 200
    assert caller.count(Invoice) == 2


def test_the_number_of_a_failed_invoice_can_be_sent_again(caller):
    caller.switch(reject_duplicate_numbers=True)
    caller.sent("0088:9520000000059", number="N-1")
    caller.work()

    assert caller.send(caller.body("0088:9520000000059", number="N-1")).status_code == 200


@pytest.mark.parametrize("kind", ["invoice", "creditNote"])
def test_both_kinds_of_documents_are_sent(caller, kind):
    answer = caller.send(caller.body(type=kind, precedingInvoice={"number": "P-1"}))

    assert answer.status_code == 200, answer.text
    assert caller.get(f"/api/invoices/{answer.json['invoiceId']}").json["type"] == kind


# -- keys, environments ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"),
    [(None, "api-key-required"), ("", "api-key-required"), (" ", "api-key-required"),
     ("sk_test_short", "invalid-api-key"), ("é", "invalid-api-key"),
     ("sk_test_" + "a" * 49, "invalid-api-key")],
)  # fmt: skip
def test_an_invalid_key_is_refused(service, key, expected):
    headers = {} if key is None else {"x-api-key": key}
    for path in ("/api/participants/lookup", "/api/invoices/x", "/api/invoices/x/artefacts"):
        answer = service.test_client().get(path, headers=headers)
        assert (answer.status_code, slug(answer)) == (401, expected)
        assert not any(name.startswith("X-RateLimit") for name, _ in answer.headers)


def test_a_live_send_needs_an_owned_sender(service):
    """403 until the operator has given the tenant its participant id (decisions 19.7)."""
    live = Caller(service, Environment.LIVE)
    sandbox = Caller(service, tenant=live.tenant)
    body = sandbox.body()
    body["routing"]["receiverParticipantId"] = "0088:9520000000998"
    assert slug(live.send(body)) == "sender-not-owned"

    live.own()
    answer = live.send(body)
    assert (answer.status_code, slug(answer)) == (503, "access-point-unavailable")
    assert live.count(Invoice) == 0


def test_a_live_send_to_a_sandbox_participant_is_refused(service):
    live = Caller(service, Environment.LIVE)
    live.own("9999:live-1")
    body = Caller(service, tenant=live.tenant).body()
    answer = live.send(body)

    assert (answer.status_code, slug(answer)) == (400, "sandbox-participant")


def test_a_key_may_be_bound_to_receivers(service):
    bound = Caller(service, allowed_receivers=["0088:9520000000004"])

    assert bound.send(bound.body("0088:9520000000004")).status_code == 200
    answer = bound.send(bound.body("0088:9520000000011"))
    assert (answer.status_code, slug(answer)) == (403, "receiver-not-allowed")


@pytest.mark.parametrize(("network", "status"), [("127.0.0.0/8", 200), ("192.0.2.0/24", 403)])
def test_a_key_may_be_bound_to_addresses(service, network, status):
    bound = Caller(service, allowed_ips=[network])
    answer = bound.lookup()

    assert answer.status_code == status
    assert status == 200 or slug(answer) == "ip-not-allowed"


@pytest.mark.parametrize(
    ("environment", "host", "known"),
    [("test", "sandbox.example", True), ("test", "API.example", False), ("test", "other", True),
     ("live", "api.example", True), ("live", "Sandbox.example", False),
     ("test", "api.example.", False), ("test", "api.example:80", False),
     ("test", "api.example.:443", False), ("live", "sandbox.example.", False),
     ("test", "sandbox.example.", True), ("live", "api.example.:443", True)],
)  # fmt: skip
def test_a_key_is_unknown_on_the_other_environment_s_host(build, environment, host, known):
    app = build(base_url="https://api.example", sandbox_base_url="https://sandbox.example/")
    caller = Caller(app, Environment(environment))
    answer = caller.get("/api/invoices/x", Host=host)

    assert slug(answer) == ("not-found" if known else "invalid-api-key")
    assert answer.json["type"].startswith("https://api.example/errors/")


@pytest.mark.parametrize("environment", Environment)
def test_one_host_may_serve_both_environments(build, environment):
    app = build(base_url="https://api.example", sandbox_base_url="https://API.example./")
    response = Caller(app, environment).get("/api/invoices/x", Host="api.example")

    assert slug(response) == "not-found"


def test_an_overdue_queue_refuses_new_sends_and_answers_replays(build):
    """503 instead of a late delivery; replays add no work."""
    app = build(max_queue_age=-1.0)
    caller = Caller(app)
    patient = Caller(build(), tenant=caller.tenant)
    body = caller.body()
    first = patient.send(body, Idempotency_Key="k")
    late, known = caller.send(), caller.send(body, Idempotency_Key="k")

    assert (late.status_code, slug(late)) == (503, "overloaded")
    assert int(late.headers["Retry-After"]) > 0
    assert known.json["invoiceId"] == first.json["invoiceId"]
    assert caller.count(Outbox) == 1


def test_the_original_is_stored_unchanged(caller):
    """ORIGINAL is the body to the byte, spaces included."""
    body = json.dumps(caller.body(), indent=3).encode()
    invoice = caller.send(body).json["invoiceId"]
    items = caller.get(f"/api/invoices/{invoice}/artefacts?type=ORIGINAL").json["items"]

    assert len(items) == 1
    found = caller.get(f"/api/invoices/{invoice}/artefacts/{items[0]['artefactId']}")
    assert found.data == body
