"""Measure acceptance alone: `python -m bench.send [--rounds 3] [--seconds 4]`.

Sends with `respond-async` and a new key each over 16 connections, without workers, in turns with
the same web server answering a constant. Then the steps of a send inside one process, in
microseconds of CPU time; the server's cost is higher by HTTP, routing and threads.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import sys
import time
from collections.abc import Callable

from bench import load
from bench.pipeline import address, analyze, cpu_by_part, request
from bench.service import BY_SIMULATOR, ROOT, RunningService, await_port, running_service
from einvoice import validation
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.documents.ubl.write import document_xml
from einvoice.domain.derive import derive
from einvoice.domain.request import SendDefaults
from einvoice.services.account import authentication
from einvoice.services.runtime import Runtime
from einvoice.services.send.accept import new_send
from einvoice.services.send.check import check
from einvoice.services.send.command import SendCommand
from einvoice.services.send.result import SendResult
from einvoice.store import acceptance, db
from einvoice.store.resources import resources_of
from einvoice.web import send_requests
from einvoice.web.runtime import runtime_of
from einvoice.web.shared.send_reading import read_send
from tests.ports import free_port

STEPS = 400


def rounds(service: RunningService, count: int, seconds: float) -> None:
    """Measure service and constant in turns; print medians and their ratio."""
    port = free_port()
    service.servers.start(
        "constant", [sys.executable, "-m", "bench.constant", str(port)],
        env={**os.environ, "PYTHONPATH": str(ROOT)}, log=service.stack.data_dir / "constant.log",
    )  # fmt: skip
    await_port(port)
    ours, theirs, waits = [], [], []
    before, taken = cpu_by_part(service), 0
    for turn in range(count):
        asked = request(service, BY_SIMULATOR)
        run = load.run(address(service), asked, seconds, connections=16, first=turn * 1_000_000)
        constant = load.run(("127.0.0.1", port), asked, seconds, connections=16)
        ours.append(run.per_second)
        theirs.append(constant.per_second)
        waits.append((run.percentile(0.5), run.percentile(0.99)))
        taken += run.statuses[200]
    after = cpu_by_part(service)
    accepted, constant_rate = statistics.median(ours), statistics.median(theirs)
    print(f"accepted {accepted:.0f}/s, constant {constant_rate:.0f}/s, "
          f"ratio {accepted / constant_rate:.2f}")  # fmt: skip
    print("p50, p99 ms of each round:", [(round(a, 1), round(b, 1)) for a, b in waits])
    for part in ("web", "postgresql"):
        print(f"{part}: {1e6 * (after[part] - before[part]) / taken:.0f} us CPU per send")


def steps(service: RunningService) -> None:
    """Measure the steps of a send, one after the other in this process."""
    settings = Settings(data_dir=str(service.stack.data_dir), database_url=service.database,
                        log_level="ERROR")  # fmt: skip
    app = create_app(settings)
    body = json.dumps(service.body(load.MARK.decode(), BY_SIMULATOR)).encode()
    spent: dict[str, list[float]] = {}

    def timed(name: str, step: Callable[[], object]) -> object:
        started = time.thread_time()
        result = step()
        spent.setdefault(name, []).append(time.thread_time() - started)
        return result

    with app.test_request_context():
        runtime = runtime_of(app)
        for number in range(STEPS):
            _one(timed, body.replace(load.MARK, b"S%07d" % number), service.key, runtime, number)
        db.db.engine.dispose()
        resources_of(app).close()
    for name, times in spent.items():
        print(f"{name:28} {1e6 * statistics.median(times):6.0f} us")


def _one(
    timed: Callable[[str, Callable[[], object]], object],
    body: bytes, key: str, runtime: Runtime, number: int,
) -> None:  # fmt: skip
    who = timed("key", lambda: authentication.recognise(key, runtime.caches))
    wanted = timed("read", lambda: read_send(body))
    made = timed("derive", lambda: derive(wanted["invoice"], wanted["routing"], SendDefaults()))
    timed("rules", lambda: validation.findings(made.invoice, wanted["routing"]))
    timed("write UBL", lambda: document_xml(made.invoice))
    command = SendCommand(body, who, f"step-{number}", 0.0)
    checked = check(wanted, command, runtime)
    new = timed("make the row", lambda: new_send(command, checked, runtime))
    timed("accept (client side)", lambda: acceptance.accept(new))
    result = SendResult(new.invoice_id, new.transmission_id, checked.warnings)
    timed("answer", lambda: send_requests.response_of(result, command.key))


def main() -> None:
    parser = argparse.ArgumentParser(description="Acceptance alone.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=4.0)
    given = parser.parse_args()
    with running_service(workers={}) as service:
        service.stack.children.kill("relay")
        service.reference(BY_SIMULATOR)
        load.run(address(service), request(service, BY_SIMULATOR), 2.0, connections=16,
                 first=80_000_000)  # fmt: skip
        analyze(service)
        rounds(service, given.rounds, given.seconds)
        steps(service)


if __name__ == "__main__":
    main()
