"""One trace over web, worker and webhook, as a collector of OpenTelemetry receives it."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
import requests

from bench.service import await_port
from einvoice.cli.stack import Stack
from tests.collector import Collector, ReceivedSpan, collecting
from tests.ports import free_port
from tests.services.webhooks.fixtures import Receiver, receiving
from tests.waiting import DEADLINE_SECONDS
from tests.web.integrator import EVENTS, PRIVATE, Integrator, command, eventually

TRACEPARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
TRACE_ID, CALLER = TRACEPARENT.split("-")[1:3]
SERVER, CLIENT, CONSUMER = 2, 3, 5  # as OTLP numbers kinds
DELIVERED, REFUSED = "0088:9520000000004", "0088:9520000000059"
LATE = "0088:9520000000165"
SEND, SUBMIT = "POST /api/invoices/send", "submit transmission"
POLL = "poll transmission"


@pytest.fixture(scope="module")
def collector() -> Iterator[Collector]:
    with collecting() as one:
        yield one


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with receiving() as one:
        yield one


@pytest.fixture(scope="module")
def traced(commands_path, collector, tmp_path_factory) -> Iterator[Stack]:
    """A service of its own that exports its spans."""
    directory = tmp_path_factory.mktemp("traced")
    listen = f"127.0.0.1:{free_port()}"
    environ = {
        "EINVOICE_WEBHOOK_ALLOW_PRIVATE": "true",
        "EINVOICE_WEB_WORKERS": "1",
        "PYTHONPATH": commands_path,
    }
    workers = {"waited": 1, "bulk": 1, "chores": 1, "webhooks": 1}
    one = Stack(directory, listen, environ | collector.environ(), workers=workers)
    command(one, "db", "upgrade")
    with one:
        yield one


@pytest.fixture(scope="module")
def integrator(traced, receiver) -> Iterator[Integrator]:
    tenant = command(traced, "tenants", "add", "Traced tenant")
    key = command(traced, "keys", "add", tenant, "--name", "traces")
    wanted = [f"--event={name}" for name in EVENTS]
    words = command(traced, "webhooks", "add", tenant, receiver.url, *wanted)
    made = Integrator(traced, key, [line.split()[1] for line in words.splitlines()[1:]])
    with made.http:
        yield made


def of_trace(collector: Collector, trace_id: str) -> dict[str, ReceivedSpan]:
    return {span.name: span for span in collector.spans if span.trace_id == trace_id}


@pytest.fixture(scope="module")
def sent(integrator, receiver, collector) -> tuple[dict, dict[str, ReceivedSpan]]:
    """The answer of a send, and the spans of its trace."""
    answer = integrator.send(DELIVERED, traceparent=TRACEPARENT).json()
    names = {SEND, SUBMIT, "attempt", POLL, "webhook"}
    eventually(lambda: of_trace(collector, TRACE_ID).keys() & names, names)
    return answer, of_trace(collector, TRACE_ID)


def test_request_job_attempt_and_webhook_are_one_trace(sent, receiver):
    """Each below what caused it; the webhook carries its own span to the receiver."""
    _, spans = sent

    assert spans.keys() == {SEND, SUBMIT, "attempt", POLL, "webhook"}
    request = spans[SEND]
    parents = {name: span.parent_id for name, span in spans.items()}
    assert parents == {
        SEND: CALLER,
        SUBMIT: request.span_id,
        "attempt": spans[SUBMIT].span_id,
        POLL: request.span_id,
        "webhook": request.span_id,
    }
    [hook] = [r for r in receiver.received if r.headers["traceparent"].split("-")[1] == TRACE_ID]
    assert hook.headers["traceparent"] == spans["webhook"].traceparent + "01"


def test_spans_have_kinds_times_and_what_happened(sent):
    answer, spans = sent
    request, job, attempt, poll, hook = (
        spans[name] for name in (SEND, SUBMIT, "attempt", POLL, "webhook")
    )

    assert [s.kind for s in (request, job, attempt, hook)] == [SERVER, CONSUMER, CLIENT, CLIENT]
    assert all(span.start < span.end for span in (request, job, poll, hook))
    assert request.start < job.start < poll.start < hook.start  # each may end after the next began
    assert job.start <= attempt.start <= attempt.end <= job.end
    assert request.attributes["http.route"] == "/api/invoices/send"
    assert request.attributes["http.response.status_code"] == 200
    assert job.attributes["einvoice.transmission"] == answer["transactionId"]
    assert [s.attributes["einvoice.status"] for s in (job, poll)] == ["Processing", "Delivered"]
    assert job.attributes["einvoice.job"].startswith("bulk-")
    outcome = {"einvoice.network", "einvoice.attempt", "einvoice.outcome"}
    assert {name: attempt.attributes[name] for name in outcome} == {
        "einvoice.network": "simulator", "einvoice.attempt": 1, "einvoice.outcome": "Pending"
    }  # fmt: skip
    assert hook.attributes["http.response.status_code"] == 200
    assert hook.attributes["einvoice.event_type"] == "transaction.sent"
    assert not any(span.failed for span in spans.values())
    assert {span.resource["service.name"] for span in spans.values()} == {"einvoice"}


def test_a_refusal_of_the_network_is_a_failed_attempt_with_its_reason(integrator, collector):
    trace_id = "1" * 32
    integrator.send(REFUSED, traceparent=f"00-{trace_id}-{CALLER}-01")
    eventually(lambda: "webhook" in of_trace(collector, trace_id), expected=True)
    spans = of_trace(collector, trace_id)

    assert [spans[n].failed for n in (SEND, SUBMIT, "attempt", "webhook")] == [
        False, True, True, False
    ]  # fmt: skip
    assert spans["attempt"].attributes["einvoice.outcome"] == "Rejected"
    assert spans["attempt"].attributes["einvoice.reason"] == "document-refused"


def test_a_request_without_traceparent_is_a_trace_of_its_own(integrator, collector, receiver):
    """Its effects are in it, and the receiver of the webhook is handed it on."""
    answer = integrator.send(DELIVERED).json()

    def hooks() -> list:
        found = [(r.payload.get("transactionId"), r.headers) for r in list(receiver.received)]
        return [headers for transaction, headers in found if transaction == answer["transactionId"]]

    eventually(lambda: len(hooks()), 1)
    trace_id = hooks()[0]["traceparent"].split("-")[1]
    eventually(lambda: "webhook" in of_trace(collector, trace_id), expected=True)
    assert of_trace(collector, trace_id)[SEND].parent_id == ""


def test_health_checks_have_no_spans(traced, integrator, collector):
    for path in ("/healthz", "/readyz", "/api/no-such-route"):
        integrator.get(path)
    eventually(lambda: "GET" in {span.name for span in collector.spans}, expected=True)

    assert not any("healthz" in span.name or "readyz" in span.name for span in collector.spans)


def test_nothing_private_or_secret_is_exported(sent, integrator, collector, receiver):
    """No names, numbers, keys, addresses of webhooks; of paths the route only."""
    integrator.get("/api/invoices/view/secret-of-a-share-link")
    eventually(lambda: any("view" in span.name for span in collector.spans), expected=True)
    exported = b"".join(collector.bodies)

    said = (PRIVATE, integrator.key, *integrator.secrets, receiver.url, "secret-of-a-share",
            DELIVERED, "9520000000004")  # fmt: skip
    assert [text for text in said if text.encode() in exported] == []


def test_a_request_that_is_answered_during_the_stop_is_exported(traced, integrator, collector):
    """Spans are flushed behind the last answer, not at the signal."""
    trace_id = "2" * 32
    with ThreadPoolExecutor(1) as thread:
        named = {"Prefer": "wait=20", "traceparent": f"00-{trace_id}-{CALLER}-01"}
        asked = thread.submit(integrator.send, LATE, **named)
        eventually(lambda: SUBMIT in of_trace(collector, trace_id), expected=True)
        web = dict(traced.children.running())["web"]
        web.send_signal(signal.SIGTERM)
        assert asked.result().status_code == 200
    assert web.wait(DEADLINE_SECONDS) == 0
    traced.command("web")

    assert SEND in of_trace(collector, trace_id)
    await_port(int(traced.listen.rpartition(":")[2]))


def test_processes_end_in_seconds_while_the_collector_hangs(traced, integrator, collector):
    """SIGTERM to web and workers with spans that nobody takes."""
    collector.silent.set()
    integrator.send(DELIVERED)
    running = dict(traced.children.running())
    stopped = [running[name] for name in ("web", "worker-bulk-0", "worker-webhooks-0", "relay")]
    began = time.monotonic()
    for process in stopped:
        process.send_signal(signal.SIGTERM)

    assert [process.wait(DEADLINE_SECONDS) for process in stopped] == [0] * 4
    assert time.monotonic() - began < 20
    with pytest.raises(requests.ConnectionError):
        integrator.get("/healthz")
