"""Large sends are computed in a computing process, and have the outcome of short ones."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
from flask import Flask
from werkzeug.test import TestResponse

from einvoice.services.computing import pool
from einvoice.services.computing.pool import Computing
from einvoice.services.computing.process import ProcessLimits
from einvoice.services.send import send, sizes
from einvoice.share import Limit
from einvoice.store.core import db
from einvoice.store.tables import IdempotencyKey, Invoice, Transmission
from einvoice.web.admission import slots
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, SENDER
from tests.web.caller import Caller, slug

API, V1 = "/api/invoices/send", "/v1/invoices/send"
LARGE = sizes.MAX_OBJECTS
ATTACHED = {"filename": "a.txt", "mimeType": "text/csv", "content": base64.b64encode(b"a").decode()}
ONE_DATABASE = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
Change = Callable[[dict[str, Any]], object]


@pytest.fixture
def computations(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the functions that were called in computing processes."""
    called: list[str] = []
    real = Computing.run_in_turn

    def run_in_turn(self, function, *arguments):
        called.append(function.__name__)
        return real(self, function, *arguments)

    monkeypatch.setattr(Computing, "run_in_turn", run_in_turn)
    return called


@pytest.fixture(scope="module")
def processes() -> Iterator[Computing]:
    """Real computing processes."""
    limits = ProcessLimits(2560 * 1024**2, 60.0, 60.0, "CRITICAL")
    made = Computing(limits, slot=slots)
    yield made
    made.close()


@pytest.fixture
def all_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sizes, "MAX_OBJECTS", 0)
    monkeypatch.setattr(send, "MAX_GROUPED_BYTES", 0)


@pytest.fixture
def no_turn(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Other tenants have all computing processes, and as many wait as may."""
    turns = runtime_of(app).computing._turns
    monkeypatch.setattr(turns, "limit", Limit(0))
    yield monkeypatch
    monkeypatch.undo()


# -- the same outcome ------------------------------------------------------------------------------

INVOICES: dict[str, Change] = {
    "good": lambda body: None,
    "warned": lambda body: body["invoice"].update(dueDate="2020-01-01"),
    "credit note": lambda body: body["invoice"].update(
        type="creditNote", precedingInvoice={"number": "2026-000"}
    ),
    "attachments": lambda body: body["invoice"].update(attachments=[ATTACHED] * 3),
    "with PDF": lambda body: body.update(options={"embedPdf": True}),
    "dry run": lambda body: body.update(options={"dryRun": True}),
    "wrong totals": lambda body: body["invoice"]["totals"].update(grandTotal=1.0),
    "rate missing": lambda body: body["invoice"].update(
        lineItems=[dict(body["invoice"]["lineItems"][0], taxRate=rate) for rate in (6, 21)],
        totals={"subtotal": 190.0, "taxAmount": 27.0, "grandTotal": 217.0},
        allowances=[{"amount": 10.0}],
    ),
    "wrong field": lambda body: body["invoice"].update(currency=5),
    "against rules": lambda body: body["invoice"]["lineItems"][0].update(taxCategory="E"),
    "against rules, dry run": lambda body: (
        INVOICES["against rules"](body),
        INVOICES["dry run"](body),
    ),
    "against rules, unknown reference": lambda body: (
        INVOICES["against rules"](body),
        body["routing"].update(accessPointRef="apr_unknown"),
    ),
    "wrong totals, unknown reference": lambda body: (
        INVOICES["wrong totals"](body),
        body["routing"].update(accessPointRef="apr_unknown"),
    ),
    "to itself": lambda body: body["routing"].update(receiverParticipantId=SENDER),
}
LEGACY: dict[str, Change] = {
    "good": lambda body: None,
    "rounded": lambda body: body.update(totalAmount=121.02),
    "no reference": lambda body: body.pop("accessPointRef"),
    "unknown reference": lambda body: body.update(accessPointRef="apr_unknown"),
    "wrong total": lambda body: body.update(totalAmount=500),
    "wrong field": lambda body: body.update(currency=5),
    "against rules": lambda body: body["customerAddress"].pop("countryCode"),
}
# Those that are refused before anything is computed.
UNCOMPUTED = {"wrong field", "to itself"}


def legacy_body(reference: str) -> dict[str, Any]:
    return {
        "invoiceNumber": "2026-001",
        "invoiceDate": "2026-11-20",
        "currency": "EUR",
        "vendorName": "Acme NV",
        "vendorTaxId": "BE0123456749",
        "vendorAddress": {"line1": "Street 1", "city": "Gent", "countryCode": "BE"},
        "customerName": "Buyer BV",
        "customerAddress": {"line1": "Road 2", "city": "Gent", "countryCode": "BE"},
        "lineItems": [{"description": "A", "quantity": 1, "unitPrice": 100, "vatRate": 21}],
        "totalAmount": 121,
        "senderParticipantId": SENDER,
        "receiverParticipantId": RECEIVER,
        "accessPointRef": reference,
    }


def outcome(app: Flask, path: str, change: Change) -> tuple[list[Any], list[str]]:
    """Two answers to a body with the same key, and the rows stored; without ids and times."""
    caller = Caller(app)
    reference = caller.reference()
    body = legacy_body(reference) if path == V1 else caller.body(number="2026-001")
    change(body)
    raw = json.dumps(body).encode()
    headers = {
        "Content_Type": "application/json",
        "Prefer": "respond-async",
        "Idempotency_Key": "k",
    }
    answers = [caller.call("POST", path, raw, **headers) for _ in range(2)]
    assert answers[0].json.get("invoiceId") == answers[1].json.get("invoiceId")
    return [_plain(answer) for answer in answers], _rows(caller, reference)


def _plain(answer: TestResponse) -> tuple[int, str | None, dict[str, Any]]:
    unstable = {"invoiceId", "transactionId", "requestId"}
    body = {name: value for name, value in answer.json.items() if name not in unstable}
    return answer.status_code, answer.headers.get("Idempotency-Replay"), body


def _rows(caller: Caller, reference: str) -> list[str]:
    """The invoices of the tenant, with their documents, and its transmissions."""
    unstable = {"id", "tenant_id", "created_at", "invoice_id", "transmission_id", "registration_id",
                "retry_until", "answer_by", "fingerprint", "listed_at", "trace"}  # fmt: skip
    found: list[str] = []
    with caller.app.app_context(), db.reading() as connection:
        for table in (Invoice, Transmission, IdempotencyKey):
            query = sa.select(table.__table__).where(table.tenant_id == caller.tenant)
            for row in connection.execute(query):
                kept = {
                    name: value for name, value in row._asdict().items() if name not in unstable
                }
                found.append(repr(kept).replace(reference, "REFERENCE"))
    return found


KINDS = [(API, change) for change in INVOICES] + [(V1, change) for change in LEGACY]


@pytest.mark.parametrize(("path", "kind"), KINDS)
def test_a_large_send_has_the_outcome_of_a_short_one(
    app, make_app, processes, computations, request, path, kind
):
    """Same refusals and warnings in the same order, same document, same replay of a key."""
    change = (LEGACY if path == V1 else INVOICES)[kind]
    short = outcome(app, path, change)
    assert computations == []
    request.getfixturevalue("all_large")

    assert outcome(make_app(computing=processes), path, change) == short
    assert computations == ([] if kind in UNCOMPUTED else ["evaluate_request"] * 2)
    assert processes._turns.used == 0  # given back, whatever happened


@ONE_DATABASE
def test_a_send_that_takes_too_long_to_judge_has_the_same_outcome(
    app, make_app, processes, monkeypatch
):
    """It is judged and written again in a computing process, whose deadline the system keeps."""
    cases = [(API, kind) for kind in ("warned", "against rules", "with PDF", "attachments")]
    cases += [(V1, "good"), (V1, "against rules")]
    changes = {case: (LEGACY if case[0] == V1 else INVOICES)[case[1]] for case in cases}
    monkeypatch.setattr(send, "MAX_GROUPED_BYTES", 0)
    here = {case: outcome(app, case[0], change) for case, change in changes.items()}
    monkeypatch.setattr(pool, "MAX_CPU_SECONDS_HERE", -1.0)
    other = make_app(computing=processes)
    before = sum(one.calls for one in processes._idle)

    assert {case: outcome(other, case[0], change) for case, change in changes.items()} == here
    assert sum(one.calls for one in processes._idle) >= before + len(cases)


def test_each_kind_has_the_outcome_that_its_name_says(app, all_large):
    """The sends above are stored, checked and refused for different reasons."""
    found: dict[str, list[str]] = {}
    for path, kind in KINDS:
        (answer, _), rows = outcome(app, path, (LEGACY if path == V1 else INVOICES)[kind])
        refused_as = answer[2].get("type", "").rpartition("/")[2]
        name = kind if path == API else f"v1 {kind}"
        found.setdefault(refused_as or ("stored" if rows else "checked"), []).append(name)

    assert found == OUTCOMES


OUTCOMES = {
    "stored": [
        "good", "warned", "credit note", "attachments", "with PDF", "v1 good", "v1 rounded",
        "v1 no reference",
    ],
    "checked": ["dry run"],
    "declared-totals-mismatch": ["wrong totals", "wrong totals, unknown reference"],
    "invalid-field": ["rate missing", "wrong field", "v1 wrong field"],
    "validation-failed": ["against rules", "against rules, dry run", "v1 against rules"],
    "unknown-access-point-ref": ["against rules, unknown reference", "v1 unknown reference"],
    "self-invoicing": ["to itself"],
    "totals-mismatch": ["v1 wrong total"],
}  # fmt: skip


# -- turns -----------------------------------------------------------------------------------------


def body_of(caller: Caller, lines: int, **invoice: Any) -> bytes:
    """A valid send with so many lines."""
    line = {"description": "A thing", "quantity": 1, "unitPrice": 100, "taxRate": 21}
    totals = {"subtotal": 100 * lines, "taxAmount": 21 * lines, "grandTotal": 121 * lines}
    return json.dumps(caller.body(lineItems=[line] * lines, totals=totals, **invoice)).encode()


def test_a_large_send_without_a_turn_is_refused_and_may_be_repeated(app, no_turn):
    """503 with Retry-After; nothing is stored."""
    caller = Caller(app)
    body = body_of(caller, LARGE)
    refused = caller.send(body, Idempotency_Key="k")
    stored = caller.stored()
    no_turn.undo()
    repeated = caller.send(body, Idempotency_Key="k")

    assert (refused.status_code, slug(refused), stored) == (503, "computing-unavailable", 0)
    assert int(refused.headers["Retry-After"]) > 0
    assert (repeated.status_code, repeated.headers["Idempotency-Replay"]) == (200, "false")


def test_a_large_body_is_not_read_before_its_turn(app, no_turn):
    """Reading takes time too: what is refused by a full queue must cost little."""
    caller = Caller(app)
    answer = caller.send(body_of(caller, LARGE).replace(b'"invoice"', b'"other"'))

    assert slug(answer) == "computing-unavailable"


def test_a_short_send_needs_no_turn(app, no_turn):
    """Neither alone nor in a group, nor with a large attachment."""
    caller = Caller(app)
    content = base64.b64encode(b"x" * 500_000).decode()
    attached = [{"filename": "a.csv", "mimeType": "text/csv", "content": content}]
    bodies = [
        body_of(caller, 1),
        body_of(caller, sizes.MAX_OBJECTS - 20),
        body_of(caller, 1, attachments=attached),
    ]

    assert [caller.send(body).status_code for body in bodies] == [200] * 3


def test_a_known_key_is_answered_without_a_turn(app, no_turn):
    """The first result of the key, as for every refusal."""
    caller = Caller(app)
    first = caller.send(body_of(caller, 1), Idempotency_Key="k")
    again = caller.send(body_of(caller, LARGE), Idempotency_Key="k")

    assert again.status_code == 200
    assert again.json["invoiceId"] == first.json["invoiceId"]


def test_a_send_that_exceeds_the_bounds_of_a_computation_is_refused(make_app):
    """413, and nothing is stored."""
    computing = Computing(ProcessLimits(2560 * 1024**2, 0.05, 60.0, "CRITICAL"))
    caller = Caller(make_app(computing=computing))
    refused = caller.send(body_of(caller, 5_000))
    computing.close()

    assert (refused.status_code, slug(refused)) == (413, "computation-too-large")
    assert caller.stored() == 0


def test_a_send_in_a_group_never_waits_for_a_computing_process(app, computations, monkeypatch):
    """It would hold up the other sends of the group."""
    monkeypatch.setattr(sizes, "MAX_OBJECTS", 0)
    caller = Caller(app)

    assert caller.send(body_of(caller, 5)).status_code == 200
    assert computations == []
