"""The whole service on one machine: Redis, web, relay and a worker for each lane.

Used by `einvoice demo`, the end-to-end tests and the benchmarks.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

import requests

from einvoice.cli.embedded import start_redis
from einvoice.cli.processes import Children, einvoice
from einvoice.store import outbox

START_TIMEOUT_SECONDS = 600.0  # on a busy machine; a process that ends is reported at once


def _commands(workers: Mapping[str, int]) -> dict[str, list[str]]:
    """The arguments of each child process, by its name."""
    named = {"web": ["serve"], "relay": ["relay"]}
    for lane, count in workers.items():
        named |= {f"worker-{lane}-{number}": ["worker", lane] for number in range(count)}
    return named


class StackNotReady(Exception):
    """The service did not start. The message names the directory of its logs."""


class Stack:
    """All processes of the service, with logs in the data directory; stopped on exit.

    `environ` are the variables of the service beyond its data directory and address. Without
    EINVOICE_REDIS_URL a Redis server is started too.
    """

    def __init__(
        self,
        data_dir: Path,
        listen: str = "127.0.0.1:8000",
        environ: Mapping[str, str] | None = None,
        *,
        workers: Mapping[str, int] | None = None,
    ) -> None:
        self.data_dir = data_dir.resolve()
        self.listen = listen
        self.url = f"http://{listen}"
        self.children = Children()
        self.commands = _commands(dict.fromkeys(outbox.LANES, 1) if workers is None else workers)
        self.environ = {
            **os.environ,
            "EINVOICE_DATA_DIR": str(self.data_dir),
            "EINVOICE_LISTEN": listen,
            "EINVOICE_BASE_URL": self.url,
            "EINVOICE_LOG_LEVEL": "WARNING",
            "EINVOICE_PROCESS_MEMORY_MB": "100000",  # nobody starts its workers again
            **(environ or {}),
        }

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.children.stop()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.children.stop()

    def start(self) -> None:
        """Start all processes; return when the service is ready. Raises StackNotReady."""
        self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.environ.get("EINVOICE_REDIS_URL"):
            self.environ["EINVOICE_REDIS_URL"] = start_redis(self.children, self.data_dir)
        for name in self.commands:
            self.command(name)
        self._await()

    def command(self, name: str) -> None:
        """Start one of `commands` as a child, for the first time or again."""
        self.children.start(
            name,
            einvoice(*self.commands[name]),
            env=self.environ,
            log=self.data_dir / f"{name}.log",
        )

    def _await(self) -> None:
        until = time.monotonic() + START_TIMEOUT_SECONDS
        while time.monotonic() < until:
            self.children.check()
            try:
                if requests.get(f"{self.url}/readyz", timeout=5).ok:
                    return
            except requests.RequestException:
                pass  # not listening yet
            time.sleep(0.1)
        raise StackNotReady(f"The service does not answer; its logs are in {self.data_dir}.")
