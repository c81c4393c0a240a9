"""The program of a computing process: takes one call after another from a socket.

    python -m einvoice.services.computing.child SOCKET MEMORY_BYTES CPU_SECONDS PACE \
        LOG_LEVEL LOG_FORMAT

It ends when the other side of the socket is closed, which the system does when the parent ends
(also by SIGKILL), and after IDLE_SECONDS without a call. The system ends it with SIGPROF if a
computation uses more than its CPU time, and refuses memory beyond the limit.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import resource
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Callable
from typing import Any

from einvoice import clock
from einvoice.domain.errors import RequestRefused
from einvoice.observability import logging
from einvoice.observability.memory import resident_bytes
from einvoice.services.computing import messages
from einvoice.services.computing.messages import Call, ComputationFailed, Reply

log = logging.get(__name__)

IDLE_SECONDS = 300.0
# Requests come first: a machine without other work gives a computation all its CPU time.
NICENESS = 5
# What nearly every computation needs, imported before the first one arrives.
_PRELOADED = (
    "einvoice.services.invoices.pdf_computations",
    "einvoice.services.send.submission",
    "einvoice.services.send.evaluation",
)


def main() -> None:
    """Compute until the parent ends or nothing has been asked for a while."""
    handle, memory, seconds, pace, level, form = sys.argv[1:]
    clock.run(clock.Pace.parse(pace))
    logging.configure(level, form)
    _limit(int(memory))
    connection = socket.socket(fileno=int(handle))
    calls: queue.SimpleQueue[Call] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(connection, calls), daemon=True).start()
    for module in _PRELOADED:
        importlib.import_module(module)
    with contextlib.suppress(queue.Empty, messages.Closed):
        while True:
            call = calls.get(timeout=IDLE_SECONDS)
            messages.send(connection, _reply(call, float(seconds)))
            del call


def _limit(memory: int) -> None:
    """Bound the memory and lower the priority. SIGINT is for the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        os.nice(NICENESS)
    except OSError as fault:  # a sandbox of the operator that forbids these calls
        log.warning("computing process without bounds", fault=str(fault))


def _receive(connection: socket.socket, calls: queue.SimpleQueue[Call]) -> None:
    """Receive calls in a thread of its own, which notices the parent's end during a computation."""
    try:
        while True:
            calls.put(messages.receive(connection))
    except messages.Closed:
        os._exit(0)
    except BaseException:
        log.exception("call not received")
        os._exit(1)


def _reply(call: Call, seconds: float) -> Reply:
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        function: Callable[..., Any] = getattr(importlib.import_module(call.module), call.name)
        return Reply(function(*call.arguments), resident_bytes=resident_bytes())
    except MemoryError:
        return Reply(out_of_memory=True)
    except Exception as fault:  # noqa: BLE001 - raised again by the caller
        return Reply(raised=_portable(fault), resident_bytes=resident_bytes())
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _portable(fault: Exception) -> Exception:
    """The refusal itself; any other exception as ComputationFailed."""
    if isinstance(fault, RequestRefused):
        return fault
    return ComputationFailed("".join(traceback.format_exception(fault)))


if __name__ == "__main__":
    main()
