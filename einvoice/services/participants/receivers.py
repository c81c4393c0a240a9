"""The answer of a network about a receiver, for people who write an invoice to it."""

from __future__ import annotations

from dataclasses import dataclass

from einvoice.domain.errors import InvalidReceiver
from einvoice.domain.identifiers import ParticipantId
from einvoice.domain.invoice import DocumentKind
from einvoice.services.forms import NetworkForms
from einvoice.services.participants import lookup
from einvoice.services.participants.lookup import Route
from einvoice.services.participants.routing import access_point_for
from einvoice.services.principal import Principal
from einvoice.services.runtime import Runtime

_KINDS = (DocumentKind.INVOICE, DocumentKind.CREDIT_NOTE)


@dataclass(frozen=True, slots=True)
class Receiver:
    """A receiver that a network reaches.

    is_listed  whether the network has a directory, in which it is registered
    kinds      invoices and credit notes, as far as it takes them in a form that we can write
    """

    participant: ParticipantId
    network: str
    is_listed: bool
    kinds: frozenset[DocumentKind]


def find(text: str, network: str | None, principal: Principal, runtime: Runtime) -> Receiver:
    """The answer of the network about a receiver; arguments and errors as of `look_up`."""
    receiver, route = look_up(text, network, principal, runtime)
    forms = runtime.forms.of(route.point.network)
    kinds = frozenset(kind for kind in _KINDS if _is_taken(kind, route, forms))
    is_listed = route.document_types is not None
    return Receiver(receiver, route.point.network, is_listed, kinds)


def look_up(
    text: str, network: str | None, principal: Principal, runtime: Runtime
) -> tuple[ParticipantId, Route]:
    """Ask the network for a receiver, unless the stored lookup is fresh. May be slow.

    network  the one to ask, if several reach it

    Raises InvalidReceiver, SandboxParticipant, AccessPointUnavailable, NetworkNotSupported,
    AmbiguousNetwork, ReceiverNotRegistered.
    """
    receiver = ParticipantId.parse(text, error=InvalidReceiver)
    lookup.refuse_sandbox_participant(receiver, principal.environment, runtime.access_points)
    point = access_point_for(receiver, principal.environment, runtime.access_points, network)
    return receiver, lookup.route_to(
        receiver, (), point, principal, runtime.settings.lookup_fresh_for
    )


def _is_taken(kind: DocumentKind, route: Route, forms: NetworkForms) -> bool:
    types = (profile.type_of(kind) for profile in forms.profiles_for(kind))
    return any(each is not None and route.accepts_type(each) for each in types)
