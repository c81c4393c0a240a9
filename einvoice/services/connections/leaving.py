"""Leaving networks that keep something for an account, after its connection has ended.

What ends a connection adds an outbox row in its transaction; a worker calls the access point with
the last credentials, which are deleted afterwards, at the latest after GIVE_UP_AFTER.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial
from typing import Final

from einvoice import clock
from einvoice.network import calls
from einvoice.network.calls import CONNECTION_SECONDS, PluginBusy, Shares
from einvoice.network.connections import LeavesNetwork
from einvoice.observability import logging
from einvoice.security.sealing import SealBroken
from einvoice.services import plugin_calls
from einvoice.services.connections import checks, sealing
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.connections import connections as stored
from einvoice.store.connections.connections import LEAVE_PREFIX, SealedConnection
from einvoice.store.core import db
from einvoice.store.outbox import Held

log = logging.get(__name__)

GIVE_UP_AFTER: Final = timedelta(days=1)
MAX_CALLS: Final = 2  # of one access point at the same time in a worker
_UNANSWERED: Final = "the network did not answer"

_shares = Shares()


def run(outbox_ids: Sequence[int], token: str, runtime: Runtime) -> None:
    """Leave the networks of these rows, each in a thread that settles its row."""
    plugin_calls.start(
        _shares,
        outbox.held(outbox_ids, token, clock.now()),
        token,
        most=MAX_CALLS,
        call=partial(_work, token, runtime),
        context=runtime.context,
    )


def _work(token: str, runtime: Runtime, row: Held) -> None:
    connection_id = row.subject_id.removeprefix(LEAVE_PREFIX)
    found = stored.leaving(connection_id)
    if found is None:
        _end(row, token, connection_id)
        return
    seconds = CONNECTION_SECONDS + runtime.settings.lease_margin
    if not outbox.extend_from_now(row.id, token, seconds):
        return
    fault = _fault_of(found.connection, runtime)
    since = clock.now() - found.ended_at
    if fault is None:
        log.info("network left", connection=connection_id)
    elif since > GIVE_UP_AFTER:
        log.error("network not left", connection=connection_id, fault=fault)
    else:
        log.warning("network not left yet", connection=connection_id, fault=fault)
        plugin_calls.again(row, token, since)
        return
    _end(row, token, connection_id)


def _fault_of(sealed: SealedConnection, runtime: Runtime) -> str | None:
    """Call the access point; why the network is not left, without secrets. None: it is."""
    point = runtime.access_points.get(sealed.access_point)
    if not isinstance(point, LeavesNetwork):
        return None if point is not None else "its access point is not installed"
    try:
        connection = sealing.opened(sealed, runtime.settings)
        calls.connections.call(
            sealed.access_point, partial(point.leave, connection), CONNECTION_SECONDS
        )
    except SealBroken:
        return checks.UNREADABLE
    except PluginBusy:
        return _UNANSWERED
    except (Exception, SystemExit) as fault:  # noqa: BLE001 - of a plugin; it may hold a secret
        return type(fault).__name__
    return None


def _end(row: Held, token: str, connection_id: str) -> None:
    with db.writing() as connection:
        stored.left(connection, connection_id)
        outbox.complete(connection, [row.id], token)
