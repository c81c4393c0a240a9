"""Where the networks say that a participant is registered: with us, elsewhere, or not at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from einvoice.domain.environments import Environment
from einvoice.domain.errors import AccessPointUnavailable
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import calls
from einvoice.network.registry import AccessPoints
from einvoice.network.types import ConfirmsParticipants, DirectoryUnavailable, Registration
from einvoice.services.participants.lookup import query_directory


class Place(StrEnum):
    """Where a participant is registered in a network."""

    HERE = "here"
    ELSEWHERE = "elsewhere"
    ABSENT = "not registered"
    UNKNOWN = "no answer"


@dataclass(frozen=True, slots=True)
class Standing:
    """What one network says of a participant; `found` is its registration, if it has one."""

    access_point: str
    place: Place
    found: Registration | None = None

    @property
    def endpoint(self) -> str | None:
        """Where it receives, if that is known."""
        return self.found.endpoint if self.found else None


def standings(
    participant: ParticipantId, environment: Environment, points: AccessPoints
) -> Iterator[Standing]:
    """What each network says whose registrations name an access point. Asks the networks."""
    for point in points:
        if (
            point.environment is environment
            and isinstance(point, ConfirmsParticipants)
            and point.serves(participant)
        ):
            yield _standing(point, participant)


def _standing(point: ConfirmsParticipants, participant: ParticipantId) -> Standing:
    try:
        found = query_directory(point, participant)
        if found is None:
            return Standing(point.name, Place.ABSENT)
        here = calls.lookups.call(
            point.name, lambda: point.registered_here(participant), calls.LOOKUP_SECONDS
        )
    except (AccessPointUnavailable, DirectoryUnavailable, calls.PluginBusy):
        return Standing(point.name, Place.UNKNOWN)
    return Standing(point.name, Place.HERE if here else Place.ELSEWHERE, found)
