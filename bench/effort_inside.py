"""The process that `bench.effort` runs under valgrind: the service's parts, one after the other.

Prints `part <number of the dump> <sends> <name>` for each part that it measures.
"""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from flask import Flask

from bench import load
from bench.service import BY_HTTP, RunningService
from einvoice.cli.application import long_running_application
from einvoice.store import outbox
from einvoice.store.core import db, redis_connection
from einvoice.web.runtime import runtime_of
from jobs import worker
from jobs.relay import Relay

AT_ONCE = 16
WARM_UP = 12


class Sender:
    """Sends over the application's WSGI interface, each with a new number and key."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._number = 0
        service = RunningService(None, None, None, "", os.environ["BENCH_KEY"], "", None)  # type: ignore[arg-type]
        service.references[BY_HTTP] = os.environ["BENCH_REFERENCE"]
        self._raw = _request(service)

    def next(self) -> bytes:
        self._number += 1
        return self._raw.replace(load.MARK, b"V%07d" % self._number)

    def send(self, raw: bytes) -> None:
        answers: list[str] = []
        body = self._app(_environ(raw), lambda status, headers, fault=None: answers.append(status))
        text = b"".join(body)
        getattr(body, "close", lambda: None)()
        assert answers[0].startswith("200"), (answers, text)


def _request(service: RunningService) -> bytes:
    number = load.MARK.decode()
    headers = {
        "x-api-key": service.key, "Content-Type": "application/json", "Idempotency-Key": number,
        "Prefer": "respond-async",
    }  # fmt: skip
    return load.post(
        "/api/invoices/send", json.dumps(service.body(number, BY_HTTP)).encode(), headers
    )


def _environ(raw: bytes) -> dict[str, Any]:
    """The WSGI environment of a request."""
    head, _, body = raw.partition(b"\r\n\r\n")
    first, *lines = head.decode().split("\r\n")
    method, path, _ = first.split(" ")
    environ = {
        "REQUEST_METHOD": method, "SCRIPT_NAME": "", "PATH_INFO": path, "QUERY_STRING": "",
        "SERVER_NAME": "localhost", "SERVER_PORT": "80", "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": "127.0.0.1", "wsgi.version": (1, 0), "wsgi.url_scheme": "http",
        "wsgi.errors": sys.stderr, "wsgi.input": io.BytesIO(body), "wsgi.multithread": True,
        "wsgi.multiprocess": True, "wsgi.run_once": False,
    }  # fmt: skip
    for line in lines:
        name, _, value = line.partition(": ")
        name = name.upper().replace("-", "_")
        environ[name if name in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{name}"] = value
    return environ


class Meter:
    """Counts a piece of work into a dump of its own."""

    def __init__(self) -> None:
        self._dumps = 0
        self._control("-i", "on")

    def measure(self, name: str, sends: int, work: Callable[[], object]) -> None:
        self._control("-z")
        work()
        self._control("-d", name)  # a name that begins with a digit would be taken for a process
        self._dumps += 1
        print(f"part {self._dumps} {sends} {name}", flush=True)

    def _control(self, *arguments: str) -> None:
        command = ["callgrind_control", *arguments, str(os.getpid())]
        subprocess.run(command, capture_output=True, check=True)


def main() -> None:
    sends = int(sys.argv[1])
    # Valgrind is slower than what these limits are for.
    redis_connection.ANSWER_TIMEOUT_SECONDS = redis_connection.CONNECT_WAIT_SECONDS = 60.0
    app = long_running_application()
    db.keep_plans(app)
    sender, url = Sender(app), runtime_of(app).settings.redis
    with ThreadPoolExecutor(AT_ONCE) as threads, app.app_context():
        relay = Relay(app, url)

        def one_by_one(count: int) -> Callable[[], object]:
            requests = [sender.next() for _ in range(count)]
            return lambda: [sender.send(request) for request in requests]

        def at_once(count: int) -> Callable[[], object]:
            requests = [sender.next() for _ in range(count)]
            return lambda: list(threads.map(sender.send, requests))

        def deliver() -> None:
            worker.run(app, outbox.BULK, url, burst=True)

        at_once(AT_ONCE)()
        one_by_one(WARM_UP)()
        relay.step()
        deliver()
        meter = Meter()
        one_by_one(4)()
        meter.measure("sends, one by one", sends, one_by_one(sends))
        at_once(AT_ONCE)()
        meter.measure(f"sends, {AT_ONCE} at once", sends, at_once(sends))
        due = 4 + AT_ONCE + 2 * sends
        meter.measure("relay", due, relay.step)
        meter.measure("worker", due, deliver)
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    main()
