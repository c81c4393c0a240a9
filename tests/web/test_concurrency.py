"""Requests that wait for outcomes leave the interpreter to others."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

import einvoice_loopback
from einvoice.domain.environments import Environment
from einvoice.network import calls, samples
from einvoice.network.endpoints import Endpoint
from einvoice.network.endpoints import Response as PluginResponse
from einvoice.network.hookspec import hookimpl
from einvoice.network.types import INTERFACE_VERSION, Advanceable
from einvoice.services.account import tenants
from einvoice.services.inbound import arrival_storage, arrivals
from einvoice.web.admission import slots
from einvoice.web.admission.slots import MAX_COMPUTING
from einvoice.web.runtime import runtime_of
from tests.sandbox import Sandbox, a_body
from tests.waiting import until_equal

NEVER_SETTLED = "0088:9520000000028"
WAITERS = 8
ANY = "/errors/not-found"  # an address that takes a computing slot, unlike /healthz

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


def test_more_requests_wait_at_once_than_may_compute(app):
    """Eight sends wait for a worker at the same time."""
    sandbox = Sandbox.of(app)
    reference = sandbox.lookup(NEVER_SETTLED).json["accessPointRef"]
    headers = sandbox.headers | {"Prefer": "wait=25"}

    def send(_):
        body = a_body(NEVER_SETTLED, reference)
        return app.test_client().post("/api/invoices/send", json=body, headers=headers).status_code

    room, until = runtime_of(app).waiting_room, time.monotonic() + 20
    with ThreadPoolExecutor(WAITERS) as callers:
        asked = [callers.submit(send, number) for number in range(WAITERS)]
        while (together := room.waiting) < WAITERS and time.monotonic() < until:
            time.sleep(0.01)
        sandbox.work(60)

    assert together == WAITERS
    assert [one.result() for one in asked] == [200] * WAITERS


class Plugin:
    """An endpoint whose calls last until `finish`; one call hands a document to the inbox."""

    EINVOICE_INTERFACE = INTERFACE_VERSION

    def __init__(self):
        self.running, self.finish = threading.Semaphore(0), threading.Event()

    @hookimpl
    def einvoice_endpoints(self, inbox):
        self.inbox = inbox
        yield Endpoint("slow", self.answer)
        yield Endpoint("inbox", self.push)

    def answer(self, request):
        self.running.release()
        assert self.finish.wait(60)
        return PluginResponse(204)

    def push(self, request):
        self.inbox.deliver_inbound(samples.inbound())
        return PluginResponse(204)


@pytest.fixture
def plugin(make_app):
    plugin = Plugin()
    plugin.app = make_app(plugins=[einvoice_loopback, plugin])
    with ThreadPoolExecutor(MAX_COMPUTING + 2) as plugin.threads:
        yield plugin
        plugin.finish.set()


def calls_of_every_slot(plugin, path):
    """As many requests as may compute at once, all of them inside the plugin's code."""
    client = plugin.app.test_client
    calls = [plugin.threads.submit(client().post, path) for _ in range(MAX_COMPUTING)]
    for _ in calls:
        assert plugin.running.acquire(timeout=60)
    return calls


def test_a_plugins_endpoint_is_called_without_a_computing_slot(plugin):
    """Four pushes of 1.5 s made /healthz take 2.8 s."""
    calls = calls_of_every_slot(plugin, "/networks/slow/")
    health = plugin.threads.submit(plugin.app.test_client().get, ANY)

    assert health.result(timeout=30).status_code == 200
    plugin.finish.set()
    assert [call.result(timeout=60).status_code for call in calls] == [204] * MAX_COMPUTING


@pytest.fixture
def read(plugin, monkeypatch):
    """Lets a function run where the documents of pushes are read, each by itself."""
    with plugin.app.app_context():
        tenants.own_participant(tenants.create("Acme"), Environment.TEST, samples.RECEIVER)
    monkeypatch.setattr(arrivals, "MAX_GROUPED_BYTES", 0)
    read_all = arrival_storage.read_all

    def _let(function):
        def _read(*given):
            function()
            return read_all(*given)

        monkeypatch.setattr(arrival_storage, "read_all", _read)

    return _let


def test_a_document_from_a_plugin_is_read_within_a_computing_slot(plugin, read):
    """A plugin's push computes as much as a request; only the plugin's own code has no slot."""
    read(lambda: plugin.answer(None))
    calls = calls_of_every_slot(plugin, "/networks/inbox/")
    health = plugin.threads.submit(plugin.app.test_client().get, ANY)

    with pytest.raises(TimeoutError):
        health.result(timeout=0.5)
    plugin.finish.set()
    assert health.result(timeout=60).status_code == 200
    assert [call.result(timeout=60).status_code for call in calls] == [204] * MAX_COMPUTING


def test_a_document_from_a_plugin_leaves_its_slot_while_a_process_reads_it(plugin, read):
    """Other requests compute meanwhile; afterwards it is stored within a slot again."""
    computing = runtime_of(plugin.app).computing

    def in_a_process():
        with computing._slot.released():
            plugin.answer(None)

    read(in_a_process)
    calls = calls_of_every_slot(plugin, "/networks/inbox/")
    health = plugin.threads.submit(plugin.app.test_client().get, ANY)

    assert health.result(timeout=30).status_code == 200
    plugin.finish.set()
    assert [call.result(timeout=60).status_code for call in calls] == [204] * MAX_COMPUTING
    assert slots._slots.used == 0


def test_advancing_an_invoice_calls_the_simulator_without_a_computing_slot(plugin, monkeypatch):
    app, client = plugin.app, plugin.app.test_client
    with app.app_context():
        sandbox = Sandbox.of(app)
        invoice = sandbox.send(NEVER_SETTLED)
        sandbox.work(60)
    simulator = next(p for p in runtime_of(app).access_points if isinstance(p, Advanceable))
    advance = type(simulator).advance

    def slow_advance(*given):
        plugin.answer(None)
        return advance(*given)

    monkeypatch.setattr(type(simulator), "advance", slow_advance)
    path = f"/api/sandbox/invoices/{invoice}/advance"
    calls = [
        plugin.threads.submit(client().post, path, headers=sandbox.headers)
        for _ in range(MAX_COMPUTING)
    ]
    for call in calls:
        assert plugin.running.acquire(timeout=5), call.result().text
    health = plugin.threads.submit(client().get, ANY)

    assert health.result(timeout=30).status_code == 200
    plugin.finish.set()
    assert {call.result(timeout=60).status_code for call in calls} <= {200, 409}


def test_health_needs_no_computing_slot(plugin):
    """It responds while all slots are taken."""
    with ExitStack() as held:
        for _ in range(MAX_COMPUTING):
            held.enter_context(slots._slots.held("a"))
        assert plugin.app.test_client().get("/healthz").status_code == 200


def test_an_endpoint_that_answers_as_many_calls_as_it_may_refuses_others(plugin, monkeypatch):
    """A plugin that hangs keeps a share of the threads; 503 as a problem, with Retry-After."""
    monkeypatch.setattr(calls, "endpoints", calls.Shares(wait=0.05))
    with ThreadPoolExecutor(calls.MAX_CALLS) as callers:
        for _ in range(calls.MAX_CALLS):
            callers.submit(calls.endpoints.call, "slow", lambda: plugin.answer(None), 30)
            assert plugin.running.acquire(timeout=30)
        answer = plugin.app.test_client().post("/networks/slow/")
        plugin.finish.set()

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert answer.json["type"].endswith("/errors/too-busy")


def test_an_endpoint_that_does_not_answer_in_time_is_given_up(plugin, monkeypatch):
    """Its request is answered with a problem; the call is counted until it ends."""
    monkeypatch.setattr(calls, "ENDPOINT_SECONDS", 0.2)
    answer = plugin.app.test_client().post("/networks/slow/")

    assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
    assert answer.json["type"].endswith("/errors/too-busy")
    assert "did not answer within 0.2 seconds" in answer.json["detail"]
    assert calls.endpoints.of("slow").used == 1
    plugin.finish.set()
    until_equal(calls.endpoints.running, 0)


def test_an_endpoint_that_answers_just_in_time_is_not_given_up(plugin, monkeypatch):
    monkeypatch.setattr(calls, "ENDPOINT_SECONDS", 5.0)
    threading.Timer(0.3, plugin.finish.set).start()

    assert plugin.app.test_client().post("/networks/slow/").status_code == 204
