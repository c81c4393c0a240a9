"""How far a participant id of a tenant is on its way into a network, and what is next.

Nothing is stored for it: the stage follows from the claim, its decision and its publication, so a
person goes on with it on any day.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from einvoice.domain.claims import ClaimStatus, verified_number
from einvoice.domain.codes import VAT_SCHEME
from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.publication import WITHDRAWN_REASON, Publication
from einvoice.network.types import AccessPoint
from einvoice.services.account import tenants
from einvoice.services.participants import entries, standings
from einvoice.services.runtime import Runtime
from einvoice.store.account import participants
from einvoice.store.account.participants import OwnedParticipant


class Stage(StrEnum):
    """The next step for a participant id.

    CLAIM     the tenant claims it
    IDENTIFY  the claim is decided
    PUBLISH   the network lists it
    DONE      it sends and receives
    """

    CLAIM = "claim"
    IDENTIFY = "identify"
    PUBLISH = "publish"
    DONE = "done"


STAGES: Sequence[Stage] = tuple(Stage)


@dataclass(frozen=True, slots=True)
class WayIn:
    """A participant id on its way into a network of an environment.

    owned       the tenant's claim; None without one
    publishes   the network in whose directory this service writes it; None: nobody does here
    registers   the networks that say by whom an id is registered
    """

    participant: ParticipantId
    owned: OwnedParticipant | None
    publishes: str | None
    registers: Sequence[str]

    @property
    def stage(self) -> Stage:
        if self.owned is None:
            return Stage.CLAIM
        if self.owned.status != ClaimStatus.VERIFIED:
            return Stage.IDENTIFY
        if self.owned.publication == Publication.PUBLISHED or not self.registers:
            return Stage.DONE
        return Stage.PUBLISH

    @property
    def is_moving(self) -> bool:
        """Whether a worker or an operator has the next step: the page follows it."""
        if self.owned is None:
            return False
        if self.is_withdrawn:
            return False
        if self.stage is Stage.IDENTIFY:
            return self.owned.status == ClaimStatus.PENDING
        waits = (Publication.NONE, Publication.PENDING)
        return (
            bool(self.publishes) and self.stage is Stage.PUBLISH and self.owned.publication in waits
        )

    @property
    def is_withdrawn(self) -> bool:
        """Whether the tenant keeps it unpublished."""
        return self.owned is not None and self.owned.publication_reason == WITHDRAWN_REASON

    @property
    def number(self) -> str | None:
        """The number that proves the claim of it; None where no number does."""
        value = self.participant.value.upper()
        country = VAT_SCHEME.get(self.participant.scheme)
        text = str(self.participant) if country is None else country + value.removeprefix(country)
        try:
            return verified_number(text)
        except ValueError:
            return None


def of(
    tenant_id: str, environment: Environment, participant: ParticipantId, runtime: Runtime
) -> WayIn:
    """How far this participant id of the tenant is."""
    owned = participants.find(tenant_id, environment.value, participant.canonical)
    return _way(participant, owned, environment, runtime)


def all_of(
    tenant_id: str, environment: Environment, runtime: Runtime, limit: int
) -> Sequence[WayIn]:
    """How far the participant ids of the tenant are, by their order."""
    return [
        _way(ParticipantId.parse(owned.participant), owned, environment, runtime)
        for owned in tenants.owned_page(tenant_id, environment, after=None, limit=limit)
    ]


def _way(
    participant: ParticipantId,
    owned: OwnedParticipant | None,
    environment: Environment,
    runtime: Runtime,
) -> WayIn:
    points = runtime.access_points
    publishing: AccessPoint | None = entries.publishing(participant, environment, points)
    asked = [one.network for one in standings.confirming(participant, environment, points)]
    registers = tuple(dict.fromkeys(asked))
    if publishing is None:
        return WayIn(participant, owned, None, registers)
    return WayIn(participant, owned, publishing.network, registers or (publishing.network,))
