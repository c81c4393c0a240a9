"""Large documents: judged in a computing process, with the same answer as small ones."""

from __future__ import annotations

import pytest
import sqlalchemy as sa

from einvoice.services.computing import pool, sizes
from einvoice.services.send import sizes as send_sizes
from einvoice.share import Limit
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.runtime import runtime_of
from tests.builders import send_body
from tests.web.caller import Caller, slug
from tests.web.submission.documents import cii, encoded, request_of, two_lines

VALIDATE, SUBMIT = "/v1/invoices/validate", "/v1/invoices"
XML = {"Content_Type": "application/xml"}
WRONG = two_lines("L-1").replace(b"<cbc:DocumentCurrencyCode>EUR", b"<cbc:DocumentCurrencyCode>XXQ")


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    for bounds, name in ((sizes, "MAX_TAGS"), (sizes, "_MIN_BYTES"), (send_sizes, "MAX_LINES")):
        monkeypatch.setattr(bounds, name, 0)


def asked(caller: Caller, kind: str):
    """The answer to a validation of that kind, without its duration."""
    body = send_body("none")
    if kind == "totals":
        body["invoice"]["totals"]["grandTotal"] = 1.0
    elif kind == "rules":
        body["invoice"]["currency"] = "JPY"
    documents = {
        "ubl": two_lines("L-1"),
        "cii": cii(),
        "wrong": WRONG,
        "no XML": b"<Invoice>",
        "another": b"<Order/>",
    }
    if kind in documents:
        answer = caller.bearer("POST", VALIDATE, documents[kind], **XML)
    elif kind == "contradicted":
        contradicting = {"invoice": encoded(two_lines("L-1")), "format": "cii"}
        answer = caller.bearer("POST", VALIDATE, contradicting)
    else:
        answer = caller.bearer("POST", VALIDATE, body)
    assert answer.status_code == 200, answer.text
    return answer.json | {"processingTimeMs": None, "documentSha256": None}  # bodies differ


@pytest.mark.parametrize(
    ("kind", "function"),
    [
        ("ubl", "evaluate_submission"),
        ("cii", "evaluate_submission"),
        ("wrong", "evaluate_submission"),
        ("no XML", "evaluate_submission"),
        ("another", "evaluate_submission"),
        ("contradicted", "evaluate_submission"),
        ("send", "evaluate_request"),
        ("totals", "evaluate_request"),
        ("rules", "evaluate_request"),
    ],
)
def test_a_large_document_gets_the_same_verdict_from_a_process(
    caller, computations, request, kind, function
):
    small = asked(caller, kind)
    assert computations == []
    request.getfixturevalue("all_large")

    assert asked(caller, kind) == small
    assert computations == [function]


def test_a_large_document_is_submitted_and_replayed(caller, computations, all_large):
    body = request_of(two_lines("L-2"))
    first = caller.bearer("POST", SUBMIT, body, Prefer="respond-async", Idempotency_Key="large")
    again = caller.bearer("POST", SUBMIT, body, Prefer="respond-async", Idempotency_Key="large")

    assert (first.status_code, first.json["number"]) == (202, "L-2")
    assert again.json["id"] == first.json["id"]
    assert computations[0] == "evaluate_submission"


def test_a_large_document_without_a_turn_is_not_stored_and_may_be_repeated(
    caller, all_large, monkeypatch
):
    body = request_of(two_lines("L-3"))
    turns = runtime_of(caller.app).computing._turns
    monkeypatch.setattr(turns, "limit", Limit(0))
    refused = caller.bearer("POST", SUBMIT, body, Prefer="respond-async", Idempotency_Key="busy")
    with caller.app.app_context(), db.reading() as connection:
        stored = connection.scalar(
            sa.select(sa.func.count()).where(
                Invoice.tenant_id == caller.tenant, Invoice.number == "L-3"
            )
        )
    monkeypatch.undo()
    repeated = caller.bearer("POST", SUBMIT, body, Prefer="respond-async", Idempotency_Key="busy")

    assert (refused.status_code, slug(refused)) == (503, "computing-unavailable")
    assert refused.headers["Retry-After"] == "5"
    assert stored == 0
    assert repeated.status_code == 202


def test_one_document_of_a_batch_without_a_turn_is_refused_alone(caller, monkeypatch):
    large = two_lines("L-4").replace(b"</Invoice>", b"</Invoice>" + b"<!-- -->" * 10_000)
    monkeypatch.setattr(sizes, "MAX_TAGS", 9_000)
    monkeypatch.setattr(sizes, "_MIN_BYTES", 9_000)
    turns = runtime_of(caller.app).computing._turns
    monkeypatch.setattr(turns, "limit", Limit(0))
    items = [request_of(two_lines("L-5")), request_of(large)]
    answer = caller.bearer("POST", "/v1/invoices/batch", {"invoices": items})

    assert [one["httpStatus"] for one in answer.json["results"]] == [202, 503]
    assert answer.json["results"][1]["error"]["type"].endswith("/computing-unavailable")


def test_what_takes_too_long_here_gets_the_same_verdict_from_a_process(
    caller, computations, monkeypatch
):
    """Documents and sends; what is refused before a rule runs takes no time."""
    kinds = {
        "ubl": ["evaluate_submission"],
        "cii": ["evaluate_submission"],
        "no XML": [],
        "totals": [],
        "rules": ["evaluate_request"],
    }
    here = {kind: asked(caller, kind) for kind in kinds}
    assert computations == []
    monkeypatch.setattr(pool, "MAX_CPU_SECONDS_HERE", -1.0)
    wrong = {}
    for kind, functions in kinds.items():
        computations.clear()
        answer = asked(caller, kind)
        if answer != here[kind] or computations != functions:
            wrong[kind] = list(computations)

    assert wrong == {}


@pytest.mark.parametrize(
    ("content", "large"),
    [
        (b"<a>" * 15_000, False),
        (b"<a>" * 15_001, True),
        (b"<a " + b'b="" ' * 15_000 + b"/>", False),
        (b"<a " + b'b="" ' * 15_001 + b"/>", True),
        (lambda: b"a" * sizes.MAX_BYTES, False),
        (lambda: b"a" * (sizes.MAX_BYTES + 1), True),
        (b"<" * 44_999, False),  # cannot be a document of so many tags
    ],
    ids=[
        "tags",
        "a tag more",
        "attributes",
        "an attribute more",
        "bytes",
        "a byte more",
        "no tags",
    ],
)
def test_a_document_is_large_by_tags_or_bytes(content, large):
    assert sizes.is_large(content() if callable(content) else content) is large


@pytest.mark.parametrize(
    ("lines", "parts", "large"),
    [(1_000, 0, False), (1_001, 0, True), (100, 36, False), (100, 37, True)],
)
@pytest.mark.parametrize("part", ["allowances", "charges", "classifications"])
def test_a_send_is_large_by_lines_and_their_parts(lines, parts, large, part):
    """A line counts as four of its parts."""
    invoice = {"lineItems": [{part: [{}] * parts}] * lines}

    assert send_sizes.is_large_send({"invoice": invoice}) is large


@pytest.mark.parametrize(
    ("body", "large"),
    [
        (b"{" * 1_000, False),
        (b"{" * 1_001, True),
        (lambda: b" " * send_sizes.MAX_BODY_BYTES, False),
        (lambda: b" " * (send_sizes.MAX_BODY_BYTES + 1), True),
    ],
    ids=["objects", "an object more", "bytes", "a byte more"],
)
def test_a_body_is_large_by_objects_or_bytes(body, large):
    assert send_sizes.is_large_body(body() if callable(body) else body) is large
