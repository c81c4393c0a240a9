"""POST /api/invoices/batch: each send on its own, in order, once; and the event of the end."""

from __future__ import annotations

import json
from typing import Any

import pytest
import sqlalchemy as sa

from einvoice.domain.errors import ComputingUnavailable
from einvoice.services.send import batch
from einvoice.services.send.batch import MAX_ITEMS
from einvoice.store.core import db
from einvoice.store.tables import Event, Outbox, Transmission
from einvoice.web.runtime import runtime_of
from tests.builders import RECEIVER, SENDER, send_body
from tests.web.caller import Caller, slug

PATH = "/api/invoices/batch"
REJECTING = "0088:9520000000059"
ABSENT = "0088:9520000000080"


def entry(number: str, receiver: str = RECEIVER, key: str | None = "", **members: Any) -> Any:
    """A send without a reference; its key is its number if no other is given."""
    body = send_body("", number=number) | members
    body["routing"] = {"senderParticipantId": SENDER, "receiverParticipantId": receiver}
    return body if key is None else body | {"idempotencyKey": key or number}


def submit(caller: Caller, entries: list[Any], **headers: str) -> Any:
    body = json.dumps({"invoices": entries}).encode()
    return caller.call("POST", PATH, body, Content_Type="application/json", **headers)


def slugs(answer: Any) -> list[str | None]:
    assert answer.status_code == 200, answer.text
    return [
        each["error"]["type"].rpartition("/")[2] if "error" in each else None
        for each in answer.json["results"]
    ]


@pytest.fixture
def caller(service: Any) -> Caller:
    return Caller(service)


@pytest.fixture(scope="module")
def service(build: Any) -> Any:
    return build()


def test_each_send_has_its_result_in_order(caller: Caller) -> None:
    """Without a reference: receivers are looked up, each once."""
    answer = submit(caller, [entry("B-1"), entry("B-2", invoice={}), entry("B-3")])

    assert slugs(answer) == [None, "invalid-field", None]
    found = answer.json
    assert [found[n] for n in ("total", "accepted", "rejected")] == [3, 2, 1]
    first, wrong, last = found["results"]
    assert [each["idempotencyKey"] for each in (first, wrong, last)] == ["B-1", "B-2", "B-3"]
    assert (first["networkStatus"], first["httpStatus"]) == ("Processing", 200)
    assert (wrong["invoiceId"], wrong["networkStatus"], wrong["httpStatus"]) == (None, None, 400)
    assert wrong["error"]["instance"] == PATH
    numbers = [
        caller.get(f"/api/invoices/{each['invoiceId']}").json["number"] for each in (first, last)
    ]
    assert numbers == ["B-1", "B-3"]
    assert caller.count(Transmission) == 2


BAD = {
    "no object": (7, "invalid-field"),
    "no key": (entry("X", key=None), "invalid-field"),
    "a key of spaces": (entry("X", key="  "), "invalid-idempotency-key"),
    "a dry run": (entry("X", options={"dryRun": True}), "invalid-field"),
    "an unknown member": (entry("X", more=1), "invalid-field"),
    "no routing": ({"invoice": {}, "idempotencyKey": "X"}, "missing-routing"),
    "an unregistered receiver": (entry("X", ABSENT), "receiver-not-registered"),
    "itself as receiver": (entry("X", SENDER), "self-invoicing"),
    "a reference of nothing": (
        entry("X") | {"routing": entry("X")["routing"] | {"accessPointRef": "apr"}},
        "unknown-access-point-ref",
    ),
    "no invoice": (entry("X", invoice=None), "missing-routing"),
}


def test_a_refused_send_does_not_affect_the_others(caller: Caller) -> None:
    answer = submit(caller, [entry("G-1"), *(bad for bad, _ in BAD.values()), entry("G-2")])
    found = slugs(answer)

    assert dict(zip(BAD, found[1:-1], strict=True)) == {
        name: expected for name, (_, expected) in BAD.items()
    }
    assert (found[0], found[-1]) == (None, None)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b"", "invalid-body"),
        (b"[]", "invalid-body"),
        (b"{}", "invalid-field"),
        (b'{"invoices": []}', "empty-batch"),
        (b'{"invoices": {}}', "invalid-field"),
        (b'{"invoices": [{}], "x": 1}', "invalid-field"),
        (json.dumps({"invoices": [{}] * (MAX_ITEMS + 1)}).encode(), "batch-too-large"),
    ],
)
def test_an_invalid_batch_is_refused_as_a_whole(caller: Caller, body: bytes, expected: str) -> None:
    answer = caller.call("POST", PATH, body, Content_Type="application/json")

    assert slug(answer) == expected


def test_a_repeated_batch_sends_nothing_twice(caller: Caller) -> None:
    """A key is that of a single send, too."""
    single = caller.sent(number="R-0")
    entries = [entry("R-1"), entry("R-2"), entry("R-1"), entry("R-3", ABSENT)]
    first, again = submit(caller, entries), submit(caller, entries)
    ids = [[each["invoiceId"] for each in answer.json["results"]] for answer in (first, again)]

    assert ids[0] == ids[1]
    assert ids[0][0] == ids[0][2]
    replays = [[each["idempotencyReplay"] for each in a.json["results"]] for a in (first, again)]
    assert replays == [[False, False, True, False], [True, True, True, False]]
    assert caller.count(Transmission) == 3
    body = json.dumps({k: v for k, v in entry("R-1").items() if k != "idempotencyKey"}).encode()
    alone = caller.send(body, Idempotency_Key="R-1")
    assert single != ids[0][0] == alone.json["invoiceId"]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_batch_and_a_single_send_with_one_key_have_one_body(
    caller: Caller, indent: int | None
) -> None:
    """However it is written, in the order of either; also where another body is refused."""
    caller.switch(strict_idempotency=True)
    reference = caller.reference()
    one, two, three = (entry(number) for number in ("R-1", "R-2", "R-3"))

    def alone(of: Any, key: str) -> Any:
        body = {name: value for name, value in of.items() if name != "idempotencyKey"}
        return caller.send(json.dumps(body, indent=indent).encode(), Idempotency_Key=key)

    for each in (one, two, three):
        each["routing"]["accessPointRef"] = reference
    pairs = [
        (submit(caller, [one]).json["results"][0], alone(one, "R-1").json),
        (alone(two, "R-2").json, submit(caller, [two]).json["results"][0]),
    ]

    assert [first["invoiceId"] == again["invoiceId"] for first, again in pairs] == [True, True]
    assert caller.count(Transmission) == 2
    assert slug(alone(three, "R-2")) == "idempotency-key-reuse"


@pytest.mark.parametrize("changed", [0, 1])
def test_of_two_sends_with_a_known_key_the_changed_one_is_warned(
    caller: Caller, changed: int
) -> None:
    submit(caller, [entry("R-1")])
    again = [entry("R-1"), entry("R-1")]
    again[changed]["invoice"]["number"] = "R-2"
    answer = submit(caller, again)

    warned = [
        [each["code"] for each in result.get("warnings", ())] for result in answer.json["results"]
    ]
    assert warned[changed] == ["idempotency-payload-mismatch"]
    assert warned[1 - changed] == []


def test_a_batch_of_several_chunks_keeps_its_order(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also with a send that is too large to be stored with others."""
    monkeypatch.setattr("einvoice.services.send.batch.CHUNK_SIZE", 3)
    entries = [entry(f"C-{n}") for n in range(8)]
    large = {"filename": "a.csv", "mimeType": "text/csv", "content": "MSwy" * 10_000}
    entries[4]["invoice"]["attachments"] = [large]
    answer = submit(caller, entries)

    assert slugs(answer) == [None] * 8
    state = caller.get(f"{PATH}/{answer.json['batchId']}").json
    assert [each["number"] for each in state["results"]] == [f"C-{n}" for n in range(8)]


def test_a_batch_whose_turn_does_not_come_stores_nothing(
    caller: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    def never(_: str) -> None:
        raise ComputingUnavailable("no turn")

    monkeypatch.setattr(runtime_of(caller.app).batch_turns, "held", never, raising=False)
    answer = submit(caller, [entry(f"T-{n}") for n in range(batch.SHORT_CHUNK + 1)])

    assert slug(answer) == "computing-unavailable"
    assert caller.count(Transmission) == 0


def test_a_batch_of_another_tenant_is_not_found(service: Any, caller: Caller) -> None:
    batch_id = submit(caller, [entry("O-1")]).json["batchId"]
    other = Caller(service)

    assert slug(other.get(f"{PATH}/{batch_id}")) == "not-found"
    assert slug(other.get(f"{PATH}/none")) == "not-found"
    assert slug(submit(Caller(service, scopes=["invoices:read"]), [entry("O-2")])) == (
        "insufficient-scope"
    )


def test_the_end_of_a_batch_is_an_event_once(caller: Caller) -> None:
    """Not while one is Processing; Failed and refused ones have ended."""
    stays = "0088:9520000000028"
    made = submit(
        caller, [entry("E-1"), entry("E-2", REJECTING), entry("E-3", ABSENT), entry("E-4", stays)]
    )
    batch_id = made.json["batchId"]
    for seconds in (0, 10, 20, 40):
        caller.work(seconds)
    open_ = caller.get(f"{PATH}/{batch_id}").json
    assert (open_["finished"], _ends(caller)) == (False, [])
    held = next(each for each in open_["results"] if each["number"] == "E-4")
    advanced = caller.call("POST", f"/api/sandbox/invoices/{held['invoiceId']}/advance", b"{}")
    assert advanced.status_code == 200, advanced.text
    for seconds in range(60, 200, 20):
        caller.work(seconds)

    counts = {"processing": 0, "delivered": 2, "failed": 1, "rejected": 1}
    state = caller.get(f"{PATH}/{batch_id}").json
    assert (state["finished"], state["counts"]) == (True, counts)
    end = {"batchId": batch_id, "total": 4, "delivered": 2, "failed": 1, "rejected": 1}
    assert _ends(caller) == [end]
    with caller.app.app_context(), db.reading() as connection:
        query = sa.select(Outbox.id).where(Outbox.subject_id == batch_id)
        assert connection.execute(query).all() == []


def _ends(caller: Caller) -> list[Any]:
    query = sa.select(Event.payload).where(
        Event.tenant_id == caller.tenant, Event.type == "batch.finished"
    )
    with caller.app.app_context(), db.reading() as connection:
        return list(connection.execute(query).scalars())


def test_documents_of_batches_are_counted_for_their_key(build: Any, redis_url: str) -> None:
    """A batch is one request; a refused one counts for nothing, another key has its own."""
    service = build(redis_url=redis_url, limit_documents=5)
    caller = Caller(service)
    left = caller.get("/api/invoices").headers
    found = [
        submit(caller, [entry(f"L-{n}-{i}") for i in range(count)])
        for n, count in enumerate((3, 3, 2, 1))
    ]

    assert [answer.status_code for answer in found] == [200, 429, 200, 429]
    assert slug(found[1]) == "rate-limit-exceeded"
    assert 0 < int(found[1].headers["Retry-After"]) <= 60
    assert left["X-RateLimit-Limit"] != "5"
    assert submit(Caller(service), [entry("L-9")]).status_code == 200
    assert submit(Caller(service), [entry(f"M-{n}") for n in range(6)]).status_code == 200
