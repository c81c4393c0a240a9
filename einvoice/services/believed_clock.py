"""Whether the clock of this machine can be believed, before what is old is deleted for good.

A machine whose clock is a year ahead would forget the idempotency keys of today, drop documents
before their time and purge tenants that the law protects. The database is asked, whose clock is
that of another machine in most installations; SQLite has none.
"""

from __future__ import annotations

from datetime import timedelta

from einvoice import clock
from einvoice.observability import logging
from einvoice.store.installation import server_state

log = logging.get(__name__)

MAX_DIFFERENCE = timedelta(hours=1)


def fault() -> str | None:
    """Why nothing may be deleted; None if it may."""
    seconds = server_state.read(clock.real_now()).clock_difference
    if seconds is None or abs(seconds) <= MAX_DIFFERENCE.total_seconds():
        return None
    return f"the clocks of this machine and the database are {abs(seconds):,.0f} seconds apart"


def deletes() -> bool:
    """Whether what is old may be deleted; else the log says why not."""
    reason = fault()
    if reason is not None:
        log.error("nothing is deleted", reason=reason)
    return reason is None
