"""The same web server with a constant answer, for comparison in `bench.send`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from granian.constants import Interfaces
from granian.server import Server

from einvoice.config import Settings
from einvoice.web.admission.slots import MAX_COMPUTING

ANSWER = b'{"status":"success"}'


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], object]
) -> Iterable[bytes]:
    """Read the body and return the constant response."""
    environ["wsgi.input"].read()
    headers = [("Content-Type", "application/json"), ("Content-Length", str(len(ANSWER)))]
    start_response("200 OK", headers)
    return [ANSWER]


if __name__ == "__main__":
    settings = Settings()
    Server(
        "bench.constant:application",
        interface=Interfaces.WSGI,
        port=int(sys.argv[1]),
        workers=settings.web_workers,
        blocking_threads=MAX_COMPUTING + settings.max_waiters,
        log_access=False,
    ).serve()
