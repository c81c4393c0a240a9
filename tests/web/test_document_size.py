"""`Capabilities.max_bytes`: a larger document is refused at the send, or not submitted later."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from einvoice.network.types import NotSent
from einvoice.services.delivery import operations
from einvoice.web.runtime import runtime_of
from tests.web.caller import Caller, slug
from tests.web.submission.documents import CII_SENDER, cii, request_of, ubl

Limit = Callable[[int | None], None]


@pytest.fixture
def limit(caller: Caller, monkeypatch: pytest.MonkeyPatch) -> Limit:
    """Give the simulator this limit."""
    point = runtime_of(caller.app).access_points["simulator"]

    def _limit(max_bytes: int | None) -> None:
        changed = replace(point.capabilities, max_bytes=max_bytes)
        monkeypatch.setattr(point, "capabilities", changed)

    return _limit


def size(caller: Caller, invoice: str) -> int:
    """The number of bytes of the document of an accepted invoice."""
    listed = caller.get(f"/api/invoices/{invoice}/artefacts?type=UBL").json["items"]
    return len(caller.get(f"/api/invoices/{invoice}/artefacts/{listed[0]['artefactId']}").data)


@pytest.fixture
def exact(caller: Caller) -> int:
    """The size of the document of `caller.body(number="L-1")`."""
    return size(caller, caller.sent(number="L-1"))


@pytest.mark.parametrize("options", [{}, {"dryRun": True}], ids=["send", "dry run"])
def test_a_document_one_byte_over_the_limit_is_refused(caller, limit, exact, options):
    """With size and limit as members; nothing is stored."""
    body = caller.body(number="L-1") | {"options": options}
    before = caller.stored()
    limit(exact - 1)
    answer = caller.send(body)

    assert (answer.status_code, slug(answer)) == (413, "document-too-large")
    assert answer.json["maxBytes"] == exact - 1
    assert f"{exact:,} bytes" in answer.json["detail"]
    assert f"at most {exact - 1:,}" in answer.json["detail"]
    assert caller.stored() == before


@pytest.mark.parametrize("spare", [0, None], ids=["exactly the limit", "no limit"])
def test_a_document_within_the_limit_is_accepted(caller, limit, exact, spare):
    body = caller.body(number="L-1")
    limit(None if spare is None else exact + spare)

    assert caller.send(body).status_code == 200


@pytest.mark.parametrize(
    ("document", "fields"),
    [
        (ubl(number="L-2"), {}),
        (cii(number="L-3"), {"format": "cii", "sender": {"peppolId": CII_SENDER}}),
    ],
    ids=["ubl", "cii"],
)
def test_a_submitted_document_over_the_limit_is_refused(caller, limit, document, fields):
    limit(len(document) - 1)
    answer = caller.bearer("POST", "/v1/invoices", request_of(document, **fields))

    assert (answer.status_code, slug(answer)) == (413, "document-too-large")
    assert answer.json["maxBytes"] == len(document) - 1


def test_of_a_batch_only_the_document_over_the_limit_is_refused(caller, limit):
    small, large = ubl(number="L-4"), ubl(number="L-5", note="x" * 500)
    limit(len(small))
    body = {"invoices": [request_of(large), request_of(small)]}
    answer = caller.bearer("POST", "/v1/invoices/batch", body)
    refused, accepted = answer.json["results"]

    assert refused["httpStatus"] == 413
    assert refused["error"]["type"].endswith("/document-too-large")
    assert accepted["httpStatus"] == 202


def test_a_limit_that_was_lowered_later_rejects_before_the_submit(caller, limit, exact):
    """The plugin may have changed since the send; a document above its limit is not submitted."""
    invoice = caller.sent(number="L-1")
    limit(exact - 1)
    caller.work()
    answer = caller.get(f"/api/invoices/{invoice}").json

    assert answer["networkStatus"] == "Failed"
    assert answer["reasonCode"] == "document-too-large"
    assert f"{exact:,} bytes" in answer["failureReason"]


def test_an_embedded_pdf_counts(caller, limit, exact):
    """The worker embeds it after the send; without it the document is small enough."""
    body = caller.body(number="L-1", embedPdf=True)
    limit(exact)
    invoice = caller.send(body).json["invoiceId"]
    caller.work()
    answer = caller.get(f"/api/invoices/{invoice}").json

    assert (answer["networkStatus"], answer["reasonCode"]) == ("Failed", "document-too-large")


def test_a_document_that_was_prepared_is_not_rejected_for_its_size(
    caller, limit, exact, monkeypatch
):
    """An earlier attempt may have reached the network, so Failed could be wrong."""
    point = runtime_of(caller.app).access_points["simulator"]
    submitted = []

    def not_at_first(batch):
        submitted.append(len(batch))
        return [NotSent("no connection")] * len(batch)

    monkeypatch.setattr(point, "submit_many", not_at_first)
    answer = caller.send(caller.body(number="L-1")).json
    invoice, transaction = answer["invoiceId"], answer["transactionId"]
    caller.work()
    limit(exact - 1)
    with caller.app.app_context():
        operations.retry_now(transaction)
    caller.work()

    assert len(submitted) == 2
    assert caller.get(f"/api/invoices/{invoice}").json["networkStatus"] == "Processing"
