"""Measure batches: `python -m bench.batch [--rounds 5] [--size 500]`.

Two-line UBL documents with a new key each, one request at a time, without workers: the duration of
a request, its CPU time and the peak memory. Then, with workers: how long single sends of another
tenant take to be delivered while batches are being delivered.
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

from bench.ground import BY_HTTP, BY_SIMULATOR, SENDER, Ground, service
from bench.pipeline import analyze, cpu_by_part
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.environments import Environment
from einvoice.services.account import keys, tenants
from einvoice.store import db
from einvoice.web.shared.send_reading import read_send


def body(ground: Ground, numbers: Iterator[int], size: int, receiver: str) -> bytes:
    """The body of a batch of `size` documents with new numbers and keys."""
    entries = []
    for _ in range(size):
        number = f"B-{next(numbers):07d}"
        wanted = read_send(json.dumps(ground.body(number, receiver)).encode())
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


def send(ground: Ground, raw: bytes) -> dict[str, object]:
    answer = requests.post(
        f"{ground.stack.url}/v1/invoices/batch",
        data=raw,
        headers={"Authorization": f"Bearer {ground.key}", "Content-Type": "application/json"},
        timeout=120,
    )
    assert answer.status_code == 200, answer.text[:500]
    result: dict[str, object] = answer.json()
    return result


def memory(ground: Ground) -> float:
    """The peak memory of any web process so far, in MiB."""
    (web,) = [child.pid for name, child in ground.stack.children.running() if name == "web"]
    peaks = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            session = int((process / "stat").read_text().rpartition(")")[2].split()[3])
            status = (process / "status").read_text().splitlines() if session == web else []
        except OSError:
            continue  # the process has ended
        peaks += [int(line.split()[1]) for line in status if line.startswith("VmHWM")]
    return max(peaks) / 1024


def one_size(ground: Ground, numbers: Iterator[int], size: int, rounds: int) -> None:
    taken = []
    before = cpu_by_part(ground)
    for _ in range(rounds):
        raw = body(ground, numbers, size, BY_SIMULATOR)
        started = time.perf_counter()
        result = send(ground, raw)
        taken.append(time.perf_counter() - started)
        assert result["accepted"] == size, result["results"][0]  # type: ignore[index]
    after = cpu_by_part(ground)
    row = {
        "documents": size,
        "seconds": round(statistics.median(taken), 2),
        "slowest": round(max(taken), 2),
        "documents/s": round(size / statistics.median(taken)),
        "us CPU/document": {
            part: round(1e6 * (after[part] - before[part]) / (size * rounds))
            for part in ("web", "postgresql")
        },
        "web peak MiB": round(memory(ground)),
    }
    print(json.dumps(row), flush=True)


def neighbour(ground: Ground) -> Ground:
    """The same service, with the key of another tenant."""
    settings = Settings(
        data_dir=str(ground.stack.data_dir), database_url=ground.database, log_level="ERROR"
    )
    app = create_app(settings, plugins=[])
    with app.app_context():
        tenant = tenants.create("Neighbour")
        key = keys.create(tenant, "bench", Environment.TEST).key
        db.db.engine.dispose()
    return Ground(
        ground.stack, ground.postgres, ground.servers, ground.database, key, tenant, ground.ledger
    )


def delivery(ground: Ground, number: str) -> float:
    """Seconds from a single send to Delivered."""
    started = time.perf_counter()
    headers = {"x-api-key": ground.key, "Prefer": "respond-async"}
    sent = requests.post(
        f"{ground.stack.url}/api/invoices/send",
        json=ground.body(number, BY_HTTP),
        headers=headers,
        timeout=60,
    )
    url = f"{ground.stack.url}/api/invoices/{sent.json()['invoiceId']}"
    while requests.get(url, headers=headers, timeout=60).json()["networkStatus"] != "Delivered":
        time.sleep(0.05)
    return time.perf_counter() - started


def drain(ground: Ground, numbers: Iterator[int], size: int) -> None:
    """Print how long single sends of another tenant take while batches are delivered."""
    other = neighbour(ground)
    raw = [body(ground, numbers, size, BY_HTTP) for _ in range(4)]
    delivery(other, "N-0")
    alone = [delivery(other, f"N-{n}") for n in range(1, 6)]
    started = time.perf_counter()
    batches = [send(ground, one)["batchId"] for one in raw]
    beside = []
    while _queued(ground, batches[-1]):
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


def _queued(ground: Ground, batch_id: object) -> bool:
    result = requests.get(
        f"{ground.stack.url}/v1/invoices/batch/{batch_id}",
        headers={"Authorization": f"Bearer {ground.key}"},
        timeout=60,
    ).json()
    return bool(result["counts"]["queued"] or result["counts"]["processing"])


def main() -> None:
    parser = argparse.ArgumentParser(description="Batches.")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--size", type=int, default=500)
    given = parser.parse_args()
    numbers = iter(range(10_000_000))
    with service(workers={}) as ground:
        ground.stack.children.kill("relay")
        send(ground, body(ground, numbers, 50, BY_SIMULATOR))
        analyze(ground)
        for size in (given.size // 10, given.size):
            one_size(ground, numbers, size, given.rounds)
    workers = {"waited": 1, "bulk": 1, "chores": 1}
    environ = {"HTTP_ACCESS_POINT_CONCURRENCY": "20"}
    with service({"latency": 0.2}, environ, workers) as ground:
        drain(ground, numbers, given.size)


if __name__ == "__main__":
    main()
