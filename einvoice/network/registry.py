"""Load the plugins, check what they offer, and find the access point for a participant."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pluggy

from einvoice.domain.environments import Environment
from einvoice.domain.identifiers import ParticipantId
from einvoice.network import hookspec
from einvoice.network.endpoints import Endpoint
from einvoice.network.types import INTERFACE_VERSION, AccessPoint, ClosedInbox, Inbox

PEPPOL = "peppol"
SIMULATOR = "simulator"
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?", re.ASCII)
_NAME_WORDS = "a name is 1 to 40 lower-case letters, digits and inner hyphens"


class PluginFault(Exception):
    """A plugin that cannot be used: the start stops with its name and what is wrong."""


class AccessPoints:
    """All access points by name; simulators are asked last and never serve live."""

    def __init__(self, offered: Iterable[AccessPoint]) -> None:
        self._by_name: dict[str, AccessPoint] = {}
        self._reserved: dict[str, AccessPoint] = {}
        for point in offered:
            self._admit(point)
        self._in_turn = sorted(
            self._by_name.values(), key=lambda point: (point.network == SIMULATOR, point.name)
        )

    def _admit(self, point: AccessPoint) -> None:
        if not isinstance(point, AccessPoint):
            raise PluginFault(f"{point!r} lacks an operation of AccessPoint")
        for wrong in faults(point):
            raise PluginFault(f"access point {point.name!r}: {wrong}")
        if point.name in self._by_name:
            raise PluginFault(f"two access points are named {point.name!r}")
        self._by_name[point.name] = point
        for participant in point.capabilities.reserved:
            self._reserved[participant.canonical] = point

    def __getitem__(self, name: str) -> AccessPoint:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[AccessPoint]:
        return iter(self._by_name.values())

    def reserved(self, participant: ParticipantId) -> bool:
        """Whether the participant exists in a sandbox only: live keys are refused it."""
        return participant.canonical in self._reserved

    def networks(self, environment: Environment) -> list[str]:
        """What is offered in an environment; a simulator simulates the test network of Peppol."""
        offered = {point.network for point in self if point.environment is environment}
        return sorted(offered | ({PEPPOL} if SIMULATOR in offered else set()))

    def serving(
        self, participant: ParticipantId, environment: Environment, network: str | None = None
    ) -> AccessPoint | None:
        """The access point to reach the participant by, or None where there is none.

        A simulator answers for `network` too: it stands in for the test network it simulates.
        """
        for point in self._asked_about(participant):
            fits = network is None or point.network in (network, SIMULATOR)
            if fits and point.environment is environment and point.serves(participant):
                return point
        return None

    def _asked_about(self, participant: ParticipantId) -> Iterable[AccessPoint]:
        owner = self._reserved.get(participant.canonical)
        return self._in_turn if owner is None else (owner,)


def faults(point: AccessPoint) -> Iterator[str]:
    """What forbids offering this access point, in words for its author."""
    can = point.capabilities
    if not _NAME.fullmatch(point.name):
        yield _NAME_WORDS
    if not isinstance(point.environment, Environment):
        yield "its environment is none of Environment"
    if point.network == SIMULATOR and point.environment is not Environment.TEST:
        yield "a simulator offers itself for live"
    if can.reserved and point.network != SIMULATOR:
        yield "only a simulator may reserve participants"
    if can.bulk < 1 or can.concurrency < 1 or can.timeout <= 0:
        yield "bulk and concurrency are at least 1, the timeout is more than 0 seconds"
    if can.max_bytes is not None and can.max_bytes < 1:
        yield "max_bytes is at least 1, or None"
    if not can.formats:
        yield "it takes no format"


def plugin_manager(plugins: Iterable[object] | None = None) -> pluggy.PluginManager:
    """The installed plugins, or exactly those given (tests). Raises PluginFault."""
    manager = pluggy.PluginManager(hookspec.PROJECT)
    manager.add_hookspecs(hookspec)
    try:
        _register(manager, plugins)
        manager.check_pending()
    except pluggy.PluginValidationError as fault:
        raise PluginFault(str(fault)) from fault
    for name, plugin in _named(manager):
        _check_interface(name, plugin)
    return manager


def _register(manager: pluggy.PluginManager, plugins: Iterable[object] | None) -> None:
    if plugins is None:
        _load_installed(manager)
        return
    for plugin in plugins:
        manager.register(plugin)


def _load_installed(manager: pluggy.PluginManager) -> None:
    try:
        manager.load_setuptools_entrypoints(hookspec.PROJECT)
    except pluggy.PluginValidationError:
        raise
    except Exception as fault:
        raise PluginFault(f"an installed plugin cannot be loaded: {fault!r}") from fault


def _named(manager: pluggy.PluginManager) -> Iterator[tuple[str, object]]:
    """Each plugin with the name of its entry point, module or class."""
    for name, plugin in manager.list_name_plugin():
        yield (type(plugin).__name__ if name.isdigit() else name), plugin


def _check_interface(name: str, plugin: object) -> None:
    written_for = getattr(plugin, "EINVOICE_INTERFACE", None)
    if written_for != INTERFACE_VERSION:
        raise PluginFault(
            f"plugin {name!r} is written for interface {written_for}; this is {INTERFACE_VERSION}: "
            f"set EINVOICE_INTERFACE beside its hooks, or install a version that fits"
        )


def load(
    settings: Mapping[str, str],
    plugins: Iterable[object] | None = None,
    inbox: Inbox | None = None,
) -> AccessPoints:
    """The access points of all plugins. Raises PluginFault."""
    return load_all(settings, plugins, inbox).access_points


@dataclass(frozen=True, slots=True)
class Offered:
    """What the plugins offer."""

    access_points: AccessPoints
    endpoints: Mapping[str, Endpoint]


def load_all(
    settings: Mapping[str, str],
    plugins: Iterable[object] | None = None,
    inbox: Inbox | None = None,
) -> Offered:
    """Ask every plugin for what it offers. Raises PluginFault."""
    manager = plugin_manager(plugins)
    given = {"settings": settings, "inbox": inbox or ClosedInbox()}
    return Offered(
        AccessPoints(_offers(manager, "einvoice_access_points", given)),
        _endpoints(_offers(manager, "einvoice_endpoints", given)),
    )


def _endpoints(offered: Iterable[Endpoint]) -> Mapping[str, Endpoint]:
    by_name: dict[str, Endpoint] = {}
    for endpoint in offered:
        if not isinstance(endpoint, Endpoint):
            raise PluginFault(f"{endpoint!r} is no Endpoint")
        if not _NAME.fullmatch(endpoint.name):
            raise PluginFault(f"endpoint {endpoint.name!r}: {_NAME_WORDS}")
        if endpoint.max_bytes < 1 or endpoint.per_minute < 1:
            raise PluginFault(f"endpoint {endpoint.name!r}: its limits are at least 1")
        if endpoint.name in by_name:
            raise PluginFault(f"two endpoints are named {endpoint.name!r}")
        by_name[endpoint.name] = endpoint
    return by_name


def _offers(manager: pluggy.PluginManager, hook: str, given: Mapping[str, object]) -> Iterator[Any]:
    everybody = manager.get_plugins()
    for name, plugin in _named(manager):
        ask = manager.subset_hook_caller(hook, everybody - {plugin})
        try:
            offered = [offer for answer in ask(**given) for offer in answer]
        except KeyError as fault:
            raise PluginFault(f"plugin {name!r} misses the setting {fault}") from fault
        except Exception as fault:
            raise PluginFault(f"plugin {name!r} cannot start: {fault!r}") from fault
        yield from offered
