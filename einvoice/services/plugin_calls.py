"""Calls of access points beside the jobs of a worker: bounded for each, in threads of their own.

The worker starts a call and takes the next job. So an access point that does not return keeps its
own share of threads, and the calls of others go on. The threads are no daemons: a worker that stops
waits for them, and what it does not wait for is called again when the lease ends.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from datetime import timedelta
from functools import partial
from random import uniform

from einvoice import clock
from einvoice.network.calls import PluginBusy, Share, Shares
from einvoice.observability import logging
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.outbox import Held

log = logging.get(__name__)

# Seconds that the rows of a job together wait for a call of the same access point to end.
WAIT_SECONDS = 0.5
# Seconds after which a row that found no room is due again, at random.
PUT_BACK_SECONDS = (2.0, 6.0)
# Between the calls of a row that is tried again.
MIN_PAUSE, MAX_PAUSE = timedelta(minutes=1), timedelta(hours=1)

Call = Callable[[Held], None]
GroupCall = Callable[[Sequence[Held]], None]
Context = Callable[[], AbstractContextManager[object]]


def start(
    shares: Shares,
    held: Sequence[Held],
    token: str,
    *,
    most: int,
    call: Call,
    context: Context,
) -> None:
    """Call a function for each row in a thread; rows for which there is no room are put back.

    most  calls of one access point at the same time
    call  does the work of a row and settles it; a row that it leaves alone is due again with the
          end of its lease
    """
    alone = [[row] for row in held]
    start_groups(shares, alone, token, most=most, call=partial(_of_one, call), context=context)


def again(row: Held, token: str, tried: timedelta) -> None:
    """Make a row due again after as long as it was tried so far, within bounds."""
    pause = min(max(tried, MIN_PAUSE), MAX_PAUSE) * uniform(0.9, 1.1)
    with db.writing() as connection:
        outbox.reschedule(connection, [(row.id, outbox.PLUGINS, clock.now() + pause)], token)


def _of_one(call: Call, group: Sequence[Held]) -> None:
    for row in group:
        call(row)


def start_groups(
    shares: Shares,
    groups: Sequence[Sequence[Held]],
    token: str,
    *,
    most: int,
    call: GroupCall,
    context: Context,
) -> None:
    """`start` for groups of rows, each of one access point and done by one call."""
    limit = clock.monotonic() + WAIT_SECONDS
    late: list[Held] = []
    for group in groups:
        name = group[0].access_point or ""
        share = shares.of(name, most)
        try:
            share.acquire(None, limit - clock.monotonic())
        except PluginBusy:
            late += group
        else:
            run = partial(_run, group, call, context, share)
            threading.Thread(target=run, name=f"call-{name}").start()
    _put_back(late, token)


def _run(group: Sequence[Held], call: GroupCall, context: Context, share: Share) -> None:
    try:
        with context():
            call(group)
    except Exception:
        log.exception("call of an access point broke", subjects=[row.subject_id for row in group])
    finally:
        share.release(None)


def _put_back(late: Sequence[Held], token: str) -> None:
    if not late:
        return
    now = clock.now()
    due = [
        (row.id, outbox.PLUGINS, now + timedelta(seconds=uniform(*PUT_BACK_SECONDS)))
        for row in late
    ]
    with db.writing() as connection:
        outbox.reschedule(connection, due, token)
