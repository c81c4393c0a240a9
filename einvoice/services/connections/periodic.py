"""Checks of connections at the intervals of their access points, by workers.

Each connection that was opened once has an outbox row of the lane `plugins`, which is rescheduled
with its check. The relay inserts the missing ones. A check takes the connection's lease, as those
that people ask for do (checking), so a connection has one check at a time. Times are spread at
random, so that connections that were made together are not checked together.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from random import uniform

from einvoice import clock
from einvoice.domain.connections import USABLE, State
from einvoice.domain.errors import AccessPointUnavailable, RequestRefused
from einvoice.network.access_points import AccessPoints
from einvoice.network.calls import CONNECTION_SECONDS, Shares
from einvoice.observability import logging, metrics
from einvoice.services import plugin_calls
from einvoice.services.connections import checks, network_faults, points
from einvoice.services.connections.consent_groups import CHECK_PREFIX
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import ConnectionRecord
from einvoice.store.core import db
from einvoice.store.outbox import Held

log = logging.get(__name__)

MIN_INTERVAL, MAX_INTERVAL = timedelta(minutes=5), timedelta(days=30)
# After a check without an answer, and where the access point is not installed.
RETRY_AFTER, MISSING_AFTER = timedelta(minutes=15), timedelta(hours=1)
# Of connections that wait for a person, at least: a check may find that they work again.
UNUSABLE_INTERVAL = timedelta(days=1)
MAX_CALLS = 8  # checks of one access point at the same time in a worker
MAX_SCHEDULED = 500
_SPREAD = (0.9, 1.1)

_shares = Shares()


def schedule(runtime: Runtime) -> bool:
    """Insert the missing rows, due within the first interval; whether there may be more."""
    missing = stored.without_row(CHECK_PREFIX, MAX_SCHEDULED)
    if not missing:
        return False
    now = clock.now()
    with db.writing() as connection:
        for one in missing:
            every = interval(runtime.access_points, one.access_point)
            outbox.enqueue(
                connection,
                kind=outbox.CONNECTION,
                lane=outbox.PLUGINS,
                subject_id=CHECK_PREFIX + one.id,
                tenant_id=one.tenant_id,
                due_at=now + every * uniform(0.0, 1.0),
                access_point=one.access_point,
            )
    return len(missing) == MAX_SCHEDULED


def interval(access_points: AccessPoints, name: str) -> timedelta:
    """The interval that the access point asks for, within bounds."""
    try:
        every = points.named(access_points, name).connected.describe().check_every
    except AccessPointUnavailable:
        return MISSING_AFTER
    return min(max(every, MIN_INTERVAL), MAX_INTERVAL)


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Start the checks of these rows, each in a thread that reschedules its row."""
    plugin_calls.start(
        _shares,
        outbox.held(outbox_ids, token, clock.now()),
        token,
        most=MAX_CALLS,
        call=partial(_check, token, runtime),
        context=runtime.context,
    )


def _check(token: str, runtime: Runtime, row: Held) -> None:
    found = stored.by_id(row.subject_id.removeprefix(CHECK_PREFIX))
    if found is None or found.state in {State.REVOKED, State.SETTING_UP}:
        with db.writing() as connection:
            outbox.complete(connection, [row.id], token)
        return
    seconds = CONNECTION_SECONDS + checks.WAIT_SECONDS + runtime.settings.lease_margin
    if not outbox.extend_from_now(row.id, token, seconds):
        return
    pause = _checked(found, runtime)
    with db.writing() as connection:
        due = clock.now() + pause * uniform(*_SPREAD)
        outbox.reschedule(connection, [(row.id, outbox.PLUGINS, due)], token)


def _checked(found: ConnectionRecord, runtime: Runtime) -> timedelta:
    """Check the connection; the time until the next check."""
    began = clock.now()
    every = interval(runtime.access_points, found.access_point)
    try:
        point = points.named(runtime.access_points, found.access_point)
        after = checks.run(found, point.connected.check, runtime)
    except AccessPointUnavailable:
        return MISSING_AFTER
    except RequestRefused as fault:  # revoked meanwhile, or another call has it
        log.info("connection not checked", connection=found.id, fault=type(fault).__name__)
        return min(every, RETRY_AFTER)
    pause = _after(after, began, every)
    refused = network_faults.refusal_of(point.point) is not None
    return min(pause, network_faults.PAUSE) if refused else pause


def _after(checked: ConnectionRecord, began: datetime, every: timedelta) -> timedelta:
    answered = checked.checked_at is not None and checked.checked_at >= began
    metrics.connection_checked(checked.access_point, checked.state if answered else "unanswered")
    if not answered:
        return min(every, RETRY_AFTER)
    return every if State(checked.state) in USABLE else max(every, UNUSABLE_INTERVAL)
