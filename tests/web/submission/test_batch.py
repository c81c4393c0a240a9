"""POST /v1/invoices/batch: each document on its own, in order, and nothing for its neighbours."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
import sqlalchemy as sa

from einvoice.domain.environments import Environment
from einvoice.domain.errors import ComputingUnavailable
from einvoice.services.caches import Cache
from einvoice.services.send import batch
from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Transmission
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.submission.batches import PATH, entry, submit
from tests.web.submission.documents import CII_SENDER, cii, request_of, two_lines, ubl


def slugs(answer) -> list[str | None]:
    """The slug of each result; None where the document was accepted."""
    return [
        r["error"]["type"].rpartition("/")[2] if "error" in r else None
        for r in answer.json["results"]
    ]


def test_there_is_one_result_for_each_document_in_order(caller):
    wrong = request_of(two_lines("B-2").replace(b">181.50<", b">181.51<"))
    answer = submit(caller, [entry("B-1"), wrong, entry("B-3")])

    assert answer.status_code == 200, answer.text
    assert [answer.json[n] for n in ("total", "accepted", "rejected")] == [3, 2, 1]
    first, second, third = answer.json["results"]
    assert [r["index"] for r in (first, second, third)] == [0, 1, 2]
    assert (first["status"], first["httpStatus"], first["idempotencyReplay"]) == (
        "processing", 202, False
    )  # fmt: skip
    assert first["validation"]["trafficLight"] == "green"
    assert (second["id"], second["status"], second["httpStatus"]) == (None, "blocked", 400)
    assert second["error"]["validation"]["findings"][0]["ruleId"] == "BR-CO-15"
    assert second["error"]["instance"] == PATH
    numbers = [
        caller.bearer("GET", f"/v1/invoices/{r['id']}").json["number"] for r in (first, third)
    ]
    assert numbers == ["B-1", "B-3"]
    assert caller.count(Transmission) == 2


BAD = {
    "text": ("x", "invalid-field"),
    "null": (None, "invalid-field"),
    "list": ([], "invalid-field"),
    "number": (7, "invalid-field"),
    "empty": ({}, "missing-routing"),
    "no receiver": (request_of(b"<x/>", receiver=None), "missing-routing"),
    "broken base64": (request_of(b"") | {"invoice": "a*b"}, "invalid-field"),
    "cut base64": (request_of(b"") | {"invoice": "abcde"}, "invalid-field"),
    "XML as it stands": (request_of(b"") | {"invoice": "<Invoice/>"}, "invalid-field"),
    "no text": (request_of(b"") | {"invoice": {"a": 1}}, "invalid-field"),
    "unknown field": (request_of(b"<x/>", colour="red"), "invalid-field"),
    "unknown format": (request_of(b"<x/>", format="pdf"), "invalid-field"),
    "format that lies": (entry("X-1", format="cii"), "invalid-field"),
    "network": (entry("X-2", network="zatca"), "network-not-supported"),
    "sender": (entry("X-3", sender={"peppolId": "9:9"}), "invalid-sender-id"),
    "receiver": (entry("X-4", receiver={"peppolId": 5}), "invalid-receiver-id"),
    "contradiction": (
        entry("X-5", receiver={"peppolId": "0088:9520000000011"}),
        "invalid-field",
    ),
    "unregistered": (
        request_of(two_lines("X-6", receiver="0088:9520000000080"), "0088:9520000000080"),
        "receiver-not-registered",
    ),
    "pdf": (request_of(b"%PDF-1.7\n\xe2\xe3"), "validation-failed"),
    "utf-16": (request_of("<?xml version='1.0'?><a/>".encode("utf-16")), "validation-failed"),
    "utf-16 without mark": (request_of("<a/>".encode("utf-16-le")), "validation-failed"),
    "doctype": (request_of(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "validation-failed"),
    "many tags": (request_of(b"<a>" * 200_000), "validation-failed"),
    "other document": (request_of(b"<Order/>"), "validation-failed"),
    "empty document": (request_of(b" \n"), "validation-failed"),
    "key too long": (entry("X-7", key="k" * 129), "invalid-idempotency-key"),
    "key no text": (request_of(b"<x/>") | {"idempotencyKey": 5}, "invalid-idempotency-key"),
    "key blank": (request_of(b"<x/>") | {"idempotencyKey": " "}, "invalid-idempotency-key"),
}


@pytest.mark.parametrize(("bad", "expected"), BAD.values(), ids=BAD)
def test_a_refused_document_does_not_affect_the_others(caller, bad, expected):
    """Its result is a problem; the other documents are accepted."""
    answer = submit(caller, [entry("G-1"), bad, entry("G-2")])

    assert slugs(answer) == [None, expected, None]
    refused = answer.json["results"][1]
    assert refused["httpStatus"] == refused["error"]["status"]
    assert {"type", "title", "status", "detail", "requestId"} <= refused["error"].keys()
    assert caller.count(Invoice) == 2


def test_each_invalid_document_of_a_batch_has_its_error(caller):
    answer = submit(caller, [bad for bad, _ in BAD.values()])

    assert slugs(answer) == [expected for _, expected in BAD.values()]
    assert caller.stored() == 0


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"invoices": []}, "empty-batch"),
        ({"invoices": [1] * 501}, "batch-too-large"),
        ({}, "invalid-field"),
        ({"invoices": None}, "invalid-field"),
        ({"invoices": {}}, "invalid-field"),
        ({"invoices": [1], "more": 2}, "invalid-field"),
        (b"[]", "invalid-body"),
        (b"{", "invalid-body"),
        (b'{"invoices": [1], "invoices": [2]}', "invalid-body"),
    ],
)
def test_an_invalid_batch_is_refused_as_a_whole(caller, body, expected):
    answer = caller.bearer("POST", PATH, body)

    assert (answer.status_code, slug(answer)) == (400, expected)
    assert (answer.json.get("maxItems") == 500) is (expected == "batch-too-large")


def test_500_are_a_batch(caller):
    """The largest batch; none of its entries is a valid document."""
    answer = submit(caller, [1] * 500)

    assert (answer.status_code, answer.json["rejected"]) == (200, 500)


@pytest.mark.parametrize(("size", "status"), [(19, 400), (21, 413), (50, 413)])
def test_a_batch_may_have_20_mib(caller, size, status):
    """More than for a single document; 50 MB are not read."""
    answer = caller.bearer("POST", PATH, b" " * (size * 1024 * 1024))

    assert answer.status_code == status
    assert status == 400 or "20 MiB" in answer.json["detail"]


def test_xml_is_no_batch(caller):
    answer = caller.bearer("POST", PATH, b"<a/>", Content_Type="application/xml")

    assert (answer.status_code, slug(answer)) == (415, "unsupported-media-type")


def test_both_syntaxes_travel_together(caller):
    from_cii = request_of(cii(number="C-7"), format="auto", sender={"peppolId": CII_SENDER})
    answer = submit(caller, [entry("U-7"), from_cii])

    assert [r["validation"]["format"] for r in answer.json["results"]] == ["ubl", "cii"]


# -- idempotency -----------------------------------------------------------------------------------


def test_a_repeated_batch_sends_nothing_twice(caller):
    """A repeated batch returns the first results; refused documents are checked again."""
    entries = [
        entry("I-1", "i1"),
        request_of(b"<x/>") | {"idempotencyKey": "i2"},
        entry("I-3", "i3"),
    ]
    first, second = submit(caller, entries), submit(caller, entries)

    assert [r["id"] for r in second.json["results"]] == [r["id"] for r in first.json["results"]]
    assert [r["idempotencyReplay"] for r in second.json["results"]] == [True, False, True]
    assert [r["httpStatus"] for r in second.json["results"]] == [202, 400, 202]
    assert second.json["results"][0]["validation"] == first.json["results"][0]["validation"]
    assert second.json["batchId"] != first.json["batchId"]
    assert (caller.count(Invoice), caller.count(IdempotencyKey)) == (2, 2)


def test_a_replayed_batch_takes_as_many_statements_whatever_its_size(caller, monkeypatch):
    """Keys, first answers and verdicts are read once per chunk."""
    for cache in vars(runtime_of(caller.app).caches).values():
        if isinstance(cache, Cache):  # nothing is read again because a batch took long
            monkeypatch.setattr(cache, "_ttl", 600.0)

    def replayed(count: int) -> int:
        entries = [entry(f"R{count}-{n}", f"r{count}-{n}") for n in range(count)]
        submit(caller, entries)
        asked = []
        with caller.app.app_context():
            engine = db.db.engine

        def note(*_):
            asked.append(1)

        sa.event.listen(engine, "before_cursor_execute", note)
        try:
            answer = submit(caller, entries)
        finally:
            sa.event.remove(engine, "before_cursor_execute", note)
        assert all(result["idempotencyReplay"] for result in answer.json["results"])
        return len(asked)

    assert replayed(3) == replayed(12)


def test_a_key_twice_in_a_batch_is_one_document(caller):
    """The second gets the result of the first, also if it is another document."""
    answer = submit(caller, [entry("K-1", "k"), entry("K-2"), entry("K-3", "k")])
    first, _, third = answer.json["results"]

    assert (third["id"], third["idempotencyReplay"]) == (first["id"], True)
    assert third["warnings"][-1]["code"] == "idempotency-payload-mismatch"
    assert caller.count(Invoice) == 2


def test_keys_are_shared_with_single_documents_and_the_header_is_that_of_the_batch(caller):
    """The header makes the batch safe to repeat as a whole: it gets the first answer again."""
    body = entry("S-1")
    single = caller.bearer(
        "POST", "/v1/invoices", body, Idempotency_Key="one", Prefer="respond-async"
    )
    answer = submit(caller, [body | {"idempotencyKey": "one"}, entry("S-2")], Idempotency_Key="one")

    assert answer.json["results"][0]["id"] == single.json["id"]
    assert answer.json["results"][0]["idempotencyReplay"] is True
    assert answer.json["results"][1]["id"] not in (None, single.json["id"])
    assert answer.headers["Idempotency-Replay"] == "false"

    again = submit(caller, [body | {"idempotencyKey": "one"}, entry("S-2")], Idempotency_Key="one")
    assert again.headers["Idempotency-Replay"] == "true"
    assert again.json == answer.json


def test_an_invalid_document_with_a_known_key_gets_the_first_result(caller):
    submit(caller, [entry("R-1", "k")])
    answer = submit(caller, [{"idempotencyKey": "k"}, {"idempotencyKey": "new"}])

    assert slugs(answer) == [None, "missing-routing"]
    assert answer.json["results"][0]["idempotencyReplay"] is True


@pytest.mark.parametrize("strict", [False, True])
def test_a_repeated_number_in_a_batch_is_a_warning_or_refused(caller, strict):
    caller.switch(reject_duplicate_numbers=strict)
    same = [request_of(ubl(number="D-1")) for _ in range(3)]
    answer = submit(caller, [*same, entry("D-2")])

    if strict:
        assert slugs(answer) == [None, "duplicate-invoice", "duplicate-invoice", None]
        first, second, *_ = answer.json["results"]
        assert second["error"]["existingId"] == first["id"]
    else:
        warned = [[w["code"] for w in r["warnings"]] for r in answer.json["results"]]
        assert warned == [[], ["possible-duplicate"], ["possible-duplicate"], []]


def test_improbable_values_of_documents_are_warnings(caller):
    """Decisions 20.3: of each document its own, here and at POST /v1/invoices."""
    early = ubl(number="W-1", issueDate="2026-11-21", dueDate="2026-11-20")
    wrong_iban = ubl(number="W-2", paymentMeans={"iban": "BE68539007547035"})
    documents = [request_of(document) for document in (early, wrong_iban, two_lines("W-3"))]
    answer = submit(caller, documents)
    alone = caller.bearer("POST", "/v1/invoices", request_of(ubl(
        number="W-4", paymentMeans={"iban": "BE68539007547035"}
    )))  # fmt: skip

    warned = [[w["code"] for w in r["warnings"]] for r in answer.json["results"]]
    assert warned == [["due-date-before-issue-date"], ["iban-check-digits-wrong"], []]
    assert [w["code"] for w in alone.json["warnings"]] == ["iban-check-digits-wrong"]


# -- afterwards ------------------------------------------------------------------------------------


def test_the_state_of_a_batch_is_current(caller):
    """Counts of queued, then delivered documents; refused ones keep their reason."""
    answer = submit(caller, [entry("T-1"), 5, entry("T-2")])
    path = f"{PATH}/{answer.json['batchId']}"
    before = caller.bearer("GET", path).json
    caller.work_until(lambda: caller.bearer("GET", path).json["counts"]["delivered"] == 2)
    after = caller.bearer("GET", path).json

    assert [before[n] for n in ("total", "accepted", "rejected")] == [3, 2, 1]
    assert (before["counts"]["queued"], before["counts"]["blocked"]) == (2, 1)
    assert (after["counts"]["delivered"], after["counts"]["blocked"]) == (2, 1)
    assert sum(after["counts"].values()) == 3
    assert [r["status"] for r in after["results"]] == ["delivered", "blocked", "delivered"]
    assert [r["id"] for r in after["results"]] == [r["id"] for r in answer.json["results"]]
    assert after["results"][1]["error"]["type"].endswith("/invalid-field")


def test_a_refusal_names_the_request_that_refused_the_document(caller):
    """Support looks a refusal up by its request id, whenever the batch is read."""
    answer = submit(caller, [entry("B-1"), 5])
    told = answer.json["results"][1]["error"]
    read = caller.bearer("GET", f"{PATH}/{answer.json['batchId']}")
    shown = read.json["results"][1]["error"]

    assert told["requestId"] == answer.headers["X-Request-Id"] != read.headers["X-Request-Id"]
    assert (shown["requestId"], shown["instance"]) == (told["requestId"], PATH)
    assert "error" not in read.json["results"][0]


def test_a_batch_of_another_tenant_is_not_found(service, caller):
    batch = submit(caller, [5]).json["batchId"]

    assert caller.bearer("GET", f"{PATH}/{batch}").status_code == 200
    for other in (Caller(service), Caller(service, Environment.LIVE, caller.tenant)):
        answer = other.bearer("GET", f"{PATH}/{batch}")
        assert (answer.status_code, slug(answer)) == (404, "not-found")
    for text in ("x", "%00", "a" * 3000):
        assert slug(caller.bearer("GET", f"{PATH}/{text}")) == "not-found"


def test_a_batch_counts_as_one_request_and_needs_the_scope(service):
    caller = Caller(service, scopes=["invoices:read"])
    answer = submit(caller, [5])

    assert (answer.status_code, slug(answer)) == (403, "insufficient-scope")


def test_findings_of_a_batch_are_the_first_of_each(caller):
    """The size of the response is bounded; counts cover all findings."""
    broken = two_lines("F-1")
    line = broken[broken.index(b"<cac:InvoiceLine>") : broken.rindex(b"</Invoice>")]
    many = broken.replace(line, line.replace(b'unitCode="C62"', b'unitCode="??"') * 40)
    answer = submit(caller, [request_of(many)])
    light = answer.json["results"][0]["error"]["validation"]

    assert light["semanticErrors"] > 20
    assert len(light["findings"]) == 20
    assert len(answer.json["results"][0]["error"]["validationErrors"]) <= 20


def test_a_batch_of_several_chunks_keeps_its_order(caller):
    """A chunk has fifty documents."""
    bodies = [entry(f"L-{n}", f"l{n}") if n % 7 else n for n in range(120)]
    answer = submit(caller, bodies)
    reported = [r["id"] for r in answer.json["results"]]

    assert [r["index"] for r in answer.json["results"]] == list(range(120))
    assert [index for index, invoice in enumerate(reported) if invoice is None] == list(
        range(0, 120, 7)
    )
    numbers = {
        json.loads(caller.get(f"/api/invoices/{reported[n]}").data)["number"] for n in (1, 55, 118)
    }
    assert numbers == {"L-1", "L-55", "L-118"}


def test_a_batch_whose_turn_does_not_come_stores_nothing(caller, monkeypatch):
    """503 with Retry-After; a few documents need no turn."""
    turns = runtime_of(caller.app).batch_turns
    monkeypatch.setattr(turns, "limit", replace(turns.limit, wait=0.05))
    with turns.held("another tenant"):
        refused = submit(caller, [entry(f"T-{number}") for number in range(6)])
        stored = caller.count(Transmission)
        few = submit(caller, [entry("T-1")])

    assert (refused.status_code, slug(refused), stored) == (503, "computing-unavailable", 0)
    assert int(refused.headers["Retry-After"]) >= 1
    assert few.status_code == 200


def test_a_batch_that_has_begun_is_finished(caller, monkeypatch):
    """Some of its documents are accepted already: the others are not left out."""
    monkeypatch.setattr(batch, "CHUNK_SIZE", 6)
    turns, given = runtime_of(caller.app).batch_turns, []
    held = turns.held

    def only_the_first(tenant_id: str):
        given.append(tenant_id)
        if len(given) > 1:
            raise ComputingUnavailable("No turn came.")
        return held(tenant_id)

    monkeypatch.setattr(turns, "held", only_the_first)
    answer = submit(caller, [entry(f"U-{number}") for number in range(12)])

    assert (answer.status_code, answer.json["accepted"]) == (200, 12)
    assert given == [caller.tenant] * 2
