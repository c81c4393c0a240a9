"""Documents of a connection that cannot be used wait outside of the lanes of the outbox.

They are parked and resumed in the transaction that changes the state of the connection, which is
locked. The relay resumes those that were missed.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy.engine import Connection

from einvoice import clock
from einvoice.domain.connections import RESUMING, State
from einvoice.observability import logging
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.connections import parked
from einvoice.store.core import db
from einvoice.store.sending import sequences

log = logging.get(__name__)

MAX_LEFT = 500  # sequences in one run


def park_or_resume(connection: Connection, connection_id: str, state: State) -> None:
    """Park the documents of a connection that has this state now, or make them due."""
    now = clock.now()
    if state in RESUMING:
        count = parked.resume_all(connection, connection_id, now)
        if state is State.REVOKED:
            sequences.end_all(connection, [connection_id], now)
        if count:
            log.info("documents resumed", connection=connection_id, count=count)
    elif state is not State.SETTING_UP:
        count = parked.park_all(connection, connection_id, now)
        if count:
            log.warning("documents parked", connection=connection_id, count=count)


def park(outbox_ids: Iterable[int], token: str, connection_id: str, now: datetime) -> None:
    """Park rows that the token holds, unless the connection can be used by now."""
    with db.writing_by_key() as connection:
        state = stored.locked_state(connection, connection_id)
        if state in RESUMING:
            due = [(row, outbox.CHORES, now) for row in outbox_ids]
            outbox.reschedule(connection, due, token)
        else:
            parked.park(connection, outbox_ids, token, connection_id, now)


def reconcile() -> int:
    """Resume the documents of connections that can be used or are revoked; returns how many.

    Of sequences whose holder is final, the next document becomes the holder.
    """
    left = sequences.left_holders(MAX_LEFT)
    if left:
        with db.writing_by_key() as connection:
            sequences.leave(connection, left, clock.now())
    resumed = len(left)
    for connection_id in parked.wrongly():
        with db.writing_by_key() as connection:
            state = stored.locked_state(connection, connection_id)
            if state in RESUMING:
                resumed += parked.resume_all(connection, connection_id, clock.now())
    return resumed
