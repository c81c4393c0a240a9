"""What is used of libraries beyond their documented interface: fails when a new version changes it.

Each test names the module that relies on it, so that an upgrade says what to look at.
"""

from __future__ import annotations

import inspect
import json
import multiprocessing
import os
import socket
import subprocess
import sys
import threading
from functools import partial
from itertools import product

import prometheus_client.values
import pytest
from flask import Flask
from flask_limiter import Limiter
from flask_smorest import Api, Blueprint
from granian import _granian
from granian.server import Server
from granian.server.mp import WorkerProcess
from lxml import etree
from marshmallow import Schema, fields, post_load
from prometheus_client.mmap_dict import MmapedDict
from prometheus_client.multiprocess import MultiProcessCollector
from rq import SimpleWorker
from urllib3.connection import HTTPConnection, HTTPSConnection

from einvoice import xml
from einvoice.cli import serve
from einvoice.observability.metric_files import MetricFile
from einvoice.web.serving import granian_worker
from tests.allocations import allocated_bytes
from tests.tables import each_row

# -- urllib3: einvoice/http/exchange ---------------------------------------------------------------


class Dialled(Exception):
    """The connection asked for a socket."""


@pytest.mark.parametrize("kind", [HTTPConnection, HTTPSConnection])
def test_urllib3_gets_every_socket_from_new_conn(kind, monkeypatch):
    """The address guard overrides `_new_conn`: otherwise requests would leave unchecked."""

    def _new_conn(_: object) -> socket.socket:
        raise Dialled

    guarded = type("Guarded", (kind,), {"_new_conn": _new_conn})
    monkeypatch.setattr(socket.socket, "connect", lambda *_: pytest.fail("it connected itself"))

    assert "_new_conn" in vars(HTTPConnection)
    with pytest.raises(Dialled):
        guarded("receiver.example", 443).connect()
    with pytest.raises(Dialled):
        guarded("receiver.example", 443).request("GET", "/")


def test_urllib3_keeps_the_name_to_resolve_in_dns_host():
    """With the dot of the root, which the guard resolves as it is."""
    assert HTTPConnection("receiver.example.", 443)._dns_host == "receiver.example."


# -- flask_limiter: einvoice/web/limits ------------------------------------------------------------


@pytest.mark.parametrize("listed", [False, True])
def test_flask_limiter_adds_its_hooks_to_an_application_that_does_not_list_it(listed):
    """`init_app` lists it beforehand: the hooks would run for every request, and find nothing."""
    app, limiter = Flask("limited"), Limiter(lambda: "one", storage_uri="memory://")
    app.extensions["limiter"] = {limiter} if listed else set()
    limiter.init_app(app)

    hooks = (app.before_request_funcs, app.after_request_funcs, app.teardown_request_funcs)
    assert [bool(kind) for kind in hooks] == [not listed] * 3


# -- prometheus_client: einvoice/observability/exposition ------------------------------------------


def test_prometheus_client_reads_back_the_values_that_it_writes(tmp_path):
    """The files of dead processes are added up with its own class for them."""
    path = tmp_path / "counter_1.db"
    written = MmapedDict(str(path))
    written.write_value("a", 1.5, 0.0)
    written.write_value("b", 2.0, 0.0)
    written.close()

    found = list(MmapedDict.read_all_values_from_file(str(path)))
    assert [(key, value) for key, value, _, _ in found] == [("a", 1.5), ("b", 2.0)]


COUNTING = """
from prometheus_client import Counter, Gauge
Counter("things", "Things").inc(3)
Gauge("now", "Now", multiprocess_mode="livesum").set(1)
Gauge("top", "Top", multiprocess_mode="max").set(7)
"""


def test_prometheus_client_takes_its_file_from_a_name_that_can_be_replaced():
    """`metric_files.install`: the class is looked up when a metric is created."""
    assert prometheus_client.values.MmapedDict is MetricFile
    assert {"_f", "_m", "_capacity", "_used", "_positions"} <= {
        *MmapedDict.__init__.__code__.co_names
    }


def test_prometheus_client_names_its_files_after_kind_and_process(tmp_path):
    """The kind says how values are added up, the process id whose file it is."""
    environ = {**os.environ, "PROMETHEUS_MULTIPROC_DIR": str(tmp_path)}
    with subprocess.Popen([sys.executable, "-c", COUNTING], env=environ) as process:
        assert process.wait(60) == 0

    assert {path.name for path in tmp_path.iterdir()} == {
        f"{kind}_{process.pid}.db" for kind in ("counter", "gauge_livesum", "gauge_max")
    }


def test_prometheus_client_collects_a_file_that_it_did_not_write_itself(tmp_path):
    """The merged file has the process id 0, which no process has."""
    key = json.dumps(["things_total", "things_total", {}, "Things"])
    written = MmapedDict(str(tmp_path / "counter_0.db"))
    written.write_value(key, 4.0, 0.0)
    written.close()
    (metric,) = MultiProcessCollector(None, str(tmp_path)).collect()

    assert [(sample.name, sample.value) for sample in metric.samples] == [("things_total", 4.0)]


# -- Flask: einvoice/web/serving/grouped_sends -----------------------------------------------------


@pytest.mark.parametrize(
    ("method", "calls"),
    [
        ("wsgi_app", ["request_context", "full_dispatch_request", "handle_exception",
                      "should_ignore_error"]),
        ("full_dispatch_request", ["ensure_sync", "preprocess_request", "dispatch_request",
                                   "handle_user_exception", "finalize_request"]),
        ("dispatch_request", ["raise_routing_exception", "make_default_options_response",
                              "ensure_sync"]),
        ("finalize_request", ["make_response", "process_response", "ensure_sync"]),
    ],
)  # fmt: skip
def test_flask_runs_a_request_by_these_steps(method, calls):
    """A send of a group is run in two halves, by the same steps in the same order."""
    of_other_objects = {"get", "endpoint", "logger"}
    used = getattr(Flask, method).__code__.co_names

    assert [name for name in used if hasattr(Flask, name) and name not in of_other_objects] == calls


# -- granian: einvoice/web/serving/granian_worker --------------------------------------------------


def test_granian_calls_the_target_of_a_worker_with_these_arguments():
    """`serve_requests` takes the place of its own and passes them to the RSGI worker."""
    own = inspect.signature(Server._spawn_rsgi_worker.__wrapped__)
    ours = inspect.signature(granian_worker.serve_requests.__wrapped__)

    names = list(own.parameters)
    assert len(ours.parameters) == len(names)
    assert names[:4] == ["worker_id", "callback", "sock", "ipc"]
    assert [name for name in ours.parameters if not name.startswith("_")] == [
        "worker_id", "app", "sock", "ipc", "runtime_mode", "runtime_threads",
        "runtime_blocking_threads", "blocking_threads", "idle_timeout", "backpressure",
        "http_mode", "http1", "http2", "websockets", "static", "tls", "metrics",
    ]  # fmt: skip
    assert names[5:10] == [
        "runtime_mode", "runtime_threads", "runtime_blocking_threads", "blocking_threads",
        "blocking_threads_idle_timeout",
    ]  # fmt: skip
    assert names[18:] == ["ssl_ctx", "scope_opts", "metrics"]


def test_granian_lets_the_target_of_a_worker_be_replaced():
    assert "spawn_target" in inspect.signature(Server.serve).parameters


@pytest.mark.skipif(sys.platform != "linux", reason="the start method of Linux")
def test_granian_forks_web_processes_whatever_the_default_of_python_is():
    """That of 3.14 is none that shares memory: each process would import everything itself."""
    before = multiprocessing.get_start_method()
    multiprocessing.set_start_method("forkserver", force=True)
    try:
        assert WorkerProcess(None, 0, print, ())._spawn_method == "spawn"
        serve.fork_web_processes()
        assert WorkerProcess(None, 0, print, ())._spawn_method == "fork"
    finally:
        multiprocessing.set_start_method(before, force=True)


def test_granian_calls_whatever_schedules_the_requests():
    scheduler = granian_worker._scheduler(lambda _: None)

    assert isinstance(scheduler, _granian.CallbackScheduler)
    with pytest.raises(AttributeError):
        scheduler.no_such_attribute = 1


# -- RQ: jobs/worker -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "parameters"),
    [
        ("execute_job", ["job", "queue"]),
        ("get_heartbeat_ttl", ["job"]),
        ("get_state", []),
        ("handle_exception", ["job", "exc_info"]),
        ("handle_job_failure", ["job", "queue", "started_job_registry", "exc_string"]),
        ("heartbeat", ["timeout", "pipeline"]),
        ("increment_successful_job_count", ["pipeline"]),
        ("set_current_job_id", ["job_id", "pipeline"]),
        ("set_state", ["state", "pipeline"]),
    ],
)
def test_rq_has_the_methods_that_the_worker_replaces_or_calls(method, parameters):
    """Its round trips for a job are replaced: what it calls in their place must not have moved."""
    found = list(inspect.signature(getattr(SimpleWorker, method)).parameters)

    assert found[1:] == parameters


# -- marshmallow: einvoice/web/compiled_schema -----------------------------------------------------


def test_marshmallow_lists_the_hooks_of_a_schema_in_hooks():
    """A schema with a hook must not be compiled: the compiled functions would not call it."""

    class Plain(Schema):
        name = fields.String()

    class Hooked(Plain):
        @post_load
        def change(self, data, **_):
            return data

    assert not any(Plain()._hooks.values())
    assert any(Hooked()._hooks.values())


# -- flask-smorest: einvoice/web/__init__, einvoice/web/addresses ----------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "_register_error_handlers",
        "_register_responses",
        "_register_etag_headers",
        "_register_pagination_header",
    ],
)
def test_flask_smorest_registers_its_own_answers_in_methods_of_the_api(name):
    """web/__init__ overrides them: otherwise smorest's error form would stand beside problems."""
    assert callable(getattr(Api, name, None))


def test_flask_smorest_keeps_what_a_view_is_documented_with_in_apidoc():
    """web/addresses reads the media types of a view there, to refuse others with 406."""
    blueprint = Blueprint("one", __name__)

    @blueprint.doc(responses={200: {"content": {"text/html": {}}}})
    @blueprint.response(200, Schema())
    def view():
        """A view."""

    assert view._apidoc["response"]["responses"].keys() == {200}
    assert view._apidoc["manual_doc"]["responses"][200]["content"] == {"text/html": {}}


# -- lxml: einvoice/xml ----------------------------------------------------------------------------

PATTERNS = {
    "names": "<n{0}_{1}/>",
    "attributes": "<a n{0}_{1}=''/>",
    "namespaces": "<a xmlns='urn:{0}:{1}'/>",
    "instructions": "<?n{0}_{1}?>",
}
READERS = {"parse": xml.parse, "recovered": xml.recovered}


@each_row(
    ("new", "read", "thread"),
    list(product(PATTERNS, READERS, (False, True))),
)
def test_new_names_of_documents_are_not_kept_for_ever(new, read, thread, monkeypatch):
    """lxml keeps them for each thread: without the bound, 16 documents of 20 KB leave 0.6 MB."""
    kept = []
    for most in (1 << 30, 20_000):
        monkeypatch.setattr(xml, "_DICTIONARY_BYTES", most)
        measured = partial(_kept_of, PATTERNS[new], READERS[read], kept)
        _run(measured, in_a_thread=thread)

    assert kept[0] > 400_000
    assert kept[1] < 200_000


def _run(measured, *, in_a_thread):
    if not in_a_thread:
        measured()
        return
    thread = threading.Thread(target=measured)
    thread.start()
    thread.join()


def _kept_of(pattern, read, kept):
    """Append the bytes that 16 documents with 1,500 new names each leave behind."""
    read(b"<first/>")
    before = allocated_bytes()
    for number in range(16):
        read(f"<r>{''.join(pattern.format(number, each) for each in range(1500))}</r>".encode())
    kept.append(allocated_bytes() - before)


SIGNED = b'<z:r xmlns:z="urn:z" xmlns="urn:d"><q:a xmlns:q="urn:q"/></z:r>'


@pytest.mark.parametrize(
    ("known", "listed", "expected"),
    [
        (False, ["z"], b'<q:a xmlns:q="urn:q"></q:a>'),
        (True, [], b'<q:a xmlns:q="urn:q"></q:a>'),
        (True, ["z"], b'<q:a xmlns:q="urn:q" xmlns:z="urn:z"></q:a>'),
        (True, ["#default"], b'<q:a xmlns="urn:d" xmlns:q="urn:q"></q:a>'),
        (True, ["unknown", '<&"', "a b"], b'<q:a xmlns:q="urn:q"></q:a>'),
    ],
)
@pytest.mark.parametrize("in_a_thread", [False, True])
def test_prefixes_of_a_list_are_written_once_they_are_known_to_the_thread(
    known, listed, expected, in_a_thread, monkeypatch
):
    monkeypatch.setattr(xml, "_DICTIONARY_BYTES", 0)
    element, written = xml.parse(SIGNED)[0], []

    def write() -> None:
        xml.parse(b"<another/>")
        if known:
            xml.know_prefixes(listed)
        form = {"method": "c14n", "exclusive": True, "inclusive_ns_prefixes": listed}
        written.append(etree.tostring(element, **form))

    _run(write, in_a_thread=in_a_thread)

    assert written == [expected]


def test_parts_of_documents_with_different_dictionaries_make_one(monkeypatch):
    """A document keeps the dictionary it was parsed with; what is moved into it is copied to it."""
    monkeypatch.setattr(xml, "_DICTIONARY_BYTES", 0)
    whole = xml.parse(b"<whole/>")
    for number in range(100):
        text = f"<r><p{number} xmlns='urn:{number}' a='1'>\n    <c/>\n</p{number}></r>"
        whole.append(xml.parse(text.encode())[0])
    again = xml.parse(etree.tostring(whole))

    assert [child.tag for child in again] == [f"{{urn:{n}}}p{n}" for n in range(100)]
    assert {child.get("a") for child in whole} == {"1"}
