"""Whether the service can work, for `/readyz` and `/metrics` (decisions 0.6).

A thread asks the database and Redis, on connections that requests do not use; a caller that wants
to know waits for it until its deadline. So a server that accepts connections and does not answer
holds one thread, which is ended with its connection, and none that answers requests for longer.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import psycopg
from sqlalchemy.exc import InterfaceError, OperationalError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from einvoice import clock
from einvoice.observability import logging
from einvoice.store.core import budgets
from einvoice.store.installation import probe
from einvoice.store.installation.probe import Probe, Writes
from einvoice.store.installation.schema import SchemaState as SchemaState

log = logging.get(__name__)

RETRY_AFTER_SECONDS = 5
DEADLINE_SECONDS = 2.0  # of an answer
WRITE_SECONDS = 5.0  # between two writes that succeed
_OUTAGES = (OperationalError, InterfaceError, PoolTimeout, psycopg.OperationalError)
_USABLE = frozenset({SchemaState.CURRENT, SchemaState.NEWER})


class Service(StrEnum):
    """How a server answers. It answers and refuses writes if it is full or read-only."""

    UP = "up"
    DOWN = "down"
    FULL = "full"
    READ_ONLY = "read-only"


@dataclass(frozen=True, slots=True)
class State:
    """The state of the service.

    schema  None if the database does not answer
    held    deliveries are held, after a restore
    redis   None if it was not asked, because the database cannot be used
    """

    database: Service
    schema: SchemaState | None = None
    held: bool = False
    redis: Service | None = None

    @property
    def is_usable(self) -> bool:
        """Whether requests can be answered."""
        return self.database is Service.UP and self.schema in _USABLE and not self.held


_DOWN: Final = State(Service.DOWN)


class _Asking:
    """One round of questions. `state` is its result once `done` is set."""

    def __init__(self) -> None:
        self.until = clock.monotonic() + DEADLINE_SECONDS
        self.done = threading.Event()
        self.state = _DOWN


class Readiness:
    """Asks for one application. `open_probe` is called with the first question."""

    def __init__(
        self,
        context: Callable[[], AbstractContextManager[object]],
        open_probe: Callable[[], Probe],
    ) -> None:
        self._context, self._open_probe = context, open_probe
        self._lock = threading.Lock()
        self._asking: _Asking | None = None
        self._probe: Probe | None = None
        self._next_write = 0.0

    def state(self) -> State:
        """The state of the service, DEADLINE_SECONDS after the question at the latest."""
        asking = self._join()
        if not asking.done.wait(max(0.0, asking.until - clock.monotonic())):
            log.error("database away", fault="no answer within the deadline")
            if self._probe is not None:
                self._probe.hang_up()
        return asking.state

    def _join(self) -> _Asking:
        """The questions that are being asked; they begin now, if there are none."""
        with self._lock:
            if self._asking is None:
                self._asking = _Asking()
                work = threading.Thread(
                    target=self._ask, args=(self._asking,), daemon=True, name="readiness"
                )
                work.start()
            return self._asking

    def _ask(self, asking: _Asking) -> None:
        try:
            with self._context():
                asking.state = self._asked()
        finally:
            with self._lock:
                self._asking = None
            asking.done.set()

    def _asked(self) -> State:
        if self._probe is None:
            self._probe = self._open_probe()
        try:
            schema, held = self._probe.read()
            database = self._written() if schema in _USABLE else Service.UP
        except SQLAlchemyError as fault:
            log.error("database away", fault=outage(fault) or type(fault).__name__)
            return _DOWN
        state = State(database, schema, held)
        if not state.is_usable:
            return state
        return State(database, schema, held, _redis())

    def _written(self) -> Service:
        """Whether the database takes writes; it is written to now and then."""
        if self._probe is None or clock.monotonic() < self._next_write:
            return Service.UP
        writes = self._probe.write(clock.now())
        if writes is Writes.POSSIBLE:
            self._next_write = clock.monotonic() + WRITE_SECONDS
            return Service.UP
        log.error("database refuses writes", reason=writes)
        return Service(writes.value)

    def dispose(self) -> None:
        """Close the connection; the next question opens another."""
        if self._probe is not None:
            self._probe.dispose()


def _redis() -> Service:
    try:
        budgets.check_writes()
    except budgets.RedisUnavailable:
        return Service.DOWN
    except budgets.WriteRefused as refusal:
        log.error("redis refuses writes", fault=str(refusal))
        return Service.FULL if refusal.full else Service.READ_ONLY
    return Service.UP


def outage(fault: BaseException) -> str | None:
    """The database's words, if the fault means that it cannot do now what is asked; else None.

    A deadlock, a full disk and a lock that is not free in time count as that: repeating helps.
    """
    if refused_write(fault) is None and not isinstance(fault, _OUTAGES):
        return None
    return str(getattr(fault, "orig", None) or fault).partition("\n")[0]


def refused_write(fault: BaseException) -> Service | None:
    """FULL or READ_ONLY, if that is why the database refused a write; else None."""
    reason = probe.refused_write(fault)
    return None if reason is None else Service(reason.value)
