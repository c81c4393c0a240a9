"""A standby of PostgreSQL, from which lists, search and reports may be read.

Its answers are MAX_LAG behind at most, and a second: so often it is asked whether it has replayed
all that the primary had flushed, or a commit that is that young. One that is away, promoted or
further behind is not used, and asked again after RETRY_SECONDS.
"""

from __future__ import annotations

import threading
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from sqlalchemy.engine import Engine
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from einvoice import clock
from einvoice.observability import logging

log = logging.get(__name__)

MAX_LAG = timedelta(seconds=5)
CHECK_SECONDS, RETRY_SECONDS = 1.0, 10.0
AWAY = (DBAPIError, PoolTimeout)

_FLUSHED = sa.text("SELECT pg_current_wal_flush_lsn()::text")
_STATE = sa.text(
    "SELECT pg_is_in_recovery() AS standby, now() - pg_last_xact_replay_timestamp() AS age, "
    "pg_last_wal_replay_lsn() >= CAST(:flushed AS pg_lsn) AS complete"
)


class Replica:
    """The standby of one application, with connections for any thread."""

    def __init__(self, engine: Engine, primary: Engine) -> None:
        self.engine = engine
        self._primary = primary
        self._checking = threading.Lock()
        self._check_at = 0.0
        self._is_usable = False
        self._noted: str | None = "not asked yet"

    def is_usable(self) -> bool:
        """Whether it may be read now. While a thread asks, others use the last answer."""
        if clock.monotonic() >= self._check_at and self._checking.acquire(blocking=False):
            try:
                self._note(self.fault())
            finally:
                self._checking.release()
        return self._is_usable

    def give_up(self, fault: Exception) -> None:
        """Stop using it for a while, after a failed statement."""
        self._note(type(fault).__name__)

    def fault(self) -> str | None:
        """Why it cannot be used; None if it can."""
        try:
            flushed = self._flushed()
            with self.engine.connect().execution_options(isolation_level="AUTOCOMMIT") as standby:
                state = standby.execute(_STATE, {"flushed": flushed}).one()
        except AWAY as fault:
            return f"it does not answer: {str(getattr(fault, 'orig', fault)).partition(chr(10))[0]}"
        return _fault(state)

    def _flushed(self) -> str | None:
        """The position of the primary; None if that one is away."""
        try:
            with self._primary.connect().execution_options(isolation_level="AUTOCOMMIT") as primary:
                return str(primary.execute(_FLUSHED).scalar_one())
        except AWAY:
            return None

    def _note(self, fault: str | None) -> None:
        pause = CHECK_SECONDS if fault is None else RETRY_SECONDS
        self._check_at = clock.monotonic() + pause
        if fault != self._noted:
            log.warning("use of the replica changes", fault=fault)
        self._noted, self._is_usable = fault, fault is None

    def dispose(self) -> None:
        """Close idle connections; the next use opens new ones."""
        self.engine.dispose()


def _fault(state: Any) -> str | None:
    if not state.standby:
        return "it is not a standby"
    if state.complete or (state.age is not None and state.age <= MAX_LAG):
        return None
    behind = "an unknown time" if state.age is None else f"{state.age.total_seconds():.0f} seconds"
    return f"it is {behind} behind"
