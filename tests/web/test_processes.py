"""The service as it runs: web, relay, workers and Redis as processes, over real HTTP."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from einvoice_loopback.participants import MAGIC
from tests.services.webhooks.fixtures import receiving
from tests.web.integrator import EVENTS, PRIVATE, Integrator, command, eventually

# Participant → (status, artefacts beyond those from Processing on) in the end.
ENDS = {
    "0088:9520000000004": ("Delivered", ["RECEIPT"]),
    "0088:9520000000028": ("Processing", []),
    "0088:9520000000035": ("Failed", ["FAILURE_REPORT"]),
    "0088:9520000000042": ("Failed", ["FAILURE_REPORT"]),
    "0088:9520000000059": ("Failed", ["FAILURE_REPORT"]),
    "0088:9520000000066": ("Failed", ["FAILURE_REPORT"]),
    "0088:9520000000103": ("Delivered", ["INVOICE_RESPONSE", "RECEIPT"]),
    "0088:9520000000110": ("Delivered", ["INVOICE_RESPONSE", "RECEIPT"]),
    "0088:9520000000127": ("Delivered", ["RECEIPT"]),
    "0088:9520000000134": ("Delivered", ["RECEIPT"]),
    "0088:9520000000141": ("Delivered", ["RECEIPT"]),
    "0088:9520000000158": ("Delivered", ["RECEIPT"]),
    "0088:9520000000165": ("Delivered", ["RECEIPT"]),
    "0088:9520000000172": ("Delivered", ["RECEIPT"]),
}
# Delivered after 60, 20 and 30 seconds.
LATE = {"0088:9520000000011", "0088:9520000000073", "0088:9520000000189"}
NOT_SENT_TO = {"0088:9520000000080", "0088:9520000000097"}
# Of each response and of the shapes of networks: plugins/loopback/tests and tests/web have them.
RESPONDING = {f"0088:95200000{number:05}" for number in
              (196, 202, 219, 226, 233, 240, 257, 264, 271, 288, 295, 301)}  # fmt: skip


@pytest.fixture(scope="module")
def receiver() -> Iterator:
    with receiving() as one:
        yield one


@pytest.fixture(scope="module")
def integrator(stack, receiver) -> Iterator[Integrator]:
    """With a webhook; everything is created by commands of an operator."""
    tenant = command(stack, "tenants", "add", "Tenant of the processes")
    key = command(stack, "keys", "add", tenant, "--name", "e2e")
    wanted = [f"--event={name}" for name in EVENTS]
    words = command(stack, "webhooks", "add", tenant, receiver.url, *wanted)
    made = Integrator(stack, key, [line.split()[1] for line in words.splitlines()[1:]])
    with made.http:
        yield made


def test_every_participant_of_the_sandbox_is_judged_here():
    assert ENDS.keys() | LATE | NOT_SENT_TO | RESPONDING == MAGIC.keys()


@pytest.fixture(scope="module")
def invoices(integrator) -> dict[str, str]:
    """An invoice to each participant that answers soon."""
    sent = {receiver: integrator.send(receiver) for receiver in ENDS}
    assert {answer.status_code for answer in sent.values()} == {200}
    return {receiver: answer.json()["invoiceId"] for receiver, answer in sent.items()}


def test_every_sandbox_participant_has_its_documented_outcome(integrator, invoices, receiver):
    """Fourteen concurrent sends; the webhooks report the same outcomes, each event once."""
    eventually(lambda: {r: integrator.end(i) for r, i in invoices.items()}, ENDS)

    reported = {"Delivered": "transaction.sent", "Failed": "transaction.failed"}
    expected = [
        (invoices[r], reported[status]) for r, (status, _) in ENDS.items() if status in reported
    ]
    answered = [r for r, (_, kept) in ENDS.items() if "INVOICE_RESPONSE" in kept]
    expected += [(invoices[r], "invoice.responded") for r in answered]

    def events() -> list[tuple[str, str]]:
        unique = {r.headers["webhook-id"]: r.payload for r in list(receiver.received)}
        return sorted((e["invoiceId"], e["eventType"]) for e in unique.values())

    eventually(events, sorted(expected))


@pytest.mark.long
@pytest.mark.parametrize("participant", sorted(LATE))
def test_participants_with_long_delays_are_delivered(integrator, participant):
    invoice = integrator.send(participant).json()["invoiceId"]
    eventually(lambda: integrator.end(invoice), ("Delivered", ["RECEIPT"]), seconds=120)


@pytest.mark.parametrize(
    ("participant", "upstream"), [("0088:9520000000059", 400), ("0088:9520000000066", 503)]
)
def test_a_rejection_arrives_while_the_request_waits(integrator, participant, upstream):
    """Through outbox, relay, queue, worker and back, inside one request."""
    answer = integrator.send(participant, Prefer="wait=25")

    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.json()["type"].endswith("/errors/network-failed")
    assert answer.json()["upstreamStatus"] == upstream


@pytest.mark.parametrize(
    ("participant", "prefer", "least", "most"),
    [
        ("0088:9520000000165", "wait=25", 1.0, 20.0),
        ("0088:9520000000172", "wait=25", 10.0, 24.0),
        ("0088:9520000000172", "wait=1", 1.0, 9.0),
        ("0088:9520000000189", "respond-async", 0.0, 20.0),
    ],
)
def test_a_send_waits_for_a_receiver_that_answers_late(
    integrator, participant, prefer, least, most
):
    """Until it answers or until the preferred wait is over; 200 Processing in both cases."""
    begun = time.monotonic()
    answer = integrator.send(participant, Prefer=prefer)
    taken = time.monotonic() - begun

    assert (answer.status_code, answer.json()["networkStatus"]) == (200, "Processing")
    assert answer.headers["Preference-Applied"] == prefer
    assert least <= taken < most


@pytest.mark.long
def test_a_normal_send_is_delivered_while_fifty_wait(stack, integrator):
    """Those of another tenant, to a receiver that answers after 30 seconds."""
    tenant = command(stack, "tenants", "add", "Tenant whose receivers are slow")
    other = Integrator(stack, command(stack, "keys", "add", tenant, "--name", "slow"))
    with other.http, ThreadPoolExecutor(50) as threads:
        receiver = "0088:9520000000189"
        slow = [threads.submit(other.send, receiver, Prefer="wait=3") for _ in range(50)]
        normal = integrator.send("0088:9520000000004", Prefer="wait=25")
        invoice = normal.json()["invoiceId"]
        eventually(lambda: integrator.end(invoice), ("Delivered", ["RECEIPT"]))
        delivered = integrator.delivered_at(invoice)
        answers = [one.result() for one in slow]
        eventually(lambda: other.end(answers[0].json()["invoiceId"])[0], "Delivered")

    assert {answer.json()["networkStatus"] for answer in answers} == {"Processing"}
    assert delivered < other.delivered_at(answers[0].json()["invoiceId"])


def test_lookups_report_unregistered_participants(integrator):
    absent, orders = (integrator.lookup(r).json() for r in sorted(NOT_SENT_TO))

    assert (absent["isRegistered"], orders["isRegistered"]) == (False, True)
    answer = integrator.send("0088:9520000000097")
    assert answer.json()["type"].endswith("/errors/document-type-not-supported")


LIMIT = 12 * 1024 * 1024  # bytes of a body


def test_odd_requests_over_the_wire_are_problems(stack, integrator):
    """Requests that only a real server handles: large, chunked, without a length."""
    url = f"{stack.url}/api/invoices/send"
    chunked = integrator.http.post(url, data=iter([b'{"a":', b"1}"]), timeout=30)
    large = integrator.http.post(url, data=b" " * (13 * 1024 * 1024), timeout=30)
    full = integrator.http.post(url, data=iter([b'{"a":1}', b" " * (LIMIT - 7)]), timeout=30)
    longer = integrator.http.post(url, data=iter([b'{"a":1}', b" " * (LIMIT - 6)]), timeout=30)
    odd = integrator.http.request("BREW", url, timeout=30)

    assert chunked.json()["type"].endswith("/errors/missing-routing")
    assert (large.status_code, large.json()["status"]) == (413, 413)
    assert full.json()["type"].endswith("/errors/missing-routing")
    assert (longer.status_code, longer.json()["status"]) == (413, 413)
    assert (odd.status_code, odd.json()["status"]) == (405, 405)


TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


def test_one_request_is_followed_through_all_processes_to_the_webhook(stack, integrator, receiver):
    """By its id and trace id: in the logs of web, worker and webhooks, in the webhook, the feed,
    and what an operator is shown."""
    named = {"X-Request-Id": "followed-17", "traceparent": TRACEPARENT}
    sent = integrator.send("0088:9520000000004", **named).json()
    transaction = sent["transactionId"]
    eventually(lambda: bool(_posted(receiver, transaction)), expected=True)
    [hook] = _posted(receiver, transaction)

    assert hook.headers["x-request-id"] == hook.payload["requestId"] == "followed-17"
    assert hook.headers["traceparent"] == TRACEPARENT
    expected = {("web", "request answered"), ("worker-bulk-0", "transmission settled"),
                ("worker-webhooks-0", "webhook attempted")}  # fmt: skip
    eventually(lambda: expected <= _lines_of(stack, "followed-17").keys(), expected=True)
    lines = _lines_of(stack, "followed-17")
    assert {line["trace_id"] for line in lines.values()} == {TRACEPARENT.split("-")[1]}
    assert lines["web", "request answered"]["route"] == "/api/invoices/send"
    settled = lines["worker-bulk-0", "transmission settled"]
    assert (settled["transmission"], settled["attempt"]) == (transaction, 1)
    assert settled["job"].startswith("bulk-")
    shown = command(stack, "transmissions", "show", transaction)
    assert "followed-17" in shown
    assert TRACEPARENT in shown
    event = integrator.get(f"/api/events/{hook.payload['eventId']}").json()
    assert event["requestId"] == "followed-17"


def _posted(receiver, transaction: str) -> list:
    return [r for r in receiver.received if r.payload.get("transactionId") == transaction]


def _lines_of(stack, request: str) -> dict[tuple[str, str], dict]:
    """The log lines of a request by process and event."""
    found = {}
    for path in stack.data_dir.glob("*.log"):
        for text in path.read_text(errors="replace").splitlines():
            if f'"{request}"' in text:
                line = json.loads(text)
                found[path.stem, line["event"]] = line
    return found


def test_nothing_secret_is_in_any_log(stack, integrator, invoices):
    """Of every process at DEBUG, after deliveries, rejections and refusals."""
    integrator.http.get(f"{stack.url}/api/invoices/x", headers={"x-api-key": "sk_test_Zz"})
    said = "".join(p.read_text(errors="replace") for p in stack.data_dir.glob("*.log"))

    assert "transmission settled" in said
    for secret in (integrator.key, integrator.key[16:], PRIVATE, "sk_test_Zz", *integrator.secrets):
        assert secret not in said
        assert secret.removeprefix("whsec_") not in said
