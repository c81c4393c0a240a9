"""Where the networks say that a participant is registered: with us, elsewhere, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial

from einvoice import clock
from einvoice.domain.claims import NOT_OWNED
from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable, NotFound
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import calls
from einvoice.network.access_points import AccessPoints, serves
from einvoice.network.types import ConfirmsParticipants, DirectoryUnavailable, Registration
from einvoice.observability import logging
from einvoice.services.participants.lookup import query_directory
from einvoice.services.runtime import Runtime
from einvoice.store.account import participants

log = logging.get(__name__)

MAX_SECONDS = 15.0  # in which a request begins to ask networks


class Place(StrEnum):
    """Where a participant is registered in a network."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    ABSENT = "not registered"
    UNKNOWN = "no answer"


@dataclass(frozen=True, slots=True)
class Standing:
    """The answer of one network about a participant; `found` is its registration, if it has one."""

    access_point: str
    place: Place
    found: Registration | None = None

    @property
    def endpoint(self) -> str | None:
        """Where it receives, if that is known."""
        return self.found.endpoint if self.found else None


@dataclass(frozen=True, slots=True)
class AskedStandings:
    """The answers of the networks at a moment."""

    asked_at: datetime
    standings: tuple[Standing, ...]

    @property
    def is_complete(self) -> bool:
        """Whether all networks answered."""
        return all(each.place is not Place.UNKNOWN for each in self.standings)


def of_owned(
    tenant_id: str, environment: Environment, participant: ParticipantId, runtime: Runtime
) -> AskedStandings:
    """The answers of the networks about an id of the tenant or claimed by it, kept for a minute.

    Raises NotFound.
    """
    if participants.find(tenant_id, environment.value, participant.canonical) is None:
        raise NotFound(NOT_OWNED)
    return of_any(tenant_id, environment, participant, runtime)


def of_any(
    tenant_id: str, environment: Environment, participant: ParticipantId, runtime: Runtime
) -> AskedStandings:
    """The answers of the networks about any id, asked for the tenant and kept for a minute."""
    kept, key = runtime.caches.standings, (environment.value, participant.canonical)
    ask = partial(_asked, tenant_id, environment, participant, runtime)
    found: AskedStandings = kept.get(key, ask) or ask()
    if not found.is_complete:
        kept.drop(key)
    return found


def _asked(
    tenant_id: str, environment: Environment, participant: ParticipantId, runtime: Runtime
) -> AskedStandings:
    """Ask each network; those whose turn comes after MAX_SECONDS give no answer."""
    ends_at = clock.monotonic() + MAX_SECONDS
    found = tuple(
        _standing(point, participant, tenant_id)
        if clock.monotonic() < ends_at
        else Standing(point.name, Place.UNKNOWN)
        for point in confirming(participant, environment, runtime.access_points)
    )
    return AskedStandings(clock.now(), found)


def standings(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> Iterator[Standing]:
    """The answer of each network whose registrations name an access point. Asks the networks."""
    for point in confirming(participant, environment, points):
        yield _standing(point, participant)


def confirming(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> Iterator[ConfirmsParticipants]:
    """The access points whose networks say by whom the participant is registered."""
    for point in points:
        if (
            point.environment is environment
            and isinstance(point, ConfirmsParticipants)
            and serves(point, participant)
        ):
            yield point


def _standing(
    point: ConfirmsParticipants, participant: ParticipantId, tenant_id: str | None = None
) -> Standing:
    try:
        found = query_directory(point, participant, tenant_id)
        if found is None:
            return Standing(point.name, Place.ABSENT)
        is_registered = calls.lookups.call(
            point.name,
            lambda: point.registered_here(participant),
            calls.LOOKUP_SECONDS,
            tenant_id,
        )
    except (AccessPointUnavailable, DirectoryUnavailable, calls.PluginBusy):
        return Standing(point.name, Place.UNKNOWN)
    except Exception:  # of a plugin
        log.exception("question about a registration raised", access_point=point.name)
        return Standing(point.name, Place.UNKNOWN)
    return Standing(point.name, Place.HERE if is_registered else Place.ELSEWHERE, found)
