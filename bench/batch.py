"""Measure batches: `python -m bench.batch [--rounds 5] [--size 500] [--sends]`.

Two-line UBL documents (`--sends`: JSON sends without references) with a new key each, one request
at a time, without workers: the duration of
a request and of its repetition with the same keys, their CPU time and the peak memory. Then, with
workers: how long single sends of another tenant take to be delivered while batches are delivered.
"""

from __future__ import annotations

import argparse
import base64
import json
import statistics
import time
from collections.abc import Iterator
from pathlib import Path

import requests

from bench.pipeline import analyze, cpu_by_part, host_pace
from bench.service import BY_HTTP, BY_SIMULATOR, SENDER, RunningService, running_service
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.credentials import API_KEY
from einvoice.domain.derive import derive
from einvoice.domain.environments import Environment
from einvoice.services.account import credentials, tenants
from einvoice.store.core import db
from einvoice.web.shared.send_bodies import read_send


def body(
    service: RunningService,
    numbers: Iterator[int],
    size: int,
    receiver: str,
    *,
    sends: bool = False,
) -> bytes:
    """The body of a batch of `size` documents with new numbers and keys."""
    entries = []
    for _ in range(size):
        number = f"B-{next(numbers):07d}"
        if sends:
            entries.append(_entry(service, number, receiver))
            continue
        wanted = read_send(json.dumps(service.body(number, receiver)).encode())
        document = document_xml(derive(wanted["invoice"], wanted["routing"]).invoice)
        entries.append(
            {
                "format": "ubl",
                "sender": {"peppolId": SENDER},
                "receiver": {"peppolId": receiver},
                "invoice": base64.b64encode(document).decode(),
                "idempotencyKey": number,
            }
        )
    return json.dumps({"invoices": entries}).encode()


def _entry(service: RunningService, number: str, receiver: str) -> dict[str, object]:
    """A send whose receiver is looked up by the batch."""
    routing = {"senderParticipantId": SENDER, "receiverParticipantId": receiver}
    return service.body(number, receiver) | {"routing": routing, "idempotencyKey": number}


def send(service: RunningService, raw: bytes) -> dict[str, object]:
    family = "/api" if b'"routing"' in raw[:5_000] else "/v1"
    answer = requests.post(
        f"{service.stack.url}{family}/invoices/batch",
        data=raw,
        headers={"Authorization": f"Bearer {service.key}", "Content-Type": "application/json"},
        timeout=120,
    )
    assert answer.status_code == 200, answer.text[:500]
    result: dict[str, object] = answer.json()
    return result


def memory(service: RunningService) -> float:
    """The peak memory of any web process so far, in MiB."""
    (web,) = [child.pid for name, child in service.stack.children.running() if name == "web"]
    peaks = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            session = int((process / "stat").read_text().rpartition(")")[2].split()[3])
            status = (process / "status").read_text().splitlines() if session == web else []
        except OSError:
            continue  # the process has ended
        peaks += [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
    return max(peaks) / 1024


def timed(
    service: RunningService, bodies: list[bytes], size: int
) -> tuple[list[float], dict[str, int]]:
    """Seconds of each request, and microseconds of CPU per document by part."""
    before, taken = cpu_by_part(service), []
    for raw in bodies:
        started = time.perf_counter()
        result = send(service, raw)
        taken.append(time.perf_counter() - started)
        assert result["accepted"] == size, result["results"][0]  # type: ignore[index]
    after, count = cpu_by_part(service), size * len(bodies)
    return taken, {
        part: round(1e6 * (after[part] - before[part]) / count) for part in ("web", "postgresql")
    }


def one_size(
    service: RunningService, numbers: Iterator[int], size: int, rounds: int, *, sends: bool
) -> None:
    bodies = [body(service, numbers, size, BY_SIMULATOR, sends=sends) for _ in range(rounds)]
    pace = host_pace()
    taken, new = timed(service, bodies, size)
    repeated, replay = timed(service, bodies, size)
    row = {
        "loop us": pace,
        "documents": size,
        "seconds": round(statistics.median(taken), 2),
        "slowest": round(max(taken), 2),
        "documents/s": round(size / statistics.median(taken)),
        "us CPU/document": new,
        "replay seconds": round(statistics.median(repeated), 3),
        "replay us CPU/document": replay,
        "web peak MiB": round(memory(service)),
    }
    print(json.dumps(row), flush=True)


def neighbour(service: RunningService) -> RunningService:
    """The same service, with the key of another tenant."""
    settings = Settings(
        data_dir=str(service.stack.data_dir), database_url=service.database, log_level="ERROR"
    )
    app = create_app(settings, plugins=[])
    with app.app_context():
        tenant = tenants.create("Neighbour")
        key = credentials.create(API_KEY, tenant, "bench", Environment.TEST).secret
        db.db.engine.dispose()
    return RunningService(
        service.stack,
        service.postgres,
        service.servers,
        service.database,
        key,
        tenant,
        service.ledger,
    )


def delivery(service: RunningService, number: str) -> float:
    """Seconds from a single send to Delivered."""
    started = time.perf_counter()
    headers = {"x-api-key": service.key, "Prefer": "respond-async"}
    sent = requests.post(
        f"{service.stack.url}/api/invoices/send",
        json=service.body(number, BY_HTTP),
        headers=headers,
        timeout=60,
    )
    url = f"{service.stack.url}/api/invoices/{sent.json()['invoiceId']}"
    while requests.get(url, headers=headers, timeout=60).json()["networkStatus"] != "Delivered":
        time.sleep(0.05)
    return time.perf_counter() - started


def drain(service: RunningService, numbers: Iterator[int], size: int) -> None:
    """Print how long single sends of another tenant take while batches are delivered."""
    other = neighbour(service)
    raw = [body(service, numbers, size, BY_HTTP) for _ in range(4)]
    delivery(other, "N-0")
    alone = [delivery(other, f"N-{n}") for n in range(1, 6)]
    started = time.perf_counter()
    batches = [send(service, one)["batchId"] for one in raw]
    beside = []
    while _queued(service, batches[-1]):
        beside.append(delivery(other, f"M-{len(beside)}"))
    row = {
        "batches": f"{len(raw)} x {size}",
        "drained after s": round(time.perf_counter() - started, 1),
        "another tenant's send, alone s": round(statistics.median(alone), 2),
        "beside the batches s": round(statistics.median(beside), 2) if beside else None,
        "slowest": round(max(beside), 2) if beside else None,
        "sends": len(beside),
    }
    print(json.dumps(row), flush=True)


def _queued(service: RunningService, batch_id: object) -> bool:
    result = requests.get(
        f"{service.stack.url}/v1/invoices/batch/{batch_id}",
        headers={"Authorization": f"Bearer {service.key}"},
        timeout=60,
    ).json()
    return bool(result["counts"]["queued"] or result["counts"]["processing"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Batches.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=500)
    parser.add_argument("--sends", action="store_true", help="JSON sends in place of UBL")
    given = parser.parse_args()
    numbers = iter(range(10_000_000))
    with running_service(workers={}) as service:
        service.stack.children.kill("relay")
        send(service, body(service, numbers, 50, BY_SIMULATOR, sends=given.sends))
        analyze(service)
        for size in (given.size // 10, given.size):
            one_size(service, numbers, size, given.rounds, sends=given.sends)
    if given.sends:
        return
    workers = {"waited": 1, "bulk": 1, "chores": 1}
    environ = {"HTTP_ACCESS_POINT_CONCURRENCY": "20"}
    with running_service({"latency": 0.2}, environ, workers) as service:
        drain(service, numbers, given.size)


if __name__ == "__main__":
    main()
