"""The choice of the network that carries a document (decisions 20.13).

The one that the request names; else the one whose lookup gave the reference; else the one that the
tenant has set for the pair of countries; else the only one that serves the receiver. Never the
order of names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from einvoice.domain.environments import Environment
from einvoice.domain.errors import (
    AccessPointUnavailable,
    AmbiguousNetwork,
    MissingReceiver,
    NetworkNotSupported,
)
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.access_points import PEPPOL, AccessPoints, is_of
from einvoice.network.types import AccessPoint


@dataclass(frozen=True, slots=True)
class CountryPair:
    """The countries of supplier and buyer, as far as they are known."""

    supplier: str | None = None
    buyer: str | None = None


def access_point_for(
    participant: ParticipantId | None,
    environment: Environment,
    points: AccessPoints,
    network: str | None = None,
    chosen: str | None = None,
    last_resort: str | None = None,
) -> AccessPoint:
    """The access point to reach a participant by; None: a receiver without a participant id.

    network  the network, or the access point, that the request names
    chosen   the network that the tenant has set for the pair of countries
    last_resort  the one that it has set for receivers that no other reaches

    Raises NetworkNotSupported, AccessPointUnavailable, AmbiguousNetwork; MissingReceiver where the
    network reaches no receiver without a participant id.
    """
    if network is not None:
        _check_offered(network, environment, points)
    found = _reaching(participant, environment, points, network)
    if not found and network is None and last_resort is not None:
        found = _reaching(participant, environment, points, last_resort)
    if not found:
        raise _not_reached(participant, environment, points, network)
    if len(found) > 1 and chosen is not None:
        found = [point for point in found if is_of(point, chosen)] or found
    if len(found) > 1:
        raise _ambiguous(found, participant)
    return found[0]


def _reaching(
    participant: ParticipantId | None,
    environment: Environment,
    points: AccessPoints,
    network: str | None,
) -> list[AccessPoint]:
    if participant is None:
        return points.serving_without_id(environment, network)
    return points.serving(participant, environment, network)


@dataclass(frozen=True, slots=True)
class Directories:
    """The directories that a lookup of a participant asks (decisions 30.1).

    point         the access point whose directory knows it; None if no directory does
    reachable_by  the networks without a directory that reach it, sorted
    """

    point: AccessPoint | None
    reachable_by: tuple[str, ...] = ()


def directories_of(
    participant: ParticipantId,
    environment: Environment,
    points: AccessPoints,
    network: str | None = None,
) -> Directories:
    """The directory to ask about a participant; `network` is the one that the request names.

    Raises NetworkNotSupported; AccessPointUnavailable; AmbiguousNetwork of several directories.
    """
    if network is not None:
        _check_offered(network, environment, points)
    found = points.serving(participant, environment, network)
    if not found:
        raise _unavailable(participant, environment, network)
    asked = [point for point in found if point.capabilities.needs_lookup]
    others = tuple(names_of([point for point in found if point not in asked]))
    if len(asked) > 1:
        raise _ambiguous(asked, participant)
    return Directories(asked[0] if asked else None, others)


def _ambiguous(found: Sequence[AccessPoint], participant: ParticipantId | None) -> AmbiguousNetwork:
    names, whom = names_of(found), participant or "A receiver without a participant id"
    return AmbiguousNetwork(
        f"{whom} is reached by several networks: {', '.join(names)}. Name one.", names
    )


def _not_reached(
    participant: ParticipantId | None,
    environment: Environment,
    points: AccessPoints,
    network: str | None,
) -> MissingReceiver | AccessPointUnavailable:
    if participant is not None:
        return _unavailable(participant, environment, network)
    others = names_of(points.serving_without_id(environment))
    by = f"the network {network} reaches" if network else "all networks reach"
    way = f", or name a network that needs none ({', '.join(others)})" if others else ""
    return MissingReceiver(f"{by} receivers by their participant id only: send it{way}")


def refuse_unserved(
    participant: ParticipantId, environment: Environment, points: AccessPoints, network: str | None
) -> None:
    """Raise AccessPointUnavailable if no access point reaches the participant, and
    NetworkNotSupported for a network that the environment does not offer."""
    if network is not None:
        _check_offered(network, environment, points)
    if not points.serving(participant, environment, network):
        raise _unavailable(participant, environment, network)


def _unavailable(
    participant: ParticipantId, environment: Environment, network: str | None
) -> AccessPointUnavailable:
    by = f"No access point of {network}" if network else "No access point"
    return AccessPointUnavailable(f"{by} serves the {environment} environment for {participant}.")


def names_of(points: Sequence[AccessPoint]) -> list[str]:
    """The networks of the access points; of several in one network, the access points."""
    networks = [point.network for point in points]
    return sorted(
        point.name if networks.count(point.network) > 1 else point.network for point in points
    )


def chosen_network(choices: object, countries: CountryPair) -> str | None:
    """The network that the tenant has set for a pair of countries (`networkChoices`)."""
    if not isinstance(choices, Iterable):
        return None
    for choice in choices:
        if isinstance(choice, Mapping) and (
            choice.get("supplierCountry") == countries.supplier
            and choice.get("buyerCountry") == countries.buyer
        ):
            return str(choice.get("network"))
    return None


def _check_offered(network: str, environment: Environment, points: AccessPoints) -> None:
    """Peppol is known everywhere; where it is not offered, it is unavailable."""
    offered = points.networks(environment)
    named = network in points and points[network].environment is environment
    if network == PEPPOL or named or network in offered:
        return
    shown = ", ".join(offered) or "none"
    raise NetworkNotSupported(
        f"The {environment} environment does not offer the network {network!r}: {shown} only.",
        offered,
    )
