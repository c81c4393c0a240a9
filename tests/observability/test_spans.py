"""Spans of one recorder: what they have, where they go, and that they never stand in the way."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator

import pytest

from einvoice.config import Settings, SettingsFault
from einvoice.observability import span_export
from tests.collector import Collector, collecting
from tests.ports import free_port

INCOMING = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
BEGIN = """
from einvoice.config import Settings
from einvoice.domain.trace import Trace
from einvoice.observability import logging, span_export, spans
from einvoice.observability.spans import Kind

settings = Settings.from_env()
logging.configure("INFO", "json")
span_export.start(settings)
def span(parent, **attributes):
    one = spans.begin("a span", Kind.SERVER, parent)
    one.end(attributes)
    return one.trace
"""


@pytest.fixture
def collector() -> Iterator[Collector]:
    with collecting() as one:
        yield one


def python(code: str, environ: dict[str, str]) -> tuple[str, str]:
    """The output of a process of its own: stdout and stderr."""
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env=os.environ | environ, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_a_span_continues_the_trace_that_the_request_came_with(collector):
    """Its parent is that of the traceparent; what it causes has the span as parent."""
    code = BEGIN + f"print(span(Trace('r', '{INCOMING}'), size=3, none=None).traceparent)"
    caused, _ = python(code, collector.environ())

    [span] = collector.spans
    assert (span.trace_id, span.parent_id) == tuple(INCOMING.split("-")[1:3])
    assert caused.startswith(span.traceparent)
    assert span.attributes == {"size": 3}


def test_a_request_without_a_trace_begins_one(collector):
    made, _ = python(BEGIN + "print(span(Trace('r')).stored)", collector.environ())

    [span] = collector.spans
    assert span.parent_id == ""
    assert made.startswith(f"r {span.traceparent}")


def test_variables_of_the_sdk_name_the_service_and_compress(collector):
    more = {"OTEL_SERVICE_NAME": "billing", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip"}
    python(BEGIN + "span(Trace('r'))", collector.environ() | more)
    python(BEGIN + "span(Trace('r'))", collector.environ())

    assert [s.resource["service.name"] for s in collector.spans] == ["billing", "einvoice"]


def test_a_span_that_is_not_sampled_is_passed_on_as_such(collector):
    """So that all that it causes is not sampled either, as the caller's own choice says."""
    more = {"OTEL_TRACES_SAMPLER": "always_off"}
    caused, _ = python(
        BEGIN + f"print(span(Trace('r', '{INCOMING}')).traceparent)", collector.environ() | more
    )

    _, trace_id, span_id, flags = caused.strip().split("-")
    assert (trace_id, int(flags) & 1) == (INCOMING.split("-")[1], 0)
    assert span_id not in INCOMING
    assert collector.spans == []


def test_a_disabled_sdk_leaves_the_trace_of_the_request_as_it_came(collector):
    code = BEGIN + f"print(span(Trace('r')).stored, span(Trace('r', '{INCOMING}')).stored)"
    caused, _ = python(code, collector.environ() | {"OTEL_SDK_DISABLED": "true"})

    assert caused.split() == ["r", "r", INCOMING]
    assert collector.spans == []


def test_a_forked_process_exports_the_spans_that_it_makes(collector):
    """A server that forks after the start: the thread that exports is started in the child."""
    code = (
        BEGIN
        + """
import os
span(Trace('parent'), process="parent")
child = os.fork()
if child == 0:
    span(Trace('child'), process="child")
    spans.close()
    os._exit(0)
assert os.waitpid(child, 0)[1] == 0
"""
    )
    python(code, collector.environ())

    assert sorted(span.attributes["process"] for span in collector.spans) == ["child", "parent"]


MANY = (
    BEGIN
    + """
import time
began = time.monotonic()
for number in range(20_000):
    span(Trace('r'), number=number)
print(time.monotonic() - began)
"""
)


def test_a_collector_that_hangs_delays_neither_spans_nor_the_end(collector):
    """20,000 spans find the queue full; the process does not wait for the collector at its end."""
    collector.silent.set()
    began = time.monotonic()
    recording, log = python(MANY + "import atexit; atexit._run_exitfuncs()", collector.environ())

    assert float(recording) < 10  # the exporter would wait ten seconds for each of forty batches
    assert time.monotonic() - began < 20
    assert "OTEL" not in log


def test_an_absent_collector_is_one_line_in_the_log():
    """Whatever number of batches fails, and the process ends as it does without."""
    environ = {
        "EINVOICE_TRACES": "otlp",
        "OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{free_port()}",
        "OTEL_EXPORTER_OTLP_TIMEOUT": "0.1",
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Bearer%20very-secret,malformed very-secret",
        "OTEL_BSP_SCHEDULE_DELAY": "10",
    }
    _, log = python(MANY + "time.sleep(1)", environ)

    lines = [json.loads(line) for line in log.splitlines()]
    assert [line["event"] for line in lines] == ["spans are not exported"]
    assert "very-secret" not in log


def test_spans_that_are_exported_again_are_reported(collector):
    collector.silent.set()
    code = (
        BEGIN
        + """
import sys, time
span(Trace('first'))
time.sleep(2)
print("lost", flush=True)
sys.stdin.readline()
span(Trace('second'))
"""
    )
    with subprocess.Popen(
        [sys.executable, "-c", code],
        env=os.environ | collector.environ() | {"OTEL_EXPORTER_OTLP_TIMEOUT": "0.5"},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    ) as process:  # fmt: skip
        assert process.stdout is not None
        process.stdout.readline()
        collector.silent.clear()
        _, log = process.communicate("\n", timeout=60)

    events = [json.loads(line)["event"] for line in log.splitlines()]
    assert events == ["spans are not exported", "spans are exported again"]


OFF = """
import sys
EXPORTER = ("opentelemetry", "exporter")
from einvoice.cli.application import long_running_application
from einvoice.observability import spans
import einvoice.web.serving.granian_worker, jobs.commands, jobs.worker
app = long_running_application()
assert app.test_client().get("/healthz").status_code == 200
assert app.test_client().get("/api/invoices", headers={"x-api-key": "none"}).status_code == 401
assert not spans.is_on()
parts = [name.split(".") for name in sys.modules]
print([name for name, *more in parts if name == "google" or (name, *more[:1]) == EXPORTER])
"""


def test_no_exporter_of_opentelemetry_is_imported_without_the_setting(tmp_path):
    """Whatever variables of OpenTelemetry the environment has for other programs. redis-py imports
    its interface where it is installed."""
    environ = {
        "EINVOICE_DATA_DIR": str(tmp_path),
        "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318",
    }
    imported, _ = python(OFF, environ)

    assert imported.strip() == "[]"


def test_a_missing_extra_stops_the_start_with_what_to_install(monkeypatch):
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(span_export, "find_spec", missing)
    with pytest.raises(SettingsFault, match=r"pip install 'einvoice\[otel\]'"):
        span_export.check(Settings(traces="otlp"))
    span_export.check(Settings())


def test_an_invalid_variable_of_the_sdk_is_reported_and_the_process_goes_on(collector):
    """Without its value, which may be a credential."""
    code = BEGIN.partition("def span")[0] + "assert not spans.is_on()"
    more = {"OTEL_BSP_MAX_QUEUE_SIZE": "-7700000077"}
    _, log = python(code, collector.environ() | more)

    [line] = [json.loads(line) for line in log.splitlines()]
    assert line["event"] == "no spans are recorded: a variable OTEL_… is invalid"
    assert "-7700000077" not in log
