"""The test clock of a tenant's sandbox: what is due there becomes due earlier.

Nobody's clock changes. The stored moments of the tenant's sandbox are pulled nearer by a step, in
one transaction: next attempts and polls, the end of retries, deadlines, the times of the simulated
network, retries of webhooks and the end of failing ones, the expiry of keys and secrets, the end of
consents and of certificates of connections, and the next question to networks. A row that a worker
has at this moment is left out.

Days stay: the date of an invoice, the day that chooses rules, a legal deadline counted from a day.
So do moments that have passed (idempotency keys, share links, retention), the sessions of people,
and foreign test networks, whose clocks are theirs; they are asked earlier.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from einvoice import clock
from einvoice.domain.environments import Environment
from einvoice.domain.errors import Conflict, NotFound
from einvoice.network.access_points import AccessPoints
from einvoice.network.types import SimulatesTime
from einvoice.observability import logging
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.tenant_data import sandbox_clock as stored
from einvoice.store.tenant_data.sandbox_clock import MAX_ROWS, Waiting

log = logging.get(__name__)

MAX_SECONDS = 366 * 24 * 3600  # of a step
_MOMENTS = ("nextPollAt", "deadline")  # in a stored Pending


@dataclass(frozen=True, slots=True)
class Advanced:
    """How far the sandbox was moved, and what was waiting there.

    documents  documents and messages on their way
    webhooks   posts that are still to be made
    others     further moments: of keys, connections, endpoints and checks
    """

    seconds: int
    documents: int
    webhooks: int
    others: int


def advance(seconds: int, principal: Principal, runtime: Runtime) -> Advanced:
    """Pull the moments of the principal's sandbox by so many seconds.

    Raises NotFound for a live key, Conflict where too much waits to be moved at once.
    """
    if principal.environment is not Environment.TEST:
        raise NotFound("The clock is moved in the sandbox only.")
    by, tenant_id = timedelta(seconds=seconds), principal.tenant_id
    with db.writing() as connection:
        rows = stored.pull_open_rows(connection, tenant_id, by)
        if sum(map(len, rows.values())) > MAX_ROWS:
            connection.rollback()
            message = f"More than {MAX_ROWS:,} documents and webhooks wait in the sandbox."
            raise Conflict(f"{message} Move its clock when fewer do.")
        documents = [each for kind in outbox.DELIVERIES for each in rows.get(kind, ())]
        webhooks = rows.get(outbox.WEBHOOK, [])
        stored.pull_transmissions(connection, documents, by)
        stored.pull_deliveries(connection, webhooks, by)
        waiting = stored.waiting(connection, documents)
        stored.replace(connection, (_earlier(each, runtime.access_points, by) for each in waiting))
        others = stored.pull(connection, tenant_id, by)
        others += sum(len(found) for kind, found in rows.items() if kind not in _COUNTED)
    log.info("sandbox clock moved", tenant=tenant_id, seconds=seconds)
    return Advanced(seconds, len(documents), len(webhooks), others)


_COUNTED = (*outbox.DELIVERIES, outbox.WEBHOOK)


def _earlier(one: Waiting, points: AccessPoints, by: timedelta) -> Waiting:
    """Its next poll and deadline; and its state, if its access point simulates time."""
    point = points.get(one.access_point)
    simulator = point if isinstance(point, SimulatesTime) else None
    pending, prepared = one.pending, one.prepared_state
    if pending is not None:
        pending = pending | {name: _pulled(pending.get(name), by) for name in _MOMENTS}
        pending["state"] = _state(pending.get("state") or {}, simulator, by)
    if prepared is not None:
        prepared = _state(prepared, simulator, by)
    return replace(one, pending=pending, prepared_state=prepared)


def _state(
    state: Mapping[str, str], simulator: SimulatesTime | None, by: timedelta
) -> dict[str, str]:
    return dict(simulator.earlier(state, by) if simulator else state)


def _pulled(text: Any, by: timedelta) -> str | None:
    return clock.timestamp(datetime.fromisoformat(text) - by) if isinstance(text, str) else None
