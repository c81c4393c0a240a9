"""How far the clocks of this machine and its database may be apart.

Beyond SYNCHRONOUS `einvoice doctor` reports it, as an alert does: leases and signatures use both.
Beyond MAX_DIFFERENCE the clock is not believed, and what is old is not deleted for good.

A machine whose clock is a year ahead would forget the idempotency keys of today, drop documents
before their time and purge tenants that the law protects. The database is asked, whose clock is
that of another machine in most installations; SQLite has none.
"""

from __future__ import annotations

from datetime import timedelta

from einvoice.observability import logging
from einvoice.store.installation import server_state
from einvoice.store.installation.server_state import ServerState

log = logging.get(__name__)

SYNCHRONOUS, MAX_DIFFERENCE = timedelta(seconds=5), timedelta(hours=1)


def fault() -> str | None:
    """Why nothing may be deleted; None if it may."""
    return apart(server_state.read(), MAX_DIFFERENCE)


def apart(server: ServerState, tolerated: timedelta) -> str | None:
    """How far the clocks are apart, if it is more than is tolerated."""
    seconds = server.clock_difference
    if seconds is None or abs(seconds) <= tolerated.total_seconds():
        return None
    return f"the clocks of this machine and the database are {abs(seconds):,.0f} seconds apart"


def deletes() -> bool:
    """Whether what is old may be deleted; else the log says why not."""
    reason = fault()
    if reason is not None:
        log.error("nothing is deleted", reason=reason)
    return reason is None
