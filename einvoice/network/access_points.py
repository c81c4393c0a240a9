"""The access points of the installed plugins, and which of them reach a participant."""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network.conformity import fault_of
from einvoice.network.connections import Connected, ConnectionForm, LeavesNetwork
from einvoice.network.mailboxes import FetchTerms, Mailbox
from einvoice.network.types import AccessPoint, Capabilities, PollsMany

log = logging.getLogger(__name__)  # of the standard library: `einvoice validate` loads no other

PEPPOL = "peppol"
SIMULATOR = "simulator"
NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)  # of whatever a plugin offers
NAME_RULE = "a name is 1 to 40 lower-case letters, digits and inner hyphens"


_DECLARED = {"name": str, "network": str, "environment": Environment, "capabilities": Capabilities}
_MEMBERS = (*_DECLARED, *(name for name in vars(AccessPoint) if not name.startswith("_")))
# What access points say of accounts and of mailboxes, without the network.
_TERMS = ((Connected, "describe", ConnectionForm), (Mailbox, "fetch_terms", FetchTerms))


class PluginFault(Exception):
    """A plugin that cannot be used. The message names the plugin and what is wrong."""


class AccessPoints:
    """All access points by name. Simulators never serve live."""

    def __init__(self, offered: Iterable[AccessPoint]) -> None:
        self._by_name: dict[str, AccessPoint] = {}
        self._reserved: dict[str, AccessPoint] = {}
        for point in offered:
            self._add(point)
        self._in_order = sorted(self._by_name.values(), key=lambda point: point.name)
        self._without_directory = {
            point.environment for point in self if not point.capabilities.needs_lookup
        }

    def _add(self, point: AccessPoint) -> None:
        for wrong in faults(point):
            raise PluginFault(f"access point {getattr(point, 'name', None)!r}: {wrong}")
        if point.name in self._by_name:
            raise PluginFault(f"two access points are named {point.name!r}")
        self._by_name[point.name] = point
        for participant in point.capabilities.reserved:
            self._reserved[participant.canonical] = point

    def __getitem__(self, name: str) -> AccessPoint:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def get(self, name: str) -> AccessPoint | None:
        """The access point; None if it is not installed."""
        return self._by_name.get(name)

    def __iter__(self) -> Iterator[AccessPoint]:
        return iter(self._by_name.values())

    def capabilities_of(self, name: str) -> Capabilities:
        """The capabilities of the access point; the default ones, if it is not installed."""
        found = self._by_name.get(name)
        return Capabilities() if found is None else found.capabilities

    def reserved(self, participant: ParticipantId) -> bool:
        """Whether the participant exists in a sandbox only. Live keys may not send to it."""
        return participant.canonical in self._reserved

    def networks(self, environment: Environment) -> list[str]:
        """The networks offered in an environment; a simulator stands for Peppol's test network."""
        offered = {point.network for point in self if point.environment is environment}
        return sorted(offered | ({PEPPOL} if SIMULATOR in offered else set()))

    def serving(
        self, participant: ParticipantId, environment: Environment, network: str | None = None
    ) -> list[AccessPoint]:
        """The access points that reach the participant, in the order of their names.

        Simulators only if no other does: they stand for any test network. `network`: only those of
        the network, or the one of this name; None: without those that have to be named.
        """
        found = [
            point
            for point in self._candidates(participant)
            if point.environment is environment
            and (_is_offered(point) if network is None else stands_for(point, network))
            and serves(point, participant)
        ]
        return [point for point in found if not simulates(point)] or found

    def serving_without_id(
        self, environment: Environment, network: str | None = None
    ) -> list[AccessPoint]:
        """The access points that reach receivers without a participant id, by name.

        `network`: only those of the network, or the one of this name; None: without those that
        have to be named.
        """
        return [
            point
            for point in self._in_order
            if point.environment is environment
            and point.capabilities.reaches_without_id
            and (_is_offered(point) if network is None else is_of(point, network))
        ]

    def reaches_without_id(self, environment: Environment) -> bool:
        """Whether some access point of the environment, also one that has to be named, reaches
        receivers without a participant id."""
        return any(
            point.capabilities.reaches_without_id and point.environment is environment
            for point in self._in_order
        )

    def without_directory(self, environment: Environment) -> bool:
        """Whether some access point of the environment sends without a lookup."""
        return environment in self._without_directory

    def _candidates(self, participant: ParticipantId) -> Iterable[AccessPoint]:
        owner = self._reserved.get(participant.canonical)
        return self._in_order if owner is None else (owner,)


def is_of(point: AccessPoint, network: str) -> bool:
    """Whether an access point is of a network, or has this name."""
    return network in (point.network, point.name)


def stands_for(point: AccessPoint, network: str) -> bool:
    """Whether an access point is of a network, or has this name, or simulates it."""
    return is_of(point, network) or simulates(point)


def serves(point: AccessPoint, participant: ParticipantId) -> bool:
    """Whether it serves the participant. One that raises does not, and the others are asked."""
    try:
        return bool(point.serves(participant))
    except Exception:
        log.exception("serves of %s raised", point.name)
        return False


def _is_offered(point: AccessPoint) -> bool:
    """Whether an access point may carry documents whose send names no network."""
    return not point.capabilities.named_only


def simulates(point: AccessPoint) -> bool:
    """Whether an access point is a simulator, which stands for any test network."""
    return point.network == SIMULATOR


def faults(point: AccessPoint) -> Iterator[str]:
    """The faults of an access point: what it lacks, its name, environment and capabilities, and
    what it says of accounts and mailboxes."""
    found = list(_faults_of_types(point))
    yield from found or _faults_of_values(point)


def _faults_of_types(point: AccessPoint) -> Iterator[str]:
    missing = [name for name in _MEMBERS if getattr(point, name, None) is None]
    if missing:
        yield f"{type(point).__name__} lacks {', '.join(missing)}"
        return
    for name, kind in _DECLARED.items():
        fault = fault_of(getattr(point, name), kind)
        if fault is not None:
            yield f"its {name}: {fault}"
    for protocol, name, kind in _TERMS:
        if isinstance(point, protocol):
            yield from _faults_of_call(name, getattr(point, name), kind)


def _faults_of_call(name: str, call: Callable[[], object], kind: type) -> Iterator[str]:
    try:
        fault = fault_of(call(), kind)
    except Exception as raised:  # noqa: BLE001 - of a plugin: shown
        fault = f"it raised {type(raised).__name__}"
    if fault is not None:
        yield f"its {name}(): {fault}"


def _faults_of_values(point: AccessPoint) -> Iterator[str]:
    capabilities = point.capabilities
    if not NAME.fullmatch(point.name):
        yield NAME_RULE
    if not NAME.fullmatch(point.network):
        yield f"its network {point.network!r}: {NAME_RULE}"
    if point.network == SIMULATOR and point.environment is not Environment.TEST:
        yield "a simulator offers itself for live"
    if capabilities.reserved and point.network != SIMULATOR:
        yield "only a simulator may reserve participants"
    if capabilities.bulk < 1 or capabilities.concurrency < 1 or capabilities.timeout <= 0:
        yield "bulk and concurrency must be at least 1, the timeout more than 0 seconds"
    if capabilities.timeout_per_mebibyte < 0:
        yield "timeout_per_mebibyte must be 0 or more"
    if capabilities.poll_bulk < 1 or (
        capabilities.poll_bulk > 1 and not isinstance(point, PollsMany)
    ):
        yield "poll_bulk must be at least 1, and more than 1 only with poll_many"
    if capabilities.max_bytes is not None and capabilities.max_bytes < 1:
        yield "max_bytes must be at least 1, or None"
    if not capabilities.formats:
        yield "its capabilities name no format"


def names_of_leaving(points: Iterable[AccessPoint]) -> frozenset[str]:
    """The access points among these whose networks keep something for an account."""
    return frozenset(each.name for each in points if isinstance(each, LeavesNetwork))
