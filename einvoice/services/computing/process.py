"""One computing process, as its parent sees it: started, called, ended."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from einvoice import clock, config
from einvoice.domain.errors import ComputationTooLarge, ComputingUnavailable, RequestRefused
from einvoice.services.computing import messages
from einvoice.services.computing.messages import Call, Reply

# One computation uses one core: there are more requests than cores.
_ONE_CORE = {"RAYON_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "2"}
_STOP_SECONDS = 2.0
# What ends a process whose library gets no memory, or that has used up its CPU time.
_OVER_LIMIT = frozenset({-signal.SIGPROF, -signal.SIGABRT, -signal.SIGSEGV, -signal.SIGBUS})


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """Bounds of one process: its memory, and the CPU seconds of one computation.

    seconds  until a computation is given up on a machine that has no CPU time for it
    """

    memory_bytes: int
    cpu_seconds: float
    seconds: float
    log_level: str = "INFO"
    log_format: str = "json"


class Expired(Exception):
    """The process had ended before the call reached it: it had been idle for too long."""


class ComputingProcess:
    """A child process. Used by one thread at a time."""

    def __init__(self, limits: ProcessLimits) -> None:
        self._limits = limits
        self._connection, theirs = socket.socketpair()
        with theirs:
            self._child = subprocess.Popen(  # noqa: S603 - our own module
                _command(theirs.fileno(), limits),
                env=_environment(),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
            )
        # An application that is no longer used leaves no process behind.
        self._finalizer = weakref.finalize(self, _end, self._connection, self._child)
        self._finalizer.atexit = False
        self.calls = 0
        self.resident_bytes = 0

    @property
    def pid(self) -> int:
        return self._child.pid

    def call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """The result of the function. Raises what it raises, Expired, ComputationTooLarge, and
        ComputingUnavailable; after all but the first the process has ended."""
        deadline = clock.monotonic() + self._limits.seconds
        call = Call(function.__module__, function.__qualname__, arguments)
        try:
            messages.send(self._connection, call, deadline)
            reply: Reply = messages.receive(self._connection, deadline)
        except (messages.Closed, TimeoutError) as fault:
            raise self._end_of(fault) from None
        except BaseException:  # such as the end of a job's time: its reply must reach no other
            self.close()
            raise
        self.calls += 1
        self.resident_bytes = reply.resident_bytes
        if reply.out_of_memory:
            self.close()
            raise _too_large()
        if reply.raised is not None:
            raise reply.raised
        return reply.value

    @property
    def ended(self) -> bool:
        return self._child.poll() is not None

    def _end_of(self, fault: Exception) -> RequestRefused | Expired:
        """Why there is no reply. The process has ended afterwards."""
        if isinstance(fault, TimeoutError):
            self.close()
            return ComputingUnavailable("The computation did not end in time: repeat it later.")
        code = self._wait()
        self.close()
        if code == 0:
            return Expired()
        if code in _OVER_LIMIT:
            return _too_large()
        return ComputingUnavailable("The computation was interrupted: repeat the request.")

    def _wait(self) -> int | None:
        try:
            return self._child.wait(_STOP_SECONDS)
        except subprocess.TimeoutExpired:
            return None

    def close(self) -> None:
        """End the process, whatever it is doing."""
        self._finalizer()


def _end(connection: socket.socket, child: subprocess.Popen[bytes]) -> None:
    connection.close()
    child.kill()
    child.wait()


def _command(handle: int, limits: ProcessLimits) -> list[str]:
    arguments = (handle, limits.memory_bytes, limits.cpu_seconds, clock.pace())
    command_line = (*map(str, arguments), limits.log_level, limits.log_format)
    return [sys.executable, "-P", "-m", "einvoice.services.computing.child", *command_line]


def _environment() -> dict[str, str]:
    path = os.pathsep.join(filter(None, sys.path))
    return config.plain_environment() | _ONE_CORE | {"PYTHONPATH": path}


def _too_large() -> ComputationTooLarge:
    return ComputationTooLarge(
        "The document needs more memory or CPU time than one computation may use."
    )
