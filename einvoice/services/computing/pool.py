"""The computing processes of one web process or worker, and the turns of those who use them.

Processes are started when they are needed. One that has done MAX_CALLS computations, or holds more
than MAX_RESIDENT_BYTES after one, is ended: typst and libxml2 do not return their memory.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar, TypeVarTuple

from einvoice import clock, cpu_deadline
from einvoice.config import Settings
from einvoice.observability import logging, metrics
from einvoice.services.computing.kept import KeptResults
from einvoice.services.computing.process import ComputingProcess, Expired, ProcessLimits
from einvoice.services.computing.slot import NO_SLOT, Slot
from einvoice.services.computing.turns import limit_of_turns, turns_of
from einvoice.share import Limit

log = logging.get(__name__)

MAX_CALLS = 500
MAX_RESIDENT_BYTES = 300 * 1024**2
MAX_KEPT_BYTES = 16 * 1024**2
# A computation on a busy machine may take so many times its CPU time.
MAX_SECONDS_PER_CPU_SECOND = 3
# CPU time of a computation in the web process or worker itself: ten times what a usual one takes.
MAX_CPU_SECONDS_HERE = 0.5
# Imports, exports and seedings that use the database at the same time; one of a tenant.
MAX_BULK_WORK = 2

Ts = TypeVarTuple("Ts")
R = TypeVar("R")


class Computing:
    """Runs computations for tenants in turn, in at most `processes` processes.

    wait     seconds that a caller waits for its turn
    waiting  callers that may wait at the same time: each holds a thread
    slot     is released for the wait and the computation
    """

    def __init__(
        self,
        limits: ProcessLimits,
        processes: int = 2,
        wait: float = 10.0,
        waiting: int = 8,
        slot: Slot = NO_SLOT,
    ) -> None:
        self._limits, self._slot = limits, slot
        self._turns = turns_of(limit_of_turns(processes, waiting, wait))
        self._bulk_turns = turns_of(limit_of_turns(MAX_BULK_WORK, waiting, wait))
        self._kept = KeptResults(MAX_KEPT_BYTES)
        self._idle: list[ComputingProcess] = []
        self._lock = threading.Lock()

    @classmethod
    def of(cls, settings: Settings, slot: Slot = NO_SLOT) -> Computing:
        """As the settings say; the processes are not started yet."""
        limits = ProcessLimits(
            settings.compute_memory_mb * 1024**2,
            settings.compute_seconds,
            MAX_SECONDS_PER_CPU_SECOND * settings.compute_seconds,
            settings.log_level,
            settings.log_format,
        )
        waiting = max_waiting(settings)
        return cls(limits, settings.compute_processes, settings.compute_wait, waiting, slot)

    def run(
        self, tenant_id: str, function: Callable[[*Ts], R], *args: *Ts, large: bool = True
    ) -> R:
        """The result of a module-level function of picklable values, computed in a process.

        What is not large is computed in this process; if it takes longer than expected, it is given
        up and computed in a process too. So the function has no effects.

        Raises what it raises, ComputingUnavailable and ComputationTooLarge.
        """
        if not large:
            try:
                with cpu_deadline.within(MAX_CPU_SECONDS_HERE):
                    return function(*args)
            except cpu_deadline.Overdue:
                log.info("computation overdue", function=function.__name__)
        with self._slot.released(), self._turns.held(tenant_id):
            result: R = self._compute(function, args)
            return result

    @contextmanager
    def turn(self, tenant_id: str) -> Iterator[None]:
        """Hold a turn for the block, for `run_in_turn`. Raises ComputingUnavailable.

        For a caller whose arguments take time themselves, and are made after the wait.
        """
        with ExitStack() as held:
            with self._slot.released():
                held.enter_context(self._turns.held(tenant_id))
            yield

    def run_in_turn(self, function: Callable[[*Ts], R], *args: *Ts) -> R:
        """`run` for a caller that has a turn."""
        with self._slot.released():
            result: R = self._compute(function, args)
            return result

    def kept(self, tenant_id: str, key: str, function: Callable[[*Ts], bytes], *args: *Ts) -> bytes:
        """Run a function whose result depends on `key` alone; the result is kept for a while."""
        found = self._kept.get(key)
        if found is not None:
            return found
        with self._slot.released(), self._turns.held(tenant_id):
            made = self._kept.get(key) or self._compute(function, args)
            self._kept.keep(key, made)
            return made

    @contextmanager
    def bulk_work(self, tenant_id: str) -> Iterator[None]:
        """Surrounds long work with the database; a tenant does one such work at a time.

        Raises ComputingUnavailable.
        """
        with self._slot.released(), self._bulk_turns.held(tenant_id):
            yield

    def close(self) -> None:
        """End the idle processes."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            process.close()

    def _compute(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        started = clock.monotonic()
        try:
            return self._call(function, arguments)
        finally:
            metrics.computation_finished(function.__name__, clock.monotonic() - started)

    def _call(self, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        """Call the function in an idle process, else in a new one."""
        process = self._idle_process() or ComputingProcess(self._limits)
        try:
            return process.call(function, arguments)
        except Expired:
            process = ComputingProcess(self._limits)
            return process.call(function, arguments)
        finally:
            self._give_back(process)

    def _idle_process(self) -> ComputingProcess | None:
        with self._lock:
            while self._idle:
                process = self._idle.pop()
                if not process.ended:
                    return process
                process.close()
        return None

    def _give_back(self, process: ComputingProcess) -> None:
        reason = _reason_to_end(process)
        if reason is None:
            with self._lock:
                self._idle.append(process)
            return
        log.info("computing process ended", reason=reason, calls=process.calls)
        metrics.computing_process_ended(reason)
        process.close()


def limit_of_computations(settings: Settings) -> Limit:
    """The computing processes of a web process or worker."""
    return limit_of_turns(settings.compute_processes, max_waiting(settings), settings.compute_wait)


def limit_of_bulk_work(settings: Settings) -> Limit:
    """Long work with the database at the same time."""
    return limit_of_turns(MAX_BULK_WORK, max_waiting(settings), settings.compute_wait)


def max_waiting(settings: Settings) -> int:
    """How many may wait for a turn: half of those who may wait for outcomes."""
    return max(2, settings.max_waiters // 2)


def _reason_to_end(process: ComputingProcess) -> str | None:
    """None if it can compute more."""
    if process.ended:
        return "died"
    if process.resident_bytes > MAX_RESIDENT_BYTES:
        return "memory"
    return "calls" if process.calls >= MAX_CALLS else None
