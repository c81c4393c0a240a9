"""The content of /status: parts of the service, networks with their last success, incidents.

Nothing of tenants is in it. It costs the same for any number of documents: the time of the last
delivery of each access point is a note that the relay leaves once a minute (`note_deliveries`), and
the state of queues is read from open work. A process reads all of it again after KEPT_SECONDS.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum

from sqlalchemy.exc import SQLAlchemyError

from einvoice import clock
from einvoice.network.types import AccessPoint
from einvoice.observability import logging
from einvoice.services.connections.network_faults import refusal_of
from einvoice.services.console import incidents
from einvoice.services.console.incidents import Incident
from einvoice.services.readiness import Service
from einvoice.services.runtime import Runtime
from einvoice.store import outbox
from einvoice.store.core import db
from einvoice.store.installation import service_states
from einvoice.store.sending import recent_outcomes

log = logging.get(__name__)

KEPT_SECONDS = 20.0
SHOWN = timedelta(days=30)  # of incidents that have ended
# Seconds that due work waits: work is picked up within a second when all is well.
LATE_SECONDS, DOWN_SECONDS = 60.0, 900.0
SILENT = timedelta(minutes=15)  # a network that delivers nothing, while documents wait for it
_PREFIX = "network:"


class ComponentState(StrEnum):
    """How a part works. UNKNOWN: it cannot be asked, because the database does not answer."""

    OPERATIONAL = "operational"
    DEGRADED = "degraded"
    DOWN = "down"
    UNKNOWN = "unknown"


_WORST = (ComponentState.DOWN, ComponentState.DEGRADED, ComponentState.UNKNOWN)


@dataclass(frozen=True, slots=True)
class Component:
    """A part of the service."""

    name: str
    status: ComponentState


@dataclass(frozen=True, slots=True)
class NetworkLine:
    """A network in one environment; `last_success`: None before its first delivery."""

    network: str
    environment: str
    status: ComponentState
    last_success: datetime | None


@dataclass(frozen=True, slots=True)
class ServiceStatus:
    """All of it, as it was at a moment; `status` is the worst of the parts and networks."""

    at: datetime
    components: Sequence[Component]
    networks: Sequence[NetworkLine]
    incidents: Sequence[Incident]

    @property
    def status(self) -> ComponentState:
        parts: list[Component | NetworkLine] = [*self.components, *self.networks]
        found = {each.status for each in parts}
        return next((each for each in _WORST if each in found), ComponentState.OPERATIONAL)


class StatusBoard:
    """The status of one running service, read again after KEPT_SECONDS. Safe between threads."""

    def __init__(self) -> None:
        self._kept: ServiceStatus | None = None
        self._until = 0.0
        self._lock = threading.Lock()

    def read(self, runtime: Runtime) -> ServiceStatus:
        """The status; one thread reads it, and others get the last one meanwhile."""
        kept = self._kept
        if kept is not None and (clock.monotonic() < self._until or self._lock.locked()):
            return kept
        with self._lock:
            if self._kept is None or clock.monotonic() >= self._until:
                self._kept = _read(runtime, self._kept)
                self._until = clock.monotonic() + KEPT_SECONDS
            return self._kept


def _read(runtime: Runtime, before: ServiceStatus | None) -> ServiceStatus:
    state = runtime.readiness.state()
    if state.is_usable:
        try:
            return _with_database(runtime, is_redis_up=state.redis is Service.UP)
        except SQLAlchemyError as fault:
            log.warning("status without the database", fault=type(fault).__name__)
    return _without_database(runtime, before)


def _with_database(runtime: Runtime, *, is_redis_up: bool) -> ServiceStatus:
    now = clock.now()
    sends = _queue([outbox.WAITED, outbox.BULK, outbox.CHORES], now)
    if not is_redis_up and sends is ComponentState.OPERATIONAL:
        sends = ComponentState.DEGRADED
    return ServiceStatus(
        now,
        (
            Component("API", ComponentState.OPERATIONAL),
            Component("Deliveries", sends),
            Component("Webhooks", _queue([outbox.WEBHOOKS], now)),
        ),
        tuple(_networks(runtime, now)),
        tuple(each for each in incidents.newest() if _is_shown(each, now)),
    )


def _without_database(runtime: Runtime, before: ServiceStatus | None) -> ServiceStatus:
    """The API is down; of the rest only what was known before."""
    unknown = ComponentState.UNKNOWN
    known = before.networks if before is not None else [
        NetworkLine(point.network, point.environment.value, unknown, None)
        for point in runtime.access_points
    ]  # fmt: skip
    return ServiceStatus(
        clock.now(),
        (
            Component("API", ComponentState.DOWN),
            Component("Deliveries", unknown),
            Component("Webhooks", unknown),
        ),
        tuple(replace(each, status=unknown) for each in known),
        before.incidents if before is not None else (),
    )


def _is_shown(incident: Incident, now: datetime) -> bool:
    return incident.ended_at is None or now - incident.ended_at < SHOWN


def _queue(lanes: Sequence[str], now: datetime) -> ComponentState:
    late = outbox.oldest_due(lanes, now)
    if late >= DOWN_SECONDS:
        return ComponentState.DOWN
    return ComponentState.DEGRADED if late >= LATE_SECONDS else ComponentState.OPERATIONAL


def _networks(runtime: Runtime, now: datetime) -> list[NetworkLine]:
    noted = {note.name.removeprefix(_PREFIX): note.noted_at for note in _notes()}
    waiting = {
        each.access_point: each.since
        for each in outbox.oldest_unsettled()
        if each.waits_for == "network"
    }
    lines = [
        NetworkLine(
            point.network,
            point.environment.value,
            _state(point, waiting.get(point.name), noted.get(point.name), now),
            noted.get(point.name),
        )
        for point in runtime.access_points
    ]
    return sorted(lines, key=lambda line: (line.environment, line.network))


def _state(
    point: AccessPoint, waits_since: datetime | None, succeeded: datetime | None, now: datetime
) -> ComponentState:
    if refusal_of(point) is not None:
        return ComponentState.DOWN
    is_late = waits_since is not None and now - waits_since > SILENT
    is_silent = succeeded is None or now - succeeded > SILENT
    return ComponentState.DEGRADED if is_late and is_silent else ComponentState.OPERATIONAL


def _notes() -> list[service_states.StateNote]:
    return service_states.find(_PREFIX)


def note_deliveries() -> bool:
    """Note when each access point delivered last, if that is newer than its note.

    False: there is never more to do.
    """
    noted = {note.name: note.noted_at for note in _notes()}
    newer = {
        _PREFIX + point: at
        for point, at in recent_outcomes.last_deliveries().items()
        if _PREFIX + point not in noted or at > noted[_PREFIX + point]
    }
    if newer:
        with db.writing() as connection:
            for name, at in sorted(newer.items()):
                service_states.write(connection, name, at)
    return False
