"""The routes to the receivers of a batch, looked up together and each once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from einvoice.domain.errors import RequestRefused
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.calls import MAX_TENANT_CALLS
from einvoice.network.types import AccessPoint
from einvoice.services.participants import lookup
from einvoice.services.participants.lookup import Route
from einvoice.services.participants.routing import access_point_for
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime
from einvoice.store.sending import registrations

MAX_CONCURRENT_LOOKUPS = MAX_TENANT_CALLS
Receiver = tuple[str | None, ParticipantId]  # with the network that is asked for


@dataclass(slots=True)
class Receivers:
    """The routes that were found so far, or why there is none."""

    principal: Principal
    runtime: Runtime
    routes: dict[tuple[str | None, str], Route | RequestRefused] = field(default_factory=dict)

    def find(self, wanted: Iterable[Receiver]) -> None:
        """Find the routes that are not known, querying directories for unknown participants."""
        missing = {
            (network, receiver.canonical): receiver
            for network, receiver in wanted
            if (network, receiver.canonical) not in self.routes
        }
        known = registrations.of_participants(
            {canonical for _, canonical in missing},
            self.principal.tenant_id,
            self.principal.environment.value,
        )
        unknown: list[tuple[tuple[str | None, str], ParticipantId, AccessPoint]] = []
        for key, receiver in missing.items():
            point = self._access_point(key[0], receiver)
            if point is None:
                continue
            fresh_for = self.runtime.settings.lookup_fresh_for
            types = self.runtime.forms.of(point.network).document_types
            route = lookup.stored_route(known.get((key[1], point.name)), types, point, fresh_for)
            if route is None:
                unknown.append((key, receiver, point))
            else:
                self.routes[key] = route
        self._query_directory(unknown)

    def route(self, network: str | None, receiver: ParticipantId) -> Route | None:
        """The route that was found; None if no access point serves the receiver.

        Raises AccessPointUnavailable, ReceiverNotRegistered.
        """
        found = self.routes.get((network, receiver.canonical))
        if isinstance(found, RequestRefused):
            raise found
        return found

    def _access_point(self, network: str | None, receiver: ParticipantId) -> AccessPoint | None:
        """None if no access point serves the receiver; the checks refuse its documents."""
        try:
            return access_point_for(
                receiver, self.principal.environment, self.runtime.access_points, network
            )
        except RequestRefused:
            return None

    def _query_directory(
        self, unknown: Sequence[tuple[tuple[str | None, str], ParticipantId, AccessPoint]]
    ) -> None:
        if not unknown:
            return
        with (
            self.runtime.slot.released(),
            ThreadPoolExecutor(MAX_CONCURRENT_LOOKUPS) as pool,
        ):
            routes = pool.map(lambda one: self._looked_up(one[1], one[2]), unknown)
            self.routes |= {key: route for (key, _, _), route in zip(unknown, routes, strict=True)}

    def _looked_up(self, receiver: ParticipantId, point: AccessPoint) -> Route | RequestRefused:
        with self.runtime.context():
            try:
                return lookup.looked_up_route(receiver, point, self.principal)
            except RequestRefused as refusal:
                return refusal
