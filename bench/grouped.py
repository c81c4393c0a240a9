"""Measure sends answered in groups, in one process: `python -m bench.grouped [--groups 100]`.

Each group goes through the hooks, the view and the steps of its sends, one commit and the responses
(web/serving/grouped_sends), without HTTP. Prints thousand instructions of the process per send,
which hardly depend on what else the machine does, and microseconds of CPU time of the thread.
"""

from __future__ import annotations

import argparse
import itertools
import os
import statistics
import time
from typing import Any

from flask import Flask, Response

from bench import instructions, load
from bench.effort_inside import _environ
from bench.pipeline import request
from bench.service import BY_SIMULATOR, RunningService, running_service
from einvoice.app import create_app
from einvoice.config import Settings
from einvoice.domain.errors import RequestRefused
from einvoice.observability import span_export
from einvoice.store.core import db
from einvoice.store.core.resources import resources_of
from einvoice.web.admission.environ import ARRIVED
from einvoice.web.serving.grouped_sends import GroupedSends, _Send
from einvoice.web.serving.wsgi_call import response_of

WARM_UP = 30  # groups
TURNS = 3


class Caller:
    """Keeps the response of one request."""

    def __init__(self) -> None:
        self.status, self.body = 0, b""

    def answered(self, environ: dict[str, Any], response: Response) -> None:
        self.status, _, self.body = response_of(response, environ)

    def refused(self, _: dict[str, Any], refusal: RequestRefused) -> None:
        raise refusal

    def failed(self, fault: Exception) -> None:
        raise fault


class Groups:
    """Groups of sends, each with a new number and key."""

    def __init__(self, app: Flask, raw: bytes, size: int) -> None:
        self._app, self._raw, self._size = app, raw, size
        self._sends = GroupedSends(app)
        self._numbers = itertools.count()

    def answer(self) -> float:
        """Answer one group; seconds of CPU time of this thread."""
        callers = [Caller() for _ in range(self._size)]
        self._sends._queue.extend(_Send(self._app, self._next(), caller) for caller in callers)
        started = time.thread_time()
        self._sends._answer_next()
        taken = time.thread_time() - started
        for caller in callers:
            assert caller.status == 200, caller.body
        return taken

    def _next(self) -> dict[str, Any]:
        raw = self._raw.replace(load.MARK, b"G%07d" % next(self._numbers))
        return {**_environ(raw), "wsgi.input_terminated": True, ARRIVED: True}


def measure(service: RunningService, size: int, groups: int, traces: str) -> None:
    """Print the figures of so many groups of a size, TURNS times."""
    settings = Settings(data_dir=str(service.stack.data_dir), database_url=service.database,
                        redis_url=service.redis_url, limit_post=1_000_000,
                        log_level="ERROR", traces=traces)  # fmt: skip
    app = create_app(settings)
    span_export.start(settings)
    sends = Groups(app, request(service, BY_SIMULATOR), size)
    for _ in range(WARM_UP):
        sends.answer()
    for _ in range(TURNS):
        times, count = instructions.counted(
            [os.getpid()], lambda: [sends.answer() for _ in range(groups)]
        )
        print(f"{count / groups / size / 1000:.0f} thousand instructions a send, "
              f"{1e6 * statistics.median(times) / size:.0f} us of CPU")  # fmt: skip
    with app.app_context():
        db.db.engine.dispose()
    resources_of(app).close()


def main() -> None:
    parser = argparse.ArgumentParser(description="Sends answered in groups.")
    parser.add_argument("--size", type=int, default=16)
    parser.add_argument("--groups", type=int, default=100)
    parser.add_argument("--traces", action="store_true", help="export spans (OTEL_… say where)")
    given = parser.parse_args()
    with running_service(workers={}) as service:
        service.stack.children.kill("relay")
        service.reference(BY_SIMULATOR)
        measure(service, given.size, given.groups, "otlp" if given.traces else "")


if __name__ == "__main__":
    main()
