"""The Python client looks up, sends, waits, lists and says what is wrong, at a running service."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import httpx
import pytest
from einvoice_client import (
    Client,
    Conflict,
    InvalidRequest,
    NetworkFailed,
    NoAnswer,
    NotAuthenticated,
    NotFound,
    Problem,
    RateLimited,
    Unavailable,
    UnexpectedAnswer,
)
from einvoice_client.generated.api.invoices import list_artefacts
from einvoice_client.generated.models import SendRequest

from tests.builders import RECEIVER, send_body

# What answers is the same code on both databases.
pytestmark = pytest.mark.parametrize("build", ["sqlite"], indirect=True)

SLOW = "0088:9520000000011"
REJECTED = "0088:9520000000066"


class Line(httpx.BaseTransport):
    """The real connection, with faults before some requests and a record of all.

    faults  what happens instead of the answer to each of the next requests: "cut" loses the answer
            after the service has worked, "down" the request, a response is the answer; None none
    """

    def __init__(self) -> None:
        self.inner = httpx.HTTPTransport()
        self.faults: list[str | httpx.Response | None] = []
        self.requests: list[httpx.Request] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(httpx.Request(request.method, request.url, headers=request.headers))
        fault = self.faults.pop(0) if self.faults else None
        if isinstance(fault, httpx.Response):
            return fault
        if fault == "down":
            raise httpx.ConnectError("refused")
        answer = self.inner.handle_request(request)
        if fault == "cut":
            answer.read()
            raise httpx.ReadError("reset")
        return answer

    def close(self) -> None:
        self.inner.close()

    @property
    def keys(self) -> list[str | None]:
        return [request.headers.get("Idempotency-Key") for request in self.requests]


@pytest.fixture
def line() -> Line:
    return Line()


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def client(origin: str, caller: Any, line: Line, pauses: list[float]) -> Iterator[Client]:
    with Client(origin, caller.key, transport=line, sleep=pauses.append) as connected:
        yield connected


def body(client: Client, receiver: str = RECEIVER, **invoice: Any) -> dict[str, Any]:
    made = send_body(str(client.look_up(receiver).access_point_ref), **invoice)
    made["routing"]["receiverParticipantId"] = receiver
    return made


def problem(slug: str, status: int, **headers: str) -> httpx.Response:
    members = {"type": f"https://other.example/errors/{slug}", "detail": "no", "status": status}
    return httpx.Response(status, json=members, headers=headers)


def test_it_sends_waits_and_lists(client: Client, caller: Any) -> None:
    sent = client.send(SendRequest.from_dict(body(client)), wait=0)
    caller.work()
    caller.work(5)
    found = client.wait(sent.invoice_id)
    artefacts = list_artefacts.sync(str(sent.invoice_id), client=client.api)

    assert found.network_status == "Delivered"
    assert [each.invoice_id for each in client.invoices()] == [sent.invoice_id]
    assert client.content(sent.invoice_id)["invoice"]["currency"] == "EUR"
    assert [event.event_type for event in client.events()] == ["transaction.sent"]
    assert artefacts is not None
    assert "UBL" in {each.type_ for each in artefacts.items}


def test_a_check_stores_nothing(client: Client) -> None:
    assert client.check(body(client)).dry_run is True
    assert list(client.invoices()) == []


def test_amounts_may_be_decimals_and_are_exact(client: Client) -> None:
    lines = [
        {
            "description": "Work", "quantity": Decimal("0.1"), "unitPrice": Decimal("30.3"),
            "taxRate": Decimal(0),
        }
    ]  # fmt: skip
    totals = {"subtotal": Decimal("3.03"), "taxAmount": Decimal(0), "grandTotal": Decimal("3.03")}
    sent = client.send(body(client, lineItems=lines, totals=totals), wait=0)

    assert client.invoice(sent.invoice_id).grand_total == 3.03
    with pytest.raises(ValueError, match="more digits"):
        client.send({"amount": Decimal("0.12345678901234567890")})


def test_a_send_whose_answer_is_lost_is_repeated_with_its_key_and_sent_once(
    client: Client, line: Line, pauses: list[float]
) -> None:
    made = body(client)
    line.faults, line.requests = ["cut", "down", None], []
    client.send(made, wait=0)
    keys = set(line.keys)
    client.send(made | {"invoice": made["invoice"] | {"number": "other"}}, wait=0)

    assert (len(keys), len(line.keys)) == (1, 4)
    assert set(line.keys) - keys  # the next send has a key of its own
    assert len(list(client.invoices())) == 2
    assert [round(pause) for pause in pauses] in ([1, 2], [1, 3])


REPEATED: list[tuple[str, Any, float | None]] = [
    ("429 after Retry-After", problem("rate-limit-exceeded", 429, **{"Retry-After": "7"}), 7),
    ("503 after Retry-After", problem("too-busy", 503, **{"Retry-After": "2"}), 2),
    ("409 in progress", problem("idempotency-in-progress", 409, **{"Retry-After": "1"}), 1),
    ("500", problem("internal-error", 500), 1),
    ("a proxy without the service", httpx.Response(502, html="<h1>Bad Gateway</h1>"), 1),
    ("the longest pause", problem("rate-limit-exceeded", 429, **{"Retry-After": "60"}), 60),
    ("a longer pause", problem("plan-limit-paused", 429, **{"Retry-After": "61"}), None),
    ("damage that stays", problem("archive-damaged", 500), None),
    ("another conflict", problem("conflict", 409), None),
    ("a refusal", problem("invalid-field", 400), None),
]


def test_requests_are_repeated_by_the_documented_table(
    client: Client, line: Line, pauses: list[float]
) -> None:
    wrong = []
    for name, answer, pause in REPEATED:
        line.faults = [answer]
        pauses.clear()
        try:
            list(client.invoices())
            seen = pauses[0]
        except Problem:
            seen = None
        if (seen is None) != (pause is None) or (
            pause and not pause <= (seen or 0) <= pause * 1.26
        ):
            wrong.append((name, seen))

    assert wrong == []


def test_a_request_that_might_act_twice_is_not_repeated(client: Client, line: Line) -> None:
    """It has no key, and nobody knows whether it was done."""
    for fault in ("cut", problem("internal-error", 500)):
        line.faults, line.requests = [fault], []
        with pytest.raises((NoAnswer, Unavailable)):
            client.request("DELETE", "/api/drafts/0f0c")

        assert len(line.requests) == 1


def test_a_service_that_is_away_is_given_up_after_five_attempts(
    client: Client, line: Line, pauses: list[float]
) -> None:
    line.faults = ["down"] * 6
    with pytest.raises(NoAnswer):
        list(client.invoices())

    assert (len(line.requests), len(pauses)) == (5, 4)


def test_refusals_are_typed_and_say_what_to_do(client: Client, line: Line, origin: str) -> None:
    def wrong_key() -> None:
        with Client(origin, "sk_test_unknown") as other:
            list(other.invoices())

    def duplicate() -> None:
        line.faults = [problem("duplicate-invoice", 409)]
        client.send(body_of)

    def paused() -> None:
        line.faults = [problem("plan-limit-paused", 429, **{"Retry-After": "99"})]
        client.send(body_of)

    body_of = body(client)
    misspelt = body_of | {"invoice": body_of["invoice"] | {"currency": "eur"}}
    cases: list[tuple[Callable[[], object], type[Problem], str, list[str]]] = [
        (lambda: client.send(misspelt), InvalidRequest, "invalid-field", ["/invoice/currency"]),
        (lambda: client.invoice("0f0c"), NotFound, "not-found", []),
        (lambda: client.invoice("../keys"), NotFound, "not-found", []),
        (wrong_key, NotAuthenticated, "invalid-api-key", []),
        (duplicate, Conflict, "duplicate-invoice", []),
        (paused, RateLimited, "plan-limit-paused", []),
    ]
    for act, kind, slug, fields in cases:
        with pytest.raises(kind) as raised:
            act()

        assert (raised.value.slug, raised.value.fields) == (slug, fields)
        assert raised.value.what_to_do.endswith(".")


def test_a_rejection_by_the_network_says_whether_to_send_again(client: Client, line: Line) -> None:
    line.faults = [None]
    made = body(client)
    members = {"type": "x/errors/network-failed", "detail": "no", "retryable": True}
    line.faults = [httpx.Response(400, json=members)]
    with pytest.raises(NetworkFailed) as raised:
        client.send(made)

    assert raised.value.retryable


FOREIGN = [
    httpx.Response(403, html="<h1>Blocked by the firewall</h1>"),
    httpx.Response(200, html="<h1>Log in to the wireless network</h1>"),
    httpx.Response(302, headers={"Location": "https://login.example"}),
    httpx.Response(200, content=b"", headers={"Content-Type": "application/json"}),
    httpx.Response(200, json=[]),
    httpx.Response(400, json={"error": "invalid_client"}),
]


def test_an_answer_of_somebody_else_is_never_taken_for_the_services(
    client: Client, line: Line
) -> None:
    for answer in FOREIGN:
        line.faults = [answer]
        with pytest.raises(UnexpectedAnswer) as raised:
            client.invoice("0f0c")

        assert str(answer.status_code) in str(raised.value)


def test_lists_are_read_over_all_pages(client: Client) -> None:
    reference = body(client)["routing"]["accessPointRef"]
    batch = ((f"key-{n}", send_body(reference, number=f"P-{n}")) for n in range(5))
    results = list(client.send_batch(batch, size=2))
    numbers = {each.number for each in client.invoices(limit=2)}

    assert [result.idempotency_key for result in results] == [f"key-{n}" for n in range(5)]
    assert numbers == {f"P-{n}" for n in range(5)}


def test_a_page_that_names_itself_as_the_next_ends_the_list(client: Client, line: Line) -> None:
    page = {"items": [], "hasMore": True, "nextCursor": "same"}
    line.faults = [httpx.Response(200, json=page), httpx.Response(200, json=page)]
    with pytest.raises(UnexpectedAnswer):
        list(client.invoices())


def test_waiting_ends_when_its_seconds_are_over(client: Client) -> None:
    sent = client.send(body(client, SLOW), wait=0)
    with pytest.raises(TimeoutError):
        client.wait(sent.invoice_id, seconds=0)


def test_values_are_those_of_the_contract(client: Client, caller: Any) -> None:
    sent = client.send(body(client, metadata={"erpId": "4711"}), wait=0)
    (listed,) = client.invoices()

    assert isinstance(listed.created_at, datetime.datetime)
    assert listed.metadata.to_dict() == {"erpId": "4711"}
    assert client.invoice(sent.invoice_id).network_status == "Processing"


@pytest.mark.parametrize(
    ("url", "key"), [("einvoice.example", "k"), ("http://x", ""), ("http://x", "a\nb")]
)
def test_what_is_no_address_or_key_is_refused_at_once(build: Any, url: str, key: str) -> None:
    with pytest.raises(ValueError, match=r"address|key"):
        Client(url, key)
