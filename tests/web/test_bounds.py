"""Lists in answers are bounded, and say so (decisions 20.10)."""

from __future__ import annotations

import json

import pytest
import sqlalchemy as sa

from einvoice.domain.bounds import MAX_LISTED
from einvoice.services.send import evaluation, submit
from einvoice.store.core import db
from einvoice.store.tables import Invoice
from einvoice.web.json import MAX_NAMES
from tests.web.submission.documents import request_of, two_lines

V1 = "/v1/invoices"
ASYNC = {"Prefer": "respond-async"}


@pytest.fixture(params=[MAX_LISTED, MAX_LISTED + 1, MAX_LISTED + 500])
def warned(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """How many warnings every document has."""
    count = int(request.param)
    found = [{"code": "w", "message": str(n), "field": None} for n in range(count)]
    for module in (evaluation, submit):
        monkeypatch.setattr(module, "warnings_of", lambda _: tuple(found))
    monkeypatch.setattr(evaluation, "_as_data", lambda _: ())
    return count


def is_bounded(body: dict[str, object], count: int) -> bool:
    warnings = body["warnings"]
    assert isinstance(warnings, list)
    return len(warnings) == MAX_LISTED and body.get("truncated", False) == (count > MAX_LISTED)


def test_a_send_its_replay_and_its_invoice_list_a_thousand_warnings(caller, warned):
    body = caller.body(number="B-1")
    first = caller.send(body, Idempotency_Key="bounded").json
    again = caller.send(body, Idempotency_Key="bounded").json
    dry = caller.send(caller.body(number="B-2") | {"options": {"dryRun": True}}).json
    found = caller.get(f"/api/invoices/{first['invoiceId']}").json
    tracked = caller.bearer("GET", f"{V1}/{first['invoiceId']}").json

    assert [is_bounded(one, warned) for one in (first, again, dry, found, tracked)] == [True] * 5


def test_a_submission_and_a_batch_list_a_thousand_warnings_of_a_document(caller, warned):
    one = caller.bearer("POST", V1, request_of(two_lines("B-2")), **ASYNC).json
    batch = caller.bearer("POST", f"{V1}/batch", {"invoices": [request_of(two_lines("B-3"))]}).json

    assert is_bounded(one, warned)
    assert is_bounded(batch["results"][0], warned)


def test_no_more_warnings_are_stored_than_show_that_there_are_more(caller, warned):
    invoice = caller.sent(number="B-4")
    with caller.app.app_context(), db.reading() as connection:
        stored = connection.scalar(sa.select(Invoice.warnings).where(Invoice.id == invoice))

    assert len(stored) == min(warned, MAX_LISTED + 1)


def wrong_fields(error: dict[str, object]) -> tuple[int, bool]:
    """How many a problem lists, and whether there are more."""
    errors = error["errors"]
    assert isinstance(errors, list)
    return len(errors), "truncated" in error


@pytest.mark.parametrize(("count", "listed"), [(100, (100, False)), (101, (100, True))])
@pytest.mark.parametrize("place", ["body", "lines", "query"])
def test_a_problem_lists_a_hundred_wrong_fields_and_says_whether_there_are_more(
    caller, place, count, listed
):
    body, unknown = caller.body(), {f"field{n}": 1 for n in range(count)}
    if place == "body":
        answer = caller.send(json.dumps(body | unknown).encode())
    elif place == "lines":
        body["invoice"]["lineItems"] = [body["invoice"]["lineItems"][0] | {"field": 1}] * count
        answer = caller.send(body)
    else:
        answer = caller.get("/api/invoices?" + "&".join(f"{name}=1" for name in unknown))

    assert answer.status_code == 400
    assert wrong_fields(answer.json) == listed


@pytest.mark.parametrize(("count", "listed"), [(20, (20, False)), (21, (20, True))])
def test_the_result_of_a_document_of_a_batch_lists_twenty_wrong_fields(caller, count, listed):
    wrong = request_of(two_lines("B-5")) | {f"field{n}": 1 for n in range(count)}
    batch = caller.bearer("POST", f"{V1}/batch", {"invoices": [wrong]})

    assert wrong_fields(batch.json["results"][0]["error"]) == listed


def test_a_batch_lists_all_of_its_own_wrong_fields(caller):
    """As many as an object may have."""
    unknown = {f"field{n}": 1 for n in range(MAX_NAMES - 1)}
    answer = caller.bearer("POST", f"{V1}/batch", {"invoices": []} | unknown)

    assert wrong_fields(answer.json) == (MAX_NAMES - 1, False)
