"""A process of the web server: receives bodies without threads, then runs the application.

granian's own WSGI worker reads a body in the thread of its request, where nothing can interrupt the
wait for a silent client. Its RSGI worker receives a body in the server's event loop, calls back
when it is complete, and can be stopped. This worker uses the latter for a WSGI application
(web/serving/intake). What it relies on is tested in tests/architecture/test_library_internals.py.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from typing import Any

from flask import Flask
from granian.server.common import WORKERS_METHODS
from granian.server.mp import WorkerProcess

from einvoice.observability import spans
from einvoice.web.serving.intake import SPARE_THREADS, Intake

# The compiled part of granian; its classes have other types than it declares.
_granian: Any = importlib.import_module("granian._granian")
_signals: Any = importlib.import_module("granian._signals")

# A client that takes nothing of its answer, or is gone without a word, loses its connection.
_UNACKNOWLEDGED_MILLISECONDS = 30_000
# A thread that computes keeps the interpreter for this long from threads that wait for it. With
# Python's 5 ms, a send beside two imports took 300 ms instead of 80 (bench.siege).
_SWITCH_SECONDS = 0.001
_AWAKE_SECONDS = 0.5


def prepare_process() -> None:
    """Set what holds for the whole process, before its application is made.

    SIGTERM ends the process until it handles the signal itself: it was forked from a process whose
    handlers would only note the signal.
    """
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    sys.setswitchinterval(_SWITCH_SECONDS)


@WorkerProcess.wrap_target
def serve_requests(
    worker_id: int,
    app: Flask,
    sock: tuple[Any, Any],
    ipc: object,
    _loop: object,
    runtime_mode: Any,
    runtime_threads: int,
    runtime_blocking_threads: int | None,
    blocking_threads: int,
    idle_timeout: int,
    backpressure: int,
    _task: object,
    http_mode: object,
    http1: object,
    http2: object,
    websockets: object,
    static: object,
    _log_format: object,
    tls: tuple[Any, ...],
    _scope: object,
    metrics: object,
) -> None:
    """The target of a worker process, called as granian calls its own (`_spawn_rsgi_worker`)."""
    intake = Intake(app, blocking_threads - SPARE_THREADS)
    stopping, ended = _granian.WorkerSignal(), threading.Event()
    stopping.add_cb(ended.set)

    def stop(*_: object) -> None:
        intake.stop()
        stopping.set()

    _signals.set_main_signals(stop)
    sock = _with_options(sock)
    worker = _granian.RSGIWorker(
        worker_id, sock, ipc, runtime_threads, runtime_blocking_threads, blocking_threads,
        idle_timeout, backpressure, http_mode, http1, http2, websockets, static, *tls, metrics,
    )  # fmt: skip
    serve = WORKERS_METHODS[runtime_mode][(sock[0] or sock[1]).is_uds()]
    threading.Thread(target=intake.watch, args=(ended,), daemon=True).start()
    getattr(worker, serve)(_scheduler(intake.begin), AtOnce(), stopping)
    # The system may give SIGTERM to any thread; Python handles it in this one, when it runs.
    while not ended.wait(_AWAKE_SECONDS):
        pass
    spans.close()  # in a process of multiprocessing no function of atexit is called


def _with_options(sock: tuple[Any, Any]) -> tuple[Any, Any]:
    """The listener with a limit on unacknowledged data, which its connections inherit."""
    spec, holder = sock
    if spec is None:  # a Unix socket
        return sock
    holder = spec.build()
    with socket.socket(fileno=os.dup(holder.get_fd())) as listener:
        listener.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, _UNACKNOWLEDGED_MILLISECONDS
        )
    return None, holder


class AtOnce:
    """The event loop of granian: the thread that has a result continues with it."""

    def call_soon(self, callback: Callable[..., object], *given: object, context: object) -> None:
        callback(*given)

    call_soon_threadsafe = call_soon


def _scheduler(begin: Callable[[Any], None]) -> Any:
    scheduler = _granian.CallbackScheduler(AtOnce(), None, None, None, None)
    setattr(scheduler, "_schedule_fn", begin)  # noqa: B010 the attribute that granian calls
    return scheduler
