"""Measure acceptance alone: `python -m bench.send [--rounds 3] [--seconds 4]`.

Sends with `respond-async` and a new key each over 16 connections, without workers. Then the steps
of a send inside one process, alone and in groups, in microseconds of CPU time; the server's cost is
higher by HTTP, routing and threads.
`--lines` measures only what sends of many lines cost the process that accepts them.
"""

from __future__ import annotations

import argparse
import itertools
import json
import statistics
import time
from collections.abc import Callable, Sequence

from bench import load
from bench.pipeline import address, analyze, cpu_by_part, request
from bench.service import BY_SIMULATOR, RunningService, running_service
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.services.account import authentication
from einvoice.services.runtime import Runtime
from einvoice.services.send import send
from einvoice.services.send.command import SendCommand
from einvoice.services.send.result import SendResult
from einvoice.store.core import db
from einvoice.store.core.resources import resources_of
from einvoice.web import send_requests
from einvoice.web.runtime import runtime_of
from einvoice.web.shared.send_bodies import read_send

STEPS = 800
GROUPS = (1, 4, 16)
LINES = (1, 100, 500, 900, 1_100, 2_500, 5_000)
LONG_SENDS = 9  # of each size


def rounds(service: RunningService, count: int, seconds: float) -> None:
    """Measure the whole service, without workers; print medians."""
    accepted, waits = [], []
    before, taken = cpu_by_part(service), 0
    for turn in range(count):
        asked = request(service, BY_SIMULATOR)
        run = load.run(address(service), asked, seconds, connections=16, first=turn * 1_000_000)
        accepted.append(run.per_second)
        waits.append((run.percentile(0.5), run.percentile(0.99)))
        taken += run.statuses[200]
    after = cpu_by_part(service)
    print(f"accepted {statistics.median(accepted):.0f}/s")
    print("p50, p99 ms of each round:", [(round(a, 1), round(b, 1)) for a, b in waits])
    for part in ("web", "postgresql"):
        print(f"{part}: {1e6 * (after[part] - before[part]) / taken:.0f} us CPU per send")


def steps(service: RunningService) -> None:
    """Measure the steps of sends in this process, one send at a time and in groups."""
    settings = Settings(data_dir=str(service.stack.data_dir), database_url=service.database,
                        log_level="ERROR")  # fmt: skip
    app = create_app(settings)
    body = json.dumps(service.body(load.MARK.decode(), BY_SIMULATOR)).encode()
    spent: dict[str, dict[int, list[float]]] = {}
    numbers = itertools.count()
    with app.test_request_context():
        runtime = runtime_of(app)
        for _ in range(STEPS // max(GROUPS)):
            for size in GROUPS:
                for _ in range(max(GROUPS) // size):
                    bodies = [(n, body.replace(load.MARK, b"S%07d" % n))
                              for n in itertools.islice(numbers, size)]  # fmt: skip
                    _group(spent, bodies, service.key, runtime)
        db.db.engine.dispose()
        resources_of(app).close()
    print("us of CPU per send, by sends in a group:" + "".join(f"{size:7}" for size in GROUPS))
    for name, times in spent.items():
        per_send = (1e6 * statistics.median(times[size]) / size for size in GROUPS)
        print(f"{name:40}" + "".join(f"{each:7.0f}" for each in per_send))


def _group(
    spent: dict[str, dict[int, list[float]]],
    bodies: Sequence[tuple[int, bytes]], key: str, runtime: Runtime,
) -> None:  # fmt: skip
    def timed(name: str, step: Callable[[], object]) -> str:
        started = time.thread_time()
        done = step()
        taken = time.thread_time() - started
        name = name or str(done)
        spent.setdefault(name, {}).setdefault(len(bodies), []).append(taken)
        total[0] += taken
        return name

    total = [0.0]
    who = authentication.recognise(key, runtime.caches)
    timed("key", lambda: [authentication.recognise(key, runtime.caches) for _ in bodies])
    commands = [SendCommand(body, who, f"step-{number}", 0.0) for number, body in bodies]
    drafts = [send.draft_of(command, read_send, runtime) for command in commands]
    open_ = [send.steps_of(draft) for draft in drafts]
    while timed("", lambda: {next(steps, "rows") for steps in open_}.pop()) != "rows":
        pass
    timed("store (client side)", lambda: send.store(drafts))
    results = [SendResult(d.new.invoice_id, d.new.transmission_id, ()) for d in drafts if d.new]
    assert len(results) == len(bodies), drafts[0].fault
    answers = list(zip(results, commands, strict=True))
    timed("answer", lambda: [send_requests.response_of(*each) for each in answers])
    spent.setdefault("all", {}).setdefault(len(bodies), []).append(total[0])


def lines(service: RunningService) -> None:
    """Measure the CPU time of this process, all threads, for sends of many lines."""
    settings = Settings(data_dir=str(service.stack.data_dir), database_url=service.database,
                        log_level="ERROR")  # fmt: skip
    app = create_app(settings)
    print("lines   KiB   ms of CPU of the web process   ms until accepted")
    with app.test_request_context():
        runtime = runtime_of(app)
        who = authentication.recognise(service.key, runtime.caches)
        for count in LINES:
            body = _long_body(service, count)
            spent, waited = [], []
            for number in range(LONG_SENDS):
                command = SendCommand(body, who, f"lines-{count}-{number}", 0.0)
                started, began = time.process_time(), time.perf_counter()
                send.send(command, read_send, runtime)
                spent.append(1000 * (time.process_time() - started))
                waited.append(1000 * (time.perf_counter() - began))
            print(f"{count:5} {len(body) / 1024:5.0f} {statistics.median(spent):30.0f} "
                  f"{statistics.median(waited):19.0f}")  # fmt: skip
        runtime.computing.close()
        db.db.engine.dispose()
        resources_of(app).close()


def _long_body(service: RunningService, count: int) -> bytes:
    """A send whose lines differ in their texts."""
    body = service.body(f"L-{count}", BY_SIMULATOR)
    subtotal, tax = 80 * count, round(16.8 * count, 2)
    line = {"quantity": 2, "unitPrice": 40, "taxRate": 21}
    items = [line | {"description": f"Item {number}"} for number in range(count)]
    totals = {"subtotal": subtotal, "taxAmount": tax, "grandTotal": round(subtotal + tax, 2)}
    invoice = body["invoice"]
    assert isinstance(invoice, dict)
    return json.dumps(body | {"invoice": invoice | {"lineItems": items, "totals": totals}}).encode()


def main() -> None:
    parser = argparse.ArgumentParser(description="Acceptance alone.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    parser.add_argument("--lines", action="store_true", help="only sends of many lines")
    given = parser.parse_args()
    with running_service(workers={}) as service:
        service.stack.children.kill("relay")
        service.reference(BY_SIMULATOR)
        load.run(address(service), request(service, BY_SIMULATOR), 2.0, connections=16,
                 first=80_000_000)  # fmt: skip
        analyze(service)
        if given.lines:
            lines(service)
            return
        rounds(service, given.rounds, given.seconds)
        steps(service)


if __name__ == "__main__":
    main()
