"""/metrics sums running and ended processes, and no counter decreases."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest
import requests
from prometheus_client import REGISTRY
from prometheus_client.mmap_dict import MmapedDict, mmap_key

from bench.service import BY_HTTP, RunningService, running_service
from einvoice.observability import exposition
from einvoice.services.gauges import Gauges
from einvoice.web.runtime import runtime_of
from tests.ports import free_port

ROOT = Path(__file__).parents[2]
LANES = {"waited": 1, "bulk": 1, "chores": 1, "webhooks": 1}


def a_dead_process() -> int:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def written(directory: Path, kind: str, process: int, **values: float) -> Path:
    path = directory / f"{kind}_{process}.db"
    book = MmapedDict(str(path))
    for name, value in values.items():
        book.write_value(mmap_key(name, name, [], [], "help"), value, 0.0)
    book.close()
    return path


def reported(directory: Path) -> dict[str, float]:
    return {
        sample.name: sample.value
        for metric in exposition.SharedMetrics(directory).collect()
        for sample in metric.samples
    }


def test_counts_of_ended_processes_stay_in_the_sum(tmp_path):
    """The files of two ended processes are removed; the sum does not change."""
    for process in (a_dead_process(), a_dead_process()):
        written(tmp_path, "counter", process, sends=2.0, other=1.0)
    written(tmp_path, "counter", os.getpid(), sends=5.0)

    assert [reported(tmp_path) for _ in range(2)] == [{"sends": 9.0, "other": 2.0}] * 2
    assert {path.name for path in tmp_path.iterdir()} == {
        "counter_0.db",
        f"counter_{os.getpid()}.db",
    }


def test_processes_that_end_later_are_added_to_the_sum(tmp_path):
    for _ in range(3):
        written(tmp_path, "counter", a_dead_process(), sends=1.0)
        reported(tmp_path)

    assert reported(tmp_path) == {"sends": 3.0}


def test_scrapes_at_the_same_time_count_an_ended_process_once(tmp_path, monkeypatch):
    """The second one begins when Prometheus has given up waiting for the first."""
    written(tmp_path, "counter", a_dead_process(), sends=2.0)
    metrics, begun, go_on = exposition.SharedMetrics(tmp_path), [], threading.Event()
    first_begun, merge = threading.Event(), exposition.merge_dead_processes

    def slowly(directory):
        begun.append(directory)
        first_begun.set()
        assert go_on.wait(10)
        merge(directory)

    monkeypatch.setattr(exposition, "merge_dead_processes", slowly)
    with ThreadPoolExecutor(2) as threads:
        scrapes = [threads.submit(lambda: list(metrics.collect())) for _ in range(2)]
        first_begun.wait(10)
        wait(scrapes, 0.02)
        at_once = len(begun)
        go_on.set()
        values = [each.result()[0].samples[0].value for each in scrapes]

    assert (at_once, values) == (1, [2.0, 2.0])


def test_the_last_heartbeat_of_an_ended_relay_is_kept(tmp_path):
    """An alert on its age needs it."""
    written(tmp_path, "gauge_max", a_dead_process(), heartbeat=50.0)
    written(tmp_path, "gauge_max", a_dead_process(), heartbeat=40.0)

    assert reported(tmp_path) == {"heartbeat": 50.0}


def test_a_broken_file_does_not_affect_the_others(tmp_path):
    """For example, after a full disk: the other files are summed."""
    broken = tmp_path / f"counter_{a_dead_process()}.db"
    broken.write_bytes(b"")
    written(tmp_path, "counter", os.getpid(), sends=1.0)

    assert reported(tmp_path) == {"sends": 1.0}


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_every_metric_is_documented_and_no_other(app):
    """docs/operators.md lists names, labels and words of all metrics."""
    page = (ROOT / "docs" / "operators.md").read_text()
    documented = set(re.findall(r"^\| `(einvoice_[a-z_]+)` \|", page, re.MULTILINE))
    offered = {m.name for m in REGISTRY.collect() if m.name.startswith("einvoice_")}
    totals = {f"{m}_total" for m in offered if f"{m}_total" in documented}
    asked = {metric.name for metric in Gauges(runtime_of(app)).collect()}

    assert documented - totals == (offered - {t.removesuffix("_total") for t in totals}) | asked
    assert {t.removesuffix("_total") for t in totals} == {
        m.name for m in REGISTRY.collect() if m.type == "counter" and m.name in offered
    }


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_an_unavailable_database_is_reported(app, monkeypatch):
    """The metrics are served without the database."""
    with app.app_context():
        app.extensions["sqlalchemy"].engine.dispose()
    Path(runtime_of(app).settings.database.removeprefix("sqlite:///")).write_bytes(b"x" * 8192)

    found = {one.name: one.samples for one in Gauges(runtime_of(app)).collect()}
    assert [sample.value for sample in found["einvoice_database_up"]] == [0]
    assert [sample.value for sample in found["einvoice_database_writable"]] == [0]
    assert "einvoice_outbox_rows" not in found


# -- the real processes ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def port() -> int:
    return free_port()


@pytest.fixture(scope="module")
def service(port: int) -> Iterator[RunningService]:
    with running_service({}, {"EINVOICE_METRICS_LISTEN": f"127.0.0.1:{port}"}, LANES) as service:
        yield service


def scraped(port: int) -> dict[str, float]:
    try:
        text = requests.get(f"http://127.0.0.1:{port}/metrics", timeout=30).text
    except requests.RequestException:
        return {}
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


def eventually(port: int, *expected: str) -> dict[str, float]:
    """The metrics, once all of these are above 0."""
    until = time.monotonic() + 180
    found = scraped(port)
    while not all(found.get(name, 0) > 0 for name in expected) and time.monotonic() < until:
        time.sleep(0.2)
        found = scraped(port)
    missing = [name for name in expected if not found.get(name, 0) > 0]
    assert not missing, json.dumps(found, indent=1)
    return found


def send(service: RunningService, number: str) -> None:
    answer = requests.post(
        f"{service.stack.url}/api/invoices/send",
        json=service.body(number, BY_HTTP),
        headers={"x-api-key": service.key, "Prefer": "respond-async"},
        timeout=30,
    )
    assert answer.status_code == 200, answer.text


SENT = 'einvoice_http_requests_total{endpoint="public.send_invoice",method="POST",status="200"}'
HANDED_OUT = 'einvoice_relay_rows_total{lane="bulk"}'
SETTLED = 'einvoice_transmissions_settled_total{access_point="http-test",status="Delivered"}'
WORKED = 'einvoice_job_seconds_count{lane="bulk"}'
HEARTBEAT = "einvoice_relay_heartbeat_timestamp_seconds"


def test_metrics_cover_web_relay_and_workers(service, port):
    send(service, "M-1")
    found = eventually(port, SENT, HANDED_OUT, SETTLED, WORKED, HEARTBEAT)

    assert found["einvoice_database_up"] == 1
    assert 'einvoice_outbox_oldest_due_seconds{lane="bulk"}' in found


@pytest.mark.parametrize("name", ["worker-bulk-0", "web"])
def test_counts_survive_a_killed_process(service, port, name):
    """Another process serves /metrics then, with all counts."""
    before = eventually(port, SENT, SETTLED)
    service.stack.children.kill(name)
    after = eventually(port, SENT, SETTLED)
    service.stack.command(name)

    assert after[SENT] >= before[SENT]
    assert after[SETTLED] >= before[SETTLED]
