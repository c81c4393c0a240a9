"""`einvoice serve`: the web processes."""

from __future__ import annotations

import errno
import multiprocessing
import os
import resource
import socket
import sys
from pathlib import Path

import click
from flask import Flask
from granian.constants import HTTPModes, Interfaces
from granian.http import HTTP1Settings
from granian.log import LogLevels
from granian.server import Server

from einvoice.cli.application import (
    application,
    long_running_application,
    refuse_unknown_pooler,
)
from einvoice.cli.metrics_server import start_metrics_server
from einvoice.web.admission.turns import number_of_turns
from einvoice.web.runtime import runtime_of
from einvoice.web.serving.granian_worker import prepare_process, serve_requests
from einvoice.web.serving.intake import SPARE_THREADS

# The server's own records have the same output as all others.
_LOGS = {"handlers": {}, "formatters": {}, "loggers": {"_granian": {"propagate": True}}}

# Connections of one process, and those waiting to be accepted. The head of a request, and the next
# request of a connection, arrive within the time; a head is at most as large as the buffer.
MAX_CONNECTIONS = 4096
_HEAD_MILLISECONDS = 15_000
_HEAD_BYTES = 64 * 1024
_OTHER_FILES = 256

# A process is replaced if each of so many samples is above EINVOICE_PROCESS_MEMORY_MB: the largest
# document of a network takes more for some seconds. It is given a minute more than requests take.
MEMORY_SAMPLES = 3
MEMORY_SAMPLE_SECONDS = 30
_END_SECONDS = 85


@click.command()
@click.option("--listen", help="host:port or unix:/path; default: EINVOICE_LISTEN.")
def serve(listen: str | None) -> None:
    """Serve the API. SIGTERM lets running requests finish."""
    app = application()
    settings = runtime_of(app).settings
    address, port, path = address_of(listen or settings.listen)
    _refuse_impossible(address, port, path)
    refuse_unknown_pooler(app)
    start_metrics_server(app)
    fork_web_processes()
    Server(
        "einvoice.cli.serve:process_application",
        factory=True,
        interface=Interfaces.WSGI,
        address=address,
        port=port,
        uds=path,
        workers=settings.web_workers,
        # Requests that wait for outcomes hold a thread each; two compute (web/admission/slots).
        blocking_threads=number_of_turns(settings) + SPARE_THREADS,
        http=HTTPModes.http1,  # `auto` waits without limit for the first byte of a connection
        http1_settings=HTTP1Settings(
            header_read_timeout=_HEAD_MILLISECONDS, max_buffer_size=_HEAD_BYTES
        ),
        backlog=MAX_CONNECTIONS,
        backpressure=_connections(),
        respawn_failed_workers=True,
        workers_max_rss=settings.process_memory_mb,
        rss_samples=MEMORY_SAMPLES,
        rss_sample_interval=MEMORY_SAMPLE_SECONDS,
        workers_kill_timeout=_END_SECONDS,
        websockets=False,
        log_level=LogLevels(settings.log_level.lower()),
        log_access=False,
        log_dictconfig=_LOGS,
    ).serve(serve_requests)


def fork_web_processes() -> None:
    """Let web processes share the memory of what this one has imported, also on Python 3.14.

    Its default on Linux is `forkserver`, which granian replaces by `spawn`.
    """
    if sys.platform == "linux":
        multiprocessing.set_start_method("fork", force=True)


def process_application() -> Flask:
    """The application of a web process, which the server calls in it."""
    prepare_process()
    return long_running_application()


def _connections() -> int:
    """How many connections a process may hold: as many files as it may open, up to the limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + _OTHER_FILES
    allowed = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < allowed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    return max(64, allowed - _OTHER_FILES)


def address_of(listen: str) -> tuple[str, int, Path | None]:
    """Address and port, or the path of a socket. Raises UsageError."""
    if listen.startswith("unix:"):
        return "127.0.0.1", 0, Path(listen.removeprefix("unix:"))
    host, separator, port = listen.rpartition(":")
    if not host or not separator or not port.isdigit() or not 0 < int(port) < 65536:
        raise click.UsageError(f"{listen!r} is not host:port, with a port of 1 to 65535")
    return host, int(port), None


def _refuse_impossible(address: str, port: int, path: Path | None) -> None:
    """Fail with one line instead of the server's traceback. Processes may share an address."""
    try:
        if path is not None:
            path.parent.stat()
            if not os.access(path.parent, os.W_OK):
                raise PermissionError(errno.EACCES, "the directory cannot be written")
            return
        kind, _, _, _, address_info = socket.getaddrinfo(address, port, type=socket.SOCK_STREAM)[0]
        with socket.socket(kind) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            probe.bind(address_info)
    except OSError as fault:
        place = path or f"{address}:{port}"
        raise click.ClickException(f"cannot listen at {place}: {fault.strerror}") from fault
